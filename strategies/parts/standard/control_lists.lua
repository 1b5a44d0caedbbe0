--- How controls are read from a page's scripts when no metadata names them, and what is pressed when nothing is known.
return {
  -- Script files of libraries, whose key tables say nothing of this game: Lua patterns on the lower-case URL path.
  library_patterns = {
    "jquery", "bootstrap", "modernizr", "analytics", "gtag", "ads", "polyfill", "lodash", "underscore", "howler",
    "three[%.%-%w]*%.js", "phaser[%.%-%w]*%.js", "pixi[%.%-%w]*%.js", "babylon", "react", "vue", "angular", "tween",
    "createjs", "soundmanager", "stats[%.%w]*%.js", "dat[%.%-]gui", "html5shiv", "addtohomescreen", "share", "twitter",
    "facebook", "box2d", "matter[%.%w]*%.js", "littlejs", "kontra", "excalibur", "melonjs", "coquette", "^engine",
    "hammer", "keypress", "cookie",
  },

  -- Calls of game engines that stand for a set of keys.
  engine_calls = {
    { name = "createCursorKeys", keys = { "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown" } },
    { name = "keyDirection(", keys = { "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown" } },
  },

  -- Keys that rarely play: pausing, muting, menus. Left out unless instructions name them.
  ignored_keys = { "Escape", "Tab", "Backspace", "Delete", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10",
    "F11", "F12", "Home", "End", "PageUp", "PageDown", "Insert", "CapsLock", "Meta", "Alt", "Control", "Shift",
    "ShiftLeft", "ControlLeft", "AltLeft", "KeyP", "KeyM", "KeyQ", "Pause", "Minus", "Equal" },

  -- What instructions say of a key that does not play: "press 0 to watch", "P to pause".
  aside_words = { "watch", "demo", "pause", "resume", "mute", "unmute", "toggle", "quit", "exit", "stop", "abandon",
    "cancel", "close", "skip", "help", "fullscreen", "sound", "music", "save", "load", "undo" },

  -- Elements that have nothing to do with playing: they answer in games that do not, or end the round.
  non_game_words = { "mute", "unmute", "sound", "sounds", "music", "audio", "volume", "fullscreen", "full screen",
    "language", "theme", "dark mode", "light mode", "night mode", "lights off", "lights on", "share", "tweet", "github",
    "privacy policy", "cookie policy", "app store", "google play",
    "get the app", "ios", "android", "donate", "discord", "patreon", "restart" },

  -- One control with several keys: the first key of a row that is found stands for it, the others are its aliases.
  -- In the order of play: what gets a player going (forward, jump, rotate) comes first.
  alias_rows = {
    { action = "up", is_direction = true, "ArrowUp", "KeyW", "KeyK", "KeyI" },
    { action = "right", is_direction = true, "ArrowRight", "KeyD", "KeyL" },
    { action = "fire", "Space" }, { action = "left", is_direction = true, "ArrowLeft", "KeyA", "KeyH", "KeyJ" },
    { action = "down", is_direction = true, "ArrowDown", "KeyS" }, { action = "confirm", "Enter" },
  },

  -- Where scripts name several other keys as often: those that web games use for actions, the usual first.
  usual_keys = { "KeyZ", "KeyX", "KeyC", "KeyF", "KeyE", "KeyR" },

  -- What a script says that takes letters as a player types them, beside listening for keys: Lua patterns.
  letter_patterns = { "%[a%-z", "%[A%-Z", ">=%s*['\"][aA]['\"]", "<=%s*['\"][zZ]['\"]" },

  -- What is typed into such a game, a word a round: of five letters, which most such games take, and of all kinds.
  typed_words = { "crane", "moist", "lucky", "fudge" },

  -- What is tried where something listens for keys and no script tells for which.
  unread_keys = { "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight", "Space" },

  -- C-019: what is cycled when nothing is known.
  generic_keys = { "KeyW", "KeyA", "KeyS", "KeyD", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight", "Space",
    "Enter" },
}
