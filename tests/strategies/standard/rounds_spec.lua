-- Turns and rounds of the standard strategy in real time: what is played next, and when a game is started again.
local strategy = require("qa.run.strategy_file").load("standard")
local qa = require "qa"
local moves = require "qa.input.moves"
local observe, rounds = require("qa.run.strategy_file").part("standard.observe"),
  require("qa.run.strategy_file").part("standard.rounds")
local turns = require("qa.run.strategy_file").part("standard.turns")
local controls = require "qa.input.controls"

local function ctx_with(list)
  return { url = "http://127.0.0.1:1/game.html", state = { controls = list, window_ms = 350 }, lists = strategy.lists,
    options = {}, width = 1280, height = 720,
    page = { probe = function() return {} end } }
end

return {
  ["a game that makes few frames is played in a smaller view, one that crawls in a tiny one"] = function(t)
    local function size_at(fps, canvas)
      local ctx, size = ctx_with{}, nil
      for name, option in pairs(strategy.options) do ctx.options[name] = option.default end
      ctx.state.fps, ctx.state.started, ctx.event = fps, false, function() end
      -- What was seen in the old view tells nothing of the new one.
      ctx.state.answer, ctx.state.last_answer_ms, ctx.state.restart_by = { outcome = "yes" }, 1,
        { x = 900, y = 500 }
      ctx.page = setmetatable({ resize = function(_, width, height) size = { width, height } return true end,
        navigate = function() return { status = 404 } end },
        { __index = function() return function() return nil end end })
      local canvases = require "qa.page.canvas"
      local scenes = require "qa.page.scene"
      local look, canvas_of = scenes.look, canvases.of_game
      scenes.look = function() ctx.state.board_cells = 9216 end
      canvases.of_game = function() return canvas end
      local ok, eased = pcall(turns.ease, ctx)
      scenes.look, canvases.of_game = look, canvas_of
      t.equal({ ok, eased }, { true, fps < 15 })
      t.equal((ctx.state.answer or ctx.state.last_answer_ms or ctx.state.restart_by) == nil, eased)
      return size
    end
    t.equal({ size_at(16) or false, size_at(5), size_at(1.5) }, { false, { 640, 360 }, { 428, 240 } })
    -- One that keeps its size is not cut off.
    t.equal(size_at(5, { width = 640, height = 400 }), { 640, 360 })
    t.equal(size_at(5, { width = 1200, height = 720 }), { 1280, 720 })
  end,

  ["where a game is started when it is opened anew is remembered"] = function(t)
    local ctx, cascade = ctx_with{}, require "qa.start.cascade"
    local run, wait = cascade.run, rounds.wait
    ctx.state.started, ctx.state.start_by = true, { x = 900, y = 500 }
    ctx.page.navigate, rounds.wait = function() return { status = 200 } end, function() end
    local function opened(result)
      cascade.run = function() return result end
      rounds.open_anew(ctx)
      return ctx.state.start_by
    end
    local found, lost = opened{ found = true, by = { x = 300, y = 150 } },
      opened{ found = false, by = { x = 1, y = 1 } }
    cascade.run, rounds.wait = run, wait
    t.equal({ found, lost }, { { x = 300, y = 150 }, { x = 300, y = 150 } })
  end,

  ["keys that do nothing where the pointer is answered leave the list of controls"] = function(t)
    local told
    local ctx = ctx_with{ { kind = "key", key = "ArrowUp", source = "script" },
      { kind = "key", key = "KeyB", source = "metadata" },
      { kind = "click", source = "listener" } }
    ctx.options = { unused_presses = 2, repeats = 2, quiet_noise = 12, stray_share = 0.25 }
    ctx.event = function(_, name) told = name end
    local function trial(by_key, moved)
      return { by_key = by_key, moved = moved, still = not moved, input = {}, control = {} }
    end
    ctx.state.trials = { trial(true), trial(false, true), trial(false, true) }
    observe.unused_keys(ctx)
    t.equal({ #ctx.state.controls, told }, { 3, nil })
    ctx.state.trials[4] = trial(true)
    observe.unused_keys(ctx)
    t.equal({ #ctx.state.controls, told }, { 2, "controls" })
    ctx.state.controls[3] = { kind = "key", key = "KeyC", source = "script" }
    ctx.state.trials[5] = trial(true, true)
    observe.unused_keys(ctx)
    t.equal(#ctx.state.controls, 3)
    -- One change in four presses is the game's own.
    ctx.state.trials[6] = trial(true)
    observe.unused_keys(ctx)
    t.equal(#ctx.state.controls, 2)
    -- So is as much as the scene did in some window without input, and no more.
    ctx.state.controls[3] = { kind = "key", key = "KeyC", source = "script" }
    ctx.state.trials = { trial(true), trial(true), trial(false, true), trial(false, true) }
    ctx.state.trials[1].input, ctx.state.trials[1].control, ctx.state.trials[2].control = { 1, 2, 3 }, { 1, 2 },
      { 1, 2 }
    observe.unused_keys(ctx)
    t.equal(#ctx.state.controls, 3)
    ctx.state.trials[3].control = { 1, 2, 3 }
    observe.unused_keys(ctx)
    t.equal(#ctx.state.controls, 2)
  end,

  ["what answered when it was opened anew is opened anew once more when it rests"] = function(t)
    local function due(last_answer_ms, still_trials)
      return rounds.is_due({ options = { most_restarts = 3, rest_trials = 2, late_trials = 4 },
        state = { restarts = 1, board_cells = 900, trials = {}, play_from = qa.now_ms(), reopened_ms = 100,
          last_answer_ms = last_answer_ms,
          still_trials = still_trials } }, 30000)
    end
    t.truthy(due(200, 2))
    t.falsy(due(200, 1))
    t.falsy(due(50, 2))
    t.falsy(due(nil, 2))
  end,

  ["an end screen is left, but not while the game answers; the next is tried though the last stayed"] = function(t)
    local text = "game over"
    local ctx = { options = { most_restarts = 3, rest_trials = 2, late_trials = 4 }, lists = strategy.lists,
      page = { content = function() return text end, probe = function() return {} end },
      state = { restarts = 0, still_trials = 0, trials = {}, has_just_answered = true, play_from = qa.now_ms(),
        words_in_play = {} } }
    local function due() return rounds.is_due(ctx, 30000) end
    t.falsy(due())
    ctx.state.has_just_answered = false
    t.truthy(due())
    ctx.state.restart_failed = true
    t.falsy(due())
    text = "score 5"
    t.falsy(due())
    text = "game over"
    t.truthy(due())
    -- An attempt in the middle of a silent game says nothing of the end screen that comes later.
    text = "score 7"
    t.falsy(due())
    ctx.state.restart_failed = true
    t.falsy(due())
    text = "game over"
    t.truthy(due())
  end,

  ["each control has its turn before one that stands out has more, also where new starts cut the rounds short"] =
    function(t)
    local ctx = ctx_with{ { kind = "key", key = "KeyA", action = "left" },
      { kind = "key", key = "KeyD", action = "right" },
      { kind = "key", key = "KeyB" }, { kind = "key", key = "KeyC" }, { kind = "click" } }
    ctx.page = setmetatable({ frame_rate = function() return 60 end },
      { __index = function() return function() return nil end end })
    for name, option in pairs(strategy.options) do ctx.options[name] = option.default end
    ctx.state.round, ctx.state.trials, ctx.event = 0, {}, function() end
    local told = {}
    local function play_one()
      local move = turns.next_move(ctx)
      told[#told + 1] = moves.group(move)
      table.insert(ctx.state.trials, { group = moves.group(move), control = {}, input = move.axis and { 1, 2, 3, 4 }
        or {} })
    end
    for _ = 1, 3 do play_one() end
    ctx.state.moves = nil
    for _ = 1, 3 do play_one() end
    t.equal(told, { "click", "mash", "sideways", "sideways", "KeyB", "KeyC" })
    for _ = 1, 4 do play_one() end
    t.equal({ told[8], told[10] }, { "sideways", "sideways" })
  end,

  ["a game that has not answered for a round is asked again what it listens to, and plays with that"] = function(t)
    local ctx = ctx_with{ { kind = "click" } }
    ctx.page = setmetatable({ frame_rate = function() return 60 end },
      { __index = function() return function() return nil end end })
    for name, option in pairs(strategy.options) do ctx.options[name] = option.default end
    ctx.state.round, ctx.state.trials, ctx.event = 0, {}, function() end
    local infer, asked, pressed = controls.infer, 0, 0
    function controls.infer()
      asked = asked + 1
      return { { kind = "click" }, { kind = "key", key = "KeyA" } }, true
    end
    local function play_rounds(last)
      for _ = 1, 100 do
        local move = turns.next_move(ctx)
        if ctx.state.round > last then return end
        pressed = pressed + (move.action == "press" and 1 or 0)
        table.insert(ctx.state.trials, { group = moves.group(move), control = {}, input = {} })
      end
    end
    play_rounds(1)
    local first = { asked, pressed }
    ctx.state.last_answer_ms = qa.now_ms() + 60000
    play_rounds(3)
    controls.infer = infer
    t.equal({ first, asked, pressed > 0 }, { { 1, 0 }, 1, true })
  end,

  ["in a scene that moves by itself the player is brought to one side and to the other"] = function(t)
    local list = { { kind = "key", key = "KeyD", action = "right" }, { kind = "key", key = "KeyB" },
      { kind = "key", key = "KeyA", action = "left" } }
    local ctx = ctx_with(list)
    local function extra_turns()
      ctx.state.moves, ctx.state.next_move, ctx.state.turn = { { action = "click" }, { action = "click" },
        { action = "click" } }, 1, 0
      local keys = {}
      for _ = 1, 28 do
        ctx.state.next_move = 1
        local move = turns.next_move(ctx)
        keys[#keys + 1] = ctx.state.turn % 4 == 0 and (move.key or move.action) or nil
      end
      return keys
    end
    ctx.state.round, ctx.state.trials, ctx.state.was_animated = 2, {}, true
    t.equal(extra_turns(), { "KeyD", "KeyA", "KeyD", "KeyA", "KeyD", "KeyA", "click" })
    list[1].action, list[3].action = "up", "down"
    t.equal(extra_turns(), { "KeyA", "KeyD", "KeyA", "KeyD", "KeyA", "KeyD", "click" })
    ctx.state.was_animated = false
    t.equal(extra_turns()[1], "click")
    ctx.state.was_animated, list[1].action = true, "jump"
    t.equal(extra_turns()[1], "click")
  end,

  ["a scene that comes to rest or moves again may be restarted anew"] = function(t)
    local ctx = { state = { restart_failed = true, still_trials = 0 } }
    rounds.notice(ctx, false)
    t.truthy(ctx.state.restart_failed)
    rounds.notice(ctx, true)
    t.equal({ ctx.state.restart_failed, ctx.state.still_trials }, { false, 1 })
    ctx.state.restart_failed = true
    rounds.notice(ctx, false, "KeyP")
    rounds.notice(ctx, true, "KeyX")
    rounds.notice(ctx, true)
    t.equal({ ctx.state.key_in_motion, ctx.state.still_trials }, { "KeyP", 2 })
    ctx.state.restart_failed = true
    rounds.notice(ctx, true)
    t.truthy(ctx.state.restart_failed)
    rounds.notice(ctx, false)
    t.equal({ ctx.state.restart_failed, ctx.state.still_trials }, { false, 0 })
  end,
}
