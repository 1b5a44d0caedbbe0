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
}

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
