-- The lines in which two texts differ, as a unified diff for reports. Pure. Long changed stretches are shown as removed
-- and added whole: comparing them line by line would take Lua too long.
local utf8 = require "qa.text.utf8"

local M = {}

local most_compared, context = 400, 3

local function lines_of(text)
  local lines = {}
  for line in (text:sub(-1) == "\n" and text or text .. "\n"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return text == "" and {} or lines
end

---Rows {mark, line} for a changed stretch: longest common subsequence, or all of both.
local function changes(a, b, first, last_a, last_b)
  local rows, n, m = {}, last_a - first + 1, last_b - first + 1
  if n > most_compared or m > most_compared then
    for i = first, last_a do rows[#rows + 1] = { "-", a[i] } end
    for i = first, last_b do rows[#rows + 1] = { "+", b[i] } end
    return rows
  end
  local length = {}
  for i = n + 1, 1, -1 do
    length[i] = {}
    for j = m + 1, 1, -1 do
      if i > n or j > m then
        length[i][j] = 0
      elseif a[first + i - 1] == b[first + j - 1] then
        length[i][j] = length[i + 1][j + 1] + 1
      else
        length[i][j] = math.max(length[i + 1][j], length[i][j + 1])
      end
    end
  end
  local i, j = 1, 1
  while i <= n or j <= m do
    if i <= n and j <= m and a[first + i - 1] == b[first + j - 1] then
      rows[#rows + 1] = { " ", a[first + i - 1] }
      i, j = i + 1, j + 1
    elseif i <= n and (j > m or length[i + 1][j] >= length[i][j + 1]) then
      rows[#rows + 1] = { "-", a[first + i - 1] }
      i = i + 1
    else
      rows[#rows + 1] = { "+", b[first + j - 1] }
      j = j + 1
    end
  end
  return rows
end

---@param old? string nil: the file was not there
---@param new? string nil: it is gone
---@param path string for the head
---@param most_lines? integer of the body (200)
---@return string diff "" when nothing differs
function M.unified(old, new, path, most_lines)
  if old == new then return "" end
  local head = ("--- %s\n+++ %s\n"):format(old and "a/" .. path or "/dev/null", new and "b/" .. path or "/dev/null")
  if (old or ""):find("\0", 1, true) or (new or ""):find("\0", 1, true) then return head .. "binary files differ\n" end
  local a, b = lines_of(old or ""), lines_of(new or "")
  local first, last_a, last_b = 1, #a, #b
  while first <= last_a and first <= last_b and a[first] == b[first] do first = first + 1 end
  while last_a >= first and last_b >= first and a[last_a] == b[last_b] do last_a, last_b = last_a - 1, last_b - 1 end
  local begin = math.max(1, first - context)
  local body = {}
  for i = begin, first - 1 do body[#body + 1] = " " .. a[i] end
  for _, row in ipairs(changes(a, b, first, last_a, last_b)) do body[#body + 1] = row[1] .. row[2] end
  local after = math.min(#a, last_a + context)
  for i = last_a + 1, after do body[#body + 1] = " " .. a[i] end
  local most = most_lines or 200
  local left_out = #body - most
  for i = #body, most + 1, -1 do body[i] = nil end
  if left_out > 0 then body[#body + 1] = ("[%d lines left out]"):format(left_out) end
  local range = ("@@ -%d,%d +%d,%d @@\n"):format(#a == 0 and 0 or begin, after - begin + 1, #b == 0 and 0 or begin,
    last_b + (after - last_a) - begin + 1)
  return utf8.printable(head .. range .. table.concat(body, "\n") .. "\n")
end

return M
