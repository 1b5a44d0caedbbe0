--- What a model that plays is asked: the page as it is, what was done lately, what the tester says, and its answer.
local qa = require "qa"
local backoff = require "qa.model.backoff"
local actions = require "qa.input.actions"
local failure = require "qa.text.failure"
local groups = require "qa.effect.groups"
local measured_play = require "parts.model_led.measured_play"
local metrics = require "qa.run.metrics"
local page_text = require "qa.model.page_text"
local prompt = require "qa.model.prompt"
local utf8 = require "qa.text.utf8"

local M = {}

---What errors of asking end the model's part with.
M.endings = { budget_exceeded = "budget_limit", llm_refused = "llm_refused", max_duration = "max_duration" }

---- Seen --------------------------------------------------------------------------------------------------------------

---The page as it is: its picture, kept for the report unless is_kept is false, and what it offers. To be closed.
---@return {image: qa.Image, path: string?, rows: table[], hash: string, t_ms: number}?, qa.Error?
function M.look(ctx, stage, is_kept)
  return metrics.span(ctx, "look", function()
    local image, path, rows
    qa.all(function()
      image = groups.picture(ctx)
      if is_kept ~= false then
        image, path = ctx:picture(stage, image)
      else
        if not image then image, path = ctx.page:screenshot() end
        metrics.add(ctx, "looks")
      end
    end, function() rows = ctx.page:clickables{ limit = 60 } end)
    if not image then return nil, path end
    return { image = image, path = path, rows = rows or {}, hash = image:hash(), t_ms = qa.now_ms() }
  end)
end

---A picture in the size in which it is sent, and how that lies on the page. The picture that was given is closed where
---it is another one.
---@param who table {role, otherwise?} as qa.llm takes them
---@return qa.Image? picture
---@return qa.Space|qa.Error|nil space
function M.fit(ctx, image, who)
  local space = qa.llm.space{ role = who.role, otherwise = who.otherwise, images = { image },
    max_side = ctx.options.look_side }
  if not space or space.width == image:size() then return image, space end
  local picture, err = image:resize(space.width, space.height)
  image:close()
  if not picture then return nil, err end
  return picture, space
end

---What the page says of itself, for a prompt: controls in the model's coordinates, and cleaned HTML; fenced as data.
local function page_of(ctx, seen)
  local space = qa.llm.space{ role = "vision", images = { seen.image }, scale = seen.scale,
    max_side = ctx.options.look_side }
  local listed = page_text.clickables(seen.rows, { space = space })
  local parts = { listed ~= "" and page_text.fence(listed, "page") or "(it names no controls)" }
  if ctx.options.html_tokens > 0 then
    local html = page_text.html(ctx.page:content() or "", { max_tokens = ctx.options.html_tokens })
    if html:find "%S" then parts[2] = "Its HTML, cleaned:\n" .. page_text.fence(html, "html") end
  end
  return table.concat(parts, "\n")
end

---What was done lately, newest last. Its words came from a model: data as well.
function M.history_of(ctx)
  local lines, history = {}, ctx.state.history
  for i = math.max(1, #history - ctx.options.history + 1), #history do
    lines[#lines + 1] = ("%d %s"):format(i, history[i])
  end
  return #lines > 0 and page_text.fence(table.concat(lines, "\n"), "history") or "(nothing yet)"
end

local function words_of_metadata(metadata)
  local testing, said = metadata and metadata.testingStrategy or {}, {}
  for _, text in ipairs{ testing.instructions or false, metadata and metadata.description or false,
    metadata and metadata.genre or false } do
    if text and text ~= "" then said[#said + 1] = utf8.shorten(utf8.printable(text), 1500) end
  end
  return #said > 0 and table.concat(said, "\n") or "(nothing)"
end

---What the metadata says, and what earlier runs have taught to avoid (D-007); the latter may hold words of the page.
local function notes_of(ctx)
  local notes, hints = words_of_metadata(ctx.metadata), ctx.state.hints
  return hints and ("%s\nFrom earlier runs:\n%s"):format(notes, page_text.fence(hints, "memory")) or notes
end

local function names_of(controls)
  local names = {}
  for i, control in ipairs(controls or {}) do names[i] = control.key or control.kind end
  return #names > 0 and table.concat(names, ", ") or "not known"
end

---Asks, and waits for no longer than the model may lead. A model that says nothing for so long is one that cannot be
---reached, or the time of its part is over (max_duration).
---@param span string how the metrics name it
---@param ask fun(request: table): any, any of qa.llm
---@param request table its timeout_ms is set
---@return any value, any|qa.Error answer
function M.answered(ctx, span, ask, request)
  local left_ms = (ctx.state.cap and ctx.state.cap.duration_ms or math.huge) - ctx:elapsed_ms()
  request.timeout_ms = math.max(1, math.floor(math.min(ctx.options.model_ms, left_ms)))
  local value, answer = metrics.span(ctx, span, ask, request)
  if value then
    ctx.state.was_answered = true
  elseif answer.kind == "timeout" then
    answer = failure.new(actions.limit(ctx) and "max_duration" or "llm_unavailable", failure.text(answer), "qa.llm")
  end
  return value, answer
end

---- Asked -------------------------------------------------------------------------------------------------------------

---Asks the model that plays. The stable part of the question comes first, so that caches of prompts hold.
---@param seen table of look; scale: of its picture, where that was made smaller
---@param request {prompt: string, vars: table, images: qa.Image[], name: string, make_schema: function} vars: of the
---prompt, but for page and left; make_schema(check): check(texts) refuses answers that repeat its example (P-02)
---@return table? value, table|qa.Error answer
function M.ask(ctx, seen, request)
  request.vars.page, request.vars.left = page_of(ctx, seen), ctx.state.cap.actions - (ctx.state.actions or 0)
  local system = ctx:prompt("player", { goal = ctx.options.goal,
    url = ctx.url:gsub("^http://127%.0%.0%.1:%d+", "http://game.local"),
    game_type = ctx.state.game_type or "unknown", controls = names_of(ctx.state.controls), notes = notes_of(ctx) })
  local text = ctx:prompt(request.prompt, request.vars)
  local template = prompt.load("player") .. prompt.load(request.prompt)
  local function check(texts)
    if not prompt.quoted(template, texts) then return true end
    metrics.add(ctx, "quoting_answers")
    return nil, "this repeats an example of the question: answer for the picture"
  end
  local question = { role = "vision", purpose = "action", name = request.name, system = system, prompt = text,
    images = request.images, scale = seen.scale, schema = request.make_schema(check),
    max_side = ctx.options.look_side, temperature = ctx.options.temperature, max_output = ctx.options.answer_tokens }
  local value, answer = measured_play.while_watched(ctx,
    function() return M.answered(ctx, "model", qa.llm.object, question) end)
  -- A cassette that lacks the answer says nothing about the game.
  if not value and answer.kind == "cassette_miss" then error(answer, 0) end
  return value, answer
end

---A picture of the page, tried again where it fails (B-015).
---@param taken? qa.Image one that was taken just now
---@param failed? qa.Error why the first one could not be taken
---@return qa.Image? image
---@return qa.Error? err
function M.picture(ctx, stage, taken, failed)
  local image, err, attempts = backoff.try(function(attempt)
    if attempt == 1 and failed then return nil, failed end
    return ctx:picture(stage, attempt == 1 and taken or nil)
  end, { attempts = ctx.options.shot_attempts })
  if attempts > 1 then metrics.add(ctx, "screenshot_retries", attempts - 1) end
  return image, err
end

return M
