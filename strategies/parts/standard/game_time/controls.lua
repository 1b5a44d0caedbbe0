--- Which inputs does the game answer? On game time each control is asked by itself: what its input changed is seen in a
-- twin that did not get it (qa.effect). What is known of each is kept in ctx.state.answers, the table of this module:
-- {by_name = {name = {move, asked, effect?, pauses?}}, list = {{move, effect, stage}}, in_vain = sentences of inputs
-- that changed nothing, asked = n, until_ms, is_cut_short?, only_together?, refusal? = the game does not repeat}.
local answer = require "parts.standard.game_time.answer"
local browser_looks = require "qa.page.browser_looks"
local decisive = require "parts.standard.decisive"
local effects = require "qa.effect.effect"
local evidence = require "parts.standard.game_time.evidence"
local failure = require "qa.text.failure"
local inputs = require "parts.standard.game_time.inputs"
local moves = require "qa.input.moves"
local pauses = require "parts.standard.game_time.pauses"
local qa = require "qa"
local told = require "parts.standard.game_time.told"

local M = {}

---Frames up to which an effect is waited for: of one input among many, of the same one when it is all that counts, and
---in a game that is over soon.
local SHORT_FRAMES, LONG_FRAMES, BRIEF_FRAMES = 20, 120, 12
---Stages in which another page is asked than the one that is played.
local beside = { opened = true, ["other seed"] = true }

---The name by which a move is known: its key, or what the pointer does; of many of one kind that of the first.
local function name_of(move)
  if move.action == "sequence" then move = move.moves[1] end
  if move.action == "press" and move.modifiers then return table.concat(move.modifiers, "+") .. "+" .. move.key end
  if move.action == "gamepad" then return "gamepad " .. moves.describe(move) end
  return move.action == "press" and move.key or move.action
end

---@return boolean are they the same key, or the same at one place?
function M.is_same(a, b) return name_of(a) == name_of(b) and a.x == b.x and a.y == b.y end

---From now on the game is asked for this long.
---@param wall_ms integer of real time
function M.begin(ctx, wall_ms)
  ctx.state.answers = ctx.state.answers or { by_name = {}, list = {}, in_vain = {}, asked = 0 }
  ctx.state.answers.until_ms = qa.now_ms() + wall_ms
end

---@return boolean is there no more time to ask?
function M.is_late(ctx) return qa.now_ms() > ctx.state.answers.until_ms end

---The only input that answers may have paused the game.
---@return table? move
function M.only_pause(ctx)
  local working = M.working(ctx)
  return #working == 1 and pauses.is_likely(working[1]) and working[1] or nil
end

---@param move table it has been found to pause the game
function M.note_pause(ctx, move) ctx.state.answers.by_name[name_of(move)].pauses = true end

