--- The error types of seed 001 (B-012). What the host names otherwise is an unknown_error to the strategy; its own name
-- stays beside it.
local failure = require "qa.text.failure"
local question = require "parts.model_led.question"
local utf8 = require "qa.text.utf8"

local M = {}

M.types = { element_not_found = "element_not_found", type_mismatch = "type_mismatch", timeout = "timeout",
  navigation_error = "navigation_error", navigation_denied = "navigation_error" }

---An ExecutionError: what went wrong, with which action, and what there was instead.
---@param err qa.Error
---@param action? table
---@return {type: string, kind: string, message: string, action: table?, alternatives: table[]?}
function M.of(err, action)
  local detail = type(err.detail) == "table" and err.detail or {}
  return { type = M.types[err.kind] or "unknown_error", kind = err.kind,
    message = utf8.shorten(utf8.printable(failure.text(err)), 300), action = action,
    alternatives = detail.alternatives }
end

---Errors after which another plan may help.
local revisable = { element_not_found = true, type_mismatch = true, llm_invalid = true, llm_truncated = true }
---Errors of asking that end the play; all others of asking say nothing about the game.
local unasked = { cassette_miss = true, io_error = true }

---What the error of a look or of a question means for the play. Raised where a model could not be asked at all.
---@param err qa.Error
---@return string? reason the play is over; nil where the plan may be revised
function M.ending(err)
  if revisable[err.kind] then return nil end
  if question.endings[err.kind] then return question.endings[err.kind] end
  if unasked[err.kind] or err.kind:find "^llm_" then error(err, 0) end
  return err.kind
end

return M
