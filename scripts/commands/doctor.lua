-- usage: qa-host doctor
--
-- Says whether this machine has what a run needs (scripts, a folder to write to, a browser), and what to do about what it has not;
-- exit 0 or 4.
local qa = require "qa"
local failure = require "qa.failure"

local function browser_line(path)
  local browser, err = qa.browser.launch{ path = path }
  if not browser then return false, failure.text(err) end
  local info = browser:info()
  local page = browser:new_page{ width = 320, height = 200 }
  local webgl = page and page:evaluate("!!document.createElement('canvas').getContext('webgl')")
  browser:close()
  return true, ("%s (%s), WebGL %s%s"):format(info.product, info.path, webgl and "works" or "does not work",
    info.no_sandbox and ", without sandbox because the user is root" or "")
end

local function share_line()
  local share = qa.fs.share()
  local standard = qa.fs.stat(share .. "/strategies/standard.lua")
  return standard ~= nil, standard and share or share .. " has no strategies/standard.lua: reinstall, or give --share"
end

return function(command)
  local parsed, options = pcall(require("qa.command_words").parse, "doctor", command, { "out", "browser" })
  if not parsed then
    qa.log.error(failure.text(options))
    return { exit_code = 3 }
  end
  local lines = {
    { "version", true, qa.version },
    { "scripts", share_line() },
  }
  local dir, err = qa.run.open{ out = options.out, slug = "doctor" }
  lines[#lines + 1] = { "run directory", dir ~= nil, dir or failure.text(err) }
  lines[#lines + 1] = { "browser", browser_line(options.browser) }
  local healthy = true
  for _, line in ipairs(lines) do
    healthy = healthy and line[2]
    print(("%-7s %-14s %s"):format(line[2] and "ok" or "MISSING", line[1], line[3]))
  end
  return { exit_code = healthy and 0 or 4 }
end
