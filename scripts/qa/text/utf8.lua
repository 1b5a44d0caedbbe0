-- Text as UTF-8: lengths in characters, cuts that split none, and what a reader cannot see taken out. Pure.
local qa = require "qa"

local M = {}

---Characters of a text.
---@param text string valid UTF-8
---@return integer
function M.length(text)
  local _, bytes_inside = text:gsub("[\128-\191]", "")
  return #text - bytes_inside
end

---The longest beginning of at most `bytes` bytes that ends between two characters.
---@param text string
---@param bytes integer
---@return string
function M.cut(text, bytes)
  if #text <= bytes then return text end
  local last = math.max(0, bytes)
  -- The byte after the cut must begin a character.
  while last > 0 and (text:byte(last + 1) or 0) >= 128 and text:byte(last + 1) < 192 do last = last - 1 end
  return text:sub(1, last)
end

---A short form of a text for one line of a message: at most `bytes` bytes and an ellipsis.
---@param text string
---@param bytes integer
---@return string
function M.shorten(text, bytes)
  if #text <= bytes then return text end
  return M.cut(text, math.max(0, bytes - 3)) .. "…"
end

---Valid UTF-8 without control characters (tab and newline stay) and without characters that have no glyph: marks that
---turn the direction of text, tags, zero-width ones. They hide text from people, not from a model.
---@param text string
---@return string
function M.printable(text)
  text = text:gsub("[%z\1-\8\11-\31\127]", "")
  if not text:find "[\128-\255]" then return text end
  text = qa.json.decode(qa.json.encode(text))  -- the encoder replaces what is no UTF-8
  text = text:gsub("\194[\128-\159]", "")  -- U+0080 to U+009F
  text = text:gsub("\226\128[\139\142\143\168-\174]", "")  -- U+200B, U+200E, U+200F, U+2028 to U+202E
  text = text:gsub("\226\129[\160-\175]", "")  -- U+2060 to U+206F
  text = text:gsub("\239\187\191", "")  -- U+FEFF
  return (text:gsub("\243\160[\128\129][\128-\191]", ""))  -- U+E0000 to U+E007F
end

return M
