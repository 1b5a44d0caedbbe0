--- Is what an input changed an answer of the game?
local M = {}

---An input that throws, and changes fewer pixels, is one that the game cannot take.
local FEW_PIXELS = 1000

local function is_inside(region, box)
  return region.x >= box.x and region.y >= box.y and region.x + region.width <= box.x + box.width
    and region.y + region.height <= box.y + box.height
end

---Is this an answer of the game, and not the browser's doing? The browser shows that a control is held, for as long as
---it is, and that a field is marked; it shows nothing of its own on a canvas.
---@param looks table of browser_looks.native_looks
---@param effect qa.Effect
function M.is_one(looks, effect)
  if not effect.changed or effect.is_native then return false end
  if effect.threw and effect.pixels < FEW_PIXELS and not effect.text then return false end
  local lasts = effect.lasts
  if lasts == nil then lasts = effect.after_frames > effect.held end  -- Nobody asked; but nothing is held any more.
  if not lasts then return not looks.pressed and not looks.focused end
  if not looks.is_field or not looks.pressed or effect.text or effect.state then return true end
  for _, region in ipairs(effect.regions) do if not is_inside(region, looks.pressed) then return true end end
  return false
end

return M
