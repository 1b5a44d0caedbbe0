--- Options of the standard strategy: every number that steers it. Set one with --set name=value.
return {
  tap_text = { default = true, doc = "read what the game writes on its canvases as it draws" },
  count_draws = { default = true, doc = "count what the game draws each time that it paints: a shot may be too " ..
    "small to be seen" },
  hold_scroll = { default = true, doc = "arrow keys and Space do not scroll the page: what they change is the " ..
    "game's doing" },
  read_pixels = { default = true, doc = "read what stands on a canvas off its pixels when looking for a start " ..
    "(page:find{text} does so all the same)" },
  use_models = { default = true, doc = "ask a model where an endpoint is configured: for the start after all that " ..
    "is free, and at the end" },
  analysis_pictures = { default = 24, doc = "most pictures that it sees" },
  navigation_ms = { default = 30000, doc = "longest wait for the document" },
  ready_ms = { default = 60000, doc = "longest wait for the game to be ready (C-015)" },
  ready_signals = { default = 4, doc = "signals of the seven that must hold (C-015)" },
  ready_watch_ms = { default = 120, doc = "how long the scene is watched per reading" },
  network_idle_ms = { default = 500, doc = "quiet time that counts as an idle network" },
  fetch_ms = { default = 5000, doc = "how long files that still come are waited for when a canvas is ready by its " ..
    "other signals" },
  unknown_ms = { default = 1500, doc = "a page without canvas, clickables or game elements is ready when unchanged " ..
    "for so long" },
  stall_ms = { default = 5000, doc = "a loader or a blank page that does not change for so long, with an idle " ..
    "network, is stuck" },
  loop_ms = { default = 500, doc = "how long the page's own script time is measured when its picture stands still" },
  frame_rate_ms = { default = 300, doc = "how long frames are counted" },
  window_ms = { default = 450, doc = "length of control and input windows" },
  start_ms = { default = 25000, doc = "longest time for one pass of the start cascade" },
  restart_ms = { default = 8000, doc = "longest time for a new start, when a round is over or the game does not " ..
    "answer any more" },
  most_restarts = { default = 6, doc = "new rounds begun at most; a restart without effect is the last" },
  calm_ms = { default = 1500, doc = "longest wait for a scene that can be still to be still before a trial" },
  probe_moves = { default = 3,
    doc = "moves tried after a start to see whether input is alive; 0: its effect is enough" },
  hold_ms = { default = 400, doc = "how long the cascade holds a key" },
  most_keys = { default = 6, doc = "keys taken from scripts that name more" },
  interaction_ms = { default = 30000, doc = "how long the game is played (C-019)" },
  min_trials = { default = 12, doc = "trials played before a game counts as not answering, however short " ..
    "interaction_ms is" },
  late_trials = { default = 4, doc = "trials without an answer that call for a second start, or show that a game " ..
    "stopped" },
  jitter_ms = { default = 1600, doc = "longest random pause before a trial of an animated game; half of it falls " ..
    "into step with slow motions" },
  overtime_ms = { default = 120000, doc = "longest play beyond interaction_ms while the answer is undecided" },
  margin = { default = 10, doc = "steps of luma, blueness or redness by which a cell must leave its band" },
}
