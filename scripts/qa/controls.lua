--- Controls: what a player can use, from metadata, from what listens on the page, from the scripts' own key names,
-- and from instructions. A control is {kind = "key"|"click"|"move"|"drag"|"text", key?, action?, aliases[]?, source}.

local qa = require "qa"
local words = require "qa.words"

local M = {}

local legacy_names = { [8] = "Backspace", [9] = "Tab", [13] = "Enter", [16] = "Shift", [17] = "Control", [18] = "Alt", [27] = "Escape", [32] = "Space",
  [33] = "PageUp", [34] = "PageDown", [35] = "End", [36] = "Home", [37] = "ArrowLeft", [38] = "ArrowUp", [39] = "ArrowRight", [40] = "ArrowDown",
  [46] = "Delete" }

---KeyboardEvent.keyCode -> code, for the codes that games use.
---@return string?
function M.code_name(number)
  if legacy_names[number] then return legacy_names[number] end
  if number >= 65 and number <= 90 then return "Key" .. string.char(number) end
  if number >= 48 and number <= 57 then return "Digit" .. string.char(number) end
  return nil
end

local constant_names = { LEFT = "ArrowLeft", RIGHT = "ArrowRight", UP = "ArrowUp", DOWN = "ArrowDown", SPACE = "Space", ENTER = "Enter",
  LEFT_ARROW = "ArrowLeft", RIGHT_ARROW = "ArrowRight", UP_ARROW = "ArrowUp", DOWN_ARROW = "ArrowDown", SPACEBAR = "Space", RETURN = "Enter",
  left = "ArrowLeft", right = "ArrowRight", up = "ArrowUp", down = "ArrowDown", space = "Space", enter = "Enter" }

local function count(found, key, weight)
  if key then found[key] = (found[key] or 0) + (weight or 1) end
end

---Comparisons of key codes: `keyCode === 37`, `case 37:`, `KEYS = {LEFT: 37}`, `{37: "left"}`.
local function scan_numbers(source, found)
  for number in source:gmatch("[kK]ey[cC]?o?d?e?%s*={2,3}%s*(%d+)") do count(found, M.code_name(tonumber(number)), 2) end
  for number in source:gmatch("[kK]eyCode%s*==?=?%s*(%d+)") do count(found, M.code_name(tonumber(number)), 2) end
  for number in source:gmatch("which%s*==?=?%s*(%d+)") do count(found, M.code_name(tonumber(number)), 2) end
  for number in source:gmatch("(%d+)%s*===?%s*[%w_%.]*[kK]eyCode") do count(found, M.code_name(tonumber(number)), 2) end
  for number in source:gmatch("%[(%d%d)%]") do
    if tonumber(number) >= 37 and tonumber(number) <= 40 then count(found, M.code_name(tonumber(number))) end
  end
  for number in source:gmatch("case%s+(%d%d)%s*:") do count(found, M.code_name(tonumber(number))) end
  for name, number in source:gmatch("['\"]?([%a_]+)['\"]?%s*[:=]%s*(%d%d)%f[%D]") do
    local key = M.code_name(tonumber(number))
    if constant_names[name] == key and key then count(found, key) end
  end
  for number, name in source:gmatch("['\"]?%f[%d](%d%d)['\"]?%s*:%s*['\"]([%a ]+)['\"]") do
    local key = M.code_name(tonumber(number))
    if key and (constant_names[name] == key or words.key_of(name) == key) then count(found, key, 2) end
  end
  for number in source:gmatch("%f[%d](3[7-9])%s*:%s*%d") do count(found, M.code_name(tonumber(number)), 2) end
  for number in source:gmatch("%f[%d](40)%s*:%s*%d") do count(found, M.code_name(tonumber(number)), 2) end
end

