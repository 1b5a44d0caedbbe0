-- Models: one question, one answer. qa.llm.ask gives text, qa.llm.object a value that fits a qa.schema. Who answers
-- comes from the role (qa.model.endpoints); the host reserves the worst cost first, sends, retries and settles
-- (host/llm/model_call).
local endpoints = require "qa.model.endpoints"
local failure = require "qa.text.failure"
local internal = require "qa.internal"
local point_space = require "qa.model.point_space"
local prompt = require "qa.model.prompt"
local qa = require "qa"
local spelling = require "qa.text.spelling"
local structured = require "qa.model.structured"

local M = {}

local known = { role = "string", otherwise = "string", endpoint = "any", model = "string", system = "string",
  prompt = "string", messages = "table", images = "table", max_output = "number", max_side = "number", marks = "table",
  detail = "string", temperature = "number", timeout_ms = "number", attempts = "number", purpose = "string",
  stream = "boolean", budget = "table", tools = "table", tool_choice = "string",
  previous_id = "string", extra = "table" }
local known_object = setmetatable({ schema = "table", name = "string", repair = "number", coerce = "boolean",
  partial = "string", scale = "any", origin = "table", coordinates = "string" }, { __index = known })
for name, kind in pairs(known) do known_object[name] = kind end

---The size in which a picture is sent, the model's best, and how that lies on the original.
local function fit_of(model, image, max_side)
  local width, height = image:size()
  local w, h = internal.model_size(model, width, height, max_side or 0)
  return { width = w, height = h, x = w / width, y = h / height }
end

local function fitted(model, image, max_side)
  local fit = fit_of(model, image, max_side)
  if fit.x == 1 and fit.y == 1 then return image, fit end
  local smaller, err = image:resize(fit.width, fit.height)
  if not smaller then return nil, err end
  fit.is_own = true
  return smaller, fit
end

---How points in answers about a picture lie on the page.
local function space_of(row, fit, opts)
  local scale = opts.scale or 1
  if type(scale) == "number" then scale = { x = scale, y = scale } end
  return point_space.new{ space = opts.coordinates or row.space, order = not opts.coordinates and row.order or nil,
    width = fit.width, height = fit.height, scale = { x = fit.x * scale.x, y = fit.y * scale.y }, origin = opts.origin }
end

---Draws marks on the picture as it is sent, so that digits keep the size in which a model reads them.
local function marked(image, fit, opts)
  local space = space_of({}, fit, opts)
  local boxes = {}
  for i, mark in ipairs(opts.marks) do
    boxes[i] = { x = (mark.x - space.origin.x) * space.scale.x, y = (mark.y - space.origin.y) * space.scale.y,
      width = mark.width * space.scale.x, height = mark.height * space.scale.y, label = mark.label or i }
  end
  local drawn, err = image:mark(boxes)
  if fit.is_own then image:close() end
  fit.is_own = drawn ~= nil
  return drawn, err
end

---Pictures as they are sent, made at the same time; the first one marked.
---@return qa.Image[]? images
---@return table[]|qa.Error fits how each lies on the original
local function all_fitted(model, pictures, opts)
  local images, fits, jobs, failed = {}, {}, {}, nil
  for i, image in ipairs(pictures) do
    jobs[i] = function()
      local sent, fit = fitted(model, image, opts.max_side)
      local err = fit
      if sent and i == 1 and opts.marks then sent, err = marked(sent, fit, opts) end
      if not sent then failed = failed or err end
      images[i], fits[i] = sent, fit
    end
  end
  if #jobs > 0 then qa.all(unpack(jobs)) end
  if not failed then return images, fits end
  for i, image in pairs(images) do
    if fits[i].is_own then image:close() end
  end
  return nil, failed
end

