--- A second opinion on the measured verdict: a model looks at the pictures of the run (C-020). It may add issues and
-- lower score and verdict; it never makes a failure pass. Without an endpoint nothing is asked and nothing is said.
local qa = require "qa"
local prompt = require "qa.model.prompt"
local schema = require "qa.model.schema"
local failure = require "qa.text.failure"
local page_text = require "qa.model.page_text"
local utf8 = require "qa.text.utf8"

local M = {}

---Longer side of the pictures that a model sees, in pixels.
local ANALYSIS_SIDE = 512
---Longest wait for the final analysis.
local ANALYSIS_MS = 30000

M.pass_score = 50  -- C-021
M.kinds = { "blank_screen", "load_timeout", "unresponsive", "frozen", "soft_lock", "exception", "popup" }

M.answer = schema.object{
  { "what_is_seen", schema.string{ max = 600, doc = "what the pictures show, in order" } },
  { "has_loaded", schema.boolean() }, { "reacts_to_play", schema.enum({ "yes", "no", "cannot_tell" }) },
  { "issues", schema.array(schema.object{ { "kind", schema.enum(M.kinds) },
    { "severity", schema.enum({ "critical", "major", "minor" }) },
    { "description", schema.string{ max = 300 } },
    { "picture", schema.integer{ min = 1, max = 40, doc = "number of the picture that shows it" } },
  }, { max = 8 }) },
  { "playability_score", schema.integer{ min = 0, max = 100 } },
}

local function names_of(controls)
  local names = {}
  for i, control in ipairs(controls) do names[i] = control.key or control.kind end
  return #names > 0 and "its controls are " .. table.concat(names, ", ") or "its controls are not known"
end

---The pictures of the run, in order: {image, stage}. Of more than analysis_pictures some are left out, evenly.
local function pictures(ctx)
  local list, dir, shots = {}, qa.run.dir(), ctx.report.screenshots
  local most = math.min(#shots, ctx.options.analysis_pictures)
  for i = 1, most do
    local shot = shots[most > 1 and math.floor(1 + (i - 1) * (#shots - 1) / (most - 1) + 0.5) or #shots]
    local image = qa.image.load(dir .. "/" .. shot.path)
    if image then list[#list + 1] = { image = image, stage = shot.stage } end
  end
  return list
end

---C-037: what was done between the pictures. A model may have chosen the words: they are data.
local function history_of(ctx)
  local lines, history = {}, ctx.report.metadata.actionHistory
  for i = math.max(1, #history - 39), #history do
    local action = history[i]
    local told = action.stateProgressed == nil and "" or action.stateProgressed and ": the scene changed"
      or ": nothing changed"
    local what = ("%s %s"):format(action.action, action.target or "")
    lines[#lines + 1] = utf8.shorten(utf8.printable(what), 80) .. (action.success == false and ": failed" or told)
  end
  return #lines > 0 and page_text.fence(table.concat(lines, "\n"), "actions") or "(nothing)"
end

---The request, as it would be sent.
function M.request(ctx, verdict, shots)
  local stages, images = {}, {}
  for i, shot in ipairs(shots) do
    stages[i], images[i] = ("%d %s"):format(i, shot.stage), shot.image
  end
  local failed = {}
  for _, check in ipairs(verdict.checks) do
    if check.outcome ~= "pass" then failed[#failed + 1] = check.id .. ": " .. check.outcome end
  end
  local text, identity = prompt.render("final_analysis", {
    stages = table.concat(stages, ", "), url = ctx.url:gsub("^http://127%.0%.0%.1:%d+", "http://game.local"),
    game_type = ctx.state.game_type or "unknown",
    controls = names_of(ctx.state.controls or {}), history = history_of(ctx),
    measured = #failed == 0 and "All measured checks pass." or "Measured checks that do not pass: "
      .. table.concat(failed, ", ") .. ".",
  })
  return { role = "vision", purpose = "analysis", prompt = text, images = images, schema = M.answer,
    name = "final_analysis",
    max_side = ANALYSIS_SIDE, max_output = 700, timeout_ms = ANALYSIS_MS }, identity
end

---Asks, where somebody is configured; what came of it is kept in ctx.state.opinion until the verdict is made.
---@param verdict table of judge.judge
function M.ask(ctx, verdict)
  local state = ctx.state
  if not ctx.options.use_models or not qa.llm.is_available("vision") then return end
  local shots = pictures(ctx)
  if #shots == 0 then
    state.opinion = { unavailable = "no picture was taken." }
    return
  end
  local request, identity = M.request(ctx, verdict, shots)
  -- The time of the run may be over before the answer is there.
  state.opinion = { unavailable = "it was not there when the time of the run was over." }
  local value, answer = qa.llm.object(request)
  local stages, texts = {}, { value and value.what_is_seen }
  for i, shot in ipairs(shots) do
    stages[i] = shot.stage
    shot.image:close()
  end
  -- A cassette that lacks the answer says nothing about the game.
  if not value and answer.kind == "cassette_miss" then error(answer, 0) end
  if not value then
    state.opinion = { unavailable = failure.text(answer) }
    return
  end
  for _, issue in ipairs(value.issues) do texts[#texts + 1] = issue.description end
  if prompt.quoted(request.prompt, texts) then
    state.opinion = { unavailable = "the answer repeats its own prompt." }
    return
  end
  state.opinion = { value = value, stages = stages }
  ctx:event("opinion", { score = value.playability_score, what_is_seen = value.what_is_seen,
    reacts = value.reacts_to_play, usd = answer.usd, prompt = identity })
end

---Lays an opinion over the measured verdict.
---@param verdict table of judge.judge
---@param opinion? table ctx.state.opinion
function M.apply(verdict, opinion)
  if not opinion then return verdict end
  if opinion.unavailable then
    table.insert(verdict.issues, { severity = "minor", kind = "analysis_unavailable", evidence = {},
      description = "The final analysis by a model is missing: " .. opinion.unavailable })
    return verdict
  end
  for _, issue in ipairs(opinion.value.issues) do
    table.insert(verdict.issues, { severity = issue.severity == "critical" and "major" or issue.severity,
      kind = issue.kind,
      description = "Seen by the model: " .. issue.description, evidence = { opinion.stages[issue.picture] } })
  end
  local score = opinion.value.playability_score
  verdict.score = math.min(verdict.score, score)
  if verdict.status == "pass" and score < M.pass_score then
    verdict.status = "inconclusive"
    verdict.missing = { ("The measurements pass; the model that looked at the pictures gives %d of 100. Look at the " ..
      "screenshots."):format(score) }
  end
  return verdict
end

return M
