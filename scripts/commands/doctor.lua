-- usage: qa-host doctor
-- Says whether this machine has what a run needs (scripts, a folder to write to, a browser), and what to do about what
-- it has not; exit 0 or 4. Without reading, texts that are only pixels are not seen; all else works.
local qa = require "qa"
local failure = require "qa.text.failure"

local WORD = "READING"

---Whether a word that is only pixels is read, and what says so.
local function reading(page)
  local shown = page:evaluate(([[{
    document.body.style.background = "#fff";
    const g = document.body.appendChild(document.createElement("canvas")).getContext("2d");
    g.font = "bold 32px sans-serif", g.fillText("%s", 20, 60), true
  }]]):format(WORD))
  local shot, err = page:screenshot{}
  if not shown or not shot then return false, failure.text(err or { message = "the page could not be painted" }) end
  local words, why = shot:text{}
  if not words then return false, failure.text(why) end
  for _, word in ipairs(words) do
    if word.text == WORD then return true, "a word painted on a canvas is read" end
  end
  return false, "a word painted on a canvas is not read: are there fonts? (fonts-dejavu-core)"
end

---Lines of the browser and of what needs one.
local function browser_lines(path)
  local browser, err = qa.browser.launch{ path = path }
  if not browser then return { { "browser", false, failure.text(err) } } end
  local info = browser:info()
  local page = browser:new_page{ width = 320, height = 200 }
  local webgl = page and page:evaluate("!!document.createElement('canvas').getContext('webgl')")
  local lines = { { "browser", page ~= nil, ("%s (%s), WebGL %s%s"):format(info.product, info.path, webgl and "works"
    or "does not work", info.no_sandbox and ", without sandbox because the user is root" or "") } }
  if page then
    local reads, said = reading(page)
    lines[2] = { "reading", reads, said, can_do_without = true }
  end
  browser:close()
  return lines
end

local function share_line()
  local share = qa.fs.share()
  local standard = qa.fs.stat(share .. "/strategies/standard.lua")
  return standard ~= nil, standard and share or share .. " has no strategies/standard.lua: reinstall, or give --share"
end

return function(command)
  local parsed, options = pcall(require("qa.run.command_words").parse, "doctor", command, { "out", "browser" })
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
  for _, line in ipairs(browser_lines(options.browser)) do lines[#lines + 1] = line end
  local healthy = true
  for _, line in ipairs(lines) do
    healthy = healthy and (line[2] or line.can_do_without)
    print(("%-7s %-14s %s"):format(line[2] and "ok" or "MISSING", line[1], line[3]))
  end
  return { exit_code = healthy and 0 or 4 }
end
