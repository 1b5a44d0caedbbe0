-- Counts lines, and the lengths of files and functions, in a tree of the project: `name value` a line.
-- usage: qa-host tests/accept/rooms/size.lua ROOT
-- A line over 120 columns counts twice. Functions are found by their outlines: the keywords of blocks in Lua, the
-- indents of clang-format in C++.
local qa = require "qa"

local root = qa.args[1]

local function files_below(folder, patterns, files)
  for _, name in ipairs(assert(qa.fs.list(root .. "/" .. folder))) do
    local path = folder .. "/" .. name:gsub("/$", "")
    local wanted = #patterns == 0
    for _, pattern in ipairs(patterns) do wanted = wanted or name:find(pattern) ~= nil end
    if name:find "/$" then files_below(path, patterns, files) elseif wanted then files[#files + 1] = path end
  end
  return files
end

local function lines_of(text)
  local lines = {}
  for line in text:gsub("([^\n])$", "%1\n"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

---Lines, where one over 120 columns counts twice.
local function weigh(files)
  local count = 0
  for _, path in ipairs(files) do
    for _, line in ipairs(lines_of(assert(qa.fs.read(root .. "/" .. path)))) do
      count = count + (#line:gsub("[\128-\191]", "") > 120 and 2 or 1)
    end
  end
  return count
end

---Blanks out comments and strings; newlines stay.
local function bare_lua(text)
  local function blank(piece) return (piece:gsub("[^\n]", " ")) end
  local out, at = {}, 1
  while at <= #text do
    local first, _, token = text:find("(%-?%-?%[=*%[)", at)
    local next_quote, next_comment = text:find("[\"']", at), text:find("%-%-", at)
    local start = math.min(first or #text + 1, next_quote or #text + 1, next_comment or #text + 1)
    out[#out + 1] = text:sub(at, start - 1)
    if start > #text then break end
    local stop
    if start == first and (not token:find "^%-" or token:find "^%-%-") then
      local level = token:match "%[(=*)%["
      stop = select(2, text:find("]" .. level .. "]", start, true))
    elseif start == next_comment then
      stop = (text:find("\n", start, true) or #text + 1) - 1
    elseif start == next_quote then
      local quote = text:sub(start, start)
      stop = start + 1
      while stop < #text and text:sub(stop, stop) ~= quote do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
    end
    stop = stop or start
    out[#out + 1] = blank(text:sub(start, stop))
    at = stop + 1
  end
  return table.concat(out)
end

local opens = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true }
local function lua_functions(path, text, found)
  local stack = {}
  for number, line in ipairs(lines_of(bare_lua(text))) do
    for word in line:gmatch "[%a_][%w_]*" do
      if opens[word] then
        stack[#stack + 1] = { word = word, line = number }
      elseif word == "end" or word == "until" then
        local block = table.remove(stack)
        if block and block.word == "function" then
          found[#found + 1] = { number - block.line + 1, ("%s:%d"):format(path, block.line) }
        end
      end
    end
  end
end

local no_function = {}
for word in ("namespace struct class enum union extern if for while switch else do try return case"):gmatch "%l+" do
  no_function[word] = true
end

local function cpp_functions(path, text, found)
  local lines = lines_of(text)
  local in_class, start = false, {}
  for number, line in ipairs(lines) do
    local indent = #line:match "^ *"
    if line:find "%S" and indent == 0 then
      if line:find "^[cs][lt][ar][su][sc]t? .*{$" then in_class = true elseif line:find "^}" then in_class = false end
    end
    if (indent == 0 or indent == 2) and line:find "^ *[%a_~]" then start[indent] = number end
    for _, depth in ipairs { 0, 2 } do
      local from = start[depth]
      if from and (depth == 0 or in_class) and line:find "{[^{}]*}?$" then
        local head = table.concat(lines, " ", from, number)
        local word = head:match "^ *([%a_]+)"
        if head:find "%b()" and not no_function[word] and not head:match "^[^(]*=" and not head:find ";.*{" then
          local ending = (" "):rep(depth) .. "}"
          local last = number
          if not line:find "}$" then
            repeat last = last + 1 until not lines[last] or lines[last]:sub(1, depth + 1) == ending
          end
          if line:find "}$" or lines[last] == ending then
            found[#found + 1] = { last - from + 1, ("%s:%d"):format(path, from) }
          end
        end
        start[depth] = nil
      elseif from and line:find ";$" then
        start[depth] = nil
      end
    end
  end
end

local function say(name, list)
  table.sort(list, function(a, b) return a[1] < b[1] end)
  print(name .. "_median", list[math.ceil(#list / 2)][1])
  print(name .. "_worst", list[#list][1], list[#list][2])
end

local function measure(name, files, read_functions)
  local lengths, functions = {}, {}
  for _, path in ipairs(files) do
    local text = assert(qa.fs.read(root .. "/" .. path))
    lengths[#lengths + 1] = { #lines_of(text), path }
    read_functions(path, text, functions)
  end
  say(name .. "_file", lengths)
  say(name .. "_function", functions)
end

local lua = files_below("strategies", { "%.lua$" }, files_below("scripts", { "%.lua$" }, {}))
local native = files_below("bindings", {}, files_below("host", {}, {}))
local cpp = files_below("bindings", { "%.cpp$", "%.h$" }, files_below("host", { "%.cpp$", "%.h$" }, {}))
print("lua_lines", weigh(lua))
print("native_lines", weigh(native))
measure("lua", lua, lua_functions)
measure("cpp", cpp, cpp_functions)
