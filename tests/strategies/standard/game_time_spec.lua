-- The standard strategy on game time: small games of each kind, judged by what their inputs cause.
local qa = require "qa"
local rules = require("qa.run.strategy_file").part("standard.game_time.rules")

---Plays a page; gives its report.
local function judge(html, set, clock, strategy)
  local dir = assert(qa.run.open{ slug = "game-time-spec" })
  assert(qa.run.publish("index.html", "<!doctype html><style>body { margin: 0 }</style>" .. html))
  local options = { interaction_ms = "3000" }
  for name, value in pairs(set or {}) do options[name] = value end
  local outcome = require("qa.run.loop").run{ strategy = strategy or "standard", target = dir, clock = clock or "game",
    tape = "memory", quiet = true, set = options, seed = 7 }
  return outcome.report
end

local function check_of(report, id)
  for _, check in ipairs(report.checks) do if check.id == id then return check end end
end

local function kinds_of(report)
  local kinds = {}
  for i, issue in ipairs(report.issues) do kinds[i] = issue.kind end
  return table.concat(kinds, " ")
end

---A box on a canvas that the arrow keys move; `on_key` is the body of their listener.
local function box(on_key, more)
  return ([[<canvas id="view" width="640" height="360"></canvas>%s<script>
    let x = 300, y = 150, count = 0;
    const brush = view.getContext('2d'), ways = {ArrowLeft: -20, ArrowRight: 20};
    const draw = () => { brush.clearRect(0, 0, 640, 360); brush.fillRect(x, y, 30, 30); };
    addEventListener('keydown', e => { const way = ways[e.code]; if (!way) return; %s; draw(); });
    draw();
  </script>]]):format(more or "", on_key)
end

local tests = {}

tests["a game that answers passes, and the report says what each key does"] = function(t)
  local report = judge(box "x = (x + way + 600) % 600")
  t.equal(report.status, "pass", kinds_of(report))
  t.truthy(check_of(report, "responsive").evidence[1]:find("press ArrowRight, %d+ frames from frame %d+, changed"),
    check_of(report, "responsive").evidence[1])
  local seen = {}
  for _, control in ipairs(report.controls) do seen[control.key or control.kind] = control.effect end
  t.truthy(seen.ArrowLeft and seen.ArrowLeft:find "without it nothing changed")
  t.truthy(seen.ArrowRight)
  t.equal(report.clock.kind, "game")
end

tests["a game that a start hook of one's own starts is asked for its controls, too"] = function(t)
  local dir = assert(qa.run.open{ slug = "own-start" })
  assert(qa.run.publish("own.lua", [[return { name = "own", extends = "standard",
    start = function(ctx) ctx.page:click("#go") return true end }]]))
  local report = judge(box("if (go.hidden) x = (x + way + 600) % 600",
    '<button id="go" onclick="this.hidden = true">Go</button>'), nil, nil, dir .. "/own.lua")
  t.equal({ report.status, report.clock.kind, report.start.method }, { "pass", "game", "hook" })
end

tests["a game that takes the first input alone fails as locked"] = function(t)
  local report = judge(box "if (count++ === 0) x += way")
  t.equal(report.status, "fail")
  t.truthy(kinds_of(report):find "soft_lock" or kinds_of(report):find "unresponsive", kinds_of(report))
end

---A ball that goes round by itself, and whose way the arrow keys change; Space stops it.
local PAUSED = [[<canvas id="view" width="640" height="360"></canvas><script>
  const brush = view.getContext('2d');
  let x = 0, y = 150, isPaused = PAUSED;
  addEventListener('keydown', e => {
    if (e.code === 'Space') isPaused = !isPaused;
    if (!isPaused && e.code === 'ArrowUp') y = (y + 320) % 340;
    if (!isPaused && e.code === 'ArrowDown') y = (y + 20) % 340;
  });
  requestAnimationFrame(function frame() {
    if (!isPaused) x = (x + 3) % 640;
    brush.clearRect(0, 0, 640, 360);
    brush.fillRect(x, y, 30, 30);
    requestAnimationFrame(frame);
  });
</script>]]

