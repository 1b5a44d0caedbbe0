-- When do two worlds show the same? Equal bytes are equal pictures. Else a browser may have drawn the edges of a few
-- letters a little otherwise, by the order in which it drew parts of the page: seen in one pair of ten on one of 30
-- games, by 1 of 255 levels, and with a remote browser that lacks switches of ours by 4. No input has such an effect.
local M = {}

local MOST_PIXELS = 64
local CONTRAST = 0.02  -- Of image:diff with "yiq": 5 levels of grey.

---As image:diff, but identical where only the edges of letters differ.
---@param first qa.Image
---@param second qa.Image
---@return qa.Diff?, qa.Error?
function M.diff(first, second)
  local found, err = first:diff(second)
  if not found or found.identical or found.changed_pixels > MOST_PIXELS then return found, err end
  local seen = first:diff(second, { metric = "yiq", threshold = CONTRAST })
  found.identical = seen ~= nil and seen.identical
  return found
end

return M
