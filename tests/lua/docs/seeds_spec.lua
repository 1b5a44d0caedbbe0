-- docs/seeds.md against the tests: a row that is not open names test files, and the id is in the name of a test there:
-- a sentence of a spec, a TEST_CASE, or a function test_c001_... of a command line test.
local qa = require "qa"

local text = assert(qa.fs.read "docs/seeds.md")

local function cells_of(line)
  local cells = {}
  for cell in line:sub(2):gmatch "%s*(.-)%s*|" do cells[#cells + 1] = cell end
  return cells
end

local rows = {}
for line in text:gmatch "[^\n]+" do
  if line:match "^| %u%-[%dXG]" then
    local cells = cells_of(line)
    rows[#rows + 1] = { id = cells[1], files = cells[3] or "", test = cells[4] or "", count = #cells }
  end
end

local patterns = { lua = '%["(.-)"%] = ', cpp = 'TEST_CASE%("(.-)"', sh = "%f[^\n](test_[%w_]+)%(%)" }

---Is the id in the name of a test of this file?
local function is_named(id, path)
  local source, kind = assert(qa.fs.read(path)), path:match "%.(%w+)$"
  local wanted = kind == "sh" and "_" .. id:lower():gsub("%-", "") .. "_" or id
  for name in ("\n" .. source):gmatch(patterns[kind]) do
    local at, last = name:find(wanted, 1, true)
    if at and not name:sub(last + 1, last + 1):match "%d" then return true end
  end
  return false
end

return {
  ["every requirement has one row of five cells"] = function(t)
    local seen = {}
    for _, row in ipairs(rows) do
      t.equal(row.count, 5, row.id)
      t.falsy(seen[row.id], row.id .. " twice")
      seen[row.id] = true
    end
    local ranges = { C = { { 1, 5 }, { 10, 24 }, { 30, 38 }, { 40, 43 }, { 50, 55 }, { 60, 66 } },
      B = { { 1, 17 } }, D = { { 1, 12 } }, E = { { 1, 10 }, { 20, 27 } },
      A = { { 1, 8 }, { 10, 22 }, { 30, 31 }, { 40, 42 }, { 50, 52 } } }
    for letter, list in pairs(ranges) do
      for _, range in ipairs(list) do
        for number = range[1], range[2] do
          t.truthy(seen[("%s-%03d"):format(letter, number)], ("%s-%03d has no row"):format(letter, number))
        end
      end
    end
    for number = 1, 7 do t.truthy(seen["A-X" .. number], "A-X" .. number) end
  end,

  ["a row that is not open names tests that carry its id"] = function(t)
    local checked = 0
    for _, row in ipairs(rows) do
      if row.test ~= "open" and not row.test:match "^none" then
        local files = 0
        for path in row.test:gmatch "`(tests/[%w_/.]+)`" do
          files = files + 1
          t.truthy(is_named(row.id, path), ("%s: no test of %s has the id in its name"):format(row.id, path))
        end
        t.truthy(files > 0, row.id .. " names no test file")
        checked = checked + files
      end
    end
    t.truthy(checked >= 20, "only " .. checked .. " tests were looked for")
  end,

  ["files that rows name are there"] = function(t)
    for _, row in ipairs(rows) do
      for path in row.files:gmatch "`([%w_/.]+/[%w_.]+)`" do t.truthy(qa.fs.stat(path), row.id .. ": " .. path) end
    end
  end,
}
