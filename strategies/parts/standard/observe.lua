--- Opening a game and looking at it again: what it is, what it offers, whether its script still runs.
local controls = require "qa.input.controls"
local decisive = require "parts.standard.decisive"
local reader = require "qa.page.reader"
local findings = require "parts.standard.findings"
local response = require "qa.effect.response"
local time = require "qa.page.time"
local ready = require "qa.page.ready"

local M = {}

---Presses without any answer in a quiet scene that show keys to belong to another part of the game, and the share of
---them during which something may change by chance.
local UNUSED_PRESSES, STRAY_SHARE = 2, 0.25
---Longest window, of games with few frames a second.
local MOST_WINDOW_MS = 1500

---Opens the page; what did not load is decided here.
---@return boolean? ok, any reason or error
function M.navigate(ctx)
  -- On game time the page was loaded when its clock was chosen.
  local result, err = ctx.loaded, nil
  ctx.loaded = nil
  if not result then
    result, err = ctx.page:navigate(ctx.url, { wait = "dom", timeout_ms = ctx.options.navigation_ms })
  end
  if result and result.status < 400 then return true end
  if result then
    ctx.state.load_error = { kind = "load_failed",
      message = ("The server answered %d for the page."):format(result.status) }
    return decisive.decide(ctx, "load_failed")
  end
  if err.kind == "timeout" and err.detail and err.detail.reached and err.detail.reached ~= "" then return true end
  if decisive.by(ctx) then return decisive.decide(ctx, ctx.state.decided) end
  if err.kind == "timeout" or err.kind == "page_hung" then
    ctx.state.load_error = { kind = "load_timeout", message = "The page did not load: " .. err.message }
    return decisive.decide(ctx, "load_timeout")
  end
  return nil, err
end

---Looks again at what the page offers: scripts and instructions may have come with the start.
function M.controls(ctx)
  local text = reader.text(ctx.page)
  local found, declared = controls.infer(ctx, text)
  if #found >= #ctx.state.controls then ctx.state.controls = found end
  ctx.state.declared = ctx.state.declared or declared
  ctx:event("controls", { controls = ctx.state.controls })
end

---Keeps how the game was started, and tells it.
---@param result table of qa.start.cascade
function M.note_start(ctx, result)
  local state = ctx.state
  state.is_certain, state.start_by = result.is_certain, result.by
  state.started, state.auto, state.start_method = result.found, result.auto, result.method
  state.start_summary = result.found and ("%s: %s"):format(result.method, result.target)
    or ("%d attempts without effect"):format(result.attempts)
  ctx:event("start", { found = result.found, method = result.auto and "auto" or result.method,
    attempts = result.attempts })
end

---Keys that only the game's code names, and that did nothing in a scene at rest while the pointer was answered: keys of
---another part of the game. They leave the list of controls. Now and then something happens by itself while a key is
---down, and no more than without.
function M.unused_keys(ctx)
  local state, pressed, stirred, answered, noise = ctx.state, 0, 0, 0, 0
  for _, trial in ipairs(state.trials) do
    if #trial.control <= response.RULE.quiet_noise then noise = math.max(noise, #trial.control) end
  end
  for _, trial in ipairs(state.trials) do
    local quiet = #trial.control <= response.RULE.quiet_noise
    if trial.by_key and (trial.moved or #trial.input > math.max(noise, #trial.control)) then stirred = stirred + 1 end
    if trial.by_key and quiet then pressed = pressed + 1 end
    if not trial.by_key and trial.moved then answered = answered + 1 end
  end
  if stirred > pressed * STRAY_SHARE then return end
  if pressed < UNUSED_PRESSES or answered < response.RULE.repeats then return end
  local kept = {}
  for _, control in ipairs(state.controls) do
    if control.kind ~= "key" or control.source ~= "script" then kept[#kept + 1] = control end
  end
  state.controls = kept
  ctx:event("controls", { controls = kept })
end

---Does this trial alone look like an answer? It is held against the noisiest control so far.
---@return boolean? moved
function M.looks_answered(ctx, trial)
  ctx.state.noise = math.max(ctx.state.noise or 0, #trial.control)
  return #trial.input > response.RULE.min_cells and #trial.input > 2 * ctx.state.noise
    or trial.input_dom and not trial.control_dom
end

---Counts frames. A game may be much slower in play than in its menu, so rates in play replace those before it; the
---median counts. A window shows at least five frames, so that slow games are given the time that they need to answer.
function M.frame_rate(ctx)
  local state, options = ctx.state, ctx.options
  local fps, err = ctx.page:frame_rate(options.frame_rate_ms)
  state.stalled = not fps and not (err and err.kind == "clock_unavailable")  -- A page that stands still has no rate.
  if not fps or fps <= 0 then return end
  if not state.rates or state.play_from and not state.rates.in_play then
    state.rates = { in_play = state.play_from ~= nil }
  end
  table.insert(state.rates, fps)
  table.sort(state.rates)
  state.fps = state.rates[math.ceil(#state.rates / 2)]
  state.window_ms = math.floor(math.max(options.window_ms, math.min(MOST_WINDOW_MS, 5000 / state.fps)))
end

---Looks at the game's type again: many games make their canvas only when they start.
function M.game_type(ctx)
  local states = ready.states(ctx)
  local kind = states and ready.game_type(states, 1)
  if kind and kind ~= ctx.state.game_type and (kind == "canvas" or ctx.state.game_type == "unknown") then
    ctx.state.game_type = kind
    ctx:event("game_type", { type = kind })
  end
end

---Does script of the page still run by itself? A loop that does has not frozen, whatever its picture shows.
function M.script_runs(ctx)
  local function script_seconds()
    local metrics = ctx.page:metrics{ timeout_ms = 2000 }
    return metrics and metrics.ScriptDuration
  end
  local before = script_seconds()
  time.sleep(ctx.options.loop_ms)
  local after = script_seconds()
  return before ~= nil and after ~= nil and after - before > 0.0005
end

---Has an exception ended the loop of a game that moved? The last input may have, so the scene is watched.
---@return boolean
function M.ended_by_exception(ctx)
  local trials, events = ctx.state.trials or {}, ctx.page:events(0)
  if ctx.state.decided or not ctx.state.was_animated or #trials == 0 or findings.count(events, "exception") == 0 then
    return false
  end
  local seen = ctx.page:watch(ctx.state.window_ms)
  if not seen or seen.low ~= seen.high or M.script_runs(ctx) then return false end
  local all = { unpack(trials) }
  all[#all + 1] = { still = true, t_ms = time.now_ms() }
  return findings.ended_by_exception(all, events)
end

return M
