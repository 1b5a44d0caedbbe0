-- qa-host prompt NAME [--set name=value ...]: a prompt as it would be sent, its tokens, and what a call may cost at most.
-- Nothing is sent.
local qa = require "qa"
local failure = require "qa.failure"
local page_text = require "qa.page_text"
local prompt = require "qa.prompt"
local words = require "qa.command_words"

local function run(command)
  local options, arguments = words.parse("prompt", command, { "set", "role" })
  local name = arguments[1]
  if not name then error("usage: qa-host prompt NAME [--set name=value] [--role vision]", 0) end
  local text, path, sha256 = prompt.load(name)
  text = text:gsub("{{([%w_]+)}}", function(key) return options.set[key] or ("{{%s}}"):format(key) end)
  print(text)
  print(("-- %s, sha256 %s"):format(path, sha256:sub(1, 16)))
  print(("-- about %d tokens without pictures"):format(page_text.tokens(text)))
  local estimate, err = qa.llm.estimate{ prompt = text, role = options.role, max_output = 700 }
  if estimate then
    print(("-- %s %s: at most $%.5f with 700 tokens of answer, pictures not counted"):format(estimate.endpoint, estimate.model, estimate.usd))
  else
    print("-- cost: " .. failure.text(err))
  end
  return { exit_code = 0 }
end

return words.command(run)
