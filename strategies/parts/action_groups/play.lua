--- One group of actions in play: what is known of earlier ones, how it is run, and when it has succeeded.
local actions = require "qa.input.actions"
local failure = require "qa.text.failure"
local group_pictures = require "parts.action_groups.pictures"
local metrics = require "qa.run.metrics"
local model_play = require "parts.model_led.play"
local page_text = require "qa.model.page_text"
local rounds = require "parts.standard.rounds"
local utf8 = require "qa.text.utf8"

local M = {}

---A-X1: when a group has succeeded. facts: progressed, some_ok, every_ok.
M.success = {
  progressed = function(facts) return facts.progressed end,
  some = function(facts) return facts.progressed and facts.some_ok end,
  every = function(facts) return facts.progressed and facts.every_ok end,
}

---The same actions on the same screen are the same attempt; places are compared roughly.
local function key_of(hash, list)
  local parts = { hash }
  for i, action in ipairs(list) do
    parts[i + 1] = actions.describe(action):gsub("(%d+),(%d+)",
      function(x, y) return ("%d,%d"):format(x / 8, y / 8) end)
  end
  return table.concat(parts, ";")
end

---A-003: what the next iteration is told of the groups that succeeded. A model wrote the words: they are data.
function M.parents_text(parents, shown)
  local lines = {}
  for i, parent in ipairs(parents) do
    lines[#lines + 1] = ("group %d, confidence %.2f%s: %s"):format(i, parent.confidence,
      shown[i] and (", picture %d before and picture %d after"):format(unpack(shown[i])) or "", parent.reasoning)
    for _, line in ipairs(parent.actions) do lines[#lines + 1] = "  " .. line end
  end
  return page_text.fence(table.concat(lines, "\n"), "groups")
end

---A-G4: what has failed in this run.
function M.failed_text(ctx)
  local lines, failed = {}, ctx.state.failed_groups
  for i = math.max(1, #failed - ctx.options.history + 1), #failed do lines[#lines + 1] = failed[i].text end
  return #lines > 0 and page_text.fence(table.concat(lines, "\n"), "failed") or "(nothing)"
end

---A group that stands for one that succeeded: a click in the middle of the page.
function M.stand_in(ctx)
  local click = { action = "click", target = { x = ctx.width / 2, y = ctx.height / 2 } }
  return { reasoning = "Stands for a group that succeeded.", confidence = 0.5,
    actions = { actions.describe(click) .. ": ok" }, path = { click } }
end

---Does actions again, to the first that cannot be done. They do not count as the model's, but its time is theirs, too.
---@return table? outcome of the one that could not be done
local function repeat_path(ctx, path)
  local state, failed = ctx.state, nil
  local cap, count = state.cap, state.actions
  state.cap = { duration_ms = cap.duration_ms }
  for _, action in ipairs(path) do
    local outcome = actions.perform(ctx, action)
    state.actions = count
    if not outcome.success then
      failed = outcome
      break
    end
    model_play.take_effect(ctx)
  end
  state.cap = cap
  return failed
end

---A-G1: the game anew, in the state that the group's parent led to.
---@return string? reason why the play of the model ends
---@return qa.Error? err why that state cannot be reached
local function isolate(ctx, parent)
  if not metrics.span(ctx, "restart", rounds.open_anew, ctx) then return ctx.state.decided or "error" end
  local failed = repeat_path(ctx, parent and parent.path or {})
  if failed then return failed.stop, failed.error end
  local seen, err = group_pictures.look(ctx, "isolated")
  if not seen then return err.kind end
  ctx.state.after_path, ctx.state.seen_hash = seen.path, seen.hash
end

local function short(text) return utf8.shorten(utf8.printable(text), 500) end

---What is told of a group (A-050), in the journal and in the report's step.
local function tell(ctx, group, more)
  local line = { iteration = ctx.state.iteration, reasoning = short(group.reasoning), confidence = group.confidence,
    parent = group.parent, actions = #group.actions }
  for key, value in pairs(more) do line[key] = value end
  ctx:event("group", line)
  for key, value in pairs(line) do ctx.this_step[key] = value end
  ctx.log.info(("group of confidence %.2f: %d actions, %d done, %s"):format(group.confidence, #group.actions,
    more.executed, more.success and "success" or more.known and "failed before on this screen" or "no success"))
end

---A group that has succeeded: what is told of it, and the actions that were done to get there.
local function winner_of(group, parent, before, after, lines, list)
  local path = {}
  for _, action in ipairs(parent and parent.path or {}) do path[#path + 1] = action end
  for _, action in ipairs(list) do path[#path + 1] = action end
  return { reasoning = short(group.reasoning), confidence = group.confidence, parent = group.parent, before = before,
    after = after, actions = lines, path = path }
end

---Runs a group: all its actions, even past one that fails, then one picture and one assessment (A-017).
---@return {winner: table?, complete: boolean?} outcome winner: the group as it is continued, where it has succeeded
---@return string? reason why the play of the model ends
function M.run(ctx, group)
  local state, o = ctx.state, ctx.options
  if group.actions[1].action == "complete" then
    tell(ctx, group, { executed = 0, success = true, progressed = "unknown" })
    return { complete = true }
  end
  local parent = group.parent and state.successful[group.parent] or nil
  if o.isolate then
    local reason, lost = isolate(ctx, parent)
    if lost then
      tell(ctx, group, { executed = 0, success = false, progressed = "unknown", error = short(failure.text(lost)) })
    end
    if reason or lost then return {}, reason end
  end
  local before, known = state.after_path, key_of(state.seen_hash or "", group.actions)
  for _, failed in ipairs(state.failed_groups) do
    if failed.key == known then
      tell(ctx, group, { executed = 0, success = false, known = true, progressed = "unknown" })
      return {}
    end
  end
  local last = #group.actions
  local done, result, err = model_play.perform(ctx, group.actions, { go_on = true, between = function(i)
    if i < last then model_play.take_effect(ctx) end
  end })
  if not result then
    tell(ctx, group, { executed = #done.outcomes, success = false, progressed = "unknown", some_ok = done.done > 0,
      complete = done.complete })
    return { complete = done.complete }, done.stop or err.kind
  end
  local seen = group_pictures.look(ctx, ("iteration_%02d"):format(state.iteration))
  state.after_path, state.seen_hash = seen and seen.path, seen and seen.hash
  local facts = { progressed = result.progressed == "yes", some_ok = done.done > 0, every_ok = done.success
    and #done.outcomes > 0 }
  local is_winner = M.success[o.success_rule](facts)
  tell(ctx, group, { executed = #done.outcomes, success = is_winner, progressed = result.progressed,
    some_ok = facts.some_ok, every_ok = facts.every_ok, complete = done.complete })
  local lines, list = {}, {}
  for i, outcome in ipairs(done.outcomes) do
    lines[i] = actions.describe(group.actions[i]) .. (outcome.success and ": done" or ": failed")
    if outcome.success then list[#list + 1] = group.actions[i] end
  end
  if result.progressed == "no" then
    table.insert(state.failed_groups, { key = known, text = table.concat(lines, "; ") .. " (nothing changed)" })
  end
  -- What was done before a limit was reached still counts.
  return { winner = is_winner and winner_of(group, parent, before, state.after_path, lines, list) or nil,
    complete = done.complete }, done.stop
end

return M
