--- Back-off: tries again what may only have failed for the moment, with pauses that grow.
local qa = require "qa"
local spelling = require "qa.text.spelling"

local M = {}

M.defaults = { attempts = 3, first_ms = 200, factor = 2, most_ms = 5000 }

---Kinds of errors that may pass by themselves.
M.passing = { timeout = true, llm_rate_limited = true, llm_unavailable = true, page_hung = true, cdp_error = true,
  dialog_blocked = true }

---Calls fn until it succeeds, fails for good, or has been called `attempts` times.
---@param fn fun(attempt: integer): any, qa.Error?
---@param opts? {attempts?: integer, first_ms?: number, factor?: number, most_ms?: number, passing?: table<string,
---boolean>}
---@return any value, qa.Error? err of the last attempt
---@return integer attempts
function M.try(fn, opts)
  opts = spelling.check_options("qa.backoff.try", opts,
    { attempts = "number", first_ms = "number", factor = "number", most_ms = "number", passing = "table" })
  local o = setmetatable(opts, { __index = M.defaults })
  local pause, passing = o.first_ms, opts.passing or M.passing
  for attempt = 1, o.attempts do
    local value, err = fn(attempt)
    if value or err == nil or not passing[err.kind] or attempt >= o.attempts then return value, err, attempt end
    qa.sleep(math.min(pause, o.most_ms))
    pause = pause * o.factor
  end
end

return M
