--- Does the game respond? Rows that are asked in order, about facts of a run on game time: the first that holds tells.
-- {when(facts, cause), outcome, issue? = {severity, kind}, sentence}; the sentence of "unknown" says what to do.
local findings = require "parts.standard.findings"

local M = {}

M.rows = {
  { when = function(f, c) return c.draws_nothing and findings.cause_of_death(f) == nil end, outcome = "fail",
    issue = { "critical", "blank_screen" }, sentence = "Nothing is drawn on the game's canvas." },
  { when = function(_, c) return c.script_stopped end, outcome = "fail", issue = { "critical", "frozen" },
    sentence = "A key that no game uses stopped the game's script: without it timers and frames go on, with it none " ..
      "has run since." },
  { when = function(f, c) return c.answers_at_end or f.answers_only_when_opened end, outcome = "pass" },
  { when = function(_, c) return c.unknown ~= nil end, outcome = "unknown",
    sentence = "The game does not repeat any more, so nothing can be said of its answers (%s). Play it in real " ..
      "time: --clock real.", of = function(_, c) return c.unknown end },
  { when = function(f, c) return c.answered == 0 and f.failed_before_ready and not f.declared end, outcome = "fail" },
  { when = function(f, c) return c.answered > 0 and c.stopped and f.game_over end, outcome = "unknown",
    sentence = "The game answered and reached its own end screen, and nothing that was tried begins another round. " ..
      "Give metadata, or a start hook that begins one." },
  { when = function(f, c)
      return c.stopped and c.answered > 0 and c.answers_with_other_seed and findings.cause_of_death(f) == nil
    end, outcome = "unknown",
    sentence = "The game stopped answering. With another seed, after the same inputs, it still answers: chance may " ..
      "have led it to an end of its own. Give metadata, or a start hook that begins another round." },
  { when = function(_, c) return c.stopped and c.answered > 0 and c.moved and c.moves_at_end == false end,
    outcome = "fail",
    issue = { "critical", "frozen" },
    sentence = "The game moved, then its picture stopped for good, and no input changes it." },
  { when = function(f, c)
      return c.stopped and c.answered > 0 and c.one_way ~= nil and findings.cause_of_death(f) == nil
    end, outcome = "unknown",
    sentence = "The game answered at first, and then no more. Of the keys that move something, only %s answered: " ..
      "what it moves may have left the view. Give metadata with all controls.",
    of = function(_, c) return c.one_way end },
  { when = function(_, c) return c.stopped and c.answered > 0 end, outcome = "fail",
    issue = { "critical", "soft_lock" },
    sentence = "The game answered at first. Then no input changed anything." },
  { when = function(_, c) return c.answered > 0 end, outcome = "pass" },
  { when = function(f) return findings.cause_of_death(f) ~= nil end, outcome = "fail",
    issue = { "critical", "unresponsive" }, sentence = "No input changed anything." },
  { when = function(_, c) return c.only_together end, outcome = "unknown",
    sentence = "Inputs that were played together changed the game, but none that was played alone did. Give " ..
      "metadata with an inputSchema." },
  { when = function(_, c) return c.is_cut_short end, outcome = "unknown",
    sentence = "The game is too slow here for all its inputs to be asked, and none of those that were did anything. " ..
      "Run it on a faster machine, or --headed." },
  { when = function(_, c) return c.asked > 0 and not c.is_explored end, outcome = "unknown",
    sentence = "Only inputs of a model were played, and none of them did anything: it may have played another game. " ..
      "Have more played after it: --set interaction_ms=12000." },
  { when = function(_, c) return c.asked == 0 end, outcome = "unknown",
    sentence = "No input was asked before the run ended. Give it more time." },
  { when = function(f) return not f.declared end, outcome = "unknown",
    sentence = "No control is known: nothing listens for input and no instruction names any. Give metadata with an " ..
      "inputSchema." },
  { when = function() return true end, outcome = "fail", issue = { "critical", "unresponsive" },
    sentence = "%d inputs were played, alone or some together. Each time the game was compared with the same game " ..
      "without them, and nothing had changed.", of = function(_, c) return c.asked end },
}

---@param f table facts with cause
---@param add fun(severity: string, kind: string, description: string, evidence?: string[])
---@return "pass"|"fail"|"unknown" outcome, string? why
function M.responsive(f, add)
  for _, row in ipairs(M.rows) do
    if row.when(f, f.cause) then
      local sentence = row.sentence and (row.of and row.sentence:format(row.of(f, f.cause)) or row.sentence)
      if row.issue then add(row.issue[1], row.issue[2], sentence, f.silence_evidence) end
      return row.outcome, row.outcome == "unknown" and sentence or nil
    end
  end
end

return M
