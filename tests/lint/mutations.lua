-- Prints each entry of tests/mutations/*.lua that can no longer turn its test red: the file or the test is gone, or the
-- text to replace does not occur.
local qa = require "qa"

local tags = {}
local function read_tags(folder)
  for _, name in ipairs(assert(qa.fs.list(folder))) do
    local path = folder .. "/" .. name:gsub("/$", "")
    if name:find "/$" then
      read_tags(path)
    elseif name:find "_test%.cpp$" then
      for tag in qa.fs.read(path):gmatch "%[[%w_]+%]" do tags[tag] = true end
    end
  end
end
read_tags "tests"

---@return string? problem
local function problem_of(entry)
  local file, find, with, test = unpack(entry)
  local text = qa.fs.read(file)
  if not text then return "no such file" end
  if not text:find(find, 1, true) then return "the text does not occur: " .. find end
  if find == with then return "it changes nothing: " .. find end
  local kind, what = tostring(test):match "^(%l+) (.+)$"
  if kind == "spec" and qa.fs.stat(what) then return nil end
  -- Tags, or a test's name, which may be cut off by an asterisk.
  if kind == "unit" and (not what:find "^%[" or tags[what:match "%[[%w_]+%]"]) then return nil end
  return "no such test: " .. tostring(test)
end

local count, found = 0, 0
for _, name in ipairs(assert(qa.fs.list "tests/mutations")) do
  for i, entry in ipairs(assert(qa.load_chunk("tests/mutations/" .. name))()) do
    count = count + 1
    local problem = problem_of(entry)
    if problem then
      found = found + 1
      print(("tests/mutations/%s, entry %d, %s: %s"):format(name, i, tostring(entry[1]), problem))
    end
  end
end
if count == 0 then print "no entry was read" end
return count > 0 and found == 0