tests["a key that pauses the game is known as one, and the others are found all the same"] = function(t)
  -- From the beginning on, and in a game that rests until its button is pressed.
  local button = '<button id="go" onclick="isPaused = false; go.hidden = true">Start</button>'
  for page, start in pairs{ [(PAUSED:gsub("PAUSED", "false"))] = "", [(PAUSED:gsub("PAUSED", "true"))] = button } do
    local report, seen = judge(start .. page), {}
    t.equal(report.status, "pass", kinds_of(report))
    for _, control in ipairs(report.controls) do seen[control.key or control.kind] = control.effect or false end
    t.truthy(seen.ArrowUp and seen.ArrowDown and seen.Space, qa.json.encode(report.controls))
  end
end

---A game that draws nothing, but counts its moves.
local UNDRAWN = [[<canvas id="view" width="640" height="360" style="background: linear-gradient(red, blue)"></canvas>
  <p style="%s">Moves: <b id="moves">0</b></p><script>
  const brush = view.getContext('2d');
  for (const name of ['fillRect', 'clearRect']) CanvasRenderingContext2D.prototype[name] = () => {};
  addEventListener('keydown', e => {
    if (e.code !== 'ArrowLeft') return;
    brush.fillRect(0, 0, 30, 30);
    ++moves.textContent;
  });
  requestAnimationFrame(function frame() { brush.clearRect(0, 0, 640, 360); requestAnimationFrame(frame); });
</script>]]

tests["a canvas on which nothing is drawn is a blank screen, whatever the page counts beside it"] = function(t)
  local report = judge(UNDRAWN:format "")
  t.equal({ report.status, report.issues[1].kind }, { "fail", "blank_screen" }, kinds_of(report))
end

tests["a canvas above the game is not what the game is drawn on"] = function(t)
  local report = judge(UNDRAWN:format "position: absolute; left: 0; top: 0; width: 640px; height: 360px")
  t.equal(report.status, "pass", kinds_of(report))
end

tests["a script that any key stops is frozen, though the page itself still answers"] = function(t)
  local page = box("", [[<p id="said">Press Space</p><script>
    let stopped = false;
    addEventListener('keydown', e => {
      stopped = %s;
      if (e.code === 'Space') said.hidden = !said.hidden;
      if (!stopped) requestAnimationFrame(frame);
    });
    function frame() {
      %s;
      if (!stopped) requestAnimationFrame(frame);
    }
    requestAnimationFrame(frame);
  </script>]])
  for _, moves in ipairs{ "", "x += 1; draw()" } do
    local report = judge(page:format("true", moves))
    t.equal({ report.status, report.issues[1].kind }, { "fail", "frozen" }, kinds_of(report))
  end
  -- A pause that the next key ends.
  t.equal(judge(page:format("!stopped", "")).status, "pass")
end

tests["a key that moves something is played with the one that moves it back"] = function(t)
  local report = judge([[<canvas id="view" width="640" height="360"></canvas><script>
    let x = 300;
    const brush = view.getContext('2d'), held = new Set();
    addEventListener('keydown', e => held.add(e.keyCode));
    addEventListener('keyup', e => held.delete(e.keyCode));
    requestAnimationFrame(function frame() {
      x += 4 * (held.has(39) - held.has(37));
      brush.clearRect(0, 0, 640, 360);
      brush.fillRect(x, 150, 30, 30);
      requestAnimationFrame(frame);
    });
  </script>]], { interaction_ms = "20000" })
  local seen = {}
  for _, control in ipairs(report.controls) do seen[control.key or control.kind] = control.effect end
  t.equal(report.status, "pass", kinds_of(report))
  t.truthy(seen.ArrowLeft and seen.ArrowRight, qa.json.encode(report.controls))
end