---Variables that hold a key code (`var k = e.keyCode`) compared with numbers, and calls like keyIsDown(39).
local function scan_variables(source, found)
  local seen = {}
  for name in source:gmatch("%f[%w_]([%a_][%w_]*)%s*=%s*[^;\n=]-%.keyCode") do
    if not seen[name] and #name < 20 then
      seen[name] = true
      for number in source:gmatch("%f[%w_]" .. name .. "%s*===?%s*(%d+)") do count(found, M.code_name(tonumber(number)), 2) end
    end
  end
  -- Held keys play; pressed ones are often switches.
  for number in source:gmatch("[dD]own%(%s*(%d%d)%s*[,%)]") do count(found, M.code_name(tonumber(number)), 5) end
  for number in source:gmatch("[pP]ressed%(%s*(%d%d)%s*[,%)]") do count(found, M.code_name(tonumber(number)), 2) end
end

---Key names in quotes: 'ArrowLeft', "KeyW", 'Space', key === 'a'.
local function scan_names(source, found)
  for name in source:gmatch("['\"`](Arrow%a+)['\"`]") do
    if name == "ArrowLeft" or name == "ArrowRight" or name == "ArrowUp" or name == "ArrowDown" then count(found, name, 2) end
  end
  for name in source:gmatch("%f[%w](Arrow%a+)%s*:") do
    if constant_names[name:sub(6):upper()] == name then count(found, name, 2) end
  end
  for name in source:gmatch("['\"`](Key%u)['\"`]") do count(found, name, 2) end
  for name in source:gmatch("%f[%w](Key%u)%s*:") do count(found, name, 2) end
  for name in source:gmatch("['\"`](Space)['\"`]") do count(found, name, 2) end
  for name in source:gmatch("['\"`](Enter)['\"`]") do count(found, name, 1) end
  for _, pattern in ipairs{ "%.key%s*==?=?%s*['\"`](.-)['\"`]", "code%s*==?=?%s*['\"`](.-)['\"`]", "case%s*['\"`](.-)['\"`]" } do
    for name in source:gmatch(pattern) do
      if name == " " then count(found, "Space", 2)
      elseif name:match("^%a$") then count(found, "Key" .. name:upper(), pattern:find("case") and 1 or 2) end
    end
  end
  for name in source:gmatch("[kK]ey[%w_]*%(['\"`]([%w ]+)['\"`]") do count(found, words.key_of(name), 2) end
  -- Held keys play; pressed ones are often switches.
  for name in source:gmatch("[dD]own%(%s*['\"`](Key%u)['\"`]") do count(found, name, 2) end
  for _, pattern in ipairs{ "keys?:%s*['\"`]([%a ]+)['\"`]", "bind%(['\"`]([%a ]+)['\"`]" } do
    for name in source:gmatch(pattern) do count(found, words.key_of(name), 2) end
  end
  for name in source:gmatch("[%.%[]['\"`]?([%u_]+)['\"`]?%]?") do
    if constant_names[name] and (name:find("ARROW") or name == "SPACE") then count(found, constant_names[name]) end
  end
  for name in source:gmatch("KEY_([%a_]+)") do count(found, constant_names[name], 2) end
  for name in source:gmatch("[kK][eE][yY][%w_]*%.([%a_]+)") do count(found, constant_names[name], 2) end
  for name in source:gmatch("[kK][eE][yY][%w_]*%.(%u)%f[%W]") do count(found, "Key" .. name, 2) end
end

---Keys that a script names, with weights.
---@param source string
---@param found table<string, number>
function M.scan(source, found)
  scan_numbers(source, found)
  scan_variables(source, found)
  scan_names(source, found)
  return found
end

local function is_library(url, patterns)
  local path = url:lower():gsub("[?#].*$", ""):match("[^/]*$") or ""
  for _, pattern in ipairs(patterns) do
    if path:find(pattern) then return true end
  end
  return false
end

---Bytes of one script, and of all that are read.
local most_each, most_in_all = 1500000, 4000000

local function origin_of(url) return url:match("^https?://[^/]+/") end

