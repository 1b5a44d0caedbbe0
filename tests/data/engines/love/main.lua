-- A lamp on a boat, and stars that fall by chance.
local mode, boat, stars = "shore", 220, {}

function love.load() math.randomseed(os.time()) end

function love.keypressed(key) if key == "return" then mode = "sea" end end

function love.update(seconds)
  if mode == "shore" then return end
  if love.keyboard.isDown("left") then boat = boat - 180 * seconds end
  if love.keyboard.isDown("right") then boat = boat + 180 * seconds end
  if #stars < 12 and math.random() < 0.1 then stars[#stars + 1] = { x = math.random(480), y = 0 } end
  for i = #stars, 1, -1 do
    stars[i].y = stars[i].y + 90 * seconds
    if stars[i].y > 270 then table.remove(stars, i) end
  end
end

function love.draw()
  love.graphics.clear(0.05, 0.07, 0.2)
  if mode == "shore" then return love.graphics.print("Enter puts out to sea", 170, 120) end
  love.graphics.setColor(1, 0.9, 0.4)
  for _, star in ipairs(stars) do love.graphics.circle("fill", star.x, star.y, 4) end
  love.graphics.setColor(0.8, 0.3, 0.2)
  love.graphics.rectangle("fill", boat, 240, 60, 14)
  love.graphics.setColor(1, 1, 1)
end
