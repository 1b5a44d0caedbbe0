-- What a test program said: JUnit XML, TAP, or the end of its output, as failures that a person or a model can work on.
-- Pure. The text was written by a program that is tested: it is cleaned, never trusted.
local utf8 = require "qa.text.utf8"

local M = {}

local most_failures, longest_message = 20, 1500

---Without escape sequences of terminals, control characters and characters that nobody sees.
function M.clean(text)
  text = text:gsub("\27%[[%d;?]*[%a@]", ""):gsub("\27%][^\7\27]*\7?", ""):gsub("\r\n?", "\n")
  return utf8.printable(text)
end

---The last lines of an output.
---@param text string
---@param bytes? integer 4000
function M.tail(text, bytes)
  text = M.clean(text):gsub("%s+$", "")
  if #text <= (bytes or 4000) then return text end
  local cut = text:sub(-(bytes or 4000))
  return "…" .. (cut:match "^[^\n]*\n(.*)$" or utf8.printable(cut))
end

local entities = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'" }

local function unescape(text)
  text = text:gsub("<!%[CDATA%[(.-)%]%]>", "%1")
  return (text:gsub("&(#?)(x?)(%w+);", function(number, hex, word)
    if number == "" then return entities[hex .. word] end
    local code = tonumber(word, hex == "x" and 16 or 10)
    return code and code < 128 and string.char(code) or "?"
  end))
end

local function attribute(head, name) return unescape(head:match("%f[%w]" .. name .. '%s*=%s*"([^"]*)"') or "") end

local function add(result, name, message)
  result.failed = result.failed + 1
  if #result.failures < most_failures then
    result.failures[#result.failures + 1] = { name = utf8.shorten(M.clean(name), 200),
      message = M.tail(message, longest_message) }
  end
end

---JUnit XML: {cases, failed, failures = {{name, message}}}; skipped ones do not count. nil when it is none.
---@param text string
---@return {cases: integer, failed: integer, failures: {name: string, message: string}[]}?
function M.junit(text)
  if not text:find "<testsuite" then return nil end
  local result = { cases = 0, failed = 0, failures = {} }
  local at = 1
  while true do
    local first, last, head, slash = text:find("<testcase(%f[%s/>][^>]-)(/?)>", at)
    if not first then break end
    local body = ""
    at = last + 1
    if slash == "" then
      local stop, after = text:find("</testcase%s*>", at)
      if not stop then return nil end  -- cut short: no report
      body, at = text:sub(at, stop - 1), after + 1
    end
    if not body:find "<skipped" then
      result.cases = result.cases + 1
      local kind, inner, rest = body:match "<(failure)%f[%s/>]([^>]*)>(.*)"
      if not kind then kind, inner, rest = body:match "<(error)%f[%s/>]([^>]*)>(.*)" end
      if kind then
        local class = attribute(head, "classname")
        local message = (rest:match("^(.-)</" .. kind .. ">") or ""):match "^%s*(.-)%s*$"
        add(result, (class ~= "" and class .. "." or "") .. attribute(head, "name"), attribute(inner, "message")
          .. "\n" .. unescape(message))
      end
    end
  end
  return result
end

---TAP: the same, with `planned` and `seen` cases, skipped ones included. nil when the text is none.
---@param text string
function M.tap(text)
  text = M.clean(text)
  local planned = ("\n" .. text):match "\n1%.%.(%d+)"
  if not planned then return nil end
  local result = { cases = 0, seen = 0, failed = 0, failures = {}, planned = tonumber(planned) }
  local current
  local function close()
    if current then add(result, current.name, table.concat(current.lines, "\n")) end
    current = nil
  end
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    local bad, name = line:match "^(n?o?t? ?)ok%f[%s%z]%s*%d*%s*%-?%s*(.*)$"
    if bad == "" or bad == "not " then
      close()
      local directive = name:lower():match "#%s*(%a+)"
      result.seen = result.seen + 1
      if directive ~= "skip" then result.cases = result.cases + 1 end
      if bad == "not " and directive ~= "todo" and directive ~= "skip" then current = { name = name, lines = {} } end
    elseif current and (line:match "^#" or line:match "^%s") then
      current.lines[#current.lines + 1] = line
    elseif line:match "^Bail out!" then
      close()
      current = { name = line, lines = {} }
    end
  end
  close()
  return result
end

---Failures as text.
---@param report {failures: table[], failed: integer}
function M.text(report)
  local lines = {}
  for _, failure in ipairs(report.failures) do
    lines[#lines + 1] = ("FAILED %s\n%s"):format(failure.name, failure.message)
  end
  if report.failed > #report.failures then
    lines[#lines + 1] = ("and %d more"):format(report.failed - #report.failures)
  end
  return table.concat(lines, "\n")
end

return M
