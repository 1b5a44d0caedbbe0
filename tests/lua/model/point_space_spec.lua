-- Points between the page and what a model writes.
local point_space = require "qa.model.point_space"

local spaces = {
  { width = 1280, height = 720 },
  { width = 1280, height = 720, order = "yx" },
  { width = 768, height = 432, scale = 0.6 },
  { width = 640, height = 360, scale = 0.5, order = "yx" },
  { width = 1280, height = 720, space = "norm1000" },
  { width = 768, height = 432, scale = 0.6, space = "norm1000", order = "yx" },
  { width = 1280, height = 512, scale = { x = 1, y = 512 / 720 } },
}

return {
  ["every pixel of 1280x720 comes back within one pixel in every space"] = function(t)
    for index, row in ipairs(spaces) do
      local space, worst = point_space.new(row), 0
      local function there_and_back(x, y)
        local a, b = point_space.to_model(space, { x = x, y = y })
        local point = point_space.to_page(space, a, b)
        t.truthy(point, ("space %d at %d,%d"):format(index, x, y))
        worst = math.max(worst, math.abs(point.x - x), math.abs(point.y - y))
      end
      for x = 0, 1279 do there_and_back(x, x % 720) end
      for y = 0, 719 do there_and_back(1279 - y, y) end
      t.truthy(worst <= 1 + 1e-9, ("space %d: off by %s"):format(index, worst))
    end
  end,

  ["pixels of a picture of the page's own size are the page's, to the last digit"] = function(t)
    local space = point_space.new { width = 1280, height = 720 }
    for _, x in ipairs { 1.8, 0.1, 640.3, 1279.9 } do
      t.equal(point_space.to_page(space, x, 0.7), { x = x, y = 0.7 })
    end
  end,

  ["a crop is placed by its origin and scale"] = function(t)
    local space = point_space.new { width = 200, height = 100, scale = 0.5, origin = { x = 300, y = 40 } }
    t.equal(point_space.to_page(space, 100, 50), { x = 500, y = 140 })
    t.equal({ point_space.to_model(space, { x = 500, y = 140 }) }, { 100, 50 })
    t.falsy((point_space.to_model(space, { x = 299, y = 140 })))
    t.falsy((point_space.to_model(space, { x = 700, y = 140 })))
  end,

  ["the order of the numbers is the space's"] = function(t)
    local space = point_space.new { width = 1280, height = 720, space = "norm1000", order = "yx" }
    t.equal(point_space.to_page(space, 500, 250), { x = 320, y = 360 })
    t.equal({ point_space.to_model(space, { x = 320, y = 360 }) }, { 500, 250 })
  end,

  ["a box gives its centre"] = function(t)
    local space = point_space.new { width = 1000, height = 500, space = "norm1000", order = "yx", scale = 0.5 }
    t.equal(point_space.box_to_page(space, 100, 200, 300, 400),
      { x = 600, y = 200, left = 400, top = 100, width = 400, height = 200 })
    t.truthy(point_space.box_to_page(space, 0, 0, 1000, 1000))
  end,

  ["what is outside is refused, never moved inside"] = function(t)
    local px = point_space.new { width = 1280, height = 720 }
    for _, point in ipairs { { -1, 5 }, { 1280, 5 }, { 5, 720 }, { 5, -0.001 }, { 0 / 0, 5 }, { 1e9, 1e9 } } do
      local found, message = point_space.to_page(px, point[1], point[2])
      t.equal(found, nil)
      t.truthy(message:find "outside 0%.%.")
    end
    local norm = point_space.new { width = 1280, height = 720, space = "norm1000" }
    t.falsy((point_space.to_page(norm, 640, 1001)))
    for _, box in ipairs { { 0, 0, 1001, 5 }, { 5, 5, 5, 9 }, { 9, 9, 5, 5 }, { -1, 0, 5, 5 } } do
      t.falsy((point_space.box_to_page(norm, unpack(box))))
    end
  end,

  ["a wrong description is refused"] = function(t)
    t.raises(function() point_space.new { width = 10, height = 10, spce = "px" } end, "did you mean 'space'")
    t.raises(function() point_space.new { width = 10, height = 10, space = "norm" } end,
      "expected one of norm1000, percent, px")
    t.raises(function() point_space.new { width = 0, height = 10 } end, "width and height")
    t.raises(function() point_space.new { width = 5, height = 10, scale = -1 } end, "scale")
    t.raises(function() point_space.new { width = 5, height = 10, origin = { 1, 2 } } end, "origin")
  end,
}
