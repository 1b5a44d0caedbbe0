-- What all ways of playing share, and what runs side by side.
local qa = require "qa"
local play = require "qa.effect.play"
local strategy = require "qa.run.strategy_file"

---A context that says which phase a hook entered, and stops there.
local function entered(hook)
  local seen
  local page = { is_closed = function() return true end }
  local ctx = { state = {}, options = {}, lists = {}, page = page, event = function() end, shot = function() end,
    phase = function(_, name)
      seen = name
      error "stop"
    end }
  pcall(hook, ctx, {})
  return seen
end

local function joined(a, b)
  local all = { unpack(a) }
  for _, one in ipairs(b) do all[#all + 1] = one end
  return all
end

---Calls `fn` while chance chooses the first or the second half for an input.
local function with_chance(first, fn)
  local random = math.random
  rawset(math, "random", function(low, high) return high and low or first end)
  local ok, result = pcall(fn)
  rawset(math, "random", random)
  return ok and result or error(result, 0)
end

return {
  ["C-005: a strategy with a play of its own shares every other phase"] = function(t)
    local own = strategy.load("examples/02_clicker_strategy.lua",
      { name = "own", step = function() return false, "own" end })
    t.equal(own.chain, { "own", "standard" })
    t.equal({ own.step({}) }, { false, "own" })
    t.equal(entered(own.prepare), "navigation")
    t.equal(entered(own.start), "start_button_detection")
    t.equal(entered(own.conclude), "analysis")
    t.equal(own.options.interaction_ms.default, strategy.load("standard").options.interaction_ms.default)
  end,

  ["C-024: the scene is watched while input is sent"] = function(t)
    local watching, seen_by = 0, nil
    local still = { first = "aa", last = "aa", low = "aa", high = "aa", activity = "\0\0", columns = 2, rows = 1,
      frames = 1, moved_ms = 0, ms = 5 }
    local page = {
      watch = function(_, ms)
        watching = watching + 1
        qa.sleep(ms)
        watching = watching - 1
        return still
      end,
      press = function()
        seen_by = watching
        return true
      end,
      probe = function() return { { value = { hash = 1 } } } end,
    }
    local options = require("qa.run.options").resolve(strategy.load("standard"))
    local trial = play.trial({ page = page, options = options, state = { window_ms = 5 } },
      { action = "press", key = "Space" })
    t.equal(seen_by, 1)
    t.truthy(trial.still)
  end,

  ["a moving scene is watched as long before the control as before the input, and after them alike"] = function(t)
    local told, cells = {}, 128 * 72
    local function flat(value) return string.char(value):rep(cells) end
    -- What rests at 40 at first, and then at 10, rests at 90 after the input; something else moves in every window.
    local level, passes
    local page = {
      watch = function(_, ms)
        told[#told + 1] = ms
        qa.sleep(1)
        local rest = flat(#told == 1 and 40 or level):sub(3)
        -- What only passes while the input is sent does not rest.
        local low = passes and flat(10):sub(3) or rest
        passes = passes and passes > 1 and passes - 1 or nil
        return { low = "\1\1" .. low, high = "\200\200" .. rest, last = "\1\1" .. rest, activity = flat(9),
          columns = 128, rows = 72 }
      end,
      -- After the input two drawings more.
      probe = function(_, name)
        -- What the browser may draw by itself is asked for before all windows.
        if name == "native_looks" then return { { value = {} } } end
        told[#told + 1] = name == "drawn" and "drawn" or "page"
        return { { value = name == "drawn" and (level == 90 and 12 or 10) or { hash = "a" } } }
      end,
      press = function()
        level, passes = 90, 2
        told[#told + 1] = "input"
        return true
      end,
    }
    local ctx = { page = page, options = { margin = 10, jitter_ms = 0, calm_ms = 0 }, state = { window_ms = 451 } }
    ---@param first integer 1: the input is played in the first half
    local function trial_of(was_animated, first)
      told, level, passes, ctx.state.was_animated = {}, 10, nil, was_animated
      return with_chance(first, function()
        return play.trial(ctx, { action = "press", key = "Space", hold_ms = 1 })
      end)
    end
    local function half(...) return { 225, 226, "page", "drawn", 225, ... } end
    local with, without = half("input", 226, 226, "page", "drawn"), half(226, 226, "page", "drawn")
    for first = 1, 2 do
      local trial = trial_of(true, first)
      t.equal(told, joined(first == 1 and with or without, first == 1 and without or with))
      t.equal({ trial.control_drawn, trial.drawn }, { 0, math.log(3) })
      t.equal({ #trial.control_lasting, #trial.lasting, #trial.control, #trial.input, trial.animated },
        { first == 1 and 0 or cells - 2, cells - 2, 0, cells - 2, true })
    end
    local trial = trial_of(false, 1)
    t.equal(told, { 451, "page", "drawn", 451, "page", "drawn", "page", "drawn", 451, "input", "page", "drawn" })
    t.equal({ trial.lasting, trial.control_lasting }, {})
  end,

  ["chance decides in which half an input is played, but not where others do what is done"] = function(t)
    local told
    local page = {
      watch = function()
        told[#told + 1] = "window"
        return { last = "aa", low = "aa", high = "zz", activity = "\1\1", columns = 2, rows = 1 }
      end,
      probe = function(_, name) return { { value = name == "drawn" and 1 or { hash = "a" } } } end,
      press = function() told[#told + 1] = "input" end,
    }
    local ctx = { page = page, options = { margin = 10, jitter_ms = 0, calm_ms = 0 },
      state = { window_ms = 4, was_animated = true } }
    local function windows_before(act)
      told = {}
      assert(play.trial(ctx, { action = "press", key = "Space", hold_ms = 1 }, act))
      for i, what in ipairs(told) do if what == "input" then return i - 1 end end
    end
    math.randomseed(3)
    local seen = {}
    for _ = 1, 20 do
      local before = windows_before()
      seen[before] = (seen[before] or 0) + 1
    end
    local halves = {}
    for before, times in pairs(seen) do
      halves[#halves + 1] = before
      t.truthy(times >= 4, times)
    end
    table.sort(halves)
    t.equal(#halves, 2)
    for _ = 1, 6 do t.equal(windows_before(function() told[#told + 1] = "input" end), halves[2]) end
  end,

  ["the page is read before each window, and at least gap_ms lie there, whichever the input is in"] = function(t)
    local options = { margin = 10, jitter_ms = 0, calm_ms = 0 }
    -- What reading the page takes after the windows of before, in either half.
    local function gaps(reads, first)
      local now, windows = 0, {}
      local page = {
        watch = function(_, ms)
          windows[#windows + 1] = { from = now, to = now + ms }
          now = now + ms
          return { last = "aa", low = "aa", high = "zz", activity = "\1\1", columns = 2, rows = 1 }
        end,
        probe = function(_, name)
          if name == "native_looks" then return { { value = {} } } end
          now = now + (reads[#windows] or 0)
          return { { value = name == "drawn" and 1 or { hash = "a" } } }
        end,
        press = function() return true end,
      }
      local ctx = { page = page, options = options, state = { window_ms = 100, was_animated = true } }
      local sleep, now_ms = qa.sleep, qa.now_ms
      qa.sleep, qa.now_ms = function(ms) now = now + ms end, function() return now end
      local ok, trial = pcall(with_chance, first, function()
        return play.trial(ctx, { action = "press", key = "Space", hold_ms = 1 })
      end)
      qa.sleep, qa.now_ms = sleep, now_ms
      t.truthy(ok and trial, trial)
      t.equal(#windows, 10)
      return { windows[3].from - windows[2].to, windows[8].from - windows[7].to }
    end
    for first = 1, 2 do
      t.equal(gaps({ [2] = 45, [7] = 2 }, first), { 90, 60 })
      t.equal(gaps({ [2] = 2, [7] = 45 }, first), { 60, 90 })
    end
  end,

  ["a model's move has no way to go, and is watched like any input"] = function(t)
    local page = {
      watch = function()
        return { last = "aa", low = "aa", high = "aa", activity = "\0\0", columns = 2, rows = 1 }
      end,
      move = function() return true end,
      probe = function() return { { value = { hash = 1 } } } end,
    }
    local ctx = { page = page, options = require("qa.run.options").resolve(strategy.load("standard")),
      state = { window_ms = 5 } }
    local is_done = false
    local trial = play.trial(ctx, { action = "move", x = 3, y = 4 }, function()
      is_done = true
      return true
    end)
    t.equal({ is_done, trial.group, next(trial.aims) }, { true, "move", nil })
  end,
}