---A message with the numbers of its pictures in place of them; the pictures join the list.
local function numbered(message, pictures)
  local copy = {}
  for key, value in pairs(message) do copy[key] = value end
  copy.content, copy.parts = nil, message.content and { { text = message.content } } or {}
  for i, part in ipairs(message.parts or {}) do
    copy.parts[i] = part
    if part.image and type(part.image) ~= "number" then
      pictures[#pictures + 1] = part.image
      copy.parts[i] = { image = #pictures, detail = part.detail }
    end
  end
  return copy
end

---Stable parts first (system, then the prompt), pictures last: caches of prompts live on equal beginnings.
---@param pictures qa.Image[] of the prompt; those of messages are added
local function messages_of(opts, pictures)
  local messages, count = {}, #pictures
  if opts.system then messages[1] = { role = "system", parts = { { text = opts.system } } } end
  for _, message in ipairs(opts.messages or {}) do messages[#messages + 1] = numbered(message, pictures) end
  local parts = {}
  if opts.prompt then parts[1] = { text = opts.prompt } end
  for i = 1, count do parts[#parts + 1] = { image = i, detail = opts.detail } end
  if #parts > 0 then messages[#messages + 1] = { role = "user", parts = parts } end
  return messages
end

---What a tool takes: a qa.schema type, or JSON Schema text; a vendor's own tool goes as it is.
local function tools_of(opts)
  local tools = {}
  for i, tool in ipairs(opts.tools or {}) do
    local parameters = tool.parameters
    if type(parameters) == "table" then
      parameters = require("qa.model.schema").compile(parameters, { name = tool.name }).text
    end
    tools[i] = { name = tool.name, description = tool.description, parameters = parameters, vendor = tool.vendor }
  end
  return #tools > 0 and tools or nil
end

local function endpoint_of(opts)
  if opts.endpoint then return endpoints.resolve(opts.endpoint, opts.model) end
  local endpoint = endpoints.of_role(opts.role or "vision", opts.otherwise)
  if endpoint and opts.model then endpoint.model = opts.model end
  return endpoint
end

---Everything that the host needs for one call; pictures fitted.
local function prepare(opts, level)
  if not (opts.prompt or opts.messages) then error("qa.llm: give a prompt or messages", level + 1) end
  local endpoint = endpoint_of(opts)
  if not endpoint then
    return nil, failure.new("llm_unavailable",
      ("nobody answers for role '%s': set OPENAI_API_KEY or QA_MODEL, or configure an endpoint"):format(
        opts.role or "vision"), "qa.llm")
  end
  local row = internal.model_row(endpoint.model)
  local pictures = {}
  for i, image in ipairs(opts.images or {}) do pictures[i] = image end
  local messages = messages_of(opts, pictures)
  if #pictures > 0 and row and not row.vision then
    return nil, failure.new("llm_unavailable", endpoint.model .. " takes no pictures", "qa.llm")
  end
  local images, fits = all_fitted(endpoint.model, pictures, opts)
  if not images then return nil, fits end
  local spec = { endpoint = endpoint, messages = messages, max_output = opts.max_output, temperature = opts.temperature,
    timeout_ms = opts.timeout_ms, attempts = opts.attempts, purpose = opts.purpose, stream = opts.stream,
    scope = opts.budget and opts.budget.number or 0,
    tools = tools_of(opts), tool_choice = opts.tool_choice, previous_id = opts.previous_id, extra = opts.extra }
  return { spec = spec, images = images, fits = fits, row = row
    or { structured = "json_object", space = "px", order = "xy" } }
end

local function release(made)
  for i, image in ipairs(made.images) do
    if made.fits[i].is_own then image:close() end
  end
end

---Refusals and cut answers are failures, typed; the answer is their detail.
local function checked(answer)
  if answer.finish == "refusal" or answer.finish == "filtered" then
    return nil, failure.new("llm_refused", "the model refused: "
      .. (answer.refusal ~= "" and answer.refusal or answer.finish), "qa.llm", answer)
  end
  if answer.finish == "length" then
    return nil, failure.new("llm_truncated", "the answer is longer than max_output", "qa.llm", answer)
  end
  return answer
end

---Asks for text.
---@param opts table {prompt, system?, images?, role?, endpoint?, model?, max_output?, temperature?, timeout_ms?,
---purpose?, budget?, max_side?, detail?}
---@return {text: string, usd: number, usage: table?, finish: string, id: string, attempts: table[], ms: number}? answer
---@return qa.Error? err
function M.ask(opts)
  spelling.check_options("qa.llm.ask", opts, known)
  local made, err = prepare(opts, 2)
  if not made then return nil, err end
  local answer
  answer, err = internal.ask_model(made.spec, made.images)
  release(made)
  if not answer then return nil, err end
  return checked(answer)
end

---The schema of the answer, put into the call in the form that the model knows.
local function add_schema(made, opts)
  local space = made.fits[1] and space_of(made.row, made.fits[1], opts)
  local schema = require("qa.model.schema").compile(opts.schema, { name = opts.name or "answer", space = space })
  made.spec.schema = { name = schema.name, text = schema.text }
  if made.row.structured ~= "json_schema" then
    table.insert(made.spec.messages, 1,
      { role = "system", parts = { { text = (prompt.render("json_answer", { schema = schema.text })) } } })
  end
  return schema
end

---Asks for a value of a schema. scale: pixels of the picture for one CSS pixel of the page; origin: its corner on the
---page; coordinates: the space in which points are asked for (qa.model.point_space) instead of the model's own.
---@param opts table as ask, and {schema: qa.schema.Type, name?, repair?: integer re-asks (1), coerce?: boolean,
---partial?, scale?, origin?, coordinates?}
---@return table? value
---@return table|qa.Error answer or err the last answer with `usd` of all of them and `steps`; or what went wrong
function M.object(opts)
  spelling.check_options("qa.llm.object", opts, known_object)
  if not opts.schema then error("qa.llm.object: give a schema", 2) end
  local made, err = prepare(opts, 2)
  if not made then return nil, err end
  local schema = add_schema(made, opts)
  local answer, usd, attempts = nil, 0, {}
  local function ask()
    local asked, problem = internal.ask_model(made.spec, made.images)
    if not asked then return nil, problem end
    answer, usd = asked, usd + asked.usd
    for _, attempt in ipairs(asked.attempts) do attempts[#attempts + 1] = attempt end
    return asked.text, nil, asked.finish
  end
  local text, problem, finish = ask()
  local result
  if text then
    local messages = made.spec.messages
    result, problem = structured.read(text, schema,
      { strip = made.row.structured ~= "json_schema", coerce = opts.coerce ~= false,
      partial = opts.partial, finish = finish, max_asks = opts.repair or 1,
      ask_again = (opts.repair or 1) > 0 and function(errors)
        made.spec.purpose = "repair"
        messages[#messages + 1] = { role = "assistant", parts = { { text = answer.text } } }
        messages[#messages + 1] = { role = "user",
          parts = { { text = (prompt.render("answer_again", { errors = errors })) } } }
        return ask()
      end or nil })
  end
  release(made)
  if not result then
    problem.usd = usd
    return nil, problem
  end
  answer.usd, answer.attempts, answer.steps, answer.is_partial = usd, attempts, result.steps, result.is_partial
  return result.value, answer
end

---Who would be asked, and at most at what cost an attempt: what the host would reserve. Nothing is sent.
---@param opts table as object; schema may be left out
---@return {endpoint: string, model: string, input_upper: integer, image_tokens: integer, max_output: integer, usd:
---number}?, qa.Error?
function M.estimate(opts)
  spelling.check_options("qa.llm.estimate", opts, known_object)
  local made, err = prepare(opts, 2)
  if not made then return nil, err end
  if opts.schema then add_schema(made, opts) end
  local most, problem = internal.model_estimate(made.spec, made.images)
  release(made)
  if not most then return nil, problem end
  most.endpoint, most.model = made.spec.endpoint.name, made.spec.endpoint.model
  return most
end

---Where the model sees the first picture on the page, for coordinates in prompts; nil when nobody answers.
---@param opts table as object
---@return qa.Space?
function M.space(opts)
  local endpoint = endpoint_of(opts)
  local row = endpoint and internal.model_row(endpoint.model)
  return endpoint and space_of(row or {}, fit_of(endpoint.model, opts.images[1], opts.max_side), opts)
end

---Who would be asked and what that model can do; nil when nobody answers.
---@param opts table {role?, otherwise?, endpoint?, model?}
---@return {endpoint: string, dialect: string, model: string, vision: boolean, tools: boolean, computer: string,
---max_output: integer}? computer: the type of the vendor's computer tool that the model is made for, "" for none
function M.model(opts)
  local endpoint = endpoint_of(opts)
  if not endpoint then return nil end
  local row = internal.model_row(endpoint.model) or { vision = true, tools = true, computer = "", max_output = 0 }
  return { endpoint = endpoint.name, dialect = endpoint.dialect or "openai-chat", model = endpoint.model,
    vision = row.vision, tools = row.tools, computer = row.computer, max_output = row.max_output }
end

---Is anybody configured to answer for the role?
---@return boolean
function M.is_available(role) return endpoints.of_role(role or "vision") ~= nil end

return M
