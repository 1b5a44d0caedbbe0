--- Options of the standard strategy: every number that steers it. Set one with --set name=value.
return {
  tap_text = { default = true, doc = "read what the game writes on its canvases as it draws" },
  count_draws = { default = true, doc = "count what the game draws each time that it paints: a shot may be too " ..
    "small to be seen" },
  hold_scroll = { default = true, doc = "arrow keys and Space do not scroll the page: what they change is the " ..
    "game's doing" },
  grace_extensions = { default = 3, doc = "a page that gets no processor is given more time so often before it has " ..
    "hung" },
  reload_loop_loads = { default = 4, doc = "more loads of one address by the page itself are a reload loop ..." },
  reload_loop_ms = { default = 10000, doc = "... within this time" },
  read_pixels = { default = true, doc = "read what stands on a canvas off its pixels when looking for a start " ..
    "(page:find{text} does so all the same)" },
  use_models = { default = true, doc = "ask a model where an endpoint is configured: for the start after all that " ..
    "is free, and at the end" },
  analysis_ms = { default = 30000, doc = "longest wait for the final analysis" },
  analysis_pictures = { default = 24, doc = "most pictures that it sees" },
  analysis_side = { default = 512, doc = "longer side of the pictures that a model sees, in pixels" },
  navigation_ms = { default = 30000, doc = "longest wait for the document" },
  ready_ms = { default = 60000, doc = "longest wait for the game to be ready (C-015)" },
  ready_signals = { default = 4, doc = "signals of the seven that must hold (C-015)" },
  ready_watch_ms = { default = 120, doc = "how long the scene is watched per reading" },
  network_idle_ms = { default = 500, doc = "quiet time that counts as an idle network" },
  fetch_ms = { default = 5000, doc = "how long files that still come are waited for when a canvas is ready by its " ..
    "other signals" },
  quick_ms = { default = 1000, doc = "a page that was ready so soon is, when it is opened anew, ready without such " ..
    "a wait" },
  unknown_ms = { default = 1500, doc = "a page without canvas, clickables or game elements is ready when unchanged " ..
    "for so long" },
  stall_ms = { default = 5000, doc = "a loader or a blank page that does not change for so long, with an idle " ..
    "network, is stuck" },
  loop_ms = { default = 500, doc = "how long the page's own script time is measured when its picture stands still" },
  last_shot_ms = { default = 2500, doc = "longest wait for the picture of the end" },
  answer_ms = { default = 30000, doc = "a page that answers nothing for so long has hung, though the host has not " ..
    "said so" },
  hang_confirm_ms = { default = 1500, doc = "a page that stopped answering gets this long to come back" },
  frame_rate_ms = { default = 300, doc = "how long frames are counted" },
  slow_fps = { default = 15,
    doc = "frames a second below which a canvas that fills the view is played in a smaller one" },
  full_share = { default = 0.8, doc = "share of the view that the canvas takes for that, and of the canvas that the " ..
    "smaller view must show" },
  small_width = { default = 640, doc = "width of the smaller view in CSS pixels" },
  small_height = { default = 360, doc = "its height" },
  crawling_fps = { default = 2, doc = "frames a second below which that view is smaller still" },
  tiny_width = { default = 428, doc = "its width then" },
  tiny_height = { default = 240, doc = "its height then" },
  window_ms = { default = 450, doc = "length of control and input windows" },
  most_window_ms = { default = 1500, doc = "the same for games with few frames a second" },
  start_ms = { default = 25000, doc = "longest time for one pass of the start cascade" },
  restart_ms = { default = 8000, doc = "longest time for a new start, when a round is over or the game does not " ..
    "answer any more" },
  most_restarts = { default = 6, doc = "new rounds begun at most; a restart without effect is the last" },
  start_levels = { default = 4, doc = "menus deep that a start may be" },
  start_cells = { default = 150, doc = "cells of 9216 that must change for a start to count" },
  baseline_windows = { default = 3, doc = "more windows that a moving scene is watched for before the first attempt " ..
    "to start it" },
  lasting_cells = { default = 60,
    doc = "cells that must look different for good for a start to count in a moving scene" },
  certain_cells = { default = 460, doc = "cells that a start must change, if not the page itself, for dead controls " ..
    "to be blamed on the game" },
  fade_ms = { default = 2500, doc = "longest wait for a menu to come or go" },
  start_share = { default = 0.04, doc = "start_cells as a share of the largest canvas, where that is less" },
  calm_ms = { default = 1500, doc = "longest wait for a scene that can be still to be still before a trial" },
  probe_cells = { default = 8,
    doc = "cells that must change when asking whether the game already answers its controls" },
  probe_moves = { default = 3,
    doc = "moves tried after a start to see whether input is alive; 0: its effect is enough" },
  hold_ms = { default = 400, doc = "how long the cascade holds a key" },
  unused_presses = { default = 2, doc = "presses without any answer in a quiet scene that show keys to belong to " ..
    "another part of the game" },
  stray_share = { default = 0.25, doc = "share of these presses during which something may change by chance" },
  most_keys = { default = 6, doc = "keys taken from scripts that name more" },
  interaction_ms = { default = 30000, doc = "how long the game is played (C-019)" },
  min_trials = { default = 12, doc = "trials played before a game counts as not answering, however short " ..
    "interaction_ms is" },
  still_places = { default = 16, doc = "places of a canvas at rest that are clicked before it is said not to answer " ..
    "clicks" },
  tries = { default = 2, doc = "times that each control is tried before its silence counts, where the scene moves " ..
    "by itself" },
  busy_trials = { default = 30, doc = "min_trials where more than busy_share of the scene moves by itself" },
  busy_share = { default = 0.35, doc = "share of the scene that moves by itself which makes it a busy one" },
  late_trials = { default = 4, doc = "trials without an answer that call for a second start, or show that a game " ..
    "stopped" },
  jitter_ms = { default = 1600, doc = "longest random pause before a trial of an animated game; half of it falls " ..
    "into step with slow motions" },
  overtime_ms = { default = 120000, doc = "longest play beyond interaction_ms while the answer is undecided" },
  quiet_noise = { default = 12, doc = "quiet cells that a control may touch for the quiet-cell rule to hold" },
  uneven = { default = 2.2, doc = "range of the controls beyond which a scene moves too unevenly to call a game dead" },
  doubt = { default = 0.02, doc = "below this p a game is not called dead" },
  rest_trials = { default = 2,
    doc = "trials without any motion after which a scene that used to move has come to rest" },
  dead_trials = { default = 4, doc = "trials without any motion, after a second start, that end the play" },
  margin = { default = 10, doc = "steps of luma, blueness or redness by which a cell must leave its band" },
  min_cells = { default = 4, doc = "quiet cells that an input must change" },
  noise_factor = { default = 1.5, doc = "an input must beat the noisiest control by this factor" },
  noise_add = { default = 4, doc = "and by so many cells" },
  repeats = { default = 2, doc = "inputs that must beat their control" },
  noisy_share = { default = 0.85, doc = "share of the scene that moves by itself beyond which input cannot be told" },
}
