--- Reload trials: the page is opened anew again and again, at random to be played or only watched. Whole trials are
-- compared, so that this tells of games whose round is over before a trial (qa.effect.play) could be measured, too. If
-- input does nothing, the trials are exchangeable.
local cell_grid = require "qa.page.cell_grid"
local measures = require "qa.effect.measures"
local qa = require "qa"

local M = {}

---Puts a list into any order.
function M.shuffle(list)
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

---Which of 2n reload trials are played: n, chosen at random.
---@param n integer
---@return boolean[]
function M.assign(n)
  local assignment = {}
  for i = 1, 2 * n do assignment[i] = i <= n end
  return M.shuffle(assignment)
end

-- Mulberry32, a generator of 32 bits of state (Tommy Ettinger, public domain).
local dice = [[(() => {
  let state = %d;
  Math.random = new Proxy(Math.random, { apply() {
    state = state + 0x6d2b79f5 | 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t = t + Math.imul(t ^ t >>> 7, t | 61) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  } });
})()]]

---From now on the page throws the same dice whenever it is opened: what is in a game by chance then hides nothing.
---@param page qa.Page
---@param seed integer
---@return fun() undo for reload trials to come
function M.load_dice(page, seed)
  local script = page:add_preload(dice:format(seed))
  return function()
    if script then page:remove_preload(script) end
  end
end

-- Blocks of a picture, each of 2x2 cells.
local side = 2
local across, down = cell_grid.columns / side, cell_grid.rows / side

---Adds the blocks of a window's last frame, and the sums of their rows and columns: how far something has come along
---its way depends on how busy the machine is, on which way it is does not. Sums are divided by the root of their
---number, so that noise weighs the same in all.
local function add_picture(picture, window)
  local blocks, rows, columns = cell_grid.picture(window, side), {}, {}
  for i, luma in ipairs(blocks) do
    local row, column = math.floor((i - 1) / across) + 1, (i - 1) % across + 1
    rows[row], columns[column] = (rows[row] or 0) + luma / math.sqrt(across),
      (columns[column] or 0) + luma / math.sqrt(down)
  end
  for _, part in ipairs{ blocks, rows, columns } do
    for _, luma in ipairs(part) do picture[#picture + 1] = luma end
  end
end

---Watches the scene for some windows, one after the other; in each something may be done.
---@param page qa.Page
---@param ms integer length of a window
---@param windows integer
---@param act? fun(i: integer): any what is done in the i-th
---@return number[]? picture the scene at the end of each window: blocks, rows and columns of luma
---@return qa.Error? err
function M.watch(page, ms, windows, act)
  local picture = {}
  for i = 1, windows do
    local window, _, errs = qa.all(function() return page:watch(ms) end, function() return act and act(i) end)
    if not window then
      return nil, errs and errs[1] or { kind = "timeout", op = "qa.trials", message = "the scene could not be watched" }
    end
    add_picture(picture, window)
  end
  return picture
end

---How often would another assignment set the played reload trials apart from the others at least as much? In the block,
---row or column, and the window where they differ most.
---@param trials {is_played: boolean, picture: number[]}[]
---@param draws integer
---@return number p
function M.p(trials, draws)
  local pictures, played, others = {}, {}, {}
  for i, trial in ipairs(trials) do pictures[i] = trial.picture end
  local rows = measures.deviations(pictures, measures.least_luma)
  for i, trial in ipairs(trials) do table.insert(trial.is_played and played or others, rows[i]) end
  local chosen = #played
  for _, row in ipairs(others) do played[#played + 1] = row end
  return qa.permutation_test(played, { chosen = chosen, statistic = "max_abs", draws = draws })
end

return M
