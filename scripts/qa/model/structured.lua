-- From the text of an answer to a checked value, one step at a time, each recorded: strip what stands around the JSON,
-- parse, lossless coercions, validate, elements that were closed before the text was cut off, one more question, a
-- typed failure. Nothing on the way invents a value. Called by qa.llm; it sends nothing itself.
local failure = require "qa.text.failure"
local json_text = require "qa.text.json_text"
local reader = require "qa.model.schema_reader"
local spelling = require "qa.text.spelling"
local utf8 = require "qa.text.utf8"

local M = {}

local op = "qa.structured.read"
local kept_text = 8192
local longest = 512 * 1024  -- beyond what models write; nodes of a text take about 100 times its bytes at worst
local known = { strip = "boolean", coerce = "boolean", partial = "string", finish = "string", ask_again = "function",
  max_asks = "number" }

local function record(run, step, is_ok, more)
  more = more or {}
  more.step, more.ok, more.attempt = step, is_ok, run.attempts
  run.steps[#run.steps + 1] = more
end

local function one_error(message) return { { path = "", message = message }, total = 1 } end

---What stands around the one JSON object of a text, by name. Brackets outside it would make the choice a guess.
local function around(before, after)
  local removed = {}
  if before:find "^\239\187\191" then removed[#removed + 1] = "bom" end
  if (before .. after):find("```", 1, true) then removed[#removed + 1] = "fence" end
  local words = (before .. after):gsub("^\239\187\191", ""):gsub("```%a*", "")
  if words:find "%S" then removed[#removed + 1] = "prose" end
  return removed, not (before .. after):find "[%[%]{}]"
end

---The one JSON object of a text, or errors and the parser's problem.
local function parse(run, text)
  local first = run.opts.strip and text:find("{", 1, true) or 1
  local node, rest = json_text.read(text, first)
  local after = node and text:sub(rest) or ""
  if run.opts.strip then
    local removed, is_clear = around(text:sub(1, first - 1), after)
    if #removed > 0 or not is_clear then record(run, "strip", is_clear, { removed = removed }) end
    if not is_clear then
      return nil, one_error "not JSON: brackets outside the object; answer with one JSON object alone"
    end
  elseif after:find "[^ \t\r\n]" then
    record(run, "parse", false)
    return nil, one_error(("not JSON: text after the value at byte %d"):format(rest))
  end
  record(run, "parse", node ~= nil, not node and { message = rest.message } or nil)
  if node then return node end
  return nil, one_error("not JSON: " .. rest.message), rest
end

local function validate(run, node)
  local value, errors, coerced = reader.read(run.schema, node, run.opts)
  if #coerced > 0 then record(run, "coerce", true, { at = coerced }) end
  record(run, "validate", value ~= nil, value == nil and { errors = errors.total } or nil)
  return value, errors
end

---One answer, up to the elements that were closed.
local function attempt(run, text)
  if #text > longest then return nil, one_error(("longer than %d bytes"):format(longest)) end
  local node, errors, problem = parse(run, text)
  if node then return validate(run, node) end
  if problem and run.opts.partial == "closed" then
    local part, kept = json_text.closed_part(problem)
    record(run, "partial", part ~= nil, { kept = kept or 0 })
    if part then
      run.is_partial = true
      return validate(run, part)
    end
  end
  return nil, errors
end

local function fail(run, kind, message, text, errors)
  return nil, failure.new(kind, message, op, { text = utf8.cut(text, kept_text), bytes = #text, errors = errors,
    attempts = run.attempts, steps = run.steps, ask_again = run.ask_error })
end

---Reads an answer by its schema.
--- finish is how the model ended: "length" when it was cut off, "refusal" when it declined; then nothing more is asked,
---and the failure is `llm_truncated` or `llm_refused`. ask_again(errors, attempt) sends the errors and returns the next
---text, or nil and an error; a third value is its finish. Where it cannot ask, the first failure stands.
---@param text string
---@param schema qa.schema.Compiled
---@param opts? {strip?: boolean, coerce?: boolean, partial?: "closed", finish?: string, ask_again?: function,
---max_asks?: integer}
---@return {value: table, steps: table[], attempts: integer, is_partial: boolean}?, qa.Error?
function M.read(text, schema, opts)
  opts = spelling.check_options(op, opts, known)
  if opts.partial and opts.partial ~= "closed" then error(op .. ": option 'partial': expected \"closed\"", 2) end
  local run = { schema = schema, opts = opts, steps = {}, attempts = 1 }
  local finish = opts.finish
  while true do
    if finish == "refusal" then
      return fail(run, "llm_refused", "the model declined: " .. utf8.shorten(utf8.printable(text), 200), text, {})
    end
    run.is_partial = false
    local value, errors = attempt(run, text)
    if value then return { value = value, steps = run.steps, attempts = run.attempts, is_partial = run.is_partial } end
    local message = reader.text(errors)
    if finish == "length" then return fail(run, "llm_truncated", message, text, errors) end
    if not opts.ask_again or run.attempts > (opts.max_asks or 1) then
      return fail(run, "llm_invalid", message, text, errors)
    end
    local again, err, next_finish = opts.ask_again(message, run.attempts)
    record(run, "ask", again ~= nil)
    if not again then
      run.ask_error = err
      return fail(run, "llm_invalid", ("%s; asking again: %s"):format(message, failure.text(err)), text, errors)
    end
    run.attempts, text, finish = run.attempts + 1, again, next_finish
  end
end

return M
