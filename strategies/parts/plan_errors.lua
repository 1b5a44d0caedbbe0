--- The error types of seed 001 (B-012). What the host names otherwise is an unknown_error to the strategy; its own name stays beside it.

local failure = require "qa.failure"
local utf8 = require "qa.utf8"

local M = {}

M.types = { element_not_found = "element_not_found", type_mismatch = "type_mismatch", timeout = "timeout", navigation_error = "navigation_error",
  navigation_denied = "navigation_error" }

---An ExecutionError: what went wrong, with which action, and what there was instead.
---@param err qa.Error
---@param action? table
---@return {type: string, kind: string, message: string, action: table?, alternatives: table[]?}
function M.of(err, action)
  local detail = type(err.detail) == "table" and err.detail or {}
  return { type = M.types[err.kind] or "unknown_error", kind = err.kind, message = utf8.shorten(utf8.printable(failure.text(err)), 300), action = action,
    alternatives = detail.alternatives }
end

return M
