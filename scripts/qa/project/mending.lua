-- The executor and the bug hunter at work: a request made of task, failure and files, given to a command or a model. A
-- command changes files itself; a model's answer is written here, where the task names the file. What of it stays is
-- not decided here (qa.project.change_guard).
local qa = require "qa"
local guard = require "qa.project.change_guard"
local internal = require "qa.internal"
local page_text = require "qa.model.page_text"
local prompt = require "qa.model.prompt"
local roles = require "qa.project.roles"
local schema = require "qa.model.schema"
local task_test = require "qa.project.task_test"

local M = {}

local most_bytes = 60000  -- of files in a prompt
local most_files = 40

---Files below a folder that the task names, sorted; for a prompt and for a command's request.
local function named_files(node, ignore)
  local found, skip = {}, {}
  for _, name in ipairs(ignore) do skip[name] = true end
  local function walk(folder)
    for _, name in ipairs(qa.fs.list(folder == "" and node.dir or node.dir .. "/" .. folder) or {}) do
      local plain = name:gsub("/$", "")
      local path = folder == "" and plain or folder .. "/" .. plain
      if not skip[plain] and #found < most_files then
        if name:sub(-1) == "/" then
          walk(path)
        else
          for _, pattern in ipairs(node.task.files or {}) do
            if guard.covers(pattern, path) then
              found[#found + 1] = path
              break
            end
          end
        end
      end
    end
  end
  walk("")
  table.sort(found)
  return found
end

---The files as fenced text, as far as there is room.
local function texts_of(node, paths)
  local parts, room = {}, most_bytes
  for _, path in ipairs(paths) do
    local bytes = qa.fs.read(node.dir .. "/" .. path) or ""
    if #bytes <= room and not bytes:find("\0", 1, true) then
      room = room - #bytes
      parts[#parts + 1] = ("File %s:\n%s"):format(path, (page_text.fence(bytes, "file")))
    else
      parts[#parts + 1] = ("File %s: %d bytes, not shown"):format(path, #bytes)
    end
  end
  return #parts > 0 and table.concat(parts, "\n") or "(none is there yet)"
end

local function answer_schema()
  return schema.object{
    { "reasoning", schema.string{ max = 2000, doc = "What is wrong, and what you change." } },
    { "files", schema.array(schema.object{
      { "path", schema.string{ max = 300, doc = "One of the files that may be changed." } },
      { "content", schema.string{ doc = "The whole new content of the file." } } }, { max = 20 }) },
  }
end

---Writes a model's files where the task names them; the others are counted.
local function write_files(node, files)
  local written, refused = {}, {}
  for _, file in ipairs(files) do
    local is_named = false
    for _, pattern in ipairs(node.task.files or {}) do is_named = is_named or guard.covers(pattern, file.path) end
    if is_named then
      local ok, err = internal.folder_write(node.dir, file.path, file.content)
      if not ok then return nil, err end
      written[#written + 1] = file.path
    else
      refused[#refused + 1] = file.path
    end
  end
  return written, refused
end

---@param ctx table
---@param node table
---@param name "executor"|"bug_hunter"
---@param request table with prompt
---@return {output: string}?, qa.Error?
local function ask(ctx, node, name, request)
  local role = ctx.role(name)
  if not role then return nil, roles.missing(name) end
  if role.command then
    local done, err = roles.command(role, request, { cwd = node.dir, timeout_ms = ctx.options.role_timeout_ms })
    if not done then return nil, err end
    -- Its word for the work is the test's, not its exit code; the code is told, though.
    return { output = done.exit_code == 0 and done.output or ("exit code %d\n%s"):format(done.exit_code, done.output) }
  end
  local value, answer = roles.model(role, request, answer_schema(),
    { purpose = name, timeout_ms = ctx.options.role_timeout_ms })
  if not value then return nil, answer end
  local written, refused = write_files(node, value.files)
  if not written then return nil, refused end
  local note = #refused > 0 and "\nnot written, for the task does not name them: " .. table.concat(refused, ", ") or ""
  return { output = value.reasoning .. note }
end

local function request_of(ctx, node, more)
  local files = named_files(node, ctx.ignore)
  local request = { task = { id = node.id, path = node.path, description = node.task.description or node.task.title
    or node.id }, goal = ctx.plan.project.goal, may_change = node.task.files, files = qa.json.array(files) }
  for key, value in pairs(more) do request[key] = value end
  return request, files
end

---The executor makes a task.
function M.make(ctx, node)
  local test = task_test.find(node, ctx.lists)
  local request, files = request_of(ctx, node, { role = "executor", test_command = test and task_test.describe(test)
    or nil })
  request.prompt = prompt.render("make_task", { task = request.task.description, goal = request.goal or "-",
    test = request.test_command or "none", allowed = table.concat(node.task.files or { "any but tests" }, ", "),
    files = texts_of(node, files) })
  return ask(ctx, node, "executor", request)
end

---What earlier attempts came to, so that they are not made again.
local function earlier_text(hunts)
  local lines = {}
  for i, event in ipairs(hunts) do
    lines[i] = ("Attempt %d: %s"):format(i, event.verdict == "tampered"
      and "changed the test; everything was taken back. The test must stay as it is."
      or event.verdict == "changed" and "changed " .. table.concat(event.kept, ", ") .. "; the test still fails."
      or event.verdict == "outside" and "changed only files that the task does not name; taken back."
        or "changed nothing.")
  end
  return #lines > 0 and table.concat(lines, "\n") or "This is the first attempt."
end

---The bug hunter mends a task (E-008).
---@param failed {test: table, details: string, attempt: integer, earlier: table[]}
function M.mend(ctx, node, failed)
  local command = task_test.describe(failed.test)
  local request, files = request_of(ctx, node,
    { role = "bug_hunter", test_command = command, failure_details = failed.details,
    attempt = failed.attempt, test_files = qa.json.array{ unpack(failed.test.files) } })
  local fenced = page_text.fence(failed.details, "failure")
  request.prompt = prompt.render("mend_task", { task = request.task.description, failure = fenced, test = command,
    allowed = table.concat(node.task.files or {}, ", "), earlier = earlier_text(failed.earlier),
    files = texts_of(node, files) })
  return ask(ctx, node, "bug_hunter", request)
end


return M
