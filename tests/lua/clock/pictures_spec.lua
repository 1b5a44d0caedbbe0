-- When two worlds show the same.
local qa = require "qa"
local clock_page = qa.load_chunk("tests/lua/support/clock_page.lua")()
local pictures = require "qa.world.pictures"

---Compares a grey page with one on which `count` pixels are `levels` brighter.
local function diff(t, count, levels, fn)
  clock_page.with([[<body style="background: rgb(90, 90, 90)">
    <div id=d style="position: absolute; height: 1px"></div>]], function(open)
      local page = open()
      local before = assert(page:screenshot())
      clock_page.value(page, ("d.style.width = '%dpx', d.style.background = 'rgb(%d, %d, %d)'"):format(count,
        90 + levels, 90 + levels, 90 + levels))
      local after = assert(page:screenshot())
      local found = assert(pictures.diff(before, after))
      t.equal(found.changed_pixels, count)
      fn(found.identical)
    end)
end

return {
  ["the edges of letters may be drawn a little otherwise"] = function(t)
    diff(t, 40, 4, function(is_same) t.equal(is_same, true) end)
  end,
  ["a few pixels that anybody sees are a difference"] = function(t)
    diff(t, 1, 8, function(is_same) t.equal(is_same, false) end)
  end,
  ["more than a few pixels are one, however little they differ"] = function(t)
    diff(t, 65, 1, function(is_same) t.equal(is_same, false) end)
  end,
}
