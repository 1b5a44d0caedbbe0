-- usage: qa-host plan create "GOAL" [--to FILE] [--from PHASES.json] [--yes | --no | --customize 1,3]
--                              [--flat] [--max-depth N] [--planner WHO]
--        qa-host plan run FILE [-j N] [--executor WHO] [--bug-hunter WHO] [--planner WHO] [--policy NAME|FILE]
--                              [--set k=v] [--retry] [--accept-tests] [--max-depth N] --allow-process
--        qa-host plan show FILE [--depth N]           what is to be done
--        qa-host plan status FILE [TASK] [--depth N]  what has become of it; TASK is a path such as phase-2/buffer
--
-- Projects whose tasks are complete when their tests pass (docs/plans.md). WHO is the name of an endpoint or a command
-- ("my-agent --fix"; a word {prompt} becomes the prompt).
local qa = require "qa"
local failure = require "qa.text.failure"
local internal = require "qa.internal"
local plan_context = require "qa.project.plan_context"
local plan_file = require "qa.project.plan_file"
local plan_review = require "qa.project.plan_review"
local plan_state = require "qa.project.plan_state"
local plan_text = require "qa.project.plan_text"
local words = require "qa.run.command_words"

---A worker whose supervisor was killed needs a moment to end.
local lock_patience_ms = 3000

local role_names = { "executor", "bug-hunter", "planner" }
local with_value = { "to", "from", "customize", "max-depth", "depth", "jobs", "policy", "set", unpack(role_names) }
local flags = { yes = true, no = true, flat = true, retry = true, ["accept-tests"] = true }

