-- A title page whose start button is a link.
local entrance = require("qa.run.strategy_file").part "standard.entrance"
local lists = require("qa.run.strategy_file").load("standard").lists

local url = "http://127.0.0.1:4000/game/index.html"
local function item(fields)
  local value = { text = "", name = "", tag = "a", href = "play.html", link = "http://127.0.0.1:4000/game/play.html",
    in_viewport = true,
    covered = false, disabled = false }
  for key, field in pairs(fields) do value[key] = field end
  return value
end
local function link_of(kind, ...)
  local canvas = { visible = true, covered = kind == "backdrop" }
  return entrance.link({ url = url, lists = lists },
    { type = kind == "backdrop" and "canvas" or kind, clickables = { ... },
    states = { { value = { canvases = { canvas } } } } })
end

return {
  ["a start link leads to the game where the page has neither game nor start button"] = function(t)
    local start, about = item{ text = "Start Game" }, item{ text = "About",
      link = "http://127.0.0.1:4000/game/about.html" }
    t.equal(link_of("dom", about, start, item{ text = "Play" }), start)
    t.equal(link_of("dom", item{ name = "play now" }).name, "play now")
    t.equal(link_of("dom", about), nil)
    t.equal(link_of("dom"), nil)
    t.equal(link_of("canvas", start), nil)
    t.equal(link_of("backdrop", start), start)
    t.equal(link_of("iframe", start), nil)
    for _, own in ipairs{ { tag = "button", href = "", link = "" }, { href = "#", link = url .. "#" } } do
      own.text = "Play"
      t.equal(link_of("dom", start, item(own)), nil)
    end
  end,

  ["what a user could not press, other words, and links to other sites do not lead to the game"] = function(t)
    for _, fields in ipairs{ { covered = true }, { in_viewport = false }, { disabled = true }, { text = "Start page" },
      { text = "How to play" },
      { href = "https://example.com/game", link = "https://example.com/game" },
      { href = "mailto:a@b.c", link = "mailto:a@b.c" } } do
      fields.text = fields.text or "Play"
      t.equal(link_of("dom", item(fields)), nil)
    end
  end,

  ["a game whose address only the page's own script knows is entered by a click"] = function(t)
    local qa = require "qa"
    local options, told = {}, {}
    for name, option in pairs(require("qa.run.strategy_file").load("standard").options) do
      options[name] = option.default
    end
    local server = assert(qa.serve("tests/strategies/pages/routes"))
    local browser = assert(qa.browser.launch{})
    local ctx = { page = assert(browser:new_page{ width = 640, height = 360 }), url = server.url, width = 640,
      height = 360, options = options, lists = lists,
      state = {}, phase = function() end, event = function(_, name) told[#told + 1] = name end }
    local result, err = entrance.open(ctx)
    local path = ctx.page:evaluate("location.pathname")
    browser:close()
    t.truthy(result and result.ok, err)
    t.equal({ result.type, ctx.url, ctx.state.load_error, ctx.state.decided, told },
      { "canvas", server.url, nil, nil, { "entrance" } })
    t.truthy(path and path:find("level/1", 1, true), path)
  end,
}
