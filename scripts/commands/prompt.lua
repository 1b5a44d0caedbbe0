-- usage: qa-host prompt NAME [--set name=value] [--role vision]
--        qa-host prompt TARGET [--set option=value] [--strategy NAME] [--seed N] [--browser PATH] [--out DIR]
--        both: [--model NAME] [--endpoint NAME]
-- What a model would be asked, its tokens, and what that costs at most. Nothing is sent, no key is needed. NAME of a
-- prompt file: that prompt, filled in. TARGET (a folder, an .html file or a URL): plays the game, shortly unless
-- interaction_ms is set, and prints each question that the run would have asked.
local qa = require "qa"
local endpoints = require "qa.model.endpoints"
local failure = require "qa.text.failure"
local page_text = require "qa.model.page_text"
local prompt = require "qa.model.prompt"
local words = require "qa.run.command_words"

local SHORT_PLAY_MS = 3000

local function schema_text(request)
  local space = request.images and qa.llm.space(request) or nil
  return request.schema
    and require("qa.model.schema").compile(request.schema, { name = request.name or "answer", space = space }).text
end

---"1280x720, sent as 1024x576"
local function size_of(request, image)
  local width, height = image:size()
  local sent = qa.llm.space{ role = request.role, endpoint = request.endpoint, model = request.model,
    max_side = request.max_side, images = { image } }
  local whole = ("%dx%d"):format(width, height)
  return sent and sent.width ~= width and ("%s, sent as %dx%d"):format(whole, sent.width, sent.height) or whole
end

---Prints tokens and price of a request.
---@return number usd 0 where it is not known
local function print_cost(request)
  local estimate, err = qa.llm.estimate(request)
  local schema = schema_text(request) or ""
  print(("-- about %d tokens of text"):format(page_text.tokens((request.prompt or "") .. (request.system or "")
    .. schema))
    .. (estimate and estimate.image_tokens > 0 and (" and %d of pictures"):format(estimate.image_tokens) or ""))
  if not estimate then
    print("-- cost: " .. failure.text(err))
    return 0
  end
  print(("-- %s %s: at most $%.5f an attempt, for %d tokens in and %d out"):format(estimate.endpoint, estimate.model,
    estimate.usd, estimate.input_upper, estimate.max_output))
  return estimate.usd
end

local function print_prompt(name, options)
  local text, path, sha256 = prompt.load(name)
  text = text:gsub("{{([%w_]+)}}", function(key) return options.set[key] or ("{{%s}}"):format(key) end)
  print(text)
  print(("-- %s, sha256 %s"):format(path, sha256:sub(1, 16)))
  print_cost{ prompt = text, role = options.role, max_output = 700 }
  return { exit_code = 0 }
end

---What is said and shown before the question, in order.
local function print_messages(messages)
  for _, message in ipairs(messages or {}) do
    for _, part in ipairs(message.parts or { { text = message.content } }) do
      if part.text then print((part.text:gsub("%s+$", ""))) end
    end
  end
end

local function print_question(number, request)
  print(("== question %d: %s, role %s"):format(number, request.purpose or "other", request.role or "vision"))
  if request.system then print(request.system) end
  print_messages(request.messages)
  if request.prompt then print((request.prompt:gsub("%s+$", ""))) end
  for _, tool in ipairs(request.tools or {}) do
    print(("-- tool %s: %s"):format(tool.name, tool.vendor or tool.description .. " " .. tostring(tool.parameters)))
  end
  local schema = schema_text(request)
  if schema then print("-- to be answered by: " .. schema) end
  for i, image in ipairs(request.images or {}) do
    local boxes = i == 1 and request.marks and ("; numbered boxes: %d"):format(#request.marks) or ""
    print(("-- picture %d: %s%s"):format(i, size_of(request, image), boxes))
  end
  return print_cost(request)
end

---A run in which nobody answers.
local function print_questions(target, options)
  if not endpoints.of_role("vision") then
    qa.command.endpoint = "openai"
    print("-- nobody is configured: the figures are those of the preset openai")
  end
  local strategy = require("qa.run.strategy_file").load(options.strategy or "standard")
  if strategy.options.interaction_ms and not options.set.interaction_ms then
    options.set.interaction_ms = SHORT_PLAY_MS
  end
  local count, usd = 0, 0
  local function instead(request)
    count = count + 1
    usd = usd + print_question(count, request)
    -- As with a budget that is used up: strategies end their question then, and the run goes on.
    return nil, failure.new("budget_exceeded", "qa-host prompt sends nothing", "qa.llm")
  end
  qa.llm.object, qa.llm.ask = instead, instead
  local outcome = require("qa.run.loop").run{ strategy = strategy, target = target, set = options.set,
    out = options.out, browser = options.browser,
    seed = options.seed, headed = qa.command.headed, max_duration_ms = qa.command.max_duration_ms }
  print(("-- questions: %d; at most $%.5f together if each is answered at once; the budget is $%.2f"):format(count, usd,
    qa.budget.state().cap))
  if outcome.status == "error" then error(outcome.error or "the target could not be played", 0) end
  return { exit_code = 0 }
end

local function run(command)
  local options, arguments = words.parse("prompt", command,
    { "set", "role", "model", "endpoint", "strategy", "out", "browser", "seed" })
  local name = arguments[1]
  if not name then error(words.misuse, 0) end
  qa.command.model, qa.command.endpoint = options.model or qa.command.model, options.endpoint or qa.command.endpoint
  if prompt.find(name) then return print_prompt(name, options) end
  local ok, why = pcall(require("qa.game.target").classify, name)
  if not ok then error(("'%s' is no prompt of strategies/prompts, and no target: %s"):format(name, why), 0) end
  return print_questions(name, options)
end

return words.command(run)