---Words without flags, which take no value, and -j as --jobs.
local function take_flags(arguments)
  local rest, given = {}, {}
  for _, word in ipairs(arguments) do
    local flag = word:match "^%-%-([%w-]+)$"
    if flag and flags[flag] then
      given[flag] = true
    elseif word:match "^%-j" then
      rest[#rest + 1] = "--jobs"
      if #word > 2 then rest[#rest + 1] = word:sub(3) end
    else
      rest[#rest + 1] = word
    end
  end
  return rest, given
end

local function whole(options, name, least, most)
  if options[name] == nil then return nil end
  local number = tonumber(options[name])
  if not number or number ~= math.floor(number) or number < least or number > most then
    error(("qa-host plan: --%s: expected a number from %d to %d, got '%s'"):format(name, least, most, options[name]), 0)
  end
  return number
end

---@return table ctx
local function context(options)
  local given = {}
  for _, name in ipairs(role_names) do given[(name:gsub("-", "_"))] = options[name] end
  return plan_context.new{ policy = options.policy, set = options.set, roles = given,
    max_depth = whole(options, "max-depth", 0, plan_file.largest_depth) }
end

local function print_lines(lines)
  for _, line in ipairs(lines) do print(line) end
end

---Is there anything that needs a program to be started?
local function needs_process(ctx)
  for _, name in ipairs{ "executor", "bug_hunter", "planner" } do
    local role = ctx.role(name)
    if role and role.command then return true end
  end
  for _, node in pairs(ctx.tree.by_path) do
    if not node.children and node.task.requires_testing ~= false and not node.task.test_game then return true end
  end
  return false
end

local function publish(ctx)
  ctx.store:write("report.json", qa.json.encode(plan_review.report(ctx)) .. "\n")
  ctx.store:write("report.md", plan_review.markdown(ctx))
end

local actions = {}

function actions.run(arguments, options, given)
  local path = arguments[2] or error(words.misuse, 0)
  plan_file.load(path)  -- what is wrong with it is told before anything is locked or made
  local store = plan_state.open(path, lock_patience_ms)
  local ok, result = pcall(function()
    local ctx = plan_context.open(context(options), path, store)
    ctx.jobs = whole(options, "jobs", 1, 16) or 1
    if needs_process(ctx) and not qa.process.is_allowed() then
      error("the plan starts programs (tests, roles): run it with --allow-process", 0)
    end
    store:append{ op = "run", utc = qa.utc(), version = qa.version,
      plan_sha256 = qa.fs.sha256(assert(qa.fs.read(path))) }
    if given.retry then plan_context.retry(ctx) end
    plan_context.note_tests(ctx, given["accept-tests"])
    local is_complete = require("qa.project.plan_run").run(ctx)
    publish(ctx)
    print_lines(plan_text.tree(store, ctx.tree.root))
    print_lines(plan_review.lines(ctx))
    print("report " .. store.folder .. "/report.md")
    if not is_complete and not given.retry then print("`qa-host plan run --retry` tries what failed again") end
    return { exit_code = is_complete and 0 or 1 }
  end)
  store:close()
  if not ok then error(result, 0) end
  return result
end

---Reads a plan and its state without keeping anybody out.
local function look(path, options)
  return plan_context.open(context(options), path, plan_state.read(path))
end

function actions.show(arguments, options)
  local ctx = look(arguments[2] or error(words.misuse, 0), options)
  print_lines(plan_text.tree(ctx.store, ctx.tree.root, { depth = whole(options, "depth", 1, 99), with_state = false }))
  return { exit_code = 0 }
end

function actions.status(arguments, options)
  local ctx = look(arguments[2] or error(words.misuse, 0), options)
  local wanted = arguments[3]
  if not wanted then
    print_lines(plan_text.tree(ctx.store, ctx.tree.root, { depth = whole(options, "depth", 1, 99) }))
    print_lines(plan_review.lines(ctx))
    return { exit_code = 0 }
  end
  local node = ctx.tree.by_path[wanted]
  if not node then
    local spelling = require "qa.text.spelling"
    error(("%s has no task '%s'%s"):format(arguments[2], wanted,
      spelling.hint(wanted, spelling.names(ctx.tree.by_path))), 0)
  end
  print_lines(node.children and plan_text.tree(ctx.store, node, { depth = whole(options, "depth", 1, 99) })
    or plan_text.task(ctx.store, node))
  return { exit_code = 0 }
end

function actions.create(arguments, options, given)
  local planner = require "qa.project.planner"
  local goal = arguments[2] or error(words.misuse, 0)
  local path = options.to or (require("qa.game.target").slug(goal) .. ".json")
  if qa.fs.stat(path) then error(path .. ": is there already; name another file with --to", 0) end
  local ctx = context(options)
  ctx.folder = path:match "^(.*)/[^/]*$" or "."
  ctx.say_line = function(line) print((line:gsub("[%c]", " "))) end
  ctx.ask_person = function(question)
    print(question)
    local answer = internal.read_line()
    if not answer then error("nobody answers: give --yes, --no or --customize 1,3", 0) end
    return answer
  end
  local project, err = planner.create(ctx, { goal = goal, is_flat = given.flat,
    max_depth = whole(options, "max-depth", 0, plan_file.largest_depth),
    phases = options.from and planner.phases_of_file(options.from),
    answer = given.yes and "yes" or given.no and "no" or options.customize })
  if not project then error(failure.text(err), 0) end
  local plan = { project = project, path = path, folder = ctx.folder }
  local saved, problem = plan_file.save(plan)
  if not saved then error(failure.text(problem), 0) end
  ctx.store = plan_state.read(path)
  print_lines(plan_text.tree(ctx.store, plan_file.tree(plan_file.load(path)).root, { with_state = false }))
  print("written " .. path)
  return { exit_code = 0 }
end

return words.command(function(command)
  local rest, given = take_flags(qa.args or {})
  local options, arguments = words.parse("plan", { args = rest, out = command.out }, with_value)
  local action = actions[arguments[1] or ""]
  if not arguments[1] then error(words.misuse, 0) end
  if not action then
    local spelling = require "qa.text.spelling"
    error(("qa-host plan: unknown action '%s'%s"):format(arguments[1],
      spelling.hint(arguments[1], spelling.names(actions))), 0)
  end
  return action(arguments, options, given)
end)
