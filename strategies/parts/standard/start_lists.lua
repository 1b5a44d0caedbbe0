--- What starts a game: the lists that the start cascade tries, cheapest first. Edit, replace or extend them
-- (`lists = { start_words = qa.inherit{ "los" } }`) in a strategy of your own.
local M = {}

-- Tier 1: exact ids and names that say it plainly.
M.exact_selectors = {
  "#start-btn", "#play-btn", "#begin-btn", "#startBtn", "#playBtn", "#beginBtn", "#start-button", "#play-button",
  "#startButton", "#playButton", "#start", "#play", "#begin", "[data-action='start' i]", "[data-action='play' i]",
  ".start-button", ".play-button", ".start-btn", ".play-btn", ".btn-start", ".btn-play",
}

-- Tier 2: attributes that contain the word. A match counts only where the word stands alone in the attribute
-- ("items-start" and "display" are not start buttons), is visible and can be clicked.
M.start_name_words = { "start", "play", "begin" }
M.attribute_selectors = {}
for _, attribute in ipairs{ "id", "class", "name", "onclick", "aria-label" } do
  for _, word in ipairs(M.start_name_words) do
    M.attribute_selectors[#M.attribute_selectors + 1] = ("[%s*='%s' i]"):format(attribute, word)
  end
end

-- Tier 3: what page:clickables offers, by these words, best first. A control whose whole text is the word ranks before
-- one that contains it.
M.start_words = {
  "start game", "play game", "start quiz", "new game", "start playing", "play now", "start", "play", "begin",
  "tap to start", "click to start", "join game", "join", "continue", "go", "let's go", "ready", "enter", "ok",
}

-- Controls that hold a start word but lead elsewhere.
M.not_start_words = {
  "restart", "how to play", "leaderboard", "download", "fork", "github", "multiplayer", "app store", "google play",
  "autoplay", "replay", "gameplay", "part", "share", "tweet", "sound on", "settings", "options", "credits", "pause",
}

-- Controls that begin another round; tried when a game that had started does not answer any more.
M.restart_words = { "restart", "play again", "try again", "retry", "new game", "again", "rematch", "new round",
  "start over", "replay", "continue", "next",
  "reset" }

-- Controls that close what covers the game.
M.close_words = { "close", "x", "×", "✕", "✖", "got it", "no thanks", "no", "dismiss", "skip", "accept", "agree",
  "i agree", "okay", "understood", "accept all", "accept cookies", "accept all cookies", "allow all", "allow",
  "i accept", "reject all", "decline", "not now", "maybe later" }

-- Answers to the question whether there shall be sound; either will do.
M.sound_answers = { "without sound", "no sound", "disable sound", "disable audio", "disable music", "with sound",
  "enable sound", "enable audio",
  "enable music", "play muted" }

-- What is written into fields that must be filled before the game begins: names of players, one a field.
M.player_names = { "Robin", "Kim" }

-- Instruction text: Lua patterns on lower-case text -> what to do. The first capture, if any, names the key.
M.instruction_patterns = {
  { "press%s+['\"<%[]?([%w ]-)['\">%]]?%s+or%s+%w+%s+to%s+%w+", "key" },
  { "press%s+['\"<%[]?([%w ]-)['\">%]]?%s+key?%s*to%s+%w+", "key" },
  { "press%s+['\"<%[]?([%w ]-)['\">%]]?%s+to%s+%w+", "key" },
  { "press%s+['\"<%[]?([%w ]-)['\">%]]?%s+for%s+[%w -]-game", "key" },
  { "press%s+['\"<%[]?([%w ]-)['\">%]]?%s+for%s+[%w -]-player", "key" },
  { "hit%s+['\"<%[]?([%w ]-)['\">%]]?%s+to%s+%w+", "key" },
  { "press%s+['\"<%[]?(space%s?bar)", "key" },
  { "press%s+['\"<%[]?(space)", "key" },
  { "press%s+['\"<%[]?(enter)", "key" },
  { "press%s+['\"<%[]?(return)", "key" },
  { "any%s+key", "any_key" },
  { "click%s+to%s+%w+", "click" },
  { "click%s+anywhere", "click" },
  { "click%s+here", "click" },
  { "tap%s+to%s+%w+", "click" },
  { "touch%s+to%s+%w+", "click" },
  { "tap%s+anywhere", "click" },
  { "%(click%)", "click" },
}

-- What a menu says whose entries the keys walk through: its keys answer, and nothing has begun. These keys take the
-- chosen entry, or choose one.
M.menu_words = { "choose a", "choose your", "select a", "select your", "choose level", "select level", "choose mode",
  "select mode", "main menu" }
M.menu_keys = { "Enter", "Space", "ArrowDown" }

-- Blind input, last: keys are held (option hold_ms) so that games which poll key state once a frame see them.
M.blind_keys = { "Space", "Enter" }

-- Steps of the cascade, in order; scripts/qa/start/attempts.lua has one function a kind.
M.start_cascade = {
  { id = "remembered", kind = "remembered" },
  { id = "restart", kind = "words", list = "restart_words", again = true },
  { id = "canvas_restart", kind = "words", list = "restart_words", again = true, painted = true },
  { id = "dom_exact", kind = "selectors", list = "exact_selectors" },
  { id = "dom_attribute", kind = "selectors", list = "attribute_selectors", whole_word = true },
  { id = "dom_text", kind = "words", list = "start_words" },
  { id = "instruction", kind = "instructions" },
  { id = "canvas_text", kind = "words", list = "start_words", painted = true },
  { id = "pixel_instruction", kind = "instructions", pixels = true },
  { id = "pixel_text", kind = "words", list = "start_words", pixels = true },
  { id = "modal", kind = "words", list = "close_words", whole_text = true, clears = true },
  { id = "pixel_modal", kind = "words", list = "close_words", whole_text = true, clears = true, pixels = true },
  { id = "sound_question", kind = "words", list = "sound_answers", whole_text = true, clears = true },
  { id = "field", kind = "fields", clears = true },
  { id = "menu", kind = "menu_keys", clears = true },
  { id = "probe", kind = "already_running" },
  { id = "clickable", kind = "clickables", limit = 4, is_guess = true },
  { id = "canvas", kind = "canvas_centre" },
  { id = "key", kind = "blind_keys" },
  { id = "model", kind = "model", prompt = "find_start" },
}

return M
