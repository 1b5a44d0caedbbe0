-- The loop that runs a strategy on a target: one run directory, one journal, one
-- report, whatever happens. Several runs may follow each other in one process.
--
--   plan (raises: nothing began) -> open -> prepare -> start -> step* -> conclude -> report
local qa = require "qa"
local context = require "qa.run.context"
local ending_of = require "qa.run.ending"
local failure = require "qa.text.failure"
local recording = require "qa.run.recording"
local swap = require "qa.run.swap"
local target_of = require "qa.game.target"

---The reason by which a strategy ends a run on game time whose page does not repeat itself.
local M = { not_repeatable = "not_repeatable" }

local function folder_of(path) return path:match("^(.*)/[^/]*$") or "." end

local function load_metadata(opts, strategy)
  if type(opts.metadata) == "table" then
    opts.metadata.inputs = nil  -- derived
    return require("qa.game.metadata").check(opts.metadata, "metadata")
  end
  local path = opts.metadata or strategy.metadata
  if not path then return nil end
  -- A strategy's own lies beside it: the working folder may be anybody's.
  if not opts.metadata and path:sub(1, 1) ~= "/" then path = folder_of(strategy.path) .. "/" .. path end
  return require("qa.game.metadata").load(path)
end

---Everything that can be wrong before a run begins. Raises one sentence.
local function plan(opts)
  local strategy = type(opts.strategy) == "table" and opts.strategy
    or require("qa.run.strategy_file").load(opts.strategy or "standard")
  local options, limits = require("qa.run.options").resolve(strategy, opts.set)
  local metadata = load_metadata(opts, strategy)
  local found = target_of.classify(opts.target or strategy.url)
  if metadata and metadata.id then found.slug = target_of.slug(metadata.id) end
  return { strategy = strategy, options = options, limits = limits, metadata = metadata, found = found }
end

---Options of a strategy that are options of its page, too.
local page_options = { "tap_text", "count_draws", "hold_scroll" }

local function launch(opts, clock)
  local browser, err = qa.browser.launch{ path = opts.browser, headed = opts.headed, clock = clock }
  return browser or error(err, 0)
end

---What a game does that fails as it loads: it does so in real time, too, where it is judged.
local loading_failures = { page_hung = true, page_crashed = true, page_closed = true, timeout = true }

---A browser for game time where the run is to be on it, else one for real time.
---@return qa.Browser browser, string? note why it is real time, table? world on game time, where the game was loaded
local function launch_for(ctx, opts, page_opts)
  if not ctx.tape then return launch(opts, "real") end
  local browser = launch(opts, "game")
  ctx.browser = browser
  local world, why_not = recording.world(browser, ctx, page_opts)
  if world then return browser, nil, world end
  local fails_to_load = loading_failures[why_not.kind] ~= nil
  if failure.is_loss(why_not) then error(why_not, 0) end
  if ctx.clock == "game" and not fails_to_load and why_not.kind ~= "clock_unavailable" then error(why_not, 0) end
  if ctx.clock == "game" and not fails_to_load then
    error(failure.new("clock_unavailable", ("this game cannot be played on game time: %s; qa-host clock TARGET says "
      .. "more, and --clock real plays it"):format(failure.text(why_not)), "qa-host test"), 0)
  end
  browser:close()
  ctx.tape = nil
  return launch(opts, "real"), "played in real time: " .. failure.text(why_not)
end

local function open_page(browser, page_opts)
  page_opts.seed = nil
  local page, err = browser:new_page(page_opts)
  return page or error(err, 0)
end

---Options of the page of this run.
local function page_options_of(ctx)
  local page_opts = { width = ctx.width, height = ctx.height }
  for _, name in ipairs(page_options) do page_opts[name] = ctx.options[name] end
  return page_opts
end

