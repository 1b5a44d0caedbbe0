--- Signature: text and structure of a page as one string, to see whether they changed.
local M = {}

---Text and structure of all frames as one string; nil when the page does not answer.
---@return string?
function M.of(page)
  local frames = page:probe("dom_signature", {}, { timeout_ms = 1500 })
  if not frames then return nil end
  local parts = {}
  for i, frame in ipairs(frames) do parts[i] = tostring(frame.value.hash) end
  return table.concat(parts, "/")
end

---Do two signatures differ, as far as both are known?
---@return boolean
function M.changed(before, after) return before ~= nil and after ~= nil and before ~= after end

---Did the second step change the page, and the first not?
---@return boolean
function M.dom_changed(before, control, after)
  return before ~= nil and before == control and M.changed(control, after)
end

return M
