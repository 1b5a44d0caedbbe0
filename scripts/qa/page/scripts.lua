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

---The text of a script; one that the browser has forgotten, to save memory, is asked of its document's own server once
---more, and of no other.
---@param script {url: string, frame: string, document: string}
---@return string?
local function text_of(page, script)
  local text = page:resource_text(script.url, { frame = script.frame, timeout_ms = 2000 })
  if text or not origin_of(script.url) or origin_of(script.url) ~= origin_of(script.document) then return text end
  return page:load_resource(script.url, { frame = script.frame, most_bytes = most_each, timeout_ms = 2000 })
end

-- While a page still loads, a script of it may never come.
local loaded_scripts = [[(() => {
  const is_script = (url) => /\.m?js$/.test(new URL(url).pathname)
  const fetched = new Set(performance.getEntriesByType("resource").map((entry) => entry.name))
  const has_come = (url) => document.readyState === "complete" || fetched.has(url)
  const urls = [...Array.from(document.scripts, (script) => script.src).filter(has_come),
    ...Array.from(fetched).filter(is_script)]
  return [...new Set(urls)].filter((url) => url).slice(0, 200)
})()]]

---@param wanted {url: string, frame: string, document: string}[]
---@return string[] sources, boolean complete
local function texts_of(page, wanted)
  local sources, total, complete = {}, 0, true
  for from = 1, #wanted, at_once do
    local readers = {}
    for i = from, math.min(#wanted, from + at_once - 1) do
      readers[#readers + 1] = function() return text_of(page, wanted[i]) end
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
  local function take(script)
    listed[script.url] = true
    if is_library(script.url, library_patterns) == (want_libraries or false) then wanted[#wanted + 1] = script end
  end
  local seen = {}
  local frames = page:frames() or {}
  for _, frame in ipairs(frames) do
    if frame.parent == nil or frame.parent == "" or frame.parent == qa.json.null or frame.out_of_process then
      local resources = page:resources{ frame = frame.id, timeout_ms = 2000 }
      complete = complete and resources ~= nil
      if resources and not seen[resources[1].frame] then
        seen[resources[1].frame] = true
        for _, resource in ipairs(resources) do
          if resource.type == "Script" or resource.type == "Document" then take(resource) end
        end
      end
    end
  end
  -- The list leaves out scripts that the browser has forgotten, and with them the modules that they import.
  for _, url in ipairs(frames[1] and page:evaluate(loaded_scripts, { world = "host", timeout_ms = 1000 }) or {}) do
    if not listed[url] then take{ url = url, frame = frames[1].id, document = frames[1].url } end
  end
  local sources, all_read = texts_of(page, wanted)
  return sources, complete and all_read
end

return M
