-- Workers are stepped after the page: what it sends is there before, and their answers after.
local qa = require "qa"
local clock_page = qa.load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local page = [[<script>
  window.log = []; let frames = 0;
  const f = () => { ++frames; requestAnimationFrame(f); }; requestAnimationFrame(f);
  const begin = (name) => {
    const worker = new Worker('worker.js', {name}), {port1, port2} = new MessageChannel();
    worker.postMessage({port: port2}, [port2]);
    worker.onmessage = ({data}) => log.push([name, data, frames].join());
    port1.onmessage = ({data}) => log.push([name, data, frames].join());
    return {worker, port1, port2};
  };
</script>]]

local worker = [[
  let asked = null;
  onmessage = ({data}) => {
    if (data.port) {
      asked = data.port;
      data.port.onmessage = ({data: {what}}) =>
        data.port.postMessage(what + ' by port ' + performance.now().toFixed(0));
      postMessage(['my name is', name, 'and my chance', Math.random().toFixed(6)].join(' '));
    }
    if (data.sleep) {
      // As threads of emscripten do.
      const {buffer} = new WebAssembly.Memory({initial: 1, maximum: 1, shared: true});
      const end = performance.now() + data.sleep;
      while (performance.now() < end) Atomics.wait(new Int32Array(buffer), 0, 0, 20);
      postMessage('slept');
    }
    if (data.what) postMessage(data.what + ' ' + performance.now().toFixed(0));
  };
]]

local function with(fn) clock_page.with(page, fn, { ["worker.js"] = worker }) end

return {
  ["a question is answered when the next frame begins, by whichever way it is sent"] = function(t)
    with(function(open)
      local one = open()
      value(one, "window.all = ['a', 'b', 'c', 'd'].map(begin), 0")
      assert(one:step(10))
      value(one, [[log.length = 0, window.load = Array.from({length: 3e4}, (_, i) => ({i})),
        requestAnimationFrame(function ask() {
          for (const {port1, worker} of all) for (const to of [port1, worker]) to.postMessage({what: frames, load});
          requestAnimationFrame(ask);
        }), 0]])
      assert(one:step(60))
      local counts = value(one, [[log.map((line) => line.split(',')).reduce((counts, [, said, heard]) => {
        const took = heard - parseInt(said);
        counts[took] = (counts[took] ?? 0) + 1;
        return counts;
      }, {})]])
      t.equal(counts, { ["0"] = 59 * 8 })  -- Of frames that have begun between.
    end)
  end,
  ["each has its name and its chance by the order in which they were made"] = function(t)
    with(function(open)
      local logs = {}
      for i = 1, 2 do
        local one = open()
        value(one, "begin('b'), begin('c'), begin(''), 0")
        assert(one:step(10))
        logs[i] = value(one, "log.sort()")
      end
      t.equal(logs[1], logs[2])
      t.equal(#logs[1], 3)
      t.truthy(logs[1][2]:find("b,my name is b and", 1, true))
      t.truthy(logs[1][1]:match "0%.%d+" ~= logs[1][2]:match "0%.%d+")
    end)
  end,
  ["one that waits on shared memory is not waited for, and comes back"] = function(t)
    with(function(open)
      local one = open()
      value(one, "window.a = begin('a'), 0")
      assert(one:step(10))
      t.equal(one:clock_coverage(), {})
      value(one, "a.worker.postMessage({sleep: 3000}), 0")
      local began = qa.now_ms()
      assert(one:step(30))
      t.truthy(qa.now_ms() - began < 3500)
      local gap = assert(one:clock_coverage())[1]
      t.equal({ gap.what, gap.where }, { "a thread that goes by real time", "worker 001" })
      local last
      for _ = 1, 60 do  -- It sleeps in real time, as long as the machine lets it.
        qa.sleep(100)
        assert(one:step(2))
        last = value(one, "log.at(-1)")
        if last:find "^a,slept," then break end
      end
      t.truthy(last:find "^a,slept,")
      value(one, "log.length = 0, a.port1.postMessage({what: 'again'}), 0")
      assert(one:step(2))
      t.truthy(value(one, "log.join()"):find "^a,again by port")
    end)
  end,
  ["time does not wait for the start of one that was ended before"] = function(t)
    with(function(open)
      local one = open()
      value(one, "new Worker('worker.js').terminate()")
      local began = qa.now_ms()
      assert(one:step(5))
      t.truthy(qa.now_ms() - began < 2000)
      t.equal(one:clock_coverage(), {})
    end)
  end,
}
