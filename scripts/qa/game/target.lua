-- What to test: a URL, a folder or an .html file. Folders are served on
-- loopback. Anything else is refused before a run begins.
local qa = require "qa"
local failure = require "qa.text.failure"

local M = {}

---@param text string
---@return string lower-case letters, digits and dashes, at most 40, never empty
function M.slug(text)
  local slug = tostring(text):lower():gsub("[^%l%d]+", "-"):gsub("^%-+", ""):gsub("%-+$", ""):sub(1, 40):gsub("%-+$",
    "")
  return slug == "" and "game" or slug
end

local function url_slug(url)
  local host, path = url:match("^%a+://([^/?#]*)([^?#]*)")
  path = (path or ""):gsub("/index%.html?$", ""):gsub("%.html?$", ""):gsub("/+$", "")
  local last = path:match("([^/]+)$")
  if last then return M.slug(last) end
  -- A loopback host says nothing about the game, and its port changes with every run.
  host = (host or ""):gsub(":%d+$", "")
  if host == "localhost" or host:match("^127%.") or host == "[::1]" then return "game" end
  return M.slug(host)
end

---Scheme, host and port of an http or https address, in lower case; nil for what has a user, or another scheme.
---@param url string
---@return string?
function M.origin_of(url)
  local origin, rest = url:match "^(%a+://[%w._%-]+:?%d*)(.*)$"
  if not origin then origin, rest = url:match "^(%a+://%[[%x:]+%]:?%d*)(.*)$" end
  if not origin or rest ~= "" and not rest:find "^[/?#]" then return nil end
  origin = origin:lower()
  return origin:find "^https?:" and origin or nil
end

local function path_slug(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do if part ~= "." then parts[#parts + 1] = part end end
  local last = parts[#parts] or "game"
  if last:lower():match("^index%.html?$") then last = parts[#parts - 1] or last end
  return M.slug((last:gsub("%.html?$", "")))
end

---Says what a target is, without starting anything. Raises one sentence for what cannot be tested.
---@param target string
---@return {kind: "url"|"path", target: string, slug: string}
function M.classify(target)
  if type(target) ~= "string" or target == "" then error("no target: give a URL, a folder or an .html file", 0) end
  local stat = qa.fs.stat(target)
  if stat and stat.kind == "folder" then
    local index = qa.fs.stat(target:gsub("/+$", "") .. "/index.html")
    if not index then error(("%s: the folder has no index.html; name the .html file to open"):format(target), 0) end
    return { kind = "path", target = target, slug = path_slug(target) }
  elseif stat then
    if target:lower():match("%.html?$") then return { kind = "path", target = target, slug = path_slug(target) } end
    error(("%s: not an .html file"):format(target), 0)
  end
  local scheme = target:lower():match("^(%a[%w+.-]*):")
  if scheme == "http" or scheme == "https" then
    local authority = target:match("^%a+://([^/?#]*)")
    if not authority or authority == "" then error(("%s: the URL has no host"):format(target), 0) end
    if authority:find("@", 1, true) then error("a URL with a user name or password is refused", 0) end
    return { kind = "url", target = target, slug = url_slug(target) }
  end
  if target:match("^[%w.-]+:%d+") then error(("%s: did you mean http://%s?"):format(target, target), 0) end
  if scheme then error(("%s: only http and https URLs, folders and .html files can be tested"):format(target), 0) end
  error(("%s: no such file or folder"):format(target), 0)
end

---Serves the target where it is a path.
---@param found table from classify
---@param tape? qa.Tape keeps what is served
---@return {url: string, origin?: string, slug: string}
function M.open(found, tape)
  if found.kind == "url" then return { url = found.target, slug = found.slug } end
  local server, err = qa.serve(found.target, { tape = tape })
  if not server then error(("%s: %s"):format(found.target, failure.text(err)), 0) end
  return { url = server.url, origin = server.origin, slug = found.slug }
end

return M
