--- Words by which a page shows that it is still loading, that it cannot run here, or that it is a game.
-- Phrases are Lua patterns on lower-case text, matched at word borders.
return {
  loading_words = { "loading", "please wait", "initiali[sz]ing", "preloading", "downloading assets", "now loading",
    "wird geladen", "chargement" },

  -- The page's own refusal: every phrase needs "webgl" within the same visible text.
  webgl_refusals = {
    "webgl[%w%s]* not supported", "webgl[%w%s]* not available", "webgl[%w%s]* is disabled", "webgl[%w%s]* unavailable",
    "no webgl", "not support webgl", "unable to initiali[sz]e webgl", "could not initiali[sz]e webgl", "webgl error",
    "webgl2?[%w%s]* failed",
  },
  -- Many a page says so beside a game that runs: they count only where a canvas gets no WebGL.
  webgl_requirements = { "without webgl", "requires webgl", "require webgl", "enable webgl", "webgl[%w%s]* required",
    "needs webgl" },

  -- Beginnings of the words in classes and ids by which a page names the parts of a game (regular expressions).
  part_names = { "game", "board", "grid", "tile", "player", "score", "level", "puzzle", "card", "quiz" },

  -- Text that says a round is over: a game that stops there is not broken. What an end screen shows as a result, as Lua
  -- patterns on lower-case text: it counts when it was not there when the round began.
  result_patterns = { "%d%s?%%", "%d%s?/%s?%d", "%d out of %d", "%d of %d" },
  game_over_words = { "game over", "gameover", "you lose", "you lost", "you died", "you win", "you won", "try again",
    "play again", "restart", "final score", "retry", "victory", "defeat", "congratulations", "well done", "completed",
    "new game", "wins", "it's a draw", "it's a tie", "time's up",
    "time is up", "out of moves", "no more moves", "checkmate", "rematch", "start over" },
}