tests["an introduction that any key ends has not stopped the script"] = function(t)
  local report = judge([[<p id="told"></p><button id="more" style="position: fixed; left: 20px; bottom: 20px" hidden>
    More</button><p id="count">0</p><script>
    const all = 'Once upon a time there was a small ship on a wide sea. '.repeat(9);
    const typing = setInterval(() => { told.textContent = all.slice(0, told.textContent.length + 1); }, 50);
    addEventListener('keydown', () => {
      clearInterval(typing);
      told.textContent = all;
      more.hidden = false;
    });
    more.onclick = () => { ++count.textContent; };
  </script>]])
  t.equal(report.status, "pass", kinds_of(report))
end

tests["a board of which one piece at a time can be dragged is found to answer, again and again"] = function(t)
  local report = judge([[<style>#board { display: grid; grid-template-columns: repeat(8, 50px); gap: 2px }
    #board div { height: 50px; background: teal }</style><div id="board"></div><script>
    let free = 13;
    for (let i = 0; i < 48; ++i) {
      const piece = board.appendChild(document.createElement('div'));
      piece.draggable = true;
      piece.ondragstart = e => e.dataTransfer.setData('text', i);
      piece.ondragover = e => e.preventDefault();
      piece.ondrop = e => {
        if (+e.dataTransfer.getData('text') !== free || i !== free + 1) return;
        piece.style.background = piece.style.background ? '' : 'red';
        free = (free * 5 + 3) % 40;
        if (free % 8 === 7) free -= 1;
      };
    }
  </script>]])
  t.equal(report.status, "pass", kinds_of(report))
end

tests["what is only kept in the browser is no answer"] = function(t)
  local report = judge(box("localStorage.count = ++count; return"))
  t.equal({ report.status, report.issues[1].kind }, { "fail", "unresponsive" }, kinds_of(report))
end

tests["a game that draws twice a second is told to be slow, one that draws at each input not"] = function(t)
  local report = judge(box("x = (x + way + 600) % 600; e.stopPropagation(); return",
    "<script>setInterval(() => { y = (y + 5) % 300; draw(); }, 500);</script>"))
  t.truthy(kinds_of(report):find "low_frame_rate", kinds_of(report))
  report = judge(box("x = (x + way + 600) % 600",
    "<script>setInterval(() => { y = (y + 5) % 300; draw(); }, 500);</script>"))
  t.falsy(kinds_of(report):find "low_frame_rate", kinds_of(report))
end

---A block that moves down a page, and that the arrow keys move aside, for so many ticks.
local ROUND = [[<div id="board" style="position:absolute;width:40px;height:40px;background:#333"></div><script>
    let left = 300, ticks = 0;
    const timer = setInterval(() => {
      board.style.top = ++ticks % 200 + 'px';
      if (ticks < TICKS) return;
      clearInterval(timer);
      removeEventListener('keydown', move);
      document.body.textContent = 'You came ' + ticks + ' far';
    }, 50);
    const move = (e) => {
      const way = {ArrowLeft: -10, ArrowRight: 10}[e.code];
      if (way) board.style.left = (left += way) + 'px';
    };
    addEventListener('keydown', move);
  </script>]]

tests["a round that ends with words of its own is no freeze where the page opened anew answers"] = function(t)
  -- While it is played, and while it is still asked for its controls.
  for _, ticks in ipairs{ 120, 95 } do
    local report = judge((ROUND:gsub("TICKS", ticks)), { interaction_ms = "12000" })
    t.equal(report.status, "pass", ticks .. " ticks: " .. kinds_of(report))
  end
end

tests["a key that is only written into a field is no answer"] = function(t)
  local report = judge(box("", [[<input id="name" autofocus><script>
    const field = document.querySelector('#name');
    onload = () => field.focus();
    setInterval(() => field.focus(), 100);
  </script>]]))
  t.equal(report.status, "fail")
  t.truthy(kinds_of(report):find "unresponsive", kinds_of(report))
end

