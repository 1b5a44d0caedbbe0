-- Key names as people write them in metadata and game sources, to the browser
-- codes that page:press takes and reports show ("w" -> "KeyW").
local M = {}

local named = {
  space = "Space", spacebar = "Space", [" "] = "Space", enter = "Enter", ["return"] = "Enter",
  esc = "Escape", escape = "Escape", tab = "Tab", backspace = "Backspace", delete = "Delete", del = "Delete",
  up = "ArrowUp", down = "ArrowDown", left = "ArrowLeft", right = "ArrowRight",
  arrowup = "ArrowUp", arrowdown = "ArrowDown", arrowleft = "ArrowLeft", arrowright = "ArrowRight",
  uparrow = "ArrowUp", downarrow = "ArrowDown", leftarrow = "ArrowLeft", rightarrow = "ArrowRight",
  shift = "ShiftLeft", shiftleft = "ShiftLeft", shiftright = "ShiftRight",
  ctrl = "ControlLeft", control = "ControlLeft", controlleft = "ControlLeft", controlright = "ControlRight",
  alt = "AltLeft", altleft = "AltLeft", altright = "AltRight", meta = "MetaLeft",
  pageup = "PageUp", pagedown = "PageDown", home = "Home", ["end"] = "End",
  comma = "Comma", [","] = "Comma", period = "Period", ["."] = "Period", minus = "Minus", ["-"] = "Minus",
  slash = "Slash", ["/"] = "Slash", semicolon = "Semicolon", [";"] = "Semicolon", equal = "Equal", ["="] = "Equal",
  cmd = "MetaLeft", command = "MetaLeft", win = "MetaLeft", super = "MetaLeft", option = "AltLeft", ins = "Insert",
  menu = "ContextMenu",
  ["'"] = "Quote", ["["] = "BracketLeft", ["]"] = "BracketRight", ["\\"] = "Backslash", ["`"] = "Backquote",
  ["+"] = "NumpadAdd",
}

---Codes beside letters, digits, F1 to F24 and Numpad0 to Numpad9: those of host/browser/keymap.cpp.
local others = {}
for code in ([[Space Enter Tab Escape Backspace ArrowUp ArrowDown ArrowLeft ArrowRight ShiftLeft ShiftRight ControlLeft
  ControlRight AltLeft AltRight MetaLeft MetaRight ContextMenu CapsLock NumLock ScrollLock Pause PrintScreen Insert
  Delete Home End PageUp PageDown Minus Equal BracketLeft BracketRight Backslash Semicolon Quote Backquote Comma Period
  Slash NumpadEnter NumpadAdd NumpadSubtract NumpadMultiply NumpadDivide NumpadDecimal]]):gmatch "%S+" do
  others[code], named[code:lower()] = true, code
end

M.wasd = { "KeyW", "KeyA", "KeyS", "KeyD" }
M.arrows = { "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight" }

---The browser code of a key name; names that are not known are given back as they are.
---@param name string|{key: string}
---@return string
function M.code(name)
  if type(name) == "table" then name = name.key end
  name = tostring(name)
  local lower = name:lower()
  local known = named[lower] or named[(lower:gsub("[_%s]", ""))]
  if known then return known end
  local letter = lower:match("^key_?(%l)$") or lower:match("^(%l)$")
  if letter then return "Key" .. letter:upper() end
  local digit = lower:match("^digit_?(%d)$") or lower:match("^(%d)$")
  if digit then return "Digit" .. digit end
  local pad = lower:match("^numpad_?(%d)$")
  if pad then return "Numpad" .. pad end
  local number = lower:match("^f(%d%d?)$")
  if number then return "F" .. number end
  return name
end

---Is there such a key? code as M.code gives it.
---@param code string
---@return boolean
function M.is_known(code)
  local number = tonumber(code:match "^F(%d%d?)$")
  return others[code] or code:match "^Key%u$" ~= nil or code:match "^Digit%d$" ~= nil or code:match "^Numpad%d$" ~= nil
    or number ~= nil and number >= 1 and number <= 24
end

---Codes for "did you mean".
---@return string[]
function M.names()
  local names = {}
  for code in pairs(others) do names[#names + 1] = code end
  table.sort(names)
  return names
end

---Adds codes to `list` that it does not have yet.
---@param list string[]
---@param codes string[]
---@return string[] list
function M.add(list, codes)
  local have = {}
  for _, code in ipairs(list) do have[code] = true end
  for _, code in ipairs(codes) do
    if not have[code] then
      have[code] = true
      list[#list + 1] = code
    end
  end
  return list
end

return M
