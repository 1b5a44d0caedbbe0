-- Small programs that chance writes, pages that play them by the browser's functions and log what runs when, and what
-- that log must be: a plain interpreter of the order that docs/clock.md gives. It shares nothing with the clock.
--
-- A program is a tree of nodes. A node that runs is logged, then does what it lists: begins a node (its number,
-- negative) in the way that this names in `by`, or gives up what another one has begun. `again`: how many more times it
-- begins itself; an interval ends itself after that.
local qa = require "qa"
local clock_page = assert(qa.load_chunk("tests/lua/support/clock_page.lua"))()

local M = {}

local MOST_LOGGED = 300
local REALMS = 4  -- The page, a frame, a frame within that, and another frame of the page.
local MOST_NODES = 28
local DELAYS = { 0, 0, 1, 2, 3, 5, 7, 10, 16, 17, 30, 41, 64 }
local PRIORITIES = { "user-blocking", "user-visible", "background" }

---How often each way comes.
local WAYS = { timeout = 6, interval = 3, sleep = 3, frame = 4, idle = 2, window = 3, port = 3, radio = 2, task = 3,
  delayed = 2, yield = 2, promise = 3, animation = 3, size = 1 }
local NAMES = {}
for name, weight in pairs(WAYS) do for _ = 1, weight do NAMES[#NAMES + 1] = name end end
table.sort(NAMES)

---Numbers from 1 to n: Park and Miller's generator.
local function chance(seed)
  local state = seed * 7919 % 2147483646 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

---@param seed integer
---@return table program {frame_ms, nodes, roots}
function M.write(seed)
  local pick = chance(seed)
  local program = { frame_ms = ({ 1000 / 60, 1000 / 60, 33, 50 })[pick(4)], nodes = {}, roots = {} }
  local nodes = program.nodes
  local function node(depth)
    local made = { id = #nodes + 1, by = NAMES[pick(#NAMES)], realm = pick(3) == 1 and pick(REALMS) or 1,
      again = pick(4) == 1 and pick(9) or 0, ms = DELAYS[pick(#DELAYS)], priority = PRIORITIES[pick(3)],
      hops = pick(4), does = qa.json.array{} }
    nodes[made.id] = made
    if made.by == "interval" and made.again == 0 then made.again = pick(5) end
    for _ = 1, depth < 6 and pick(3) or 0 do
      if #nodes < MOST_NODES then
        made.does[#made.does + 1] = pick(7) == 1 and pick(#nodes) or node(depth + 1).id * -1
      end
    end
    return made
  end
  while #program.roots < 3 or #nodes < MOST_NODES / 2 do program.roots[#program.roots + 1] = node(1).id end
  return program
end

---What plays a program; `log` has a line for each node that ran.
local PLAYER = [==[<body><script>
  const program = %s, MOST_LOGGED = %d;
  const nodes = new Map(program.nodes.map((node) => [node.id, node]));
  const log = [];
  const frame_in = (window) => {
    const frame = window.document.createElement('iframe');
    window.document.body.append(frame);
    return frame.contentWindow;
  };
  const child = frame_in(window), grandchild = frame_in(child);
  const realms = [window, child, grandchild, frame_in(window)].map((window, index) => {
    const {port1, port2} = new window.MessageChannel();
    const hear = ({data}) => run(nodes.get(data));
    port1.onmessage = hear;
    window.onmessage = hear;
    new window.BroadcastChannel('realm ' + index).onmessage = hear;
    const box = window.document.body.appendChild(window.document.createElement('div')), resized = [];
    new window.ResizeObserver(() => resized.splice(0).forEach((done) => done())).observe(box);
    return {window, port: port2, radio: new window.BroadcastChannel('realm ' + index), box, resized};
  });
  let heights = 0;

  const begin = (node) => {
    const {window, port, radio, box, resized} = realms[node.realm - 1], {id, ms, priority} = node;
    const done = () => run(node);
    const hop = (left) => left === 0 ? done() : void Promise.resolve().then(() => hop(left - 1));
    const ways = {
      timeout: () => window.setTimeout(done, ms),
      interval: () => window.setInterval(done, ms),
      sleep: () => { new Promise((woken) => window.setTimeout(woken, ms)).then(done); },
      frame: () => window.requestAnimationFrame(done),
      idle: () => window.requestIdleCallback(done),
      window: () => window.postMessage(id, '*'),
      port: () => port.postMessage(id),
      radio: () => radio.postMessage(id),
      task: () => { window.scheduler.postTask(done, {priority}); },
      delayed: () => { window.scheduler.postTask(done, {priority, delay: ms}); },
      yield: () => { window.scheduler.yield().then(done); },
      promise: () => hop(node.hops),
      animation: () => { window.document.body.animate([{opacity: 1}, {opacity: 0.5}], ms + 20).onfinish = done; },
      size: () => {
        resized.push(done);
        box.style.height = ++heights + 'px';
      },
    };
    node.handle = ways[node.by]();
  };
  const give_up = ({by, realm, handle}) => {
    const {window} = realms[realm - 1];
    const ends = {timeout: 'clearTimeout', interval: 'clearInterval', frame: 'cancelAnimationFrame',
                  idle: 'cancelIdleCallback'};
    if (handle !== undefined && ends[by]) window[ends[by]](handle);
  };
  const run = (node) => {
    if (log.length >= MOST_LOGGED) return;
    log.push(node.id + ' ' + node.by + ' ' + performance.now().toFixed(3));
    for (const what of node.does) what < 0 ? begin(nodes.get(-what)) : give_up(nodes.get(what));
    if (node.again-- > 0) node.by === 'interval' || begin(node);
    else if (node.by === 'interval') give_up(node);
  };
  for (const id of program.roots) begin(nodes.get(id));
</script>]==]

---@param program table
---@return string html
function M.page(program) return PLAYER:format(qa.json.encode(program), MOST_LOGGED) end

---Takes the first of a list by `key`, and among equals the one that came first; nil where it is beyond `most`.
local function take_least(list, key, most)
  local at
  for i, one in ipairs(list) do if not at or key(one) < key(list[at]) then at = i end end
  return at and key(list[at]) <= (most or math.huge) and table.remove(list, at) or nil
end

---What the page logs in so many frames: by (due, creation) a timer, then the messages and tasks posted before the next
---one, and so on; then animations, frame callbacks, observers, messages and tasks, and idle callbacks.
---@param program table changed: give it a copy
---@param frames integer
---@return string[]
function M.predict(program, frames)
  local log, now, nesting = {}, 0, 0
  local timers, tasks, jobs, callbacks, idle, animations, resized = {}, {}, {}, {}, {}, {}, {}
  local run

  local function add_job(job) jobs[#jobs + 1] = job end
  local function run_jobs() while #jobs > 0 do table.remove(jobs, 1)() end end
  local function add_task(priority, job)
    tasks[#tasks + 1] = { priority = priority, run = job }
  end
  local function run_tasks()
    while #tasks > 0 do
      take_least(tasks, function(task) return task.priority end).run()
      run_jobs()
    end
  end
  ---HTML, "timer initialization steps".
  local function add_timer(job, ms, repeats, level, is_clamped)
    if is_clamped and level > 5 and ms < 4 then ms = 4 end
    local timer = { due = now + ms, nesting = level + 1, run = job, repeats = repeats }
    timers[#timers + 1] = timer
    return timer
  end
  local function rank(priority) return ({ ["user-blocking"] = 0, ["user-visible"] = 2, background = 3 })[priority] end

  local function hop(left, job)
    if left == 0 then return job() end
    add_job(function() hop(left - 1, job) end)
  end
  local function message(node, job)
    node.handle = nil
    add_task(rank "user-visible", job)
  end
  local ways = {
    timeout = function(node, job) node.handle = add_timer(job, node.ms, nil, nesting, true) end,
    interval = function(node, job) node.handle = add_timer(job, node.ms, node.ms, nesting, true) end,
    sleep = function(node, job) add_timer(function() add_job(job) end, node.ms, nil, nesting, true) end,
    frame = function(node, job)
      node.handle = { realm = node.realm, run = job }
      callbacks[#callbacks + 1] = node.handle
    end,
    idle = function(node, job)
      node.handle = { run = job }
      idle[#idle + 1] = node.handle
    end,
    window = message, port = message, radio = message,
    task = function(node, job) add_task(rank(node.priority), job) end,
    delayed = function(node, job)
      local function post() add_task(rank(node.priority), job) end
      if node.ms == 0 then post() else add_timer(post, node.ms, nil, 0, false) end
    end,
    -- Prioritized Task Scheduling: what goes on comes before tasks of its priority that begin.
    ["yield"] = function(_, job) add_task(rank "user-visible" - 1, function() add_job(job) end) end,
    promise = function(node, job) hop(node.hops, job) end,
    animation = function(node, job)
      animations[#animations + 1] = { realm = node.realm, ms = node.ms + 20, run = job }
    end,
    size = function(node, job) resized[#resized + 1] = { realm = node.realm, run = job } end,
  }
  local function begin(node) ways[node.by](node, function() run(node) end) end
  local function give_up(node) if node.handle then node.handle.is_off = true end end
  function run(node)
    if #log >= MOST_LOGGED then return end
    log[#log + 1] = ("%d %s %.3f"):format(node.id, node.by, now)
    for _, what in ipairs(node.does) do
      if what < 0 then begin(program.nodes[-what]) else give_up(program.nodes[what]) end
    end
    node.again = node.again - 1
    if node.again >= 0 then
      if node.by ~= "interval" then begin(node) end
    elseif node.by == "interval" then
      give_up(node)
    end
  end

  local function run_timers(till)
    while true do
      local timer = take_least(timers, function(one) return one.due end, till)
      if not timer then return end
      if not timer.is_off then
        now, nesting = timer.due, timer.nesting
        timer.run()
        run_jobs()
        nesting = 0
        if timer.repeats and not timer.is_off then
          local next_one = add_timer(timer.run, timer.repeats, timer.repeats, timer.nesting, true)
          for _, node in ipairs(program.nodes) do if node.handle == timer then node.handle = next_one end end
        end
        run_tasks()
      end
    end
  end
  local function begin_animations() for _, one in ipairs(animations) do one.from = one.from or now end end
  local function run_animations()
    for realm = 1, REALMS do
      begin_animations()
      local over, going = {}, {}
      for _, one in ipairs(animations) do
        local is_over = one.realm == realm and one.from + one.ms <= now
        table.insert(is_over and over or going, one)
      end
      animations = going
      for _, one in ipairs(over) do
        one.run()
        run_jobs()
      end
    end
  end
  local function taken(list)
    local copy = {}
    while #list > 0 do copy[#copy + 1] = table.remove(list, 1) end
    return copy
  end
  local function realm_of(one) return one.realm end
  local function run_callbacks()
    local list = taken(callbacks)
    for one in function() return take_least(list, realm_of) end do
      if not one.is_off then
        one.run()
        run_jobs()
      end
    end
  end
  local function run_observers()
    for realm = 1, REALMS do
      local list = taken(resized)
      for _, one in ipairs(list) do if one.realm == realm then one.run() else resized[#resized + 1] = one end end
      run_jobs()
    end
  end
  local function run_idle()
    for _, one in ipairs(taken(idle)) do
      if not one.is_off then
        one.run()
        run_jobs()
        run_tasks()
      end
    end
  end

  for _, id in ipairs(program.roots) do begin(program.nodes[id]) end
  run_jobs()
  for frame = 1, frames do
    run_tasks()
    run_timers(frame * program.frame_ms)
    now = frame * program.frame_ms
    run_animations()
    run_callbacks()
    begin_animations()
    run_observers()
    run_tasks()
    run_idle()
  end
  return log
end

local function first_difference(got, wanted)
  for i = 1, math.max(#got, #wanted) do
    if got[i] ~= wanted[i] then
      return ("line %d of the log: %s instead of %s"):format(i, got[i] or "nothing", wanted[i] or "nothing")
    end
  end
end

---Plays the programs of seeds `first` to `last` and tells each(seed, lines, difference) of each: how long its log must
---be, and what is other in it.
---@param each fun(seed: integer, lines: integer, difference: string?)
function M.play(first, last, frames, each)
  local files = {}
  for seed = first, last do files[seed .. ".html"] = "<!doctype html>" .. M.page(M.write(seed)) end
  clock_page.with("", function(open)
    for seed = first, last do
      local program = M.write(seed)
      local page = open({ frame_ms = program.frame_ms }, seed .. ".html")
      assert(page:step(frames))
      local got, wanted = clock_page.value(page, "log"), M.predict(program, frames)
      each(seed, #wanted, first_difference(got, wanted))
      page:close()
    end
  end, files)
end

return M