---What does this change? It is evidence of the game.
---@param move table what is played, or what it is called where options.act plays it
---@param options {frames?: integer, is_brief?: boolean, is_many?: boolean, act?: fun(): true?, qa.Error?} see qa.effect
---@return qa.Effect? effect with `counts`, qa.Error? err
function M.ask_of(ctx, move, stage, options)
  local looks, answers = browser_looks.native_looks(ctx.page, move.x and move or nil), ctx.state.answers
  local said = told.lines(ctx)
  -- Where the browser shows nothing by itself, all that is seen is the game's, however long it lasts.
  local effect, err = effects.of(ctx.world, move, { frames = options.frames, is_seen = true, act = options.act,
    is_brief = options.is_brief or not (looks.pressed or looks.focused), is_many = options.is_many,
    pictures = evidence.wants_pictures(ctx, stage) })
  if not effect then
    ctx:event("note", { text = ("What %s does could not be asked: %s."):format(moves.describe(move),
      failure.text(err)) })
    if err.kind == "trace_mismatch" then answers.refusal = answers.refusal or failure.text(err) end
    return nil, err
  end
  local name = name_of(move)
  effect.counts = answer.is_one(looks, effect)
  answers.asked = answers.asked + 1
  local known = answers.by_name[name] or { asked = 0 }
  answers.by_name[name] = known
  known.asked = known.asked + 1
  if effect.counts then
    known.move, known.effect = move, effect
    told.note(ctx, said)
    answers.list[#answers.list + 1] = { move = move, effect = effect, stage = stage, name = name }
  end
  evidence.keep_effect(ctx, effect)
  local sentence = effects.sentence(move, effect)
  if not (effect.changed or beside[stage]) then answers.in_vain[#answers.in_vain + 1] = sentence end
  ctx:event("effect", { stage = stage, input = name, sentence = sentence,
    changed = effect.changed, counts = effect.counts, frame = effect.frame })
  return effect
end

---Asks for one input.
---@param stage string for the evidence: "start", "controls", "play"
---@param options? {is_long?: boolean, is_brief?: boolean} see qa.effect
---@return qa.Effect? effect with `counts`: it is an answer of the game; nil: nothing can be said
---@return qa.Error? err
function M.ask(ctx, move, stage, options)
  options = options or {}
  local effect, err = M.ask_of(ctx, move, stage, { is_brief = options.is_brief,
    frames = options.is_long and LONG_FRAMES or options.is_brief and BRIEF_FRAMES or SHORT_FRAMES })
  if not effect then return nil, err end
  local known = ctx.state.answers.by_name[name_of(move)]
  if effect.counts and known.pauses == nil then known.pauses = pauses.is_one(ctx, move, effect) end
  ctx.state.actions = (ctx.state.actions or 0) + 1
  ctx:event("action", { action = move.action, target = moves.describe(move), success = true,
    stateProgressed = effect.counts })
  return effect
end

---Is it known by now what this move would tell? What a pointer does while it moves shows in all that it does.
local function is_known(answers, move)
  local function answered(name) return answers.by_name[name] and answers.by_name[name].effect ~= nil end
  return answered(name_of(move)) or answered "move" and move.action == "drag"
end

---Moves of a list of which it is not known yet that they answer.
function M.unknown(ctx, list)
  local unknown = {}
  for _, move in ipairs(list) do
    if not is_known(ctx.state.answers, move) then unknown[#unknown + 1] = move end
  end
  return unknown
end

---@return boolean does this move pause the game?
function M.pauses(ctx, move)
  local known = ctx.state.answers.by_name[name_of(move)]
  return known ~= nil and known.pauses == true
end

---How many answers were seen in the game, not counting what started it?
---@param answers table ctx.state.answers
function M.count_in_game(answers)
  local count = 0
  for _, entry in ipairs(answers.list) do
    if entry.stage ~= "start" and not beside[entry.stage] then count = count + 1 end
  end
  return count
end

---Asks for inputs in turn.
---@param options? {enough?: integer, is_long?: boolean, is_brief?: boolean, is_new?: boolean, in_play?: boolean}
---is_new: not for what is known to answer; in_play: to pause a game is no answer
---@return integer answered how many had an effect that counts
---@return qa.Error? err why the others were not asked
function M.ask_all(ctx, list, stage, options)
  local answered = 0
  for _, move in ipairs(list) do
    if decisive.by(ctx) or M.is_late(ctx) then break end
    local effect, err
    if not (options and options.is_new and is_known(ctx.state.answers, move)) then
      effect, err = M.ask(ctx, move, stage, options)
      if not effect then return answered, err end
    end
    local counts = effect and effect.counts and not (options and options.in_play and M.pauses(ctx, move))
    answered = answered + (counts and 1 or 0)
    if answered >= (options and options.enough or math.huge) then break end
  end
  return answered
end

---Keys that the game is said to know and that had no effect so far: what they do may depend on what goes on.
function M.unproven(ctx)
  local list = {}
  for i, move in ipairs(M.unknown(ctx, inputs.keys(ctx))) do list[i] = inputs.held(move) end
  return list
end

---Moves that had an effect, the last ones first, and then those that pause the game.
---@param in_play? boolean without these
function M.working(ctx, in_play)
  local list, pausing, seen, answers = {}, {}, {}, ctx.state.answers.list
  for i = #answers, 1, -1 do
    local entry = answers[i]
    local to = M.pauses(ctx, entry.move) and pausing or list
    if not seen[entry.name] then to[#to + 1] = entry.move end
    seen[entry.name] = true
  end
  for _, move in ipairs(in_play and {} or pausing) do list[#list + 1] = move end
  return list
end

return M
