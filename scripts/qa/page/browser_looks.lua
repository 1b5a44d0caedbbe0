--- Browser looks: what the browser draws by itself at an input, and whether hovering may change anything.
local M = {}

---What the browser may draw otherwise at an input, whatever the page does: the control that a click at this point
---presses (none of a canvas), and the one that has the keyboard's focus.
---@param point? qa.Point
---@return {pressed: qa.Rect?, is_field: boolean?, focused: qa.Rect?, writes: boolean?, hover: boolean?} looks is_field:
---what is pressed is a field that the browser fills or marks by itself; writes: what has the focus is one; hover: a
---style sheet, or the browser, has a look for what is under the pointer
function M.native_looks(page, point)
  local looks = {}
  for _, frame in ipairs(page:probe("native_looks", { x = point and point.x, y = point and point.y },
    { timeout_ms = 1500 }) or {}) do
    for _, name in ipairs{ "pressed", "focused" } do
      looks[name] = type(frame.value[name]) == "table" and frame.value[name] or looks[name]
    end
    looks.writes = looks.writes or frame.value.writes == true
    looks.hover, looks.is_field = looks.hover or frame.value.hover == true, looks.is_field
      or frame.value.is_field == true
  end
  return looks
end

local hovering = { mouseover = true, mouseenter = true, mousemove = true, mouseout = true, mouseleave = true,
  pointerover = true, pointerenter = true, pointermove = true, pointerout = true, pointerleave = true }

---So many does the host list at most.
local most_listeners = 200

---Does a script of the page listen to a pointer that only moves? Also true where that is not known.
---@return boolean
function M.listens_to_hovering(page)
  local listeners = page:listeners()
  if not listeners then return true end
  for _, listener in ipairs(listeners) do
    if hovering[listener.type] then return true end
  end
  return #listeners >= most_listeners
end

return M
