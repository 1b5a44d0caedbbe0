-- Writes the manual page or a shell's completion from what the program itself says: the tables of
-- host/main/option_table.cpp, help texts, and the comments of command files. The build runs it.
-- usage: qa-host --allow-process packaging/documents.lua man|bash|zsh QA_HOST DATE
local qa = require "qa"

local kind, program, date = unpack(qa.args)

local function said(...)
  local result = assert(qa.process.run{ argv = { program, ... }, timeout_ms = 20000 })
  assert(result.exit_code == 0, result.stderr)
  return result.stdout
end

---@alias Option {names: string[], value: string, help: string, is_attached: boolean}
---@alias Command {name: string, arguments: string, help: string, usage?: string, options: Option[], words: string[],
---  places: string[]}

---"-j,--jobs", "--allow-process{*}"; a value in brackets is attached to the name, and may be missing.
---@return Option
local function option_of(names, value, help)
  local option = { names = {}, value = value, help = help, is_attached = value:find("^%[") ~= nil }
  for name in names:gsub("{.*", ""):gmatch "[^,]+" do option.names[#option.names + 1] = name end
  return option
end

---The comment at the head of a command's file; nil for a command that is part of the program.
local function usage_of(name)
  local source = qa.fs.read(("%s/scripts/commands/%s.lua"):format(qa.fs.share(), name))
  local comment = source and ("\n" .. source):match "^\n%-%- usage: (.-)\n[^-]"
  return comment and comment:gsub("\n%-%- ?", "\n"):gsub("\n       ", "\n")
end

---Options and subcommands that a usage text names: `[--by model|day]`, `--game GAME`, `qa-host memory show`.
local function read_usage(command)
  local seen, synopsis = {}, (command.usage .. "\n\n"):match "^(.-)\n\n"
  for name, value, bracket in synopsis:gmatch "(%-%-%l[%l-]*)[ =]?([%w_|=,.-]*)(%]?)" do
    local is_value = value:find "^%u" or value:find "^%w+|" or bracket ~= "" and value:find "^%w"
    if not seen[name] then command.options[#command.options + 1] = option_of(name, is_value and value or "", "") end
    seen[name] = true
  end
  for word in synopsis:gmatch("qa%-host " .. command.name .. " (%l+)") do
    if not seen[word] then command.words[#command.words + 1] = word end
    seen[word] = true
  end
end

---@return table<string, Option[]> options by place
---@return Command[]
local function tables()
  local options, commands = {}, {}
  for line in said("help", "--tables"):gmatch "[^\n]+" do
    local what, a, b, c, d = line:match "^(%l+)\t(.-)\t(.-)\t([^\t]*)\t?(.*)$"
    if what == "option" then
      options[a] = options[a] or {}
      table.insert(options[a], option_of(b, c, d))
    else
      local command = { name = a, arguments = b, help = c, usage = usage_of(a), options = {}, words = {}, places = {} }
      for place in d:gmatch "%l+" do table.insert(command.places, place) end
      commands[#commands + 1] = command
    end
  end
  for _, command in ipairs(commands) do
    local is_help_known = false
    for _, place in ipairs(command.places) do
      is_help_known = is_help_known or place == "shared"
      for _, option in ipairs(options[place]) do table.insert(command.options, option) end
    end
    if #command.places == 0 then read_usage(command) end
    if not is_help_known then table.insert(command.options, option_of("--help", "", "how it is used")) end
  end
  return options, commands
end

---What completes a value: "files", "folders", the words that it may be, or "" for nothing.
local function completed_by(value)
  local words = {}
  for word in value:gmatch "[^|]+" do
    if word == "FILE" or word == "PATH" or word:find "%.json$" then return "files" end
    if word == "DIR" then return "folders" end
    if word:find "^%l[%l%d-]*$" then words[#words + 1] = word end
  end
  return table.concat(words, " ")
end

local function takes_word(option) return option.value ~= "" and not option.is_attached end

---The options in front of a command, and each command with its own, as one list.
local function with_front(options, commands)
  local front = { name = "", options = {}, words = {} }
  for _, place in ipairs{ "top", "shared" } do
    for _, option in ipairs(options[place]) do table.insert(front.options, option) end
  end
  for _, command in ipairs(commands) do table.insert(front.words, command.name) end
  table.insert(front.words, "help")
  return { front, unpack(commands) }
end

local BASH = [==[
# Completion of qa-host %s for bash.
_qa_host() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' options='' words='' value=none i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      %s) ((i++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]} && break ;;
    esac
  done
  case $command in
%s  esac
  case "$command $before" in
%s  esac
  if [ "$value" = none ]; then
    value=files
    [[ $word != -* ]] || value=$options
    [[ $word == -* || -z $words || $before != "${command:-$before}" ]] || value=$words
  fi
  case $value in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$value" -- "$word") ;;
  esac
  if [[ -z $command && $value == "$words" ]]; then
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.lua' -- "$word")
  fi
}
complete -F _qa_host qa-host
]==]

local function bash(options, commands)
  local own, values, skipped = {}, {}, {}
  for _, command in ipairs(with_front(options, commands)) do
    local names = {}
    for _, option in ipairs(command.options) do
      for _, name in ipairs(option.names) do
        names[#names + 1] = name
        if takes_word(option) then
          local line = ("    '%s %s') value='%s' ;;\n"):format(command.name, name, completed_by(option.value))
          values[#values + 1] = line
          if command.name == "" then skipped[#skipped + 1] = name end
        end
      end
    end
    own[#own + 1] = ("    '%s') options='%s' words='%s' ;;\n"):format(command.name, table.concat(names, " "),
      table.concat(command.words, " "))
  end
  return BASH:format(qa.version, table.concat(skipped, " | "), table.concat(own), table.concat(values))
end

local ZSH = [[
#compdef qa-host
# Completion of qa-host %s for zsh.
local context state line
typeset -A opt_args
_arguments -C \
%s  '1: :->command' '*:: :->argument' && return
case $state in
  command)
    local -a commands=(
%s    )
    _alternative 'commands:command:{_describe command commands}' 'files:script:_files -g "*.lua"'
    ;;
  argument)
    case $words[1] in
%s      *) _files ;;
    esac
    ;;
esac
]]

---For _arguments and _describe, inside single quotes.
local function zsh_text(text) return (text:gsub("[%[%]:\\]", "\\%0"):gsub("'", "'\\''")) end

local ZSH_ACTIONS = { files = "_files", folders = "_files -/" }

---One line for _arguments: '(-j --jobs)'{-j,--jobs}'[help]:N:action'
local function zsh_option(option, indent)
  local by = completed_by(option.value)
  local action = ZSH_ACTIONS[by] or by ~= "" and ("(%s)"):format(by) or " "
  local names = table.concat(option.names, ",")
  if #option.names > 1 then names = ("'(%s)'{%s}"):format(table.concat(option.names, " "), names) end
  return ("%s%s%s'[%s]%s' \\\n"):format(indent, option.help:find "repeated" and "'*'" or "", names,
    zsh_text(option.help), takes_word(option) and (":%s:%s"):format(zsh_text(option.value), action) or "")
end

local function zsh_options(options, indent)
  local lines = {}
  for i, option in ipairs(options) do lines[i] = zsh_option(option, indent) end
  return table.concat(lines)
end

local function zsh(options, commands)
  local described, cases = {}, {}
  for i, command in ipairs(commands) do
    described[i] = ("      '%s:%s'\n"):format(command.name, zsh_text(command.help))
    local words = #command.words > 0 and ("'1:what:(%s)' "):format(table.concat(command.words, " ")) or ""
    cases[i] = ("      %s)\n        _arguments \\\n%s          %s'*:file:_files'\n        ;;\n"):format(command.name,
      zsh_options(command.options, "          "), words)
  end
  return ZSH:format(qa.version, zsh_options(with_front(options, commands)[1].options, "  "), table.concat(described),
    table.concat(cases))
end

---Text for troff: no escape, no request, and hyphens that can be searched for.
local function troff(text) return (text:gsub("\\", "\\e"):gsub("-", "\\-"):gsub("%f[^\n%z]([.'])", "\\&%1")) end

local function verbatim(text) return (".nf\n%s\n.fi\n"):format(troff((text:gsub("%s+$", "")))) end

local function option_paragraphs(options)
  local lines = {}
  for i, option in ipairs(options) do
    local names = "\\fB" .. troff(table.concat(option.names, ", ")):gsub(", ", "\\fR, \\fB") .. "\\fR"
    local value = option.value ~= "" and ("%s\\fI%s\\fR"):format(option.is_attached and "" or " ", troff(option.value))
    lines[i] = (".TP\n%s%s\n%s\n"):format(names, value or "", troff(option.help))
  end
  return table.concat(lines)
end

local function man(options, commands)
  local overview, help_of_test = said "--help", said("test", "--help")
  local page = { ('.TH QA\\-HOST 1 "%s" "qa\\-host %s" "User commands"\n.SH NAME\n%s\n.SH SYNOPSIS\n'):format(date,
    qa.version, troff(overview:match "^[^\n]+"):gsub(" ", " \\- ", 1)) }
  local function add(heading, text) page[#page + 1] = heading .. "\n" .. text end
  page[2] = verbatim(overview:match "\nusage: (.-)\n\n":gsub("\n       ", "\n"))
  add(".SH DESCRIPTION", troff(help_of_test:match "\n\n(.-)\n\n") .. "\n")
  add(".SH COMMANDS", "")
  for _, command in ipairs(commands) do
    add(".TP", ("\\fB%s\\fR \\fI%s\\fR\n%s\n"):format(troff(command.name), troff(command.arguments),
      troff(command.help)))
  end
  add(".SH OPTIONS\n.SS In front of a script or a command", option_paragraphs(with_front(options, commands)[1].options))
  for _, command in ipairs(commands) do
    if #command.places > 0 then
      local help = said(command.name, "--help"):gsub("^usage: ", ""):gsub("\n       ", "\n")
      add(".SS Of " .. command.name, verbatim(help:match "^(.-)\n\noptions:" or help))
      for _, place in ipairs(command.places) do
        local is_front = place == "shared"
        page[#page + 1] = is_front and ".PP\nand those in front of a command.\n" or option_paragraphs(options[place])
      end
    end
  end
  add(".SH USAGE OF COMMANDS", "")
  for _, command in ipairs(commands) do
    if #command.places == 0 then add(".SS " .. command.name, verbatim(command.usage)) end
  end
  add(".SH EXIT STATUS", verbatim(overview:match "\nexit codes: (.*)":gsub("\n +", "\n")))
  add(".SH ENVIRONMENT", verbatim(help_of_test:match "\nenvironment: (.-)\n\n":gsub("\n +", "\n")))
  add(".SH EXAMPLES", verbatim(overview:match "\nexamples:\n(.-)\n\n":gsub("%f[^\n%z]  ", "")))
  return table.concat(page)
end

print(((({ man = man, bash = bash, zsh = zsh })[kind])(tables()):gsub("\n$", "")))
