-- What the browser tells in its rendering steps comes in the frames of the game, in the order of the standard.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local noting = [[<style>div { width: 40px; height: 40px; background: #c33 }</style><script>
  window.log = [];
  const note = (what) => log.push(what + ' ' + performance.now().toFixed(0));
</script>]]

local function log_of(page) return table.concat(value(page, "log.splice(0)"), ", ") end

return {
  ["observers of sizes are called once for each frame that changed one, after its callbacks"] = function(t)
    clock_page.with(noting .. [[<div id="a"></div><script>
      const observer = new ResizeObserver((list,
        self) => note('size ' + list.map((e) => e.contentRect.width) + (self === observer)));
      observer.observe(a);
      const frames = () => { note('frame'); if (window.widths.length) a.style.width = widths.shift() + 'px';
        requestAnimationFrame(frames) };
      window.widths = []; requestAnimationFrame(frames);
    </script>]], function(open)
      local page = open()
      qa.sleep(100)
      t.equal(log_of(page), "")
      page:step(3)
      t.equal(log_of(page), "frame 17, size 40true 17, frame 33, frame 50")
      value(page, "(widths.push(50, 60), setTimeout(() => { a.style.width = '70px'; requestAnimationFrame(() => {"
        .. "a.style.width = '60px' }) }, 40), 0)")
      qa.sleep(50)
      page:step(4)
      t.equal(log_of(page), "frame 67, size 50true 67, frame 83, size 60true 83, frame 100, frame 117")
      value(page, "(observer.disconnect(), widths.push(80), 0)")
      page:step(1)
      t.equal(log_of(page), "frame 133")
    end)
  end,
  ["observers of intersections are called when a threshold is passed"] = function(t)
    clock_page.with(noting .. [[<div id="a" style="position: absolute; left: 0; top: 0"></div><script>
      let left = 600; const frames = () => { left += 10; a.style.left = left + 'px'; requestAnimationFrame(frames) };
      requestAnimationFrame(frames);
      new IntersectionObserver((list) => { for (const e of list)
        note([e.isIntersecting, e.intersectionRatio.toFixed(2), e.time.toFixed(0)]) }, {threshold: [0,
          0.5]}).observe(a);
    </script>]], function(open)
      local page = open()
      page:step(10)
      t.equal(log_of(page), "true,0.75,17 17, true,0.25,50 50, false,0.00,83 83")
    end)
  end,
  ["scrolling is told in the next frame, before its callbacks, and is never smooth"] = function(t)
    clock_page.with(noting .. [[<style>html { scroll-behavior: smooth }</style>
      <div style="height: 5000px"></div><script>
      addEventListener('scroll', (e) => note('scroll ' + scrollY + (e.target === document)));
      requestAnimationFrame(() => { note('frame'); scrollTo({top: 300, behavior: 'smooth'});
        requestAnimationFrame(() => note('frame ' + scrollY)) });
    </script>]], function(open)
      local page = open()
      page:step(1)
      qa.sleep(100)
      page:step(1)
      t.equal(log_of(page), "frame 17, scroll 300true 33, frame 300 33")
      assert(page:wheel({ x = 100, y = 100 }, { dy = 200 }))
      qa.sleep(100)
      page:step(2)
      t.equal(log_of(page), "scroll 500true 50")
    end)
  end,
  ["a window of another size tells media queries and observers in one frame"] = function(t)
    clock_page.with(noting .. [[<div id="a" style="width: 50vw"></div><iframe id="frame"></iframe><script>
      addEventListener('resize', () => note('resize ' + innerWidth));
      matchMedia('(min-width: 700px)').addEventListener('change', (e) => note('query ' + e.matches));
      new ResizeObserver(() => note('observer ' + a.clientWidth)).observe(a);
      requestAnimationFrame(function f() { if (innerWidth > 640) note('frame'); requestAnimationFrame(f) });
      frame.contentWindow.addEventListener('resize', () => note('inner'));
    </script>]], function(open)
      local page = open()
      page:step(2)
      log_of(page)
      assert(page:cdp("Emulation.setDeviceMetricsOverride",
        { width = 800, height = 360, deviceScaleFactor = 1, mobile = false }))
      value(page, "(frame.style.width = '99px', 0)")
      qa.sleep(100)
      t.equal(log_of(page), "")
      page:step(2)
      t.equal(log_of(page), "resize 800 50, query true 50, inner 50, frame 50, observer 400 50, frame 67")
    end)
  end,
  ["frames of a video are told before the callbacks of a frame, when it has moved on"] = function(t)
    clock_page.with(noting .. [[<video id="video"></video><script>
      let seconds = 0;
      Object.defineProperties(video, {readyState: {value: 4}, currentTime: {get: () => seconds}});
      const shown = (ms, facts) => { note('video ' + facts.mediaTime + ' ' + facts.presentedFrames);
        video.requestVideoFrameCallback(shown) };
      video.requestVideoFrameCallback(shown);
      video.cancelVideoFrameCallback(video.requestVideoFrameCallback(() => note('never')));
      requestAnimationFrame(() => note('frame'));
      setTimeout(() => { seconds = 1 }, 40);
    </script>]], function(open)
      local page = open()
      page:step(5)
      t.equal(log_of(page), "video 0 1 17, frame 17, video 1 2 50")
    end)
  end,
  ["the page is seen and has the focus, and its caret does not blink"] = function(t)
    clock_page.with(noting .. [[<input id="field"><script>
      for (const type of ['focus', 'blur', 'visibilitychange']) for (const target of [window, document])
        target.addEventListener(type, () => note(type));
      window.facts = () => [document.hidden, document.visibilityState, document.hasFocus(),
        getComputedStyle(field).caretColor].join();
    </script>]], function(open)
      local page = open()
      local other = open()
      assert(page:click("#field"))
      other:cdp("Page.bringToFront", {})
      qa.sleep(100)
      page:step(2)
      t.equal(value(page, "facts()"), "false,visible,true,rgba(0, 0, 0, 0)")
      t.equal(log_of(page), "")
      local before = page:screenshot()
      qa.sleep(600)
      t.equal(before:diff(page:screenshot()).changed_pixels, 0)
    end)
  end,
}
