--- Controls: what a player can use, from metadata, from what listens on the page, from the scripts' own key names, and
-- from instructions. A control: {kind = "key"|"click"|"move"|"drag"|"touch"|"wheel"|"text", key?, action?, aliases[]?,
-- source}.
local key_scan = require "qa.input.key_scan"
local page_scripts = require "qa.page.scripts"

local M = {}

local function set_of(list)
  local set = {}
  for _, value in ipairs(list) do set[value] = true end
  return set
end

---What listens for keys without being part of a library: an engine's handler knows every key that any game may use.
local function own_handlers(page, handlers, library_patterns)
  local own, libraries, complete = {}, {}, true
  if #handlers > 0 then libraries, complete = page_scripts.sources(page, library_patterns, true) end
  if not complete then return {} end
  for _, source in ipairs(handlers) do
    local is_own = true
    for _, library in ipairs(libraries) do is_own = is_own and not library:find(source, 1, true) end
    if is_own then own[#own + 1] = source end
  end
  return own
end

---A row of keys that mean the same, as one control; nil when none of them was found.
local function fold_row(row, found, named, taken)
  local control
  for _, key in ipairs(row) do
    if found[key] then
      taken[key] = true
      if not control then
        control = { kind = "key", key = key, action = row.action, aliases = {}, source = "script", weight = found[key] }
      else
        control.aliases[#control.aliases + 1] = key
        control.weight = control.weight + found[key]
        if named[key] and not named[control.key] then
          control.aliases[#control.aliases], control.key = control.key, key
        end
      end
    end
  end
  return control
end

---Weights of keys -> controls: aliases folded, rarely played keys left out. Directions are always among them; the other
---places go to the strongest. Rows come in their order, the rest strongest first.
local function fold_keys(found, lists, most, named)
  local ignored, taken, usual, rows, others, places = set_of(lists.ignored_keys), {}, {}, {}, {}, most
  for i, key in ipairs(lists.usual_keys) do usual[key] = i end
  for i, row in ipairs(lists.alias_rows) do
    local control = fold_row(row, found, named, taken)
    if control and row.is_direction then
      rows[#rows + 1], places = { order = i, control = control }, places - 1
    elseif control then
      others[#others + 1] = { order = i, control = control }
    end
  end
  for key, weight in pairs(found) do
    if not taken[key] and (named[key] or not ignored[key] and weight >= 2) then
      others[#others + 1] = { control = { kind = "key", key = key, aliases = {}, source = "script", weight = weight } }
    end
  end
  local function rank(other)
    return other.order or #lists.alias_rows + (usual[other.control.key] or #lists.usual_keys + 1)
  end
  table.sort(others, function(a, b)
    if a.control.weight ~= b.control.weight then return a.control.weight > b.control.weight end
    if rank(a) ~= rank(b) then return rank(a) < rank(b) end
    return a.control.key < b.control.key
  end)
  local rest = {}
  for i = 1, math.min(#others, math.max(0, places)) do
    local list = others[i].order and rows or rest
    list[#list + 1] = others[i]
  end
  table.sort(rows, function(a, b) return a.order < b.order end)
  local controls = {}
  for _, list in ipairs{ rows, rest } do
    for _, other in ipairs(list) do controls[#controls + 1] = other.control end
  end
  return controls
end

local pointer_events = { click = "click", mousedown = "click", pointerdown = "click", touchstart = "click",
  mouseup = "click", pointerup = "click", dblclick = "click", mousemove = "move", pointermove = "move",
  touchmove = "move", mouseenter = "move", mouseover = "move", pointerenter = "move", pointerover = "move",
  wheel = "wheel", mousewheel = "wheel", dragstart = "drag", drop = "drag", dragover = "drag" }

---Pointer controls from the listeners' types, each once. A page that listens to fingers and to no mouse is touched.
local function pointer_controls(listeners)
  local seen, order, by_mouse = {}, {}, false
  for _, listener in ipairs(listeners) do
    by_mouse = by_mouse or pointer_events[listener.type] ~= nil and not listener.type:find "^touch"
  end
  for _, listener in ipairs(listeners) do
    local kind = pointer_events[listener.type]
    if kind and not by_mouse then kind = "touch" end
    if kind and not seen[kind] then
      seen[kind] = true
      order[#order + 1] = { kind = kind, source = "listener", target = listener.target }
    end
  end
  return order
end

---Controls declared by metadata (qa.game.metadata gives actions and axes with key names), critical ones first.
function M.from_metadata(metadata)
  local controls = {}
  for _, input in ipairs(metadata and metadata.inputs or {}) do
    for i, key in ipairs(input.keys or {}) do
      controls[#controls + 1] = { kind = "key", key = key, action = input.name, aliases = {}, source = "metadata",
        order = i }
    end
  end
  local schema = metadata and metadata.inputSchema
  if schema and schema.type == "mouse-only" then controls[#controls + 1] = { kind = "click", source = "metadata" } end
  return controls
end

---Is the page played with fingers alone?
---@param list? table[] controls
---@return boolean
function M.are_touched(list)
  for _, control in ipairs(list or {}) do
    if control.kind == "touch" then return true end
  end
  return false
end

---All controls that the page offers.
---@param ctx table
---@param text string visible text
---@return table[] controls, boolean declared true when anything at all says that input exists
function M.infer(ctx, text)
  local controls = M.from_metadata(ctx.metadata)
  local listeners = ctx.page:listeners() or {}
  if #controls == 0 then
    local listens, found, handlers = false, {}, {}
    for _, listener in ipairs(listeners) do
      if listener.type:match("^key") then
        listens = true
        handlers[#handlers + 1] = listener.source or ""
      end
    end
    local named = key_scan.named_in_text(text, ctx.lists.aside_words, ctx.lists.restart_words)
    if listens then
      local sources, complete = page_scripts.sources(ctx.page, ctx.lists.library_patterns)
      for _, source in ipairs(sources) do
        key_scan.scan(source, found)
        for _, call in ipairs(ctx.lists.engine_calls) do
          if source:find(call.name, 1, true) then
            for _, key in ipairs(call.keys) do key_scan.count(found, key, 2) end
          end
        end
      end
      if next(found) == nil and complete then
        for _, source in ipairs(own_handlers(ctx.page, handlers, ctx.lists.library_patterns)) do
          key_scan.scan(source, found)
        end
      end
      for key in pairs(named) do key_scan.count(found, key, found[key] and 10 or 1) end
      controls = fold_keys(found, ctx.lists, ctx.options.most_keys, named)
      -- Something listens for keys and nothing tells for which: scripts that are compiled, or too large to read.
      for _, key in ipairs(#controls == 0 and ctx.lists.unread_keys or {}) do
        controls[#controls + 1] = { kind = "key", key = key, aliases = {}, source = "listener" }
      end
      if key_scan.takes_letters(sources, ctx.lists.letter_patterns) then
        controls[#controls + 1] = { kind = "text", source = "script" }
      end
    end
  end
  for _, control in ipairs(pointer_controls(listeners)) do controls[#controls + 1] = control end
  return controls, #controls > 0
end

return M
