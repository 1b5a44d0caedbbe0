-- What all ways of playing share, and what runs side by side.
local qa = require "qa"
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
    local trial = require("qa.effect.play").trial({ page = page, options = options, state = { window_ms = 5 } },
      { action = "press", key = "Space" })
    t.equal(seen_by, 1)
    t.truthy(trial.still)
  end,

  ["a moving scene is watched as long before the control as before the input, and after them alike"] = function(t)
    local told, watches, cells = {}, 0, 128 * 72
    local function flat(value) return string.char(value):rep(cells) end
    -- What rests at 40 and then at 10 before the input rests at 90 after it; something else moves in every window.
    local level = 10
    local page = {
      watch = function(_, ms)
        told[#told + 1], watches = ms, watches + 1
        qa.sleep(1)
        local rest = flat(#told == 1 and 40 or level):sub(3)
        -- What only passes while the input is sent does not rest.
        local low = (watches == 5 or watches == 6) and flat(10):sub(3) or rest
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
        level = 90
        return true
      end,
    }
    local ctx = { page = page, options = { margin = 10, jitter_ms = 0, calm_ms = 0 },
      state = { window_ms = 451, was_animated = true } }
    local play = require "qa.effect.play"
    local trial = play.trial(ctx, { action = "press", key = "Space", hold_ms = 1 })
    t.equal(told, { 225, 226, "page", "drawn", 225, 226, "page", "drawn", 225, 226, 226, "page", "drawn" })
    t.equal({ trial.control_drawn, trial.drawn }, { 0, math.log(3) })
    t.equal({ #trial.control_lasting, #trial.lasting, #trial.control, trial.animated },
      { cells - 2, cells - 2, 0, true })
    ctx.state.was_animated, told = false, {}
    trial = play.trial(ctx, { action = "press", key = "Space", hold_ms = 1 })
    t.equal(told, { 451, "page", "drawn", 451, "page", "drawn", 451, "page", "drawn" })
    t.equal({ trial.lasting, trial.control_lasting }, {})
  end,

  ["the same time lies before the control and before the input, however long the page is read"] = function(t)
    local options = { margin = 10, jitter_ms = 0, calm_ms = 0 }
    -- What reading the page takes after the windows of before, and after those of the control.
    local function gaps(reads)
      local now, windows = 0, {}
      local page = {
        watch = function(_, ms)
          windows[#windows + 1] = { from = now, to = now + ms }
          now = now + ms
          return { last = "aa", low = "aa", high = "zz", activity = "\1\1", columns = 2, rows = 1 }
        end,
        probe = function(_, name)
          if name == "native_looks" then return { { value = {} } } end
          now = now + (reads[#windows / 2] or 0)
          return { { value = name == "drawn" and 1 or { hash = "a" } } }
        end,
        press = function() return true end,
      }
      local ctx = { page = page, options = options, state = { window_ms = 100, was_animated = true } }
      local sleep, now_ms = qa.sleep, qa.now_ms
      qa.sleep, qa.now_ms = function(ms) now = now + ms end, function() return now end
      local ok, trial = pcall(require("qa.effect.play").trial, ctx, { action = "press", key = "Space", hold_ms = 1 })
      qa.sleep, qa.now_ms = sleep, now_ms
      t.truthy(ok and trial, trial)
      return { windows[3].from - windows[2].to, windows[5].from - windows[4].to }
    end
    t.equal(gaps{ 45, 2 }, { 90, 90 })
    t.equal(gaps{ 2, 25 }, { 60, 60 })
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
    local trial = require("qa.effect.play").trial(ctx, { action = "move", x = 3, y = 4 }, function()
      is_done = true
      return true
    end)
    t.equal({ is_done, trial.group, next(trial.aims) }, { true, "move", nil })
  end,
}
