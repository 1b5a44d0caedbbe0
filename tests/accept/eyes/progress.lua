-- qa.progress on scenes whose answer is known, beside the best fixed threshold on the share of pixels that differ
-- between a picture right before the input and one after it. usage, from the project's folder: qa-host
-- tests/accept/eyes/progress.lua [PAIRS]     PAIRS per kind, half of them live
local qa = require "qa"

local pairs_each = tonumber(qa.args[1]) or 20
local kinds = { "static_scene", "particles", "clock", "parallax", "hover", "caret", "level_change", "score_tick",
  "late_answer", "spinner", "pulse",
  "noise", "page_text", "daylight" }
local width, height, lanes = 640, 360, 2
-- From the input to the second picture of the fixed threshold: a late answer is there, and as little else as may be.
local after_ms = 800

local server = assert(qa.serve("tests/accept/eyes"))
local browser = assert(qa.browser.launch{})

local jobs, next_job, results = {}, 1, {}
for _, kind in ipairs(kinds) do
  for i = 1, pairs_each do jobs[#jobs + 1] = { kind = kind, seed = i, live = i % 2 == 1, key = i % 4 > 1 } end
end

---One scene: is there progress by qa.progress, and what share of the pixels differs before and after?
local function measure(page, job)
  local function show()
    page:move{ x = 5, y = height - 5 }
    assert(page:evaluate("scene", { args = { job.kind, job.seed, job.live } }))
    page:move{ x = width / 2, y = height / 2 }
  end
  local function act()
    if job.key then return page:press("KeyA", { hold_ms = 50 }) end
    return page:mouse_click(width / 2, height / 2, { hold_ms = 50 })
  end
  show()
  local result = assert(qa.progress(page, act, { width = width, height = height }))
  -- The same scene once more, for the threshold.
  show()
  qa.sleep(200)
  local before = assert(page:screenshot())
  assert(act())
  qa.sleep(after_ms)
  local after = assert(page:screenshot())
  job.share = assert(before:diff(after)).changed_ratio
  before:close()
  after:close()
  job.said = result.progressed
  if job.said ~= (job.live and "yes" or "no") then
    print(("wrong: %s %d, %s, said %s; %d cells, control %d, page changed %s"):format(job.kind, job.seed, job.live
      and "live" or "dead", job.said,
      result.cells, result.control_cells, tostring(result.page_changed)))
  end
  results[#results + 1] = job
end

local lane_tasks = {}
for lane = 1, lanes do
  lane_tasks[lane] = function()
    local page = assert(browser:new_page{ width = width, height = height })
    assert(page:navigate(server.url .. "progress.html", { wait = "load" }))
    while next_job <= #jobs do
      local job = jobs[next_job]
      next_job = next_job + 1
      measure(page, job)
    end
    page:close()
    return true
  end
end
qa.all(unpack(lane_tasks))

local table_of, right = { yes = { yes = 0, no = 0, unknown = 0 }, no = { yes = 0, no = 0, unknown = 0 } }, 0
local by_kind = {}
for _, job in ipairs(results) do
  local truth = job.live and "yes" or "no"
  table_of[truth][job.said] = table_of[truth][job.said] + 1
  by_kind[job.kind] = by_kind[job.kind] or { right = 0, all = 0 }
  by_kind[job.kind].all = by_kind[job.kind].all + 1
  if job.said == truth then
    right = right + 1
    by_kind[job.kind].right = by_kind[job.kind].right + 1
  end
end
-- Each share that was seen is tried as the threshold, and none at all.
local best, thresholds = 0, { -1 }
for i, job in ipairs(results) do thresholds[i + 1] = job.share end
for _, threshold in ipairs(thresholds) do
  local n = 0
  for _, job in ipairs(results) do
    if (job.share > threshold) == job.live then n = n + 1 end
  end
  best = math.max(best, n)
end
for _, kind in ipairs(kinds) do print(("%-14s %d of %d"):format(kind, by_kind[kind].right, by_kind[kind].all)) end
print("             said yes   no  unknown")
for _, truth in ipairs{ "yes", "no" } do
  local row = table_of[truth]
  print(("answers %-4s    %5d %5d %5d"):format(truth, row.yes, row.no, row.unknown))
end
print(("accuracy %.1f %% of %d, best fixed threshold %.1f %%"):format(100 * right / #results, #results,
  100 * best / #results))
browser:close()