tests["a start button that nothing listens to fails, though no control is known"] = function(t)
  local report = judge [[<h1>The game</h1><button id="start">Start</button>
    <p>Some words that a drag over them marks</p>]]
  t.equal(report.status, "fail")
  t.truthy(kinds_of(report):find "unresponsive", kinds_of(report))
end

tests["loads that an input causes are turns, and those without one are a loop"] = function(t)
  local turn = [[<button id="go" style="width: 300px; height: 200px"></button><script>
    const turns = +sessionStorage.turns || 0;
    go.textContent = 'turn ' + turns;
    go.onclick = () => { sessionStorage.turns = turns + 1; location.reload(); };
    %s</script>]]
  local report = judge(turn:format "")
  t.equal(report.status, "pass", kinds_of(report))
  report = judge(turn:format "setTimeout(() => go.click(), 2000);")
  t.equal(report.status, "fail")
  t.truthy(kinds_of(report):find "reload_loop", kinds_of(report))
end

tests["a wheel, a pad and a chord are found where nothing else has an effect"] = function(t)
  local report = judge [[<canvas id="view" width="640" height="360"></canvas><script>
    let turn = 0;
    const brush = view.getContext('2d');
    const draw = () => { brush.clearRect(0, 0, 640, 360); brush.fillRect(50 + turn % 500, 50, 30, 30); };
    view.addEventListener('wheel', e => { e.preventDefault(); turn += 25; draw(); }, {passive: false});
    draw();
  </script>]]
  t.equal(report.status, "pass", kinds_of(report))
  report = judge [[<canvas id="view" width="640" height="360"></canvas><script>
    let x = 50;
    const brush = view.getContext('2d');
    const draw = () => {
      const pad = [...navigator.getGamepads()].find(Boolean);
      if (pad && pad.buttons[0].pressed) x = 50 + (x + 5) % 500;
      brush.clearRect(0, 0, 640, 360);
      brush.fillRect(x, 50, 30, 30);
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  </script>]]
  t.equal(report.status, "pass", kinds_of(report))
end

-- Names of blobs are the browser's own chance: after the first key two pages differ.
local CHANCE = box("x = (x + way + 600) % 600; said.textContent = URL.createObjectURL(new Blob(['']))",
  '<p id="said"></p>')

tests["a game that stops repeating itself is played in real time, which the report says"] = function(t)
  local report = judge(CHANCE, { min_trials = "6" }, "auto")
  t.equal(report.status, "pass", kinds_of(report))
  t.equal(report.clock.kind, "real")
  t.truthy(table.concat(report.environment.notes, "\n"):find "once more, in real time")
end

tests["with --clock game such a game stays open, and says why"] = function(t)
  local report = judge(CHANCE)
  t.equal(report.status, "inconclusive", kinds_of(report))
  t.truthy(report.missing[1]:find "does not repeat", report.missing[1])
end

tests["a game that chance locks is no locked game: with another seed it goes on"] = function(t)
  local locked = "if (is_by_chance && ++count > 3) return; x = (x + way + 600) % 600"
  -- Of the seeds 7 and 6.
  local page = box(locked, "<script>const is_by_chance = Math.random() > 0.5</script>")
  local report = judge(page)
  t.equal(report.status, "inconclusive", kinds_of(report))
  t.truthy(report.missing[1]:find "another seed", report.missing[1])
end

tests["a fail shows the last inputs, the game with them and without, and how to play it again"] = function(t)
  local report = judge(box("if (++count > 3) return; x = (x + way + 600) % 600"))
  local evidence = report.issues[1].evidence
  t.equal({ report.status, report.issues[1].kind, #evidence }, { "fail", "soft_lock", 6 })
  t.truthy(evidence[1]:find "changed nothing in %d+ frames", evidence[1])
  t.truthy(evidence[4]:find "/last_with_input.png" and evidence[5]:find "/last_without_input.png", evidence[5])
  t.truthy(evidence[6]:find "^qa%-host replay ", evidence[6])
end

tests["a key that works only when it is held longer than a tap loses input"] = function(t)
  local page = [[<canvas id="view" width="640" height="360"></canvas><p>Hold the arrow keys</p><script>
    let x = 300, since = 0;
    const brush = view.getContext('2d'), ways = {ArrowLeft: -20, ArrowRight: 20};
    const draw = () => { brush.clearRect(0, 0, 640, 360); brush.fillRect(x, 150, 30, 30); };
    addEventListener('keydown', e => { if (ways[e.code] && !e.repeat) since = performance.now(); });
    addEventListener('keyup', e => {
      if (performance.now() - since < HELD_MS) return;
      x = (x + (ways[e.code] ?? 0) + 600) % 600;
      draw();
    });
    draw();
  </script>]]
  local report = judge((page:gsub("HELD_MS", "120")))
  t.equal({ report.status, kinds_of(report) }, { "pass", "input_lost" })
  report = judge((page:gsub("HELD_MS", "0")))
  t.equal({ report.status, kinds_of(report) }, { "pass", "" })
end

---Facts of a run where all went well, but for `changed` ones.
local function facts(changed, cause)
  local f = { events = {}, declared = true, failed_before_ready = false, game_over = false,
    cause = { answered = 3, answers_at_end = true, asked = 9, is_explored = true, stopped = false, moved = true,
      moves_at_end = true } }
  for name, value in pairs(changed or {}) do f[name] = value end
  for name, value in pairs(cause or {}) do f.cause[name] = value end
  return f
end

tests["each row of the rules says its outcome and its issue"] = function(t)
  local exception = { { kind = "exception", message = "TypeError: x is undefined" } }
  local silent, stopped = { answered = 0, answers_at_end = false }, { answers_at_end = false, stopped = true }
  for name, row in pairs{
    answers = { facts(), "pass" },
    blank = { facts({}, { draws_nothing = true }), "fail", "blank_screen" },
    ["stopped script"] = { facts({}, { script_stopped = true }), "fail", "frozen" },
    ["answers when opened"] = { facts({ answers_only_when_opened = true }, silent), "pass" },
    ["not repeatable"] = { facts({}, { answers_at_end = false, unknown = "other pixels" }), "unknown", nil,
      "other pixels" },
    ["no input at all"] = { facts({ declared = false, failed_before_ready = true }, silent), "fail" },
    ["end screen"] = { facts({ game_over = true }, stopped), "unknown", nil, "end screen" },
    frozen = { facts({}, { answers_at_end = false, stopped = true, moves_at_end = false }), "fail", "frozen" },
    ["soft lock"] = { facts({}, stopped), "fail", "soft_lock" },
    ["locked by chance"] = { facts({}, { answers_at_end = false, stopped = true, answers_with_other_seed = true }),
      "unknown", nil, "another seed" },
    ["out of view"] = { facts({}, { answers_at_end = false, stopped = true, one_way = "ArrowLeft" }), "unknown", nil,
      "only ArrowLeft answered" },
    ["by an exception"] = { facts({ events = exception }, { answers_at_end = false, stopped = true,
      answers_with_other_seed = true }), "fail", "soft_lock" },
    ["cut short"] = { facts({}, { answers_at_end = false }), "pass" },
    exception = { facts({ events = exception }, silent), "fail", "unresponsive" },
    ["nothing asked"] = { facts({}, { answered = 0, answers_at_end = false, asked = 0 }), "unknown", nil, "more time" },
    ["a model's only"] = { facts({}, { answered = 0, answers_at_end = false, is_explored = false }), "unknown", nil,
      "inputs of a model" },
    ["no control"] = { facts({ declared = false }, silent), "unknown", nil, "No control is known" },
    unresponsive = { facts({}, silent), "fail", "unresponsive" },
  } do
    local issue
    local outcome, why = rules.responsive(row[1], function(_, kind) issue = kind end)
    t.equal({ name, outcome, issue }, { name, row[2], row[3] })
    t.truthy(not row[4] or why and why:find(row[4], 1, true), name .. ": " .. tostring(why))
  end
end

return tests
