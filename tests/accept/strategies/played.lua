-- Prints a strategy that plays as another one, and says in its report (`played`) how far the game came; without ID the
-- games that it knows. usage: qa-host tests/accept/strategies/played.lua ROOT [ID STRATEGY]    ROOT is the project's
-- folder
local qa = require "qa"

local function read(path) return qa.json.decode(assert(qa.fs.read(path))) end
local root, id, strategy = qa.args[1], qa.args[2], qa.args[3]
local games = read(root .. "/tests/accept/strategies/per_game.json")
local progress = {}
for _, game in ipairs(read(root .. "/tests/data/known_games.json")) do progress[game.id] = game.progress_js end

local wrapper = [[
local look = %q
---The furthest of all looks counts; a page that is gone, or shows nothing of the game, adds nothing.
local function note(ctx)
  local played = ctx.state.played or { best = 0, reached = false, progress = "" }
  local seen = not ctx.page:is_closed() and ctx.page:evaluate(look, { timeout_ms = 3000 })
  if type(seen) == "table" then
    if seen.value > played.best or not played.reached then played.progress = seen.progress end
    played.best = math.max(played.best, seen.value)
    if seen.reached and not played.reached then
      played.reached, played.step, played.shot = true, (ctx.state.looks or 0) + 1, ctx:shot("reached")
    end
  end
  ctx.state.played, ctx.state.looks = played, (ctx.state.looks or 0) + 1
end
return {
  name = "played", extends = %q,
  step = function(ctx, base)
    local going, reason = base(ctx)
    note(ctx)
    return going, reason
  end,
  conclude = function(ctx, report, base)
    note(ctx)
    local made = base(ctx, report)
    made.played = ctx.state.played
    return made
  end,
}
]]

for _, game in ipairs(games) do
  if not id then print(game.id) end
  if game.id == id then
    local look = ([[(() => { try { const value = +(%s) || 0; return { value, reached: !!(%s),
      progress: String(%s).slice(0, 48) } }
      catch { return null } })()]]):format(game.value, game.reached, progress[id])
    print(wrapper:format(look, strategy))
  end
end
