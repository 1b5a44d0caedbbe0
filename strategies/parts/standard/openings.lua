--- Reload trials: what tells of a game whose rounds are over in a few seconds and are begun by nothing but opening the
-- page. It is opened again and again, at random played or only watched (qa.effect.trials).
local facts = require "parts.standard.facts"
local candidates = require "qa.input.candidates"
local observe = require "parts.standard.observe"
local moves = require "qa.input.moves"
local rounds = require "parts.standard.rounds"
local start_attempts = require "qa.start.attempts"
local scenes = require "qa.page.scene"
local reload_trials = require "qa.effect.trials"

local M = {}

---What an opening takes beside its windows, at most where a page is quick.
local reload_ms = 1500

---Is there time for so many?
local function has_time(ctx, n)
  local o = ctx.options
  local needed_ms = n * (o.reload_windows * ctx.state.window_ms + reload_ms)
  return ctx:elapsed_ms() + needed_ms < math.min(ctx.time_limit_ms or math.huge, ctx.limits.duration_ms or math.huge)
end

---Begins with them, if they may tell what the play has not: a scene that moves by itself, or did, and that has not
---answered. One that answered when it was started, and no more, has shown what they could show; one whose script has
---ended with its picture is a fault or an end of its own.
---@param reason? string what ends the play after them, unless they end it; nil: it goes on
---@return boolean begun
function M.begin(ctx, reason)
  local state = ctx.state
  local moved = state.was_animated or state.moved_untouched
  local has_answered = state.auto or state.probe_answered
  if ctx.options.reload_trials == 0 or state.reload_trials or state.cap or has_answered or not moved then
    return false
  end
  local answer = facts.response(ctx, reason and facts.last_rule(ctx) or facts.rule(ctx)).outcome
  if not has_time(ctx, 2 * ctx.options.reload_trials) or facts.has_stopped(ctx) or answer == "yes" then return false end
  -- Silence in a game that has certainly begun, and goes on, is clear.
  if answer == "no" and state.is_certain and state.still_trials == 0 then return false end
  if state.still_trials > 0 and not observe.script_runs(ctx) then return false end
  local list = candidates.for_game(candidates.of(ctx, scenes.look(ctx), 1))
  if #list == 0 then return false end
  state.reload_trials = { assignment = reload_trials.assign(ctx.options.reload_trials), moves = list, next_move = 1,
    seen = {}, reason = reason }
  ctx:event("note",
    { text = ("Nothing answered for certain: the page is opened %d times, at random played or watched."):format(
    2 * ctx.options.reload_trials) })
  return true
end

---Are there reload trials to come?
function M.go_on(ctx) return ctx.state.reload_trials ~= nil and ctx.state.reload_trials.p == nil end

---What began the game after it was opened.
local function start(ctx)
  local by = ctx.state.started and not ctx.state.auto and ctx.state.start_by
  if by and by.key then
    ctx.page:press(by.key, { hold_ms = ctx.options.hold_ms })
  elseif by then
    ctx.page:mouse_click(by.x, by.y, { hold_ms = start_attempts.click_hold_ms })
  end
end

---All reload trials there were to be are seen: is that clear? What chance would hardly give is worth half as many more.
local function look(ctx, progress)
  local p, n = reload_trials.p(progress.seen, ctx.options.draws), #progress.seen
  ctx:event("note",
    { text = ("Of %d reload trials those played differ from those watched with p = %.5f."):format(n, p) })
  local half = math.ceil(n / 4)
  if p > ctx.options.reload_alpha and p <= ctx.options.promising and n == 2 * ctx.options.reload_trials
    and has_time(ctx, 2 * half) then
    for _, is_played in ipairs(reload_trials.assign(half)) do table.insert(progress.assignment, is_played) end
    return
  end
  progress.p = p
  ctx.state.moves, ctx.state.band, ctx.state.still_trials = nil, nil, 0
end

---One reload trial.
---@return boolean? ok, qa.Error? err
function M.open(ctx)
  local state = ctx.state
  local progress = state.reload_trials
  local is_played = progress.assignment[#progress.seen + 1]
  local undo = reload_trials.load_dice(ctx.page, ctx.seed)
  local ok, why = observe.navigate(ctx)
  undo()
  if not ok then return nil, type(why) == "table" and why or nil end
  rounds.wait(ctx)
  start(ctx)
  local done = {}
  local picture, err = reload_trials.watch(ctx.page, state.window_ms, ctx.options.reload_windows, is_played
    and function()
    local move = progress.moves[progress.next_move]
    progress.next_move = progress.next_move % #progress.moves + 1
    done[#done + 1] = { move = move, ok = moves.act(ctx.page, move, state) ~= nil }
  end or nil)
  -- What each of them did is not known: only all reload trials together tell.
  for _, one in ipairs(done) do
    state.actions = (state.actions or 0) + 1
    ctx:event("action", { action = one.move.action, target = moves.describe(one.move), success = one.ok })
  end
  if not picture then return nil, err end
  progress.seen[#progress.seen + 1] = { is_played = is_played, picture = picture }
  if #progress.seen == #progress.assignment then look(ctx, progress) end
  return true
end

return M
