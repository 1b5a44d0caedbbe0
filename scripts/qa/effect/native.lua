-- What differs between two worlds that the browser shows by itself: the frame around what has the focus, what is typed,
-- text that is marked, another part of the page. It tells nothing of a game.
local browser_looks = require "qa.page.browser_looks"
local worlds = require "qa.world.world"

local M = {}

---The browser draws a frame around what has the keyboard's focus: so far around its box, and so far into it.
local FRAME_OUTSIDE, FRAME_INSIDE = 6, 5

local function is_around(box, region)
  return region.x >= box.x - FRAME_OUTSIDE and region.y >= box.y - FRAME_OUTSIDE
    and region.x + region.width <= box.x + box.width + FRAME_OUTSIDE
    and region.y + region.height <= box.y + box.height + FRAME_OUTSIDE
end

---Do both show the same inside of a box?
local function same_inside(world, twin, box)
  local clip = { x = box.x + FRAME_INSIDE, y = box.y + FRAME_INSIDE, width = box.width - 2 * FRAME_INSIDE,
    height = box.height - 2 * FRAME_INSIDE }
  if clip.width < 1 or clip.height < 1 then return true end
  local mine, theirs = world.page:screenshot{ clip = clip }, twin.page:screenshot{ clip = clip }
  local diff = mine and theirs and mine:diff(theirs)
  return diff ~= nil and diff.identical
end

---Has the browser written what differs in the fields of both? A key writes a letter; a game may write more.
---@param move table
local function is_typed(world, twin, move)
  local words = worlds.other_words(world, twin)
  if not words or not words.inputs or not (move.x or move.action == "press") then return true end
  return math.abs(#words.inputs[1] - #words.inputs[2]) <= (move.x and 0 or move.count or 1)
end

---Is all that differs the frame around what has the focus, or what is written into the field that has it? An input that
---moves it, makes it show, or fills it, tells nothing of a game.
function M.is_focus(world, twin, regions, move)
  local looks = { browser_looks.native_looks(world.page), browser_looks.native_looks(twin.page) }
  for _, region in ipairs(regions) do
    local is_known = false
    for _, seen in ipairs(looks) do
      local box = seen.focused
      is_known = is_known or box ~= nil and is_around(box, region) and (seen.writes or same_inside(world, twin, box))
    end
    if not is_known then return false end
  end
  return #regions > 0 and is_typed(world, twin, move)
end

---Text that is marked, in the page and in frames of its own site.
local MARKED = [[(() => {
  const of = (view) => { try { return String(view.getSelection()); } catch { return ""; } };
  return [window, ...Array.from(window.frames)].map(of).join("");
})()]]
local UNMARK = [[(() => {
  for (const view of [window, ...Array.from(window.frames)]) try { view.getSelection().removeAllRanges(); } catch {}
})()]]

---@return boolean do both show the same at this frame? What could not be looked at is not the same.
local function shows_same(world, twin, frame)
  local ahead = frame - world:frame()
  if ahead > 0 and not worlds.step({ world, twin }, ahead) then return false end
  local found, picture, err = worlds.difference(world, twin)
  if picture then picture:close() end
  return not found and not err
end

---What has the keyboard's focus, by the order of elements; and frames in which its look fades.
local ACTIVE = "Array.from(document.querySelectorAll('*')).indexOf(document.activeElement)"
local FOCUS_FRAMES = 20

---Is all that differs how the page shows what has the focus? Nothing has it in both then.
function M.is_focus_look(world, twin)
  local mine = world.page:evaluate(ACTIVE, { read_only = true })
  if mine == twin.page:evaluate(ACTIVE, { read_only = true }) then return false end
  for _, each in ipairs{ world, twin } do each.page:evaluate("void document.activeElement?.blur()") end
  return shows_same(world, twin, world:frame() + FOCUS_FRAMES)
end

---Are both the same when nothing has the keyboard's focus?
function M.is_same_unfocused(world, twin)
  for _, each in ipairs{ world, twin } do each.page:evaluate("void document.activeElement?.blur()") end
  return shows_same(world, twin, world:frame() + 1)
end

---Takes the mark off all text of a page; it can be done again to a fork, whose frames have other names.
---@return boolean was_marked
local function unmark(page)
  local text = page:evaluate(MARKED, { read_only = true })
  if type(text) ~= "string" or text == "" then return false end
  page:evaluate(UNMARK)
  return true
end

---Is all that differs that text is marked, as dragging over a page does? It is not marked any more then.
function M.is_selection(world, twin)
  local first, second = unmark(world.page), unmark(twin.page)
  return (first or second) and shows_same(world, twin, world:frame())
end

---Where the page, and what scrolls in it, is scrolled to, in CSS pixels, by the order of elements; and back to there.
local SCROLLED = [[(() => {
  const at = {};
  document.querySelectorAll('*').forEach((element, i) => {
    if (element.scrollLeft || element.scrollTop) at[i] = [element.scrollLeft, element.scrollTop];
  });
  return JSON.stringify([scrollX, scrollY, at]);
})()]]
local SCROLL_BACK = [[(text) => {
  const [left, top, at] = JSON.parse(text);
  scrollTo({left, top, behavior: 'instant'});
  document.querySelectorAll('*').forEach((element, i) => {
    const [x, y] = at[i] ?? [0, 0];
    if (element.scrollLeft !== x || element.scrollTop !== y) element.scrollTo({left: x, top: y, behavior: 'instant'});
  });
}]]

---Is all that differs where the page, or a part of it, is scrolled to? Both stand where the twin is then.
function M.is_scrolling(world, twin)
  local mine = world.page:evaluate(SCROLLED, { read_only = true })
  local theirs = twin.page:evaluate(SCROLLED, { read_only = true })
  if type(mine) ~= "string" or type(theirs) ~= "string" or mine == theirs then return false end
  world.page:evaluate(SCROLL_BACK, { args = { theirs } })
  return shows_same(world, twin, world:frame() + 1)
end

return M
