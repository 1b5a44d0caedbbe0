-- Frames of other origins and workers have clocks of their own, which go with that of the page.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local child = [[<!doctype html><script>
  const log = []; let frames = 0;
  const f = (ms) => { ++frames; log.push([ms.toFixed(1), Math.random()].join()); requestAnimationFrame(f); };
  requestAnimationFrame(f);
  onmessage = ({data}) => parent.postMessage({data, frames, at: performance.now().toFixed(1), log: log.join('; ')},
    '*');
</script>]]

local parent = [[<script>
  window.heard = []; let frames = 0;
  addEventListener('message', ({data}) => heard.push({...data, here: frames}));
  const f = () => { ++frames; requestAnimationFrame(f); }; requestAnimationFrame(f);
  window.add = (url) => { const frame = document.createElement('iframe'); frame.src = url; document.body.append(frame);
    return frame; };
  window.ask = (frame, text) => frame.contentWindow.postMessage(text, '*');
</script>]]

local worker = [[
  const log = []; let frames = 0;
  const f = (ms) => { ++frames; log.push([ms.toFixed(1), Math.random()].join()); requestAnimationFrame(f); };
  requestAnimationFrame(f);
  setInterval(() => log.push('interval ' + performance.now().toFixed(1)), 50);
  onmessage = ({data}) => postMessage({data, frames, at: performance.now().toFixed(1), log: log.join('; ')});
]]

---Two worlds with the same frame or worker, asked at the same frame; what each heard.
local function twins(open, start)
  local heard = {}
  for i = 1, 2 do
    local page = open()
    value(page, start .. ", 0")
    value(page, "new Promise(done => fetch('/index.html').then(r => r.text()).then(done))")
    assert(page:step(30))
    value(page, "ask(it, 'now'), 0")
    assert(page:step(3))
    heard[i] = value(page, "heard")
    page:close()
  end
  return heard
end

return {
  ["a frame of another site, in a process of its own"] = function(t)
    clock_page.with(parent, function(open, server)
      local other = server.url:gsub("127%.0%.0%.1", "localhost") .. "child.html"
      local heard = twins(open, "window.it = add('" .. other .. "')")
      t.equal(#heard[1], 1)
      t.equal(heard[1][1].frames, 30)
      t.equal(heard[1], heard[2])
    end, { ["child.html"] = child })
  end,
  ["a frame of the same site, which its parent may not read"] = function(t)
    clock_page.with(parent, function(open)
      local dir = assert(qa.run.dir())
      local other = assert(qa.serve(dir)).url .. "child.html"
      local heard = twins(open, "window.it = add('" .. other .. "')")
      t.equal(#heard[1], 1)
      t.equal(heard[1][1].frames, 30)
      t.equal(heard[1], heard[2])
    end, { ["child.html"] = child })
  end,
  ["a worker's timers, frames and messages"] = function(t)
    clock_page.with(parent .. "<script>window.ask = (worker, text) => worker.postMessage(text)</script>", function(open)
      local heard = twins(open, "(window.it = new Worker('worker.js')).onmessage = ({data}) => heard.push(data)")
      t.equal(#heard[1], 1)
      t.truthy(heard[1][1].frames >= 29 and heard[1][1].frames <= 30)
      t.equal(heard[1], heard[2])
    end, { ["worker.js"] = worker })
  end,
}