---The text of a script that the browser has forgotten, to save memory: asked of its frame's own server once more, and of no other.
---@param frame {id: string, url: string}
---@return string?
local function load_again(page, frame, session, url)
  if not origin_of(url) or origin_of(url) ~= origin_of(frame.url) then return nil end
  local options = { disableCache = false, includeCredentials = true }
  local call = { frame = session, timeout_ms = 2000 }
  local reply = page:cdp("Network.loadNetworkResource", { frameId = frame.id, url = url, options = options }, call)
  local stream = reply and reply.resource.success and reply.resource.stream
  if not stream then return nil end
  local chunk = page:cdp("IO.read", { handle = stream, size = most_each }, call)
  page:cdp("IO.close", { handle = stream }, call)
  return chunk and not chunk.base64Encoded and chunk.data or nil
end

local loaded_scripts = [[(() => {
  const fetched = performance.getEntriesByType("resource").filter((entry) => /\.m?js$/.test(new URL(entry.name).pathname))
  const urls = [...Array.from(document.scripts, (script) => script.src), ...fetched.map((entry) => entry.name)]
  return [...new Set(urls)].filter((url) => url).slice(0, 200)
})()]]

---Texts of the game's own scripts, or of the libraries that it loads, from the browser's resource tree.
---@return string[] sources, boolean complete false when one could not be read
local function script_sources(page, library_patterns, want_libraries)
  local sources, total, complete, listed = {}, 0, true, {}
  local function take(frame, url, session)
    listed[url] = true
    if total > most_in_all or is_library(url, library_patterns) ~= (want_libraries or false) then return end
    local content = page:cdp("Page.getResourceContent", { frameId = frame.id, url = url }, { frame = session, timeout_ms = 2000 })
    local text = content and not content.base64Encoded and content.content or load_again(page, frame, session, url)
    complete = complete and text ~= nil
    if text and #text < most_each then
      total = total + #text
      sources[#sources + 1] = text
    end
  end
  local function walk(tree, session)
    take(tree.frame, tree.frame.url, session)
    for _, resource in ipairs(tree.resources or {}) do
      if resource.type == "Script" then take(tree.frame, resource.url, session) end
    end
    for _, child in ipairs(tree.childFrames or {}) do walk(child, session) end
  end
  local seen = {}
  local frames = page:frames() or {}
  for _, frame in ipairs(frames) do
    if frame.parent == nil or frame.parent == "" or frame.parent == qa.json.null or frame.out_of_process then
      local tree = page:cdp("Page.getResourceTree", {}, { frame = frame.id, timeout_ms = 2000 })
      complete = complete and tree ~= nil
      if tree and not seen[tree.frameTree.frame.id] then
        seen[tree.frameTree.frame.id] = true
        walk(tree.frameTree, frame.id)
      end
    end
  end
  -- The tree leaves out scripts that the browser has forgotten, and with them the modules that they import.
  for _, url in ipairs(frames[1] and page:evaluate(loaded_scripts, { world = "host", timeout_ms = 1000 }) or {}) do
    if not listed[url] then take(frames[1], url, frames[1].id) end
  end
  return sources, complete
end

local function set_of(list)
  local set = {}
  for _, value in ipairs(list) do set[value] = true end
  return set
end

---What listens for keys without being part of a library: an engine's handler knows every key that any game may use.
local function own_handlers(page, handlers, library_patterns)
  local own, libraries, complete = {}, {}, true
  if #handlers > 0 then libraries, complete = script_sources(page, library_patterns, true) end
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

---Weights of keys -> controls: aliases folded, rarely played keys left out. Directions are always among them; the other places go to the
---strongest. Rows come in their order, the rest strongest first.
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
    if not taken[key] and (named[key] or not ignored[key]) and weight >= 2 then
      others[#others + 1] = { control = { kind = "key", key = key, aliases = {}, source = "script", weight = weight } }
    end
  end
  local function rank(other) return other.order or #lists.alias_rows + (usual[other.control.key] or #lists.usual_keys + 1) end
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

local pointer_events = { click = "click", mousedown = "click", pointerdown = "click", touchstart = "click", mouseup = "click", pointerup = "click",
  dblclick = "click", mousemove = "move", pointermove = "move", touchmove = "move", dragstart = "drag", drop = "drag", dragover = "drag" }

---Pointer controls from the listeners' types: press and move together are a drag where both sit on the same kind of target.
local function pointer_controls(listeners)
  local seen, order = {}, {}
  for _, listener in ipairs(listeners) do
    local kind = pointer_events[listener.type]
    if kind and not seen[kind] then
      seen[kind] = true
      order[#order + 1] = { kind = kind, source = "listener", target = listener.target }
    end
  end
  return order
end

---Keys that the instructions name: "use the arrow keys", "WASD to move", "press Z to jump", "moves with the Q and A keys".
---@param text string visible text
---@param aside_words string[] purposes that are no playing
---@return table<string, true>
function M.named_in_text(text, aside_words)
  local named = {}
  text = text:lower():gsub("[ \t\r\n]+", " ")
  if text:find("arrow") or text:find("cursor keys") then
    for _, key in ipairs{ "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown" } do named[key] = true end
  end
  if text:find("%f[%w]wasd%f[%W]") or text:find("w,?%s*a,?%s*s,?%s*d%f[%W]") then
    for _, key in ipairs{ "KeyW", "KeyA", "KeyS", "KeyD" } do named[key] = true end
  end
  if text:find("%f[%w]space%s?bar") or text:find("%f[%w]space%f[%W]") and not text:find("space%s+%a+ers") then named.Space = true end
  for letter, purpose in text:gmatch("%f[%w'\"]['\"]?(%l)['\"]?%s+to%s+(%l%l+)") do
    if letter ~= "a" and letter ~= "i" and not words.first_match(purpose, aside_words) then named[words.key_of(letter)] = true end
  end
  local unquoted = text:gsub("['\"]", "")
  for _, join in ipairs{ " and ", " or ", " & ", "/", ", " } do
    for _, pattern in ipairs{ "%f[%w](%l)" .. join .. "(%l) keys%f[%W]", "%f[%w]keys (%l)" .. join .. "(%l)%f[%W]" } do
      for one, other in unquoted:gmatch(pattern) do named[words.key_of(one)], named[words.key_of(other)] = true, true end
    end
  end
  return named
end

---Controls declared by metadata (qa.metadata gives actions and axes with key names), critical ones first.
function M.from_metadata(metadata)
  local controls = {}
  for _, input in ipairs(metadata and metadata.inputs or {}) do
    for i, key in ipairs(input.keys or {}) do
      controls[#controls + 1] = { kind = "key", key = key, action = input.name, aliases = {}, source = "metadata", order = i }
    end
  end
  local schema = metadata and metadata.inputSchema
  if schema and schema.type == "mouse-only" then controls[#controls + 1] = { kind = "click", source = "metadata" } end
  return controls
end

---Is there a script that compares a key with letters at large?
local function takes_letters(sources, patterns)
  for _, source in ipairs(sources) do
    for _, pattern in ipairs(source:find("%.key") and patterns or {}) do
      if source:find(pattern) then return true end
    end
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
    local named = M.named_in_text(text, ctx.lists.aside_words)
    if listens then
      local sources, complete = script_sources(ctx.page, ctx.lists.library_patterns)
      for _, source in ipairs(sources) do
        M.scan(source, found)
        for _, call in ipairs(ctx.lists.engine_calls) do
          if source:find(call.name, 1, true) then
            for _, key in ipairs(call.keys) do count(found, key, 2) end
          end
        end
      end
      if next(found) == nil and complete then
        for _, source in ipairs(own_handlers(ctx.page, handlers, ctx.lists.library_patterns)) do M.scan(source, found) end
      end
      for key in pairs(named) do count(found, key, found[key] and 10 or 1) end
      controls = fold_keys(found, ctx.lists, ctx.options.most_keys, named)
      if takes_letters(sources, ctx.lists.letter_patterns) then controls[#controls + 1] = { kind = "text", source = "script" } end
    end
  end
  for _, control in ipairs(pointer_controls(listeners)) do controls[#controls + 1] = control end
  return controls, #controls > 0
end

return M
