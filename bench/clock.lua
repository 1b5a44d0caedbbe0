-- ./dev bench clock: what game time costs, on the games of tests/data/known_games.json. Each table is one run in which
-- those that are compared take turns.
-- usage: qa-host --allow-process bench/clock.lua GAMES PROBE [PART [ID,...]]
--   probe     CPU of a simulated second beside the program PROBE (node PROBE URL FRAMES, which prints JSON with
--             sim_seconds_per_cpu_second): two pages, 60-frame batches, stepping alone; "" leaves it out
--   drawing   batches whose last frame alone is drawn beside batches that draw all: time, and are the pictures equal?
--   peer      Playwright's page.clock
--   rate      two worlds in play: simulated seconds a second
--   pictures  what a picture costs in each format, and which changes it does not show
local qa = require "qa"
local cpu = require "qa.world.cpu"
local known = assert(qa.load_chunk("tests/support/known_games.lua"))()
local worlds = require "qa.world.world"

local BATCH, BATCHES = 60, 10
local GAMES, PROBE, PART, ONLY = qa.args[1], qa.args[2], qa.args[3], qa.args[4]
local games = known.list(GAMES or error("clock.lua: name the folder of the games", 0), ONLY)

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)] or 0
end
local function say(format, ...) print(format:format(...)) end

local browser, pid
local function launch()
  if browser then browser:close() end
  browser = assert(qa.browser.launch{ clock = "game" })
  pid = browser:info().pid
end
launch()
local function cost(fn)
  local began, cpu_began = qa.now_ms(), cpu.tree_seconds(pid)
  local value = fn()
  return value, (qa.now_ms() - began) / 1000, cpu.tree_seconds(pid) - cpu_began
end

local function open(game, count)
  local list = {}
  for i = 1, count do list[i] = assert(worlds.open(browser, { url = game.url, seed = 1 })) end
  return list
end
local function close(list) for _, world in ipairs(list) do world:close() end end
local function start(list, game)
  local function step(frames) assert(worlds.step(list, frames)) end
  step(BATCH)
  known.start(list, game, step)
  step(BATCH)
end

---A game that cannot be played is a line of its table, and no end of the bench.
local function each_game(measure)
  for _, game in ipairs(games) do
    local ok, err = pcall(measure, game)
    if not ok then
      say("%-16s %s", game.id, tostring(type(err) == "table" and err.message or err))
      launch()  -- What it left to be drawn would keep the next one waiting.
    end
  end
end

---What two worlds cost, a picture between the batches: seconds of wall and of CPU for all of them.
local function step_twins(list, before_batch)
  local wall, spent = 0, 0
  for batch = 1, BATCHES do
    if before_batch then before_batch(batch) end
    local _, seconds, cpu_seconds = cost(function() return assert(worlds.step(list, BATCH)) end)
    wall, spent = wall + seconds, spent + cpu_seconds
    for _, world in ipairs(list) do assert(world.page:screenshot()):close() end
  end
  return wall, spent
end

local function node(argv, env)
  table.insert(argv, 1, "node")
  local result = assert(qa.process.run{ argv = argv, env = env, timeout_ms = 300000 })
  local last = result.stdout:match "([^\n]+)%s*$"
  if result.exit_code ~= 0 or not last then error(result.stderr:sub(1, 200), 0) end
  return assert(qa.json.decode(last))
end

local SIMULATED = BATCH * BATCHES / 60
local parts = {}

