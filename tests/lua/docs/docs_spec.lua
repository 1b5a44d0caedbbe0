-- The pages of docs/ name what there is: keys, kinds, checks, hooks, limits; and their example keeps the contract.
local qa = require "qa"
local contract = require "qa.run.contract"
local report_of = require "qa.run.report"

local function read(name) return assert(qa.fs.read("docs/" .. name)) end

---Is the name in code quotes somewhere?
local function has_name(text, name)
  for code in text:gmatch "`([^`\n]+)`" do
    if code:find("%f[%w_]" .. name .. "%f[^%w_]") then return true end
  end
  return false
end

local function names_all(t, page, names)
  local text = read(page)
  for name in pairs(names) do t.truthy(has_name(text, name), page .. " does not name " .. name) end
end

return {
  ["docs/report.md names every key, check and kind of issue"] = function(t)
    local report = report_of.build(report_of.new())
    names_all(t, "report.md", report)
    names_all(t, "report.md", report.metadata)
    names_all(t, "report.md", report_of.kinds)
    for _, id in ipairs(report_of.check_ids) do names_all(t, "report.md", { [id] = true }) end
  end,

  ["docs/report.md names no kind of issue that is not there"] = function(t)
    local section = read "report.md":match "## Kinds of issues(.-)\n## "
    for names in section:gmatch "\n| (`[^|]+) |" do
      for kind in names:gmatch "`([%w_]+)`" do t.truthy(report_of.kinds[kind], kind) end
    end
  end,

  ["docs/strategies.md names every hook and limit"] = function(t)
    for _, hook in ipairs(contract.hooks) do names_all(t, "strategies.md", { [hook] = true }) end
    names_all(t, "strategies.md", contract.limits)
  end,

  ["the examples of docs/strategies.md are strategies"] = function(t)
    local count = 0
    for text in read "strategies.md":gmatch "```lua\n(.-)```" do
      if text:find "\nreturn {" then
        local example = assert(loadstring(text))()
        contract.check(example, "docs/strategies.md")
        local parent = require("qa.run.strategy_file").load(example.extends or "standard")
        contract.check_against(example, "docs/strategies.md", parent)
        t.truthy(parent.options.interaction_ms and parent.lists.start_words)
        count = count + 1
      end
    end
    t.truthy(count >= 4, "only " .. count .. " examples were checked")
  end,
}
