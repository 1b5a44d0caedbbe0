-- The model's part of a strategy without a browser: a scripted model, and pictures as the spec says. Everything between
-- is real: prompts, the form of answers, limits, actions, memory, what is told to the report.
local context = require "qa.run.context"
local groups = require "qa.effect.groups"
local qa = require "qa"
local report_of = require "qa.run.report"
local scripted_model = require "qa.model.scripted_model"
local strategies = require "qa.run.strategy_file"

local M = {}

---A page on which nothing is to be seen; what it is asked to do is in `log`.
local function page_of(rows)
  local page = { log = {} }
  for _, name in ipairs{ "press", "mouse_click", "mouse_drag", "type", "wheel", "move" } do
    page[name] = function(_, ...)
      table.insert(page.log, { name, ... })
      return true
    end
  end
  function page.clickables() return rows or {} end
  function page.listeners() return {} end
  function page.content() return "<p>ROOM</p>" end
  function page.probe() return {} end
  function page.watch() return nil, { kind = "page_closed", message = "nothing to see" } end
  function page.health() return { counts = {}, hung = false } end
  function page.is_closed() return false end
  function page.settle()
    page.settled = (page.settled or 0) + 1
    return { verdict = "settled", last_change_ms = 0, quiet = {} }
  end
  return page
end

---An image that nobody looks at. hash says which screen it shows.
local function image_of(hash)
  local image = { is_open = true }
  function image.size() return 1024, 576 end
  function image.resize() return image_of(hash) end
  function image.hash() return hash end
  function image.close() image.is_open = false end
  return image
end

local function context_of(strategy, opts)
  -- The view is as large as the pictures that the model sees: its pixels are the page's.
  local options, limits = require("qa.run.options").resolve(strategy, opts.set)
  local ctx = context.new{ strategy = strategy, options = options, limits = limits, lists = strategy.lists,
    url = "http://127.0.0.1:1/", dir = "",
    width = 1024, height = 576, quiet = true, page = page_of(opts.rows), metadata = opts.metadata,
    log = { info = function() end, debug = function() end } }
  ctx.events = {}
  function ctx:event(name, data)
    -- As the journal keeps it: plain data.
    data = qa.json.decode(qa.json.encode(data or {}))
    table.insert(self.events, { name = name, data = data, elapsed_ms = self:elapsed_ms() })
    report_of.fold(self.fold, { t_ms = 0, op = "event", args = { name = name, data = data } })
  end
  local shots = 0
  function ctx:picture(stage)
    shots = shots + 1
    local path = ("shots/%03d_%s.png"):format(shots, stage)
    self:event("screenshot", { stage = stage, path = path })
    return image_of(opts.screen and opts.screen(self) or "screen"), path
  end
  ctx.elapsed = 0
  function ctx:elapsed_ms() return self.elapsed end
  function ctx.wait() end
  ctx.budget = { is_near_cap = function() return opts.near_cap and opts.near_cap(ctx) or false end,
    state = function() return { cap = 0.5 } end,
    spent = function() return 0 end, keep = function() return true end }
  ctx.state.trials, ctx.state.controls = {}, {}
  return ctx
end

---Plays until the model's part is over.
---@param name string of the strategy, or a merged one
---@param opts {answers: table, effects?: fun(n: integer, ctx: table): string?, set?: table, screen?: function,
---near_cap?: function, before?: fun(ctx: table)} effects: what is seen of the n-th group: "yes", "no", "unknown",
---"blind": it could not be watched; before: called before each step
---@return table played {ctx, reason, asked, log, groups: assessments}
function M.play(name, opts)
  local strategy = type(name) == "table" and name or strategies.load(name)
  local ctx = context_of(strategy, opts)
  local real_assess, real_load, assessed = groups.assess, qa.image.load, {}
  function groups.assess(_, act)
    local n = #assessed + 1
    act()
    local effect = opts.effects and opts.effects(n, ctx) or "yes"
    assessed[n] = effect
    if effect == "blind" then return nil, { kind = "timeout", message = "the scene could not be watched" } end
    return { progressed = effect, still = true, rests = true, regions = {}, cells = 9, control_cells = 0,
      page_changed = false,
      trial = { control = {}, input = effect == "yes" and { 1, 2, 3, 4, 5, 6, 7, 8, 9 } or {}, still = effect ~= "yes",
        moved = effect == "yes" } }
  end
  function qa.image.load() return image_of(opts.screen and opts.screen(ctx) or "screen") end
  local ok, err, asked = pcall(scripted_model.run, { action = opts.answers }, function()
    for _ = 1, opts.most_steps or 400 do
      if ctx.state.led_until then return end
      if opts.before then opts.before(ctx) end
      ctx.this_step = {}
      local going, reason = strategy.step(ctx)
      ctx:event("step", ctx.this_step)
      if not going then error("the step ended the run: " .. tostring(reason)) end
    end
    error("the model's part did not end")
  end)
  groups.assess, qa.image.load = real_assess, real_load
  if not ok then error(err, 0) end
  return { ctx = ctx, reason = ctx.state.led_until, asked = asked, log = ctx.page.log, assessed = assessed,
    report = report_of.build(ctx.fold),
    events = ctx.events }
end

---A strategy of the spec's own.
function M.strategy(fields) return strategies.load("tests/lua/samples/quick.lua", fields) end

---Events of a name.
function M.events(played, name)
  local found = {}
  for _, event in ipairs(played.events) do
    if event.name == name then found[#found + 1] = event.data end
  end
  return found
end

---An action as the model writes it.
function M.action(name, target, more)
  local made = { reasoning = "because", action = name, target = target or qa.json.null, to = qa.json.null,
    text = qa.json.null, hold_ms = qa.json.null,
    wait_ms = qa.json.null, ["repeat"] = qa.json.null, confidence = 0.5 }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

function M.click(x, y, more) return M.action("click", { x = x, y = y }, more) end
function M.press(key, more) return M.action("press", { key = key }, more) end

---A recommendation of the adaptive strategy.
function M.recommend(action, ...)
  local others = qa.json.array{ ... }
  for i, other in ipairs(others) do
    local copy = {}
    for key, value in pairs(other) do copy[key] = value end
    copy.confidence = nil
    others[i] = copy
  end
  return { recommendation = action, alternatives = others }
end

---A group of the action_groups strategy.
function M.group(confidence, list, more)
  local made = { reasoning = "a strategy of its own", confidence = confidence, actions = qa.json.array(list) }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

function M.groups(...) return { groups = qa.json.array{ ... } } end

return M