function parts.probe()
  if not PROBE or PROBE == "" then return say "PROBE names no program" end
  say "game             cpu_a_second  of_probe  ratio (goal: at most 1.2)"
  local ratios, all, all_probe = {}, 0, 0
  each_game(function(game)
    local twins = open(game, 2)
    local _, spent = step_twins(twins)
    close(twins)
    local theirs = node({ PROBE, game.url, tostring(BATCH * BATCHES) }, { CHROMIUM = browser:info().path })
    local own_second, probe_second = spent / SIMULATED, 1 / theirs.sim_seconds_per_cpu_second
    all, all_probe = all + own_second, all_probe + probe_second
    ratios[#ratios + 1] = own_second / probe_second
    say("%-16s %12.3f %9.3f %6.2f", game.id, own_second, probe_second, own_second / probe_second)
  end)
  say("all together %.2f, median %.2f, worst %.2f", all / all_probe, median(ratios), ratios[#ratios] or 0)
end

---Run in the page: counts frames in which a canvas was drawn, and those that began by clearing or covering all of it.
local WATCH_CANVASES = [==[(() => {
  const proto = CanvasRenderingContext2D.prototype, seen = new Map();
  const facts_of = (canvas) => {
    if (!seen.has(canvas)) seen.set(canvas, {drawn: 0, cleared: 0, is_drawn: false});
    return seen.get(canvas);
  };
  const first = (canvas, clears) => {
    const facts = facts_of(canvas);
    if (facts.is_drawn || !canvas.isConnected) return;
    facts.is_drawn = true;
    ++facts.drawn;
    facts.cleared += clears;
  };
  const covers = (context, x, y, width, height) => {
    const {a, b, c, d, e, f} = context.getTransform();
    if (b || c) return false;
    const [left, right] = [a * x + e, a * (x + width) + e].sort((p, q) => p - q);
    const [top, bottom] = [d * y + f, d * (y + height) + f].sort((p, q) => p - q);
    return left <= 0 && top <= 0 && right >= context.canvas.width && bottom >= context.canvas.height;
  };
  for (const name of ['clearRect', 'fillRect', 'drawImage', 'fill', 'stroke', 'strokeRect', 'fillText', 'strokeText',
                      'putImageData']) {
    const original = proto[name];
    proto[name] = function(...args) {
      const clears = name === 'clearRect' || name === 'fillRect' ? covers(this, ...args) :
          name === 'drawImage' && args.length >= 5 ? covers(this, ...args.slice(-4)) :
          name === 'drawImage' && covers(this, args[1], args[2], args[0].width, args[0].height);
      first(this.canvas, clears);
      return original.apply(this, args);
    };
  }
  for (const name of ['width', 'height']) {
    const {get, set} = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, name);
    Object.defineProperty(HTMLCanvasElement.prototype, name, {get, set(value) {
      first(this, true);
      set.call(this, value);
    }});
  }
  globalThis.canvases = () => {
    for (const facts of seen.values()) facts.is_drawn = false;
    return [...seen.values()].map(({drawn, cleared}) => ({drawn, cleared}));
  };
})()]==]
local WATCHED = 30

---"webgl", "cleared" (2D, with a canvas that each frame begins anew), "2d" or "dom". The page is not used any more.
local function kind_of(world)
  local page = world.page
  assert(select(2, page:evaluate(WATCH_CANVASES)) == nil)
  local facts = {}
  for _ = 1, WATCHED do
    assert(world:step(1, { draw = "all" }))
    facts = assert(page:evaluate "canvases()")
  end
  local is_drawn, is_cleared = false, false
  for _, canvas in ipairs(facts) do
    is_drawn = is_drawn or canvas.drawn > 0
    is_cleared = is_cleared or (canvas.drawn >= WATCHED and canvas.cleared == canvas.drawn)
  end
  if is_drawn then return is_cleared and "cleared" or "2d" end
  local has_webgl = page:evaluate "[...document.querySelectorAll('canvas')].some((one) => !one.getContext('2d'))"
  return has_webgl and "webgl" or "dom"
end

function parts.drawing()
  say "game             kind     share_of_drawing  all_ms  last_ms  times  cpu_times  equal_pictures"
  local times, webgl_least, is_equal = {}, math.huge, true
  each_game(function(game)
    local list = open(game, 4)
    start(list, game)
    local kind = kind_of(table.remove(list))
    local draws, wall, spent, equal = { "all", "last", "none" }, { 0, 0, 0 }, { 0, 0, 0 }, 0
    for _ = 1, BATCHES do
      local pictures = {}
      for i, world in ipairs(list) do
        local _, seconds, cpu_seconds = cost(function() return assert(world:step(BATCH, { draw = draws[i] })) end)
        wall[i], spent[i], pictures[i] = wall[i] + seconds, spent[i] + cpu_seconds, assert(world.page:screenshot())
      end
      if assert(pictures[1]:diff(pictures[2])).identical then equal = equal + 1 end
      for _, picture in ipairs(pictures) do picture:close() end
    end
    close(list)
    local share, faster = 1 - wall[3] / wall[1], wall[1] / wall[2]
    if kind == "webgl" and share >= 0.95 then webgl_least = math.min(webgl_least, faster) end
    if kind == "cleared" then
      times[#times + 1] = faster
      is_equal = is_equal and equal == BATCHES
    end
    local frame_ms = 1000 / (BATCH * BATCHES)
    say("%-16s %-8s %15.0f%% %7.2f %8.2f %6.1f %10.1f %11d/%d", game.id, kind, share * 100, wall[1] * frame_ms,
      wall[2] * frame_ms, faster, spent[1] / math.max(spent[2], 0.01), equal, BATCHES)
  end)
  say("WebGL where drawing is 95 %% of the time: at least %.1f times (goal: 10)", webgl_least)
  say("2D that clears its canvas: median %.1f times (goal: 2.5), pictures %s", median(times),
    is_equal and "equal" or "differ")
end

function parts.peer()
  say "game             own: a_second  a_cpu_second  page.clock: a_second  a_cpu_second  frames_a_second  equal"
  each_game(function(game)
    local twins = open(game, 2)
    local wall, spent = step_twins(twins)
    close(twins)
    local theirs = node({ "build/peers/clock.mjs", "page_clock", browser:info().path, game.url, tostring(BATCHES) })
    if not theirs.driven then
      return say("%-16s %13.1f %13.1f  not driven: %s", game.id, SIMULATED / wall, SIMULATED / spent, theirs.why)
    end
    say("%-16s %13.1f %13.1f %21.1f %13.1f %16.1f %6s", game.id, SIMULATED / wall, SIMULATED / spent,
      BATCHES / theirs.wall, BATCHES / theirs.cpu, theirs.frames / BATCHES, theirs.equal)
  end)
end

function parts.rate()
  say "game             simulated_seconds_a_second  a_cpu_second"
  local rates = {}
  each_game(function(game)
    local twins = open(game, 2)
    start(twins, game)
    local wall, spent = step_twins(twins, function(batch) known.control(twins, game, batch) end)
    close(twins)
    rates[#rates + 1] = SIMULATED / wall
    say("%-16s %26.1f %13.1f", game.id, SIMULATED / wall, SIMULATED / spent)
  end)
  say("median %.1f (goal: 25, on a quiet machine)", median(rates))
end

function parts.pictures()
  local dir, files = assert(qa.run.dir()), {}
  each_game(function(game)
    local world = open(game, 1)
    start(world, game)
    local file = ("%s/%s.png"):format(dir, game.id)
    assert(assert(world[1].page:screenshot()):save(file))
    files[#files + 1] = file
    close(world)
  end)
  print(node({ "build/peers/clock.mjs", "pictures", browser:info().path, unpack(files) }).table)
end

for _, name in ipairs{ "probe", "drawing", "peer", "rate", "pictures" } do
  if not PART or PART == name then
    say("== %s", name)
    parts[name]()
  end
end
browser:close()