local function open_browser(ctx, opts)
  local page_opts = page_options_of(ctx)
  if ctx.tape then page_opts.seed = ctx.seed % 0x7fffffff end
  local browser, note, world = launch_for(ctx, opts, page_opts)
  ctx.browser = browser
  local info = browser:info()
  local notes = { note }
  if info.no_sandbox then notes[#notes + 1] = "the browser runs without its sandbox because the user is root" end
  if info.remote then
    notes[#notes + 1] = "the browser runs elsewhere, with flags, fonts, profile and logs that this host does not know"
  end
  ctx:event("browser", { info = { path = info.path, product = info.product, protocol = info.protocol,
    headless = info.headless, no_sandbox = info.no_sandbox, remote = info.remote }, notes = qa.json.array(notes) })
  ctx.world, ctx.page = world, world and world.page or open_page(browser, page_opts)
  if not world then return end
  ctx.loaded = world.loaded
  function world.on_new_page(page) recording.move(ctx, page) end
  recording.begin(ctx, page_opts)
end

---The game stopped repeating itself in mid-run: it is played once more, in real time.
local function open_in_real_time(ctx, opts)
  recording.finish(ctx)
  ctx.browser:close()
  ctx.tape, ctx.world, ctx.recording, ctx.state = nil, nil, nil, { actions = ctx.state.actions }
  ctx.browser = launch(opts, "real")
  ctx.page = open_page(ctx.browser, page_options_of(ctx))
  ctx:event("real_time", { note = "the game does not repeat itself, so it was played once more, in real time" })
end

---The limit that is used up, as a completion reason.
local function limit_reached(ctx, steps)
  local limits = ctx.limits
  if limits.actions and (ctx.state.actions or 0) >= limits.actions then return "max_actions" end
  if limits.steps and steps >= limits.steps then return "max_steps" end
  if limits.duration_ms and ctx:elapsed_ms() >= limits.duration_ms then return "max_duration" end
end

---limits.usd lowers what the run may spend; it never raises it. A strategy that plays for another, or is swapped in,
---brings its own.
local function cap_budget(limits)
  if limits.usd and limits.usd < qa.budget.state().cap then qa.budget.lower(limits.usd) end
end

---One step; true to go on, else the reason to end.
local function one_step(ctx, n)
  qa.run.step(n)
  ctx.this_step = {}
  local began = qa.now_ms()
  local going, reason = ctx.strategy.step(ctx)
  local summary = { n = n, ms = math.floor(qa.now_ms() - began) }
  for key, value in pairs(ctx.this_step) do summary[key] = value end
  ctx:event("step", summary)
  recording.picture(ctx, "step")
  ctx:publish()
  if going == true then return true end
  if going == false then return false, reason and tostring(reason) or "completed" end
  if type(reason) == "table" then error(reason, 0) end
  error(("%s: step: expected true, or false and a reason, got %s"):format(ctx.strategy.path, tostring(going)), 0)
end

local function steps(ctx, opts, notify)
  local watch, n = { set = opts.set }, 0
  while true do
    local reason = ctx.stopped or limit_reached(ctx, n)
    if reason then return reason end
    if opts.watch then swap.check(ctx, watch, n + 1) end
    if not ctx.strategy.step then return "completed" end
    cap_budget(ctx.limits)
    n = n + 1
    local going
    going, reason = one_step(ctx, n)
    notify("step", ctx)
    if not going then return reason end
  end
end

---Never returns; raises browser_lost soon after it happens, also while a hook only sleeps.
local function watch_browser(ctx)
  while true do
    qa.sleep(200)
    ctx.browser:info()
  end
end

---prepare, start and the steps; returns the completion reason, raises what ended the run otherwise.
local function play(ctx, opts, notify)
  for _, hook in ipairs { "prepare", "start" } do
    local run = ctx.strategy[hook]
    cap_budget(ctx.limits)
    local ok, err
    if run then ok, err = run(ctx) end
    recording.picture(ctx, hook)
    notify(hook, ctx)
    if ctx.stopped then return ctx.stopped end
    if ok == false then return err and failure.text(err) or hook end
    -- A start that was not found does not end the run: the game may start by itself (C-054).
    if run and not ok and err ~= nil and hook == "prepare" then error(err, 0) end
    if hook == "start" and ok == true and not ctx.state.started then
      -- A start hook of the tester's own, which says that the game runs now.
      ctx.state.started = true
      ctx:event("start", { found = true, method = "hook", attempts = 1 })
    end
  end
  return steps(ctx, opts, notify)
end

local function play_beside_watch(ctx, opts, notify)
  local _, reason = qa.race(function() return play(ctx, opts, notify) end, function() return watch_browser(ctx) end)
  return reason
end

local function body(ctx, opts, notify)
  ctx:phase("initialization")
  open_browser(ctx, opts)
  local reason = play_beside_watch(ctx, opts, notify)
  if not ctx.world or reason ~= M.not_repeatable or ctx.clock ~= "auto" then return reason end
  open_in_real_time(ctx, opts)
  return play_beside_watch(ctx, opts, notify)
end

---@param opts table strategy, target, slug, metadata, set, seed, out, browser, headed, watch, max_duration_ms, quiet,
---clock, tape, keep_shots, and on(stage, ctx): called after "prepare", "start", each "step", and "done" while the page
---is still open
---@return table outcome {status, score, exit_code, report, path, dir}
function M.run(opts)
  local planned = plan(opts)
  local strategy = planned.strategy
  local dir, err = qa.run.open{ out = opts.out, slug = opts.slug or planned.found.slug }
  if not dir then error(("the run directory cannot be made: %s"):format(failure.text(err)), 0) end
  local clock = opts.clock or strategy.clock
  local tape = clock ~= "real" and recording.tape(dir, opts.tape) or nil
  local target = target_of.open(planned.found, tape)
  local session_id = dir:match("([^/]+)/*$")
  local seed = opts.seed or tonumber(qa.fs.sha256(session_id):sub(1, 7), 16)
  math.randomseed(seed)
  local ctx = context.new{
    url = target.url, dir = dir, strategy = strategy, options = planned.options, limits = planned.limits,
    tape = tape, clock = clock, lists = strategy.lists, metadata = planned.metadata, seed = seed, quiet = opts.quiet,
    keep_shots = opts.keep_shots,
    width = planned.options.width or 1280, height = planned.options.height or 720,
    goal = opts.goal or "find out whether the game can be played" }
  if ctx.lists and ctx.lists.memory_policy then
    ctx.memory = require("qa.memory.memory").new{ game = target.slug, goal = ctx.options.goal or ctx.goal,
      policy = ctx.lists.memory_policy, seed = seed }
  end
  qa.run.step(0)
  ctx:event("run_started", { url = target.url, origin = target.origin, strategy = strategy.name,
    options = planned.options, limits = planned.limits, seed = seed, session_id = session_id, utc = qa.utc(),
    version = qa.version, notes = qa.json.array{} })
  ctx:event("policy", { files = qa.json.array(swap.identities(strategy)) })
  ctx:publish()
  local function notify(stage) if opts.on then opts.on(stage, ctx) end end
  local limit_ms = opts.max_duration_ms or 240000
  ctx.time_limit_ms = limit_ms
  local ok, reason, late = pcall(qa.with_deadline, limit_ms, function() return body(ctx, opts, notify) end)
  local ending
  if not ok then
    ending = ending_of.classify(reason)
  elseif reason == nil and type(late) == "table" then
    ending = { reason = "max_duration" }
  else
    ending = { reason = reason }
  end
  pcall(recording.finish, ctx)
  local outcome = ending_of.finish(ctx, ending, notify)
  if ctx.browser then pcall(ctx.browser.close, ctx.browser) end
  return outcome
end

return M
