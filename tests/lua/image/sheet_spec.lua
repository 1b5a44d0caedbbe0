-- Contact sheets: many pictures as one.
local qa = require "qa"

---Calls fn(solid); solid(luma, width?, height?) gives a picture of one grey, 64x32 or as large as asked.
local function with_pictures(fn)
  local browser = assert(qa.browser.launch{})
  local page = assert(browser:new_page{ width = 64, height = 32 })
  local function solid(luma, width, height)
    assert(page:evaluate(("document.documentElement.style.background = 'rgb(%d, %d, %d)'"):format(luma, luma, luma)))
    local picture = assert(page:screenshot())
    return width and assert(picture:resize(width, height)) or picture
  end
  local ok, err = pcall(fn, solid)
  browser:close()
  if not ok then error(err, 0) end
end

return {
  ["pictures stand from left to right and from the top down, and the rest is black"] = function(t)
    with_pictures(function(solid)
      local pictures = {}
      for i, luma in ipairs{ 40, 80, 120, 160, 200 } do pictures[i] = solid(luma) end
      local sheet = assert(qa.image.sheet(pictures, { columns = 2, width = 16 }))
      t.equal({ sheet:size() }, { 32, 24 })
      t.equal({ assert(sheet:grid(2, 3)):byte(1, -1) }, { 40, 80, 120, 160, 200, 0 })
      -- Five to a row, 320 wide each.
      t.equal({ assert(qa.image.sheet(pictures)):size() }, { 1600, 160 })
      t.equal({ assert(qa.image.sheet{ pictures[1], pictures[2] }):size() }, { 640, 160 })
      t.equal({ pictures[1]:size() }, { 64, 32 })
    end)
  end,
  ["pictures of another size become as large as the first"] = function(t)
    with_pictures(function(solid)
      local sheet = assert(qa.image.sheet({ solid(200), solid(100, 10, 90) }, { width = 64 }))
      t.equal({ sheet:size() }, { 128, 32 })
      t.equal({ assert(sheet:grid(2, 1)):byte(1, -1) }, { 200, 100 })
    end)
  end,
  ["a sheet that is too large is refused before it takes memory"] = function(t)
    with_pictures(function(solid)
      local tall, many = solid(9, 2, 4000), {}
      for i = 1, 400 do many[i] = tall end
      local sheet, err = qa.image.sheet(many, { columns = 400, width = 4096 })
      t.equal(sheet, nil)
      t.equal(err.kind, "image_size")
      t.truthy(err.message:find("1638400x8192000", 1, true), err.message)
      t.truthy(qa.image.sheet({ tall, tall }, { width = 8 }))
    end)
  end,
  ["what is no sheet is misuse"] = function(t)
    with_pictures(function(solid)
      local picture = solid(9)
      t.raises(function() qa.image.sheet{} end, "1 to 400 images, got 0")
      t.raises(function() qa.image.sheet{ picture, 3 } end, "images%[2%]")
      t.raises(function() qa.image.sheet({ picture }, { columns = 2 }) end, "columns")
      picture:close()
      t.raises(function() qa.image.sheet{ picture } end, "closed")
    end)
  end,
}
