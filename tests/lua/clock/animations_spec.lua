-- Animations and transitions are moved by game time alone, and tell of it in game time.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local style = [[<style>
  @keyframes go { from { transform: translateX(0) } to { transform: translateX(100px) } }
  div { width: 40px; height: 40px; background: #c33 }
</style>]]
local noting = [[<script>
  window.log = [];
  const note = (what) => log.push(what + ' ' + performance.now().toFixed(0));
  const note_event = (e) => note(e.type + ' ' + e.elapsedTime.toFixed(3));
  for (const t of ['animationstart', 'animationiteration', 'animationend', 'animationcancel', 'transitionrun',
    'transitionstart', 'transitionend', 'transitioncancel']) addEventListener(t, note_event);
  window.at = (id) => document.getElementById(id).getBoundingClientRect().x.toFixed(2);
</script>]]

local function page_of(body) return style .. noting .. body end

---What `log` of the page is, as one text.
local function log_of(page) return table.concat(value(page, "log"), ", ") end

return {
  ["an animation of CSS stands still while the page is frozen, and moves by frames"] = function(t)
    clock_page.with(page_of[[<div id="a" style="animation: go 1s linear 2"></div>
      <script>const f = () => { if (log.length < 4) note('frame ' + at('a')); requestAnimationFrame(f) };
        requestAnimationFrame(f)</script>]], function(open)
      local page, twin = open(), open()
      qa.sleep(150)
      t.equal(value(page, "at('a')"), "0.00")
      page:step(3)
      qa.sleep(150)
      -- As in a browser: the first frame sees it at its beginning.
      t.equal(log_of(page), "animationstart 0.000 17, frame 0.00 17, frame 1.67 33, frame 3.33 50")
      t.equal(value(page, "at('a')"), "3.33")
      page:step(117)
      twin:step(120)
      t.equal(log_of(page), log_of(twin))
      t.equal(page:screenshot():diff(twin:screenshot()).changed_pixels, 0)
      page:step(2)
      t.equal(table.concat(value(page, "log.slice(4)"), ", "), "animationiteration 1.000 1017, animationend 2.000 2017")
    end)
  end,
  ["what begins and ends while the page loads is not missed"] = function(t)
    clock_page.with(page_of[[<div id="a" style="animation: go 20ms linear"></div>
      <script>const end = Date.now; let n = 0; for (let i = 0; i < 3e8; ++i) n += i</script>]], function(open)
      local page = open()
      t.equal(log_of(page), "")
      page:step(4)
      t.equal(log_of(page), "animationstart 0.000 17, animationend 0.020 50")
    end)
  end,
  ["a transition runs, ends and is cancelled in game time"] = function(t)
    clock_page.with(page_of[[<div id="a" style="transition: transform 100ms linear 20ms"></div><div id="b"
      style="transition: opacity 1s"></div><script>
      setTimeout(() => { a.style.transform = 'translateX(50px)'; b.style.opacity = 0 }, 30);
      setTimeout(() => { b.style.display = 'none' }, 100);
    </script>]], function(open)
      local page = open()
      page:step(5)
      qa.sleep(100)
      t.equal(value(page, "at('a')"), "15.00")
      page:step(7)
      t.equal(log_of(page), "transitionrun 0.000 33, transitionrun 0.000 33, transitionstart 0.000 33, "
        .. "transitionstart 0.000 67, transitioncancel 0.050 100, transitionend 0.100 167")
      t.equal(value(page, "at('a')"), "50.00")
    end)
  end,
  ["an animation of a script keeps its promises, and its own speed, pauses, seeks and turns"] = function(t)
    clock_page.with(page_of[[<div id="a"></div><script>
      const go = (options) => a.animate([{transform: 'none'}, {transform: 'translateX(100px)'}], options);
      window.one = go({duration: 100, fill: 'forwards'});
      one.onfinish = (e) => note('finish ' + e.currentTime + ' ' + e.timelineTime.toFixed(0));
      one.oncancel = () => note('cancel');
      one.ready.then(() => note('ready'));
      one.finished.then(() => note('finished'), () => {});
      window.facts = () => [one.playState, one.currentTime?.toFixed(1), one.startTime?.toFixed(1),
        one.playbackRate].join();
    </script>]], function(open)
      local page = open()
      t.equal(log_of(page), "")
      page:step(4)
      t.equal(value(page, "facts()"), "running,50.0,16.7,1")
      page:step(4)
      t.equal(log_of(page), "ready 17, finished 117, finish 100 117 117")
      t.equal(value(page, "facts()"), "finished,100.0,16.7,1")
      value(page, "(log.length = 0, one.reverse(), 0)")
      page:step(4)
      t.equal(value(page, "facts()"), "running,50.0,250.0,-1")
      value(page, "(one.pause(), 0)")
      page:step(10)
      t.equal(value(page, "facts()"), "paused,50.0,,-1")
      value(page, "(one.currentTime = 20, one.playbackRate = 0.5, one.play(), 0)")
      page:step(3)
      t.equal(value(page, "facts()"), "running,36.7,343.3,0.5")
      value(page, "(one.startTime = document.timeline.currentTime, one.updatePlaybackRate(2), 0)")
      page:step(2)
      t.equal(value(page, "facts()"), "running,41.7,429.2,2")
      value(page, "(one.cancel(), 0)")
      page:step(1)
      qa.sleep(50)
      t.equal(log_of(page), "cancel 467")
    end)
  end,
  ["finish() is told in the next frame, once"] = function(t)
    clock_page.with(page_of[[<div id="a"></div><script>
      window.one = a.animate([{opacity: 0}, {opacity: 1}], 1000); one.addEventListener('finish', () => note('finish'));
      setTimeout(() => one.finish(), 20)</script>]], function(open)
      local page = open()
      page:step(1)
      page:step(10)
      qa.sleep(50)
      t.equal(log_of(page), "finish 33")
    end)
  end,
  ["listeners of the prefixed names hear, but not beside the standard's"] = function(t)
    clock_page.with(page_of[[<div id="a" style="animation: go 20ms"></div>
      <div id="b" style="animation: go 20ms"></div><script>
      log.length = 0;
      for (const t of ['animationstart', 'animationend', 'animationiteration']) removeEventListener(t, note_event);
      a.addEventListener('webkitAnimationEnd', (e) => note('a ' + e.type));
      b.addEventListener('webkitAnimationEnd', (e) => note('b ' + e.type));
      b.addEventListener('animationend', (e) => note('b ' + e.type));
      a.onwebkitanimationstart = (e) => note('a ' + e.type);
    </script>]], function(open)
      local page = open()
      page:step(5)
      t.equal(log_of(page), "a webkitAnimationStart 17, a webkitAnimationEnd 50, b animationend 50")
    end)
  end,
  ["shadow trees and frames are moved, too"] = function(t)
    clock_page.with(page_of[[<div id="host"></div><iframe id="frame" srcdoc="<style>@keyframes go { to { left: 100px } }
      p { position: relative; animation: go 1s linear }</style><p>text</p>"></iframe><script>
      const root = host.attachShadow({mode: 'closed'});
      root.innerHTML = '<style>@keyframes in { to { margin-left: 100px } } p { animation: in 1s linear }</style>'
        + '<p>text</p>';
      root.addEventListener('animationstart', () => note('inside'));
      window.places = () => [root.querySelector('p'), frame.contentDocument.querySelector('p')]
        .map((p) => p.getAnimations()[0].currentTime.toFixed(1)).join();
    </script>]], function(open)
      local page = open()
      page:step(7)
      qa.sleep(100)
      t.equal(value(page, "places()"), "100.0,100.0")
      t.equal(log_of(page), "inside 17")
    end)
  end,
  ["what writes its document anew is told in game time, too"] = function(t)
    clock_page.with(page_of[[<script>addEventListener('load', () => { document.open();
      document.write(`<style>@keyframes go { to { left: 9px } } p { position: relative; animation: go 20ms }</style>`
        + `<p>text</p>`);
      for (const t of ['animationstart', 'animationend']) addEventListener(t, note_event);
      document.close() })</script>]], function(open)
      local page = open()
      qa.sleep(100)
      t.equal(log_of(page), "")
      page:step(4)
      t.equal(log_of(page), "animationstart 0.000 17, animationend 0.020 50")
    end)
  end,
  ["animations within SVG stand still, which is said"] = function(t)
    clock_page.with(page_of[[<svg width="300" height="50"><rect id="a" width="20" height="20">
      <animate attributeName="x" from="0" to="100" dur="1s" repeatCount="indefinite"/></rect></svg>]], function(open)
      local page = open()
      page:step(30)
      qa.sleep(100)
      t.equal(value(page, "at('a')"), "0.00")
      t.equal(value(page, "__qa_clock.clock.coverage()"),
        { { what = "animations within SVG", reason = "they stand still: look at them in real time" } })
    end)
  end,
  ["document.timeline is the time of the last frame"] = function(t)
    clock_page.with(page_of[[<script>setTimeout(() => log.push(document.timeline.currentTime), 25);
      requestAnimationFrame((ms) => log.push(document.timeline.currentTime - ms))</script>]], function(open)
      local page = open()
      page:step(2)
      t.equal(value(page, "[log[0], log[1].toFixed(1)].join()"), "0,16.7")
    end)
  end,
}
