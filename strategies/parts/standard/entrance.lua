--- A title page whose start button is a link: the game is the page that the link leads to.
local decisive = require "parts.standard.decisive"
local links = require "qa.page.links"
local observe = require "parts.standard.observe"
local ready = require "qa.page.ready"
local words = require "qa.page.words"

local M = {}

local function is_start(item, lists)
  local text = item.text ~= "" and item.text or item.name
  local _, whole = words.rank(text, lists.start_words)
  return whole and item.in_viewport and not item.covered and not item.disabled
end

---Are all canvases of the page behind it?
local function is_backdrop(reading)
  for _, frame in ipairs(reading.states) do
    for _, canvas in ipairs(frame.value.canvases) do
      if canvas.visible and not canvas.covered then return false end
    end
  end
  return true
end

---The start link of a page that shows no game and no start button of its own. It leads to a page of the same site.
---@param reading table qa.page.ready.read
---@return table? item of page:clickables
function M.link(ctx, reading)
  if reading.type == "canvas" and not is_backdrop(reading) or reading.type == "iframe" then return nil end
  local link
  for _, item in ipairs(reading.clickables) do
    if is_start(item, ctx.lists) then
      if not links.leads_away(item, ctx.url) then return nil end
      link = link or links.is_of_site(item, ctx.url) and item or nil
    end
  end
  return link
end

---Opens the game and waits until it is ready. Behind a title page that is the page which its start link leads to: there
---it is tested, and opened anew.
---@return table|false|nil result qa.page.ready.wait of the page that is open now, `behind` tells the link; else what a
---hook returns
---@return any reason or error
function M.open(ctx)
  ctx:phase("navigation")
  local ok, err = observe.navigate(ctx)
  if not ok then return ok, err end
  ctx:phase("game_detection")
  local function is_decided() return decisive.by(ctx) end
  local result = ready.wait(ctx, is_decided)
  local link = result.ok and M.link(ctx, result.reading)
  if not link then return result end
  ctx:event("entrance", { text = link.text, url = link.link })
  local title = ctx.url
  ctx.url = link.link
  ok, err = observe.navigate(ctx)
  if not ok and ctx.state.load_error then
    -- An address that the page's own script makes, and its server does not know: reached from the title alone.
    ctx.url, ctx.state.load_error, ctx.state.decided = title, nil, nil
    ok, err = observe.navigate(ctx)
    if ok then
      ready.wait(ctx, is_decided)
      ok, err = ctx.page:mouse_click(link.x, link.y, {})
    end
  end
  if not ok then return ok, err end
  result = ready.wait(ctx, is_decided)
  result.behind = ('behind the link "%s"'):format(link.text ~= "" and link.text or link.name)
  return result
end

return M
