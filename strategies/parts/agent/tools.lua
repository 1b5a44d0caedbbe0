--- Tools of the agent (C-042): the actions of the vocabulary, navigate, extract and done. A strategy adds its own by
--   lists = { tools = qa.inherit{ score = { doc = "...", parameters = qa.schema.object{...},
--     run = function(ctx, args) return "..." end } } }
-- run returns what the model is told, or nil and an error; action instead of run returns an action of the vocabulary.
local qa = require "qa"
local actions = require "qa.input.actions"
local reader = require "qa.page.reader"
local failure = require "qa.text.failure"
local page_text = require "qa.model.page_text"
local targets = require "qa.game.target"
local utf8 = require "qa.text.utf8"

local s = qa.schema

local M = {}

---What each action is for, as the model is told.
local purposes = {
  click = "Click or tap a point.", double_click = "Click a point twice.", drag = "Drag from one point to another.",
  press = "Press a key, once or several times.", hold = "Hold a key or the pointer down.", type = "Type text.",
  scroll = "Turn the wheel.", move = "Move the pointer.", wait = "Wait.", burst = "Click or press many times in a row.",
}

---The actions as tools; what they do goes through qa.input.actions like all input.
---@param names string[]
function M.of_actions(names)
  local tools = {}
  for _, name in ipairs(names) do
    tools[name] = { doc = purposes[name] or name,
      parameters = actions.schema{ actions = { name }, reasoning = { max = 200 }, confidence = false },
      action = function(_, args) return args end }
  end
  return tools
end

local function refused(message, ...)
  return nil, failure.new("navigation_denied", message:format(...), "agent.navigate")
end

---Where navigate goes: an absolute address, or a path of the game's own origin.
---@param ctx table
---@param address string
---@return string? url, qa.Error?
function M.address(ctx, address)
  local shown = utf8.shorten(utf8.printable(address), 80)
  if address:find "[%c%s\\]" then return refused("%q is no address", shown) end
  local own = targets.origin_of(ctx.url)
  if not own then return refused("%s: the game's own address has no origin to keep to", shown) end
  local scheme = address:lower():match "^(%a[%w+.%-]*):"
  if not scheme then
    if address:find "^//" then return refused("%s: leaves the game", shown) end
    if address:find "^/" then return own .. address end
    if address:find "^[?#]" then return ctx.url:gsub("[?#].*$", "") .. address end
    return ctx.url:gsub("[?#].*$", ""):gsub("[^/]*$", "") .. address
  end
  local origin = targets.origin_of(address)
  if not origin then return refused("%s: only http and https addresses can be opened", shown) end
  if origin ~= own and not ctx.options.off_origin then
    return refused("%s: not on the game's own origin, which the run does not leave", shown)
  end
  return address
end

M.tools = {
  navigate = {
    doc = "Open an address: one of this game, or a path of it. Reloads the game where the address is its own.",
    parameters = s.object{ { "url", s.string{ min = 1, max = 500 } } },
    run = function(ctx, args)
      local url, err = M.address(ctx, args.url)
      if not url then return nil, err end
      local loaded
      loaded, err = ctx.page:navigate(url, { wait = "dom", timeout_ms = ctx.options.navigation_ms })
      if not loaded then return nil, err end
      return ("opened, the server answered %d"):format(loaded.status)
    end,
  },
  extract = {
    doc = "Read what the page says: its text, and what is written on its canvases.",
    parameters = s.object{},
    run = function(ctx)
      local text = utf8.printable(reader.text(ctx.page)):gsub("[ \t]+", " "):gsub("\n%s*\n+", "\n")
      return page_text.fence(utf8.shorten(text, ctx.options.extract_bytes), "page")
    end,
  },
  done = {
    doc = "End the play: the objectives are reached, or cannot be.",
    parameters = s.object{ { "success", s.boolean{ doc = "Were the objectives reached?" } },
      { "message", s.string{ max = 1000, doc = "What was seen." } } },
    run = function(ctx, args)
      local agent = ctx.state.agent
      agent.completed, agent.success, agent.message = true, args.success, utf8.printable(args.message)
      return "the play ends"
    end,
  },
}

return M
