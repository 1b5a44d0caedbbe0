-- The judge's rule (contracts: Judge; C-021, C-060, C-063, C-X5, P-14).
local judge = require("qa.run.strategy_file").part("standard.judge")
local qa = require "qa"

local function facts(changes)
  local f = {
    ready = { ok = true, ms = 500, signals = {}, summary = "5 signals" }, started = true, start_is_certain = true,
    start_summary = "dom: button",
    response = { outcome = "yes", beats = 4, inputs = 6, threshold = 3, noise_share = 0.1, p = 1 },
    response_summary = "4 of 6", stopped = false,
    was_animated = false, still_at_end = false, declared = true, failed_before_ready = false, game_over = false,
    alive = true, fps = 60, events = {},
  }
  for key, value in pairs(changes or {}) do f[key] = value end
  return f
end
local no = { outcome = "no", beats = 0, inputs = 6, threshold = 3, noise_share = 0.1, p = 1 }
local unknown = { outcome = "unknown", beats = 0, inputs = 6, threshold = 3, noise_share = 0.95, p = 1 }

local function verdict(changes) return judge.judge(facts(changes)) end
local function first_kind(v) return v.issues[1] and v.issues[1].kind end

return {
  ["C-021: what loads, answers and stays alive passes with a score of at least 50"] = function(t)
    local v = verdict()
    t.equal(v.status, "pass")
    t.truthy(v.score >= 50 and v.score <= 100)
    t.equal(#v.issues, 0)
  end,
  ["the verdict stands though the last picture does not come in time"] = function(t)
    local standard, began = require("qa.run.strategy_file").load("standard"), qa.now_ms()
    local shots = 0
    local ctx = { state = { facts = facts() }, options = { last_shot_ms = 2500 }, conclude_until_ms = began + 700,
      page = { is_closed = function() return false end },
      fold = { report = { budget = { calls = {} }, metadata = { actionHistory = {} }, screenshots = {} } },
      phase = function() end, check = function() end, issue = function() end, shot = function()
        shots = shots + 1
        qa.sleep(60000)
      end }
    t.equal({ standard.conclude(ctx, {}).status, shots, qa.now_ms() < began + 700 }, { "pass", 1, true })
    ctx.conclude_until_ms = qa.now_ms() + 100
    t.equal({ standard.conclude(ctx, {}).status, shots }, { "pass", 1 })
  end,
  ["a page that did not load fails, and says so first"] = function(t)
    local v = verdict{ load_error = { kind = "load_failed", message = "404" }, response = unknown, alive = nil }
    t.equal(v.status, "fail")
    t.equal(first_kind(v), "load_failed")
    t.truthy(v.score < 50)
  end,
  ["a blank page fails"] = function(t)
    local v = verdict{ ready = { ok = false, blank = true, ms = 5000, signals = {} }, response = no, started = false }
    t.equal(v.status, "fail")
    t.equal(first_kind(v), "blank_screen")
  end,
  ["a page stuck at its loader fails with load_timeout"] = function(t)
    local v = verdict{ ready = { ok = false, stalled = "loading", ms = 6000, signals = {} }, response = no,
      started = false }
    t.equal(first_kind(v), "load_timeout")
    t.equal(v.status, "fail")
  end,
  ["the page's own WebGL refusal fails"] = function(t)
    local v = verdict{ refusal = "webgl is not supported", response = no, started = false }
    t.equal(first_kind(v), "webgl_unavailable")
    t.equal(v.status, "fail")
  end,
  ["crash, hang, dialog storm, reload loop and redirect each fail"] = function(t)
    for _, kind in ipairs{ "crash", "hang", "dialog_storm", "reload_loop", "redirect" } do
      local v = verdict{ events = { { kind = kind, message = "" } } }
      t.equal(v.status, "fail")
      t.equal(first_kind(v), kind)
    end
  end,
  ["a page that was slow before it stopped answering may be drawing its next frame"] = function(t)
    local hung = { events = { { kind = "hang", message = "" } }, decided = "hang", response = no, fps = 12 }
    local v = verdict(hung)
    t.equal(v.status, "inconclusive")
    t.truthy(v.missing[1]:find("drawn in software", 1, true))
    hung.fps = 40
    t.equal(verdict(hung).status, "fail")
    hung.events[1].detail = { renderer_cpu = 0.97, gpu_cpu = 0.05 }
    t.equal(verdict(hung).status, "fail")
    hung.events[1].detail = { renderer_cpu = 0.2, gpu_cpu = 1.4 }
    t.equal(verdict(hung).status, "inconclusive")
  end,

  ["a hang that ended is no hang"] = function(t)
    t.equal(verdict{ events = { { kind = "hang", message = "" } }, recovered = true }.status, "pass")
  end,
  ["declared controls without effect fail as unresponsive"] = function(t)
    local v = verdict{ response = no }
    t.equal(v.status, "fail")
    t.equal(first_kind(v), "unresponsive")
  end,
  ["a start that is not certain leaves silence open"] = function(t)
    t.equal(verdict{ response = no, start_is_certain = false }.status, "inconclusive")
  end,
  ["a still picture of a running game is an end screen as well as a dead one"] = function(t)
    t.equal(verdict{ response = no, still_at_end = true, loop_alive = true, was_animated = true }.status,
      "inconclusive")
  end,
  ["dead controls are no defect where nothing declares them"] = function(t)
    local v = verdict{ response = no, declared = false }
    t.equal(v.status, "inconclusive")
    t.truthy(v.missing[1]:find("inputSchema", 1, true))
  end,
  ["a game that was never started is not judged by its controls"] = function(t)
    local v = verdict{ response = no, started = false }
    t.equal(v.status, "inconclusive")
    t.truthy(#v.missing > 0)
  end,
  ["a control too noisy to beat leaves the verdict open and names the signal"] = function(t)
    local v = verdict{ response = unknown }
    t.equal(v.status, "inconclusive")
    t.truthy(v.missing[1]:find("busy", 1, true))
    t.truthy(v.score < 50)
  end,
  ["a game that answered and stopped is frozen when still, soft-locked when it goes on moving"] = function(t)
    t.equal(first_kind(verdict{ stopped = true, was_animated = true, still_at_end = true }), "frozen")
    t.equal(first_kind(verdict{ stopped = true, was_animated = true }), "soft_lock")
    t.equal(verdict{ stopped = true }.status, "fail")
    t.equal(verdict{ stopped = true, still_at_end = true }.status, "inconclusive")
    t.equal(verdict{ stopped = true, was_animated = true, still_at_end = true, loop_alive = true }.status,
      "inconclusive")
  end,
  ["a game that stopped at its own end screen is not failed"] = function(t)
    t.equal(verdict{ stopped = true, game_over = true }.status, "inconclusive")
  end,
  ["an exception explains dead input and comes first"] = function(t)
    local v = verdict{ response = no, still_at_end = true,
      events = { { kind = "exception", message = "TypeError: x" } } }
    t.equal(v.status, "fail")
    t.equal(first_kind(v), "exception")
    t.equal(v.issues[1].severity, "critical")
  end,
  ["an exception explains a game whose loop has stopped, unless it may well have answered before"] = function(t)
    local function stopped(p, changes)
      local made = { response = { outcome = "unknown", beats = 0, inputs = 12, threshold = 3, noise_share = 0.04,
        p = p }, still_at_end = true,
        was_animated = true, loop_alive = false, events = { { kind = "exception", message = "TypeError: x" } } }
      for key, value in pairs(changes or {}) do made[key] = value end
      return verdict(made).status
    end
    t.equal({ stopped(0.13), stopped(0.04), stopped(0.13, { loop_alive = true }), stopped(0.13, { events = {} }) },
      { "fail", "inconclusive", "inconclusive", "inconclusive" })
  end,
  ["a game that answered until an exception ended its loop fails, however well it answered"] = function(t)
    local events = { { kind = "exception", message = "TypeError: x", t_ms = 250 } }
    local function ended(changes)
      local made = { ended_by_exception = true, still_at_end = true, was_animated = true, loop_alive = false,
        events = events }
      for key, value in pairs(changes or {}) do made[key] = value end
      local v = verdict(made)
      return v.status, first_kind(v)
    end
    t.equal({ ended() }, { "fail", "exception" })
    t.equal({ ended{ response = { outcome = "unknown", beats = 0, inputs = 12, threshold = 3, noise_share = 0.04,
      p = 0.01 } } }, { "fail", "exception" })
    t.equal({ ended{ game_over = true } }, { "pass", "exception" })
  end,
  ["an exception ended the loop when it came as the scene moved for the last time"] = function(t)
    local ended_by = require("qa.run.strategy_file").part("standard.findings").ended_by_exception
    local function ended(t_ms, still, message)
      local trials = {}
      for i, is_still in ipairs(still) do trials[i] = { still = is_still, t_ms = i * 100 } end
      return ended_by(trials, { { kind = "exception", message = message or "TypeError: x", t_ms = t_ms } })
    end
    local moved_twice = { false, false, true, true }
    t.equal({ ended(90, moved_twice), ended(150, moved_twice), ended(250, moved_twice), ended(350, moved_twice) },
      { false, true, true, false })
    t.equal({ ended(50, { false, true }), ended(150, { false, false }), ended(150, { true, true }) },
      { true, false, false })
    t.equal(ended(150, moved_twice, "NotAllowedError: play() failed"), false)
  end,
  ["an exception in a game that plays on is an issue, not a failure"] = function(t)
    local v = verdict{ events = { { kind = "exception", message = "TypeError: x" } } }
    t.equal(v.status, "pass")
    t.equal(v.issues[1].severity, "major")
  end,
  ["a stylesheet of its own that is missing is told apart from other files"] = function(t)
    local function failed(type, own)
      return { kind = "request_failed", message = "404 x", detail = { type = type, same_origin = own } }
    end
    local v = verdict{ events = { failed("Stylesheet", true), failed("Stylesheet", false), failed("Image", true) } }
    t.equal(v.status, "pass")
    t.equal(v.issues[1].severity, "major")
    t.equal(v.issues[1].description, "A stylesheet of the game did not load: 404 x")
    t.equal(v.issues[2].description, "2 requests failed; first: 404 x")
  end,
  ["a library of another site that cannot be fetched from here is no fault of the game"] = function(t)
    local function missed(name, message, own)
      return verdict{ failed_before_ready = true, declared = false, response = no, events = {
        { kind = "exception", message = "Uncaught ReferenceError: " .. name .. " is not defined" },
        { kind = "request_failed", message = message, detail = { type = "Script", same_origin = own } } } }
    end
    local v = missed("THREE", "net::ERR_NAME_NOT_RESOLVED for https://cdn.example/r99/three.min.js", false)
    t.equal(v.status, "inconclusive")
    t.equal(v.missing, { "The game misses THREE: https://cdn.example/r99/three.min.js could not be fetched from " ..
      "here (ERR_NAME_NOT_RESOLVED). "
      .. "Let this machine reach cdn.example, or serve that file with the game." })
    t.equal(missed("$", "net::ERR_CONNECTION_REFUSED for https://cdn.example/jquery-3.6.0.min.js", false).status,
      "inconclusive")
    -- A name that the file does not give, a file that is not there, and the game's own file.
    t.equal(missed("cdn", "net::ERR_NAME_NOT_RESOLVED for https://cdn.example/r99/three.min.js?cdn=1", false).status,
      "fail")
    t.equal(missed("board", "net::ERR_NAME_NOT_RESOLVED for https://cdn.example/r99/three.min.js", false).status,
      "fail")
    t.equal(missed("THREE", "HTTP 404 for https://cdn.example/r99/three.min.js", false).status, "fail")
    t.equal(missed("THREE", "net::ERR_CONNECTION_RESET for http://game.local/three.min.js", true).status, "fail")
  end,
  ["data that cannot be fetched from here, just before the game throws at what is missing, is no fault of the game"] =
    function(t)
    local function bereft(kind, message, threw, threw_ms, own)
      return verdict{ failed_before_ready = true, declared = false, response = no, events = {
        { kind = "request_failed", t_ms = 200, message = message,
          detail = { type = kind, same_origin = own or false } },
        { kind = "exception", t_ms = threw_ms or 210, message = threw } } }
    end
    local away, threw = "net::ERR_NAME_NOT_RESOLVED for https://api.example/quotes",
      "TypeError: Cannot read properties of undefined (reading 'split')"
    local v = bereft("Fetch", away, threw)
    t.equal({ v.status, v.missing }, { "inconclusive",
      { "The game throws just after its data could not be fetched from here: https://api.example/quotes "
      .. "(ERR_NAME_NOT_RESOLVED). Let this machine reach api.example, or serve them with the game." } })
    t.equal(bereft("XHR", away, threw).status, "inconclusive")
    t.equal(bereft("Ping", away, threw).status, "fail")
    t.equal(bereft("Fetch", "HTTP 500 for https://api.example/quotes", threw).status, "fail")
    t.equal(bereft("Fetch", away, "ReferenceError: board is not defined").status, "fail")
    t.equal(bereft("Fetch", away, threw, 190).status, "fail")
    t.equal(bereft("Fetch", away, threw, 1300).status, "fail")
    t.equal(bereft("Fetch", "net::ERR_CONNECTION_RESET for http://game.local/quotes", threw, nil, true).status, "fail")
  end,
  ["a game that throws as it draws pictures that cannot be fetched from here is not failed"] = function(t)
    local function drawn(message, threw)
      return verdict{ ready = { ok = false, blank = true, ms = 5000, signals = {} }, response = no, events = {
        { kind = "request_failed", message = message, detail = { type = "Image", same_origin = false } },
        { kind = "exception", message = threw } } }
    end
    local away, threw = "net::ERR_NAME_NOT_RESOLVED for https://pictures.example/bird.png",
      "InvalidStateError: Failed to execute 'drawImage' on 'CanvasRenderingContext2D': The HTMLImageElement " ..
        "provided is in the 'broken' state."
    t.equal(drawn(away, threw).status, "inconclusive")
    t.equal(drawn(away, "TypeError: x").status, "fail")
    t.equal(drawn("HTTP 404 for https://pictures.example/bird.png", threw).status, "fail")
  end,
  ["what answers only when it is opened passes, and says so"] = function(t)
    local v = verdict{ answers_only_when_opened = true }
    t.equal({ v.status, v.issues[1].severity, v.issues[1].kind }, { "pass", "minor", "soft_lock" })
    t.equal(#verdict{}.issues, 0)
  end,
  ["a game whose pictures cannot be fetched from here is not told as one that does not answer"] = function(t)
    local function unseen(own, n, more)
      local events = { more }
      for i = 1, n do
        events[#events + 1] = { kind = "request_failed",
          message = "net::ERR_NAME_NOT_RESOLVED for https://pictures.example/" .. i .. ".svg",
          detail = { type = "Image", same_origin = own } }
      end
      return verdict{ response = no, events = events }
    end
    local v = unseen(false, 2)
    t.equal(v.status, "inconclusive")
    t.equal(v.missing, { "2 pictures of the game could not be fetched from here, so its answers may not be seen; " ..
      "first: https://pictures.example/1.svg "
      .. "(ERR_NAME_NOT_RESOLVED). Let this machine reach pictures.example." })
    t.equal(unseen(false, 1).status, "fail")
    t.equal(unseen(true, 2).status, "fail")
    t.equal(unseen(false, 2, { kind = "exception", message = "TypeError: x" }).status, "fail")
  end,
  ["a failed script of its own with no input offered fails as request_failed"] = function(t)
    local v = verdict{ response = no, started = false, declared = false, failed_before_ready = true,
      events = { { kind = "request_failed", message = "game.js 404",
        detail = { type = "Script", same_origin = true } } } }
    t.equal(v.status, "fail")
    t.equal(first_kind(v), "request_failed")
  end,
  ["low frame rates are minor"] = function(t)
    local v = verdict{ fps = 4 }
    t.equal(v.status, "pass")
    t.equal(v.issues[1].severity, "minor")
  end,
  ["a game too slow to show its answers is left open"] = function(t)
    t.equal(verdict{ response = no, fps = 2 }.status, "inconclusive")
  end,
  ["a renderer that cannot make frames fails"] = function(t)
    t.equal(verdict{ alive = false }.status, "fail")
  end,
  ["a ready time-out is recorded, not assumed away"] = function(t)
    local v = verdict{ ready = { ok = false, ms = 60000, signals = {} } }
    t.equal(v.checks[2].id, "ready")
    t.equal(v.checks[2].outcome, "fail")
    t.equal(v.status, "pass")
  end,
  ["started is known only from an attempt, or from a game that answers by itself"] = function(t)
    local v = verdict{ started = false, auto = true, response = no }
    t.equal(v.checks[3].id, "started")
    t.equal(v.checks[3].outcome, "unknown")
    t.equal(verdict{ started = false, auto = true }.checks[3].outcome, "pass")
  end,
  ["a pass never scores below the pass mark, whatever the penalties"] = function(t)
    local events = {}
    for i = 1, 20 do
      events[i] = { kind = i % 2 == 0 and "exception" or "request_failed", message = "x", detail = {} }
    end
    local v = verdict{ events = events, fps = 2, ready = { ok = false, ms = 1, signals = {} }, started = false,
      alive = true }
    t.truthy(v.status ~= "pass" or v.score >= 50)
    local weights = judge.score.weights
    judge.score.weights = { loaded = 10 }
    local poor = verdict().score
    judge.score.weights = weights
    t.equal(poor, 50)
  end,
  ["silence at an end screen, after a hang, or after a revival is no defect"] = function(t)
    for _, change in ipairs{ { game_over = true }, { was_hung = true, recovered = true }, { revived = true },
      { restart_worked = true } } do
      change.response = no
      local v = verdict(change)
      t.equal(v.status, "inconclusive")
      t.truthy(#v.missing > 0)
    end
  end,
  ["a game that moved and then stopped for good is frozen, also without any answer"] = function(t)
    local v = verdict{ response = no, was_animated = true, still_at_end = true, loop_alive = false }
    t.equal(first_kind(v), "frozen")
  end,
  ["C-X5: every inconclusive verdict names what is missing"] = function(t)
    for _, change in ipairs{ { response = unknown }, { response = no, started = false },
      { response = no, declared = false }, { alive = nil } } do
      local v = verdict(change)
      if v.status == "inconclusive" then t.truthy(#v.missing > 0) end
    end
  end,
}
