-- What changed in the scene, cell by cell (A-G2, P-06).
local cell_grid = require "qa.page.cell_grid"

local cells = 128 * 72
local function flat(value) return string.char(value):rep(cells) end
local function window(low, high) return { low = low, high = high, last = high, activity = flat(0) } end
local function paint(grid, from, count, value)
  return grid:sub(1, from - 1) .. string.char(value):rep(count) .. grid:sub(from + count)
end

return {
  ["a cell is novel only outside the control's band and margin"] = function(t)
    local control = window(flat(100), flat(120))
    t.equal(#cell_grid.novel(window(flat(95), flat(125)), control, 10), 0)
    t.equal(#cell_grid.novel(window(paint(flat(100), 7, 5, 50), flat(120)), control, 10), 5)
    t.equal(cell_grid.novel(window(flat(100), paint(flat(120), 9, 1, 200)), control, 10)[1], 9)
  end,

  ["a cell counts once, whichever of its planes changes"] = function(t)
    local grey = flat(76) .. flat(128) .. flat(128)
    local control, coloured = window(grey, grey), paint(paint(paint(grey, 5, 1, 99), cells + 5, 2, 100), 2 * cells + 8,
      1, 190)
    t.equal(cell_grid.novel(window(grey, coloured), control, 10), { 5, 8 })
    t.equal(cell_grid.novel(window(coloured, grey), control, 10), { 5, 6 })
    t.equal(cell_grid.lasting(window(coloured, coloured), control, 10), { 5, 6, 8 })
    t.equal(cell_grid.restless(window(grey, coloured), control, 10), { 5, 8 })
  end,

  ["what is no grid is refused"] = function(t)
    t.raises(function() cell_grid.novel({ low = flat(1) }, window(flat(1), flat(1)), 10) end,
      "window has no grid 'high'")
    t.raises(function() cell_grid.novel(window(flat(1), flat(1)), { low = "a", high = "ab" }, 10) end,
      "band: low and high differ in size")
    t.raises(function() cell_grid.lasting(window(flat(1), flat(1)), window(flat(1), flat(1)), 300) end, "margin")
    for _, compare in ipairs{ cell_grid.novel, cell_grid.lasting, cell_grid.restless, cell_grid.band } do
      t.raises(function() compare(window("ab", "ab"), window("a", "a"), 0) end, "differ in size")
    end
    -- Nothing was seen in one of them.
    t.equal(cell_grid.novel(window("", ""), window("a", "a"), 0), {})
  end,

  ["a band covers both of its windows"] = function(t)
    local band = cell_grid.band(window(paint(flat(100), 3, 1, 90), flat(120)),
      window(flat(100), paint(flat(120), 5, 1, 130)))
    t.equal({ band.low:byte(2, 5) }, { 100, 90, 100, 100 })
    t.equal({ band.high:byte(3, 6) }, { 120, 120, 130, 120 })
    t.equal(cell_grid.band(nil, window("a", "b")), { low = "a", high = "b" })
  end,

  ["cells are restless that two windows do not show alike all the time"] = function(t)
    t.equal(cell_grid.restless(window(flat(95), flat(95)), window(flat(95), flat(95)), 10), {})
    t.equal(#cell_grid.restless(window(flat(95), flat(105)), window(flat(90), flat(100)), 10), cells)
    t.equal(#cell_grid.restless(window(flat(95), flat(105)), window(flat(95), flat(95)), 10), 0)
    t.equal(cell_grid.restless(window(flat(95), flat(95)), window(flat(95), paint(flat(95), 7, 2, 106)), 10), { 7, 8 })
    t.equal(cell_grid.restless(window(paint(flat(95), 7, 2, 84), flat(95)), window(flat(95), flat(95)), 10), { 7, 8 })
  end,

  ["two windows in a row are one"] = function(t)
    local a, b = window(paint(flat(100), 3, 1, 90), flat(120)), window(flat(100), paint(flat(120), 5, 1, 130))
    a.activity, b.activity, b.last = paint(flat(0), 7, 2, 200), paint(flat(1), 7, 1, 100), flat(111)
    local both = cell_grid.joined(a, b)
    t.equal({ both.low, both.high, both.last }, { a.low, b.high, b.last })
    t.equal({ both.activity:byte(6, 8) }, { 1, 255, 201 })
  end,

  ["what passes by does not last, what appeared does"] = function(t)
    local band = window(flat(100), flat(120))
    t.equal(#cell_grid.lasting(window(paint(flat(110), 50, 7, 200), paint(flat(110), 50, 7, 220)), band, 10), 7)
    t.equal(#cell_grid.lasting(window(flat(110), paint(flat(110), 50, 7, 220)), band, 10), 0)
  end,

  ["flat pictures are told from painted ones"] = function(t)
    t.truthy(cell_grid.is_flat({ last = flat(255) }, 3))
    t.falsy(cell_grid.is_flat({ last = paint(flat(255), 100, 30, 200) }, 3))
    t.truthy(cell_grid.is_flat({ last = flat(29) .. flat(192) .. flat(118) }, 3))
    t.falsy(cell_grid.is_flat({ last = flat(76) .. flat(128) .. paint(flat(128), 100, 30, 190) }, 3))
  end,
}
