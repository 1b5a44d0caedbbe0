--- The texts of a page's scripts: those of the game itself, or of the libraries that it loads.
local qa = require "qa"

local M = {}

local function is_library(url, patterns)
  local path = url:lower():gsub("[?#].*$", ""):match("[^/]*$") or ""
  for _, pattern in ipairs(patterns) do
    if path:find(pattern) then return true end
  end
  return false
end

---Bytes of one script, and of all that are read.
local most_each, most_in_all = 1500000, 4000000
---Scripts asked for at once: a busy page answers only between two frames, but then all that was asked.
local at_once = 8

local function origin_of(url) return url:match("^https?://[^/]+/") end

---The text of a script that the browser has forgotten, to save memory: asked of its frame's own server alone.
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
  const is_script = (entry) => /\.m?js$/.test(new URL(entry.name).pathname)
  const fetched = performance.getEntriesByType("resource").filter(is_script)
  const urls = [...Array.from(document.scripts, (script) => script.src), ...fetched.map((entry) => entry.name)]
  return [...new Set(urls)].filter((url) => url).slice(0, 200)
})()]]

---@param wanted {frame: table, url: string, session: string}[]
---@return string[] sources, boolean complete
local function texts_of(page, wanted)
  local sources, total, complete = {}, 0, true
  for from = 1, #wanted, at_once do
    local readers, last = {}, math.min(#wanted, from + at_once - 1)
    for i = from, last do
      local script = wanted[i]
      readers[#readers + 1] = function()
        local parameters = { frameId = script.frame.id, url = script.url }
        local content = page:cdp("Page.getResourceContent", parameters, { frame = script.session, timeout_ms = 2000 })
        return content and not content.base64Encoded and content.content
          or load_again(page, script.frame, script.session, script.url)
      end
    end
    local texts = { qa.all(unpack(readers)) }
    for i = 1, #readers do
      local text = texts[i]
      complete = complete and text ~= nil
      if text and #text < most_each then
        total = total + #text
        sources[#sources + 1] = text
      end
    end
    if total > most_in_all then break end
  end
  return sources, complete
end

---Texts of the game's own scripts, or of the libraries that it loads, from the browser's resource tree.
---@return string[] sources, boolean complete false when one could not be read
function M.sources(page, library_patterns, want_libraries)
  local wanted, listed, complete = {}, {}, true
  local function take(frame, url, session)
    listed[url] = true
    if is_library(url, library_patterns) == (want_libraries or false) then
      wanted[#wanted + 1] = { frame = frame, url = url, session = session }
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
  local sources, all_read = texts_of(page, wanted)
  return sources, complete and all_read
end

return M
