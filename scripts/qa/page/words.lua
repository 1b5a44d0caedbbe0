--- Words on a page: matching them at word borders, ranking them, and reading instructions ("Press Space to start").
local M = {}

---Splits "startBtn play_now items-start" into lower-case words.
local function pieces(text)
  local list = {}
  text = text:gsub("(%l)(%u)", "%1 %2")
  for piece in text:gmatch("[^%s]+") do list[#list + 1] = piece:lower() end
  return list
end

local function plain(word)
  return (word:gsub("%p", "%%%0"))
end

---True when an id or class holds one of the words as its first part or alone: "start-btn", "btn start", not
---"items-start".
---@param text string
---@param wanted string[]
function M.has_word(text, wanted)
  for _, piece in ipairs(pieces(text)) do
    for _, word in ipairs(wanted) do
      if piece == word or piece:find("^" .. word .. "[^%a]") or piece:find("^" .. word .. "btn")
        or piece:find("^btn[-_]" .. word) then
        return true
      end
    end
  end
  return false
end

---Position of the best word in the list that `text` holds, and whether it is the whole text.
---@param text string
---@param list string[]
---@return integer? rank, boolean? whole
function M.rank(text, list)
  text = text:lower():gsub("^[^%w\128-\255]+", ""):gsub("[^%w\128-\255]+$", "")
  local rank
  for i, word in ipairs(list) do
    if text == word then return i, true end
    if not rank and (" " .. text .. " "):find("%f[%w\128-\255]" .. plain(word) .. "%f[^%w\128-\255]") then rank = i end
  end
  return rank, false
end

---The first word of the list that the text holds at word borders.
---@return string?
function M.first_match(text, list)
  local rank = M.rank(text, list)
  return rank and list[rank] or nil
end

---Does an element of the page say that it has nothing to do with playing: a switch for the sound, and the like? A list
---that hangs open says so at its head: "language. english deutsch ...".
---@param item table of page:clickables
---@param lists table of the strategy
---@return boolean
function M.is_non_game_control(item, lists)
  local text = item.text ~= "" and item.text or item.name or ""
  if #text <= 40 then return M.first_match(text, lists.non_game_words) ~= nil end
  local _, is_whole = M.rank(text:match("^[^.:]*"), lists.non_game_words)
  return is_whole == true
end

M.key_names = {
  ["space"] = "Space", ["spacebar"] = "Space", ["space bar"] = "Space", ["the spacebar"] = "Space",
  ["the space bar"] = "Space", ["space key"] = "Space", ["enter"] = "Enter", ["return"] = "Enter",
  ["enter key"] = "Enter", ["up"] = "ArrowUp", ["down"] = "ArrowDown", ["left"] = "ArrowLeft", ["right"] = "ArrowRight",
  ["up arrow"] = "ArrowUp", ["down arrow"] = "ArrowDown", ["left arrow"] = "ArrowLeft", ["right arrow"] = "ArrowRight",
}

---The key that a phrase names, or nil.
function M.key_of(name)
  name = name:lower():gsub("^%s+", ""):gsub("%s+$", "")
  if M.key_names[name] then return M.key_names[name] end
  if name:match("^%l$") then return "Key" .. name:upper() end
  if name:match("^%d$") then return "Digit" .. name end
  return nil
end

---What instructions on the page ask for, in the order of the patterns, without repeats. What they offer beside playing
---is left out: "press 0 to watch the demo", "press M to mute".
---@param text string visible text
---@param patterns table[] { Lua pattern, "key"|"any_key"|"click" }
---@param aside_words string[] purposes that are no playing
---@return {action: string, key?: string, phrase: string}[]
function M.instructions(text, patterns, aside_words)
  local found, seen = {}, {}
  -- The quotes of typesetters have three bytes, which no class of a pattern takes as one.
  text = text:lower():gsub("[ \t\r\n]+", " "):gsub("\226\128[\152-\159]", "'")
  local function take(action, name, phrase)
    local key = action == "key" and M.key_of(name or "") or nil
    if action == "key" and not key then
      if not (name or ""):find("any") then return end
      action = "any_key"
    end
    local id = action .. ":" .. (key or action == "click" and phrase or "")
    if seen[id] or M.first_match(phrase, aside_words) then return end
    seen[id] = true
    found[#found + 1] = { action = action, key = key, phrase = phrase }
  end
  for _, entry in ipairs(patterns) do
    local from, to, name = text:find(entry[1])
    while from do
      take(entry[2], name, text:sub(from, to))
      from, to, name = text:find(entry[1], to + 1)
    end
  end
  return found
end

return M
