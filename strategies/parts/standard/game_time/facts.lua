--- What is known of a run on game time: what the judge sees. Nothing is measured here.
local controls = require "parts.standard.game_time.controls"
local evidence = require "parts.standard.game_time.evidence"
local opened = require "parts.standard.game_time.opened"
local view = require "parts.standard.game_time.view"

local M = {}

---What the page told; loads that inputs caused are turns of the game.
local function events_of(ctx)
  local list = {}
  for _, event in ipairs(ctx.page:events(0)) do
    if event.kind ~= "reload_loop" or ctx.state.reloads_by_itself ~= false then list[#list + 1] = event end
  end
  return list
end

---@return table facts of parts/standard/judge.lua, with `cause`: what was asked on game time
function M.of(ctx)
  local state = ctx.state
  local answers, play = state.answers or { list = {}, asked = 0 }, state.play or {}
  local in_game, events = controls.count_in_game(answers), events_of(ctx)
  return {
    load_error = state.load_error, refusal = state.refusal, ready = state.ready or { ok = false, ms = 0, signals = {} },
    started = state.started or false, start_is_certain = state.is_certain or state.start_method == nil,
    auto = state.auto or not state.started, start_summary = state.start_summary,
    response = { outcome = in_game > 0 and "yes" or "no", inputs = answers.asked },
    response_evidence = in_game > 0 and evidence.of_answers(ctx) or evidence.of_silence(ctx),
    silence_evidence = evidence.of_silence(ctx),
    declared = state.declared or false, failed_before_ready = state.failed_before_ready or false,
    was_animated = state.was_animated or false,
    answers_only_when_opened = (state.answers_when_opened or 0) >= opened.ENOUGH,
    game_over = play.was_over or false, alive = not ctx.page:health().hung and not ctx.page:health().crashed,
    lost_input = state.lost_input,
    fps = state.fps, draw_rate = state.draw_rate, events = events, decided = state.decided,
    no_answer = state.no_answer or false, draws_slowly = view.is_slow(ctx),
    recovered = state.decided ~= "hang" and not ctx.page:health().hung,
    cause = {
      answered = in_game, answers_at_end = play.answers == true,
      unknown = play.unknown or in_game == 0 and answers.refusal or nil, asked = answers.asked,
      is_explored = state.is_explored or false, is_cut_short = answers.is_cut_short or false,
      only_together = answers.only_together or false,
      draws_nothing = state.draws_nothing or false, script_stopped = state.script_stopped or false,
      one_way = play.one_way, stopped = play.stopped or false,
      answers_with_other_seed = play.answers_with_other_seed or false,
      restarted = play.restarted or false,
      moved = state.moved_untouched or state.was_animated or false, moves_at_end = state.moves_at_end,
    },
  }
end

return M
