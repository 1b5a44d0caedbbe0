-- page:settle against motions whose end the page knows. Prints, for each: early verdicts, and the lag behind the true
-- end. usage, from the project's folder, with both cores busy: qa-host tests/accept/eyes/settle.lua [RUNS]
local qa = require "qa"

local runs = tonumber(qa.args[1]) or 20
local quiet_ms = 200
local motions = { 0, 300, 700, 1500, "endless" }

-- A disc that moves for `ms`; `ended` is the page's time of the frame that drew it last. A verdict before quiet_ms
-- after that is early: so long the scene has not been quiet yet.
local paint = [[(ms) => {
  const canvas = document.querySelector('canvas'), ctx = canvas.getContext('2d'), start = performance.now();
  window.ended = null;
  cancelAnimationFrame(window.frame);
  const draw = () => {
    const t = performance.now() - start, on = ms === 'endless' || t < ms;
    ctx.fillStyle = '#123';
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.fillStyle = '#fc6';
    ctx.beginPath();
    ctx.arc(100 + (t * 0.6) % 1000, 200 + 80 * Math.sin(t / 90), 50, 0, 7);
    ctx.fill();
    if (on) window.frame = requestAnimationFrame(draw);
    else window.ended = start + t;
  };
  draw();
  return true;
}]]

local server = assert(qa.serve("tests/accept/eyes"))
local browser = assert(qa.browser.launch{})
local page = assert(browser:new_page{})
assert(page:navigate(server.url .. "settle.html", { wait = "load" }))

local lags, early, undecided = {}, 0, 0
for _, motion in ipairs(motions) do
  local own = {}
  for _ = 1, runs do
    assert(page:evaluate(paint, { args = { motion } }))
    local result = assert(page:settle{ quiet_ms = quiet_ms, max_ms = motion == "endless" and 1500 or 6000 })
    if motion == "endless" then
      if result.verdict == "settled" then early = early + 1 end
    else
      local since = assert(page:evaluate("({ ms: ended === null ? -1 : performance.now() - ended })")).ms
      if result.verdict ~= "settled" then
        undecided = undecided + 1
      elseif since < quiet_ms then
        early = early + 1
      else
        own[#own + 1] = since
        lags[#lags + 1] = since
      end
    end
  end
  table.sort(own)
  if #own > 0 then
    print(("%6s ms: %d of %d settled, %.0f ms after the end (median), %.0f to %.0f"):format(motion, #own, runs,
      own[math.ceil(#own / 2)], own[1], own[#own]))
  end
end
table.sort(lags)
print(("early %d of %d, undecided %d, median %.0f ms after the end"):format(early, runs * #motions, undecided,
  lags[math.ceil(#lags / 2)] or -1))
browser:close()
