-- Makes the picture pairs that bench/images compares: screenshots of a painted scene, at three sizes. usage: qa-host
-- bench/pairs.lua FOLDER      writes SIZE-{a,same,again,slight,whole}.png; `again` has the pixels of `a` in other bytes
local qa = require "qa"

local folder = assert(qa.args[1], "usage: qa-host bench/pairs.lua FOLDER")
local scene = [[(kind) => {
  let seed = kind === 'whole' ? 99 : 5;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const canvas = document.querySelector('canvas') || document.body.appendChild(document.createElement('canvas'));
  document.body.style.margin = 0;
  canvas.style.display = 'block';
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const ctx = canvas.getContext('2d'), unit = innerHeight / 720;
  const sky = ctx.createLinearGradient(0, 0, innerWidth, innerHeight);
  sky.addColorStop(0, kind === 'whole' ? '#402' : '#024');
  sky.addColorStop(1, kind === 'whole' ? '#fa6' : '#6cf');
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, innerWidth, innerHeight);
  for (let i = 0; i < 160; i++) {
    ctx.fillStyle = `hsl(${random() * 360} 70% 55%)`;
    ctx.beginPath();
    ctx.arc(random() * innerWidth, random() * innerHeight, (4 + random() * 40) * unit, 0, 7);
    ctx.fill();
  }
  ctx.fillStyle = '#fff';
  ctx.font = `${28 * unit}px "DejaVu Sans"`;
  ctx.fillText(kind === 'slight' ? 'SCORE 1250   LIVES 2' : 'SCORE 1240   LIVES 3', 40 * unit, 60 * unit);
  ctx.fillStyle = '#e33';
  ctx.fillRect((kind === 'slight' ? 610 : 560) * unit, 400 * unit, 60 * unit, 60 * unit);
  return true;
}]]

local browser = assert(qa.browser.launch{})
for _, size in ipairs{ { "720p", 1280, 720 }, { "1080p", 1920, 1080 }, { "2160p", 3840, 2160 } } do
  local page = assert(browser:new_page{ width = size[2], height = size[3] })
  for name, kind in pairs{ a = "a", same = "a", slight = "slight", whole = "whole" } do
    assert(page:evaluate(scene, { args = { kind } }))
    local image = assert(page:screenshot())
    assert(image:save(("%s/%s-%s.png"):format(folder, size[1], name)))
    if name == "a" then
      local pixels = assert(image:crop(0, 0, size[2], size[3]))
      assert(pixels:save(("%s/%s-again.png"):format(folder, size[1])))
      pixels:close()
    end
    image:close()
  end
  page:close()
end
browser:close()
