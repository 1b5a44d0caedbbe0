-- Rows of tests/accept/clock/10_steps.sh: pages of each kind are frozen for 10 s of wall time, then stepped by 1, 60
-- and 600 frames, then to the first frame that fits. usage: qa-host steps.lua SUFFIX [NAME,...]
local qa = require "qa"
local acceptance = assert(qa.load_chunk("tests/support/acceptance.lua"))()
local clock_page = assert(qa.load_chunk("tests/lua/support/clock_page.lua"))()
local value = clock_page.value
local colours = "data:video/webm;base64," .. assert(qa.load_chunk("tests/lua/support/colours_webm.lua"))()

local FROZEN_MS, BEFORE = 10000, 30
local SUFFIX, ONLY = qa.args[1] or "", qa.args[2]

---Each page counts its frames; what else it counts is in `seen`, an expression. `pace`: how much more that is after a
---frame. A count is right within `slack` of it (0).
local frames = "let frames = 0; const tick = () => { ++frames; draw(); requestAnimationFrame(tick); };"
  .. " requestAnimationFrame(tick);"
local canvas = "<canvas id=it width=320 height=180></canvas>"
---What frames and workers do: they send the number of their frames.
local sender = "let frames = 0; const tick = () => { send(++frames); requestAnimationFrame(tick); };"
  .. " requestAnimationFrame(tick);"
local child = "<!doctype html><script>const send = (n) => parent.postMessage(n, '*');" .. sender .. "</script>"
local hears = "<script>let seen = 0; const draw = () => {}; const add = (url) => { const frame = document"
  .. ".createElement('iframe'); frame.src = url; document.body.append(frame); };"
  .. "onmessage = ({data}) => { seen = data; };" .. frames .. "</script>"

local fixtures = {
  { name = "2d", seen = "frames", pace = 1, html = canvas .. [[<script>const context = it.getContext('2d');
    const draw = () => { context.clearRect(0, 0, 320, 180); context.fillRect(frames % 300, 50, 20, 20); };]] },
  { name = "webgl", seen = "frames", pace = 1, html = canvas .. [[<script>const gl = it.getContext('webgl');
    const draw = () => { gl.clearColor(frames % 100 / 100, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); };]] },
  { name = "timers", seen = "seen", pace = 1000 / 60 / 5, slack = 1, html = [[<script>
    let seen = 0; const draw = () => {}; setInterval(() => { ++seen; }, 5);
    const chain = () => setTimeout(chain, 0); chain();]] },
  { name = "messages", seen = "seen", pace = 1000, html = [[<script>let seen = 0; const draw = () => {};
    const {port1, port2} = new MessageChannel(); port1.onmessage = () => { ++seen; port2.postMessage(0); };
    port2.postMessage(0);]] },
  { name = "css", seen = "seen", pace = 1 / 6, slack = 1, html = [[<style>@keyframes turn { to { rotate: 1turn } }
    #it { width: 90px; height: 90px; background: red; animation: turn 100ms linear infinite }</style><div id=it></div>
    <script>let seen = 0; const draw = () => {}; onanimationiteration = () => { ++seen; };]] },
  { name = "observers", seen = "seen", pace = 2, html = [[<div id=it>wide</div><p id=other style="height: 20px">near</p>
    <script>let seen = 0; new ResizeObserver(() => { ++seen; }).observe(it);
    new IntersectionObserver(() => { ++seen; }).observe(other);
    const draw = () => { it.style.width = 50 + frames % 2 * 50 + 'px';
      other.style.marginTop = frames % 2 ? '5000px' : 0; };]] },
  { name = "frame_of_another_site", seen = "seen", pace = 1, other = "site", html = hears .. "<script>" },
  { name = "frame_of_another_port", seen = "seen", pace = 1, other = "port", html = hears .. "<script>" },
  { name = "worker", seen = "seen", pace = 1, html = [[<script>let seen = 0; const draw = () => {};
    const worker = new Worker('worker.js'); worker.onmessage = ({data}) => { seen = data; };]] },
  { name = "audio", seen = "Math.round(context.currentTime * 600) / 10", pace = 1, slack = 0.2, html = [[<script>
    const draw = () => {}; const context = new AudioContext();
    const tone = new OscillatorNode(context); tone.start();]] },
  -- Of two seconds, again and again.
  { name = "video", seen = "Math.round((rounds * 2 + film.currentTime) * 60)", pace = 1, slack = 3,
    html = "<video id=film loop muted autoplay src='" .. colours .. "'></video><script>let rounds = 0, last = 0;"
      .. "const draw = () => { if (film.currentTime < last) ++rounds; last = film.currentTime; };" },
}
local worker = "const canvas = new OffscreenCanvas(320, 180), context = canvas.getContext('2d');"
  .. "const send = (n) => { context.fillRect(n % 300, 0, 9, 9); postMessage(n); };" .. sender

local function is_chosen(name) return not ONLY or ("," .. ONLY .. ","):find("," .. name .. ",", 1, true) ~= nil end

local function counts(page, fixture)
  return value(page, ("({frames: frames, seen: %s})"):format(fixture.seen))
end

---How many frames each step gave, or what else is wrong.
local function step(page, fixture, count)
  local before = counts(page, fixture)
  local stepped, err = page:step(count, { draw = "last" })
  if not stepped then return err.message end
  local after = counts(page, fixture)
  local wanted, seen = count * fixture.pace, after.seen - before.seen
  if math.abs(seen - wanted) > (fixture.slack or 0) + 0.001 then
    return ("%d frames, where %s rose by %g, not %g"):format(after.frames - before.frames, fixture.seen, seen, wanted)
  end
  return after.frames - before.frames
end

local function try(fixture, page, before)
  local frozen = counts(page, fixture)
  local ticks = frozen.frames - before.frames + math.abs(frozen.seen - before.seen)
  local said = { step(page, fixture, 1), step(page, fixture, 60), step(page, fixture, 600) }
  local target = counts(page, fixture).frames + 37
  local stepped, err = page:step_until("frames >= " .. target, { max_frames = 300 })
  local met = stepped and (stepped.met and stepped.frames or -1) or err.message
  acceptance.row(("%s%s"):format(fixture.name, SUFFIX),
    ("%g ticks; frames %s; fits in frame %s"):format(ticks, table.concat(said, ", "), met), "0; 1, 60, 600; 37",
    ticks == 0 and table.concat(said, " ") == "1 60 600" and met == 37)
end

local files, pages = { ["child.html"] = child, ["worker.js"] = worker }, {}
for _, fixture in ipairs(fixtures) do
  files[fixture.name .. ".html"] = "<!doctype html><body>" .. fixture.html .. (fixture.other and "" or frames)
    .. "</script>"
end
clock_page.with("", function(open, server)
  local others = { site = server.url:gsub("127%.0%.0%.1", "localhost") }
  others.port = assert(qa.serve(assert(qa.run.dir()))).url
  for i, fixture in ipairs(fixtures) do
    if is_chosen(fixture.name) then
      local page = open({}, fixture.name .. ".html")
      if fixture.other then value(page, ("add('%schild.html'), 0"):format(others[fixture.other])) end
      assert(page:step(BEFORE))
      pages[i] = { page = page, before = counts(page, fixture) }
    end
  end
  qa.sleep(FROZEN_MS)
  for i, fixture in ipairs(fixtures) do if pages[i] then try(fixture, pages[i].page, pages[i].before) end end
end, files)
