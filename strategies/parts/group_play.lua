--- One group of actions in play: what is known of earlier ones, how it is run, and when it has succeeded.

local qa = require "qa"
local actions = require "qa.actions"
local metrics = require "qa.metrics"
local model_play = require "parts.model_play"
local page_text = require "qa.page_text"
local rounds = require "parts.rounds"
local utf8 = require "qa.utf8"

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
    parts[i + 1] = actions.describe(action):gsub("(%d+),(%d+)", function(x, y) return ("%d,%d"):format(x / 8, y / 8) end)
  end
  return table.concat(parts, ";")
end

---The page as it is now, with the picture that the last group ended with, where there is one (A-015).
function M.now(ctx)
  local path = ctx.state.after_path
  local image = path and qa.image.load(ctx.dir .. "/" .. path)
  if image then return { image = image, path = path, rows = ctx.page:clickables{ limit = 60 } or {}, hash = image:hash() } end
  local seen, err = model_play.look(ctx, "before_groups")
  if seen then ctx.state.after_path = seen.path end
  return seen, err
end

---The pictures of a question: the page now, then each earlier group before and after.
---@return qa.Image[] images, table<integer, integer[]> shown numbers of a parent's two pictures
function M.pictures(ctx, seen, parents)
  local images, shown = { seen.image }, {}
  for i, parent in ipairs(parents) do
    local before = parent.before and qa.image.load(ctx.dir .. "/" .. parent.before)
    local after = parent.after and qa.image.load(ctx.dir .. "/" .. parent.after)
    if before and after then
      shown[i] = { #images + 1, #images + 2 }
      images[#images + 1], images[#images + 2] = before, after
    end
  end
  return images, shown
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
  local lines = {}
  for i = math.max(1, #ctx.state.failed - ctx.options.history + 1), #ctx.state.failed do lines[#lines + 1] = ctx.state.failed[i].text end
  return #lines > 0 and page_text.fence(table.concat(lines, "\n"), "failed") or "(nothing)"
end

---A group that stands for one that succeeded: a click in the middle of the page.
function M.stand_in(ctx)
  local click = { action = "click", target = { x = ctx.width / 2, y = ctx.height / 2 } }
  return { reasoning = "Stands for a group that succeeded.", confidence = 0.5, actions = { actions.describe(click) .. ": ok" }, path = { click } }
end

---A-G1: the game anew, in the state that the group's parent led to.
local function isolate(ctx, parent)
  metrics.span(ctx, "restart", rounds.open_anew, ctx)
  local cap, count = ctx.state.cap, ctx.state.actions
  -- What is only repeated to get there is not the model's.
  ctx.state.cap = nil
  for _, action in ipairs(parent and parent.path or {}) do
    actions.perform(ctx, action, { snap = false })
    model_play.take_effect(ctx)
  end
  ctx.state.cap, ctx.state.actions = cap, count
  local seen = model_play.look(ctx, "isolated")
  if not seen then return end
  ctx.state.after_path, ctx.state.seen_hash = seen.path, seen.hash
  seen.image:close()
end

local function short(text) return utf8.shorten(utf8.printable(text), 500) end

---What is told of a group (A-050), in the journal and in the report's step.
local function tell(ctx, group, more)
  local line = { iteration = ctx.state.iteration, reasoning = short(group.reasoning), confidence = group.confidence, parent = group.parent,
    actions = #group.actions }
  for key, value in pairs(more) do line[key] = value end
  ctx:event("group", line)
  for key, value in pairs(line) do ctx.this_step[key] = value end
  ctx.log.info(("group of confidence %.2f: %d actions, %d done, %s"):format(group.confidence, #group.actions, more.executed, more.success and "success"
    or more.known and "failed before on this screen" or "no success"))
end

---The lines and the path of a group that was run.
local function winner_of(group, parent, before, after, lines, list)
  local path = {}
  for _, action in ipairs(parent and parent.path or {}) do path[#path + 1] = action end
  for _, action in ipairs(list) do path[#path + 1] = action end
  return { reasoning = short(group.reasoning), confidence = group.confidence, parent = group.parent, before = before, after = after, actions = lines,
    path = path }
end

---Runs a group: all its actions, even past one that fails, then one picture and one assessment (A-017).
---@return {is_winner: boolean, winner: table?, complete: boolean}? outcome
---@return string? reason why the play of the model ends
function M.run(ctx, group)
  local state, o = ctx.state, ctx.options
  local parent = group.parent and state.successful[group.parent] or nil
  if o.isolate then isolate(ctx, parent) end
  local before, known = state.after_path, key_of(state.seen_hash or "", group.actions)
  for _, failed in ipairs(state.failed) do
    if failed.key == known then
      tell(ctx, group, { executed = 0, success = false, known = true, progressed = "no" })
      return { is_winner = false, complete = false }
    end
  end
  if group.actions[1].action == "complete" then
    tell(ctx, group, { executed = 0, success = true, progressed = "no" })
    return { is_winner = false, complete = true }
  end
  local last = #group.actions
  local done, result, err = model_play.perform(ctx, group.actions, { go_on = true, between = function(i)
    if i < last then model_play.take_effect(ctx) end
  end })
  model_play.told(ctx, group.actions, done, result)
  if not result then return nil, err.kind end
  local seen = model_play.look(ctx, ("iteration_%02d"):format(state.iteration))
  state.after_path, state.seen_hash = seen and seen.path, seen and seen.hash
  if seen then seen.image:close() end
  local facts = { progressed = result.progressed == "yes", some_ok = done.done > 0, every_ok = done.success and #done.outcomes > 0 }
  local rule = M.success[o.success_rule]
  if not rule then error(("option success_rule: expected progressed, some or every, got '%s'"):format(o.success_rule), 0) end
  local is_winner = rule(facts)
  tell(ctx, group, { executed = #done.outcomes, success = is_winner, progressed = result.progressed, some_ok = facts.some_ok, every_ok = facts.every_ok,
    complete = done.complete })
  local lines, list = {}, {}
  for i, outcome in ipairs(done.outcomes) do
    lines[i], list[i] = actions.describe(group.actions[i]) .. (outcome.success and ": done" or ": failed"), group.actions[i]
  end
  if not is_winner then table.insert(state.failed, { key = known, text = table.concat(lines, "; ") .. " (nothing changed)" }) end
  -- What was done before a limit was reached still counts.
  if done.stop then return nil, done.stop end
  return { is_winner = is_winner, complete = done.complete, winner = winner_of(group, parent, before, state.after_path, lines, list) }
end

return M
