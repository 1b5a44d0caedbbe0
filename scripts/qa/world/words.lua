-- What a world says, whatever it shows: its text, its fields, what it keeps in the browser, its sounds, its own state.
local qa = require "qa"
local reader = require "qa.page.reader"

local M = {}

---How long the page may take to describe itself.
local STATE_MS = 2000

---The page's own words for its state: games made for tests offer render_game_to_text(). They are the page's: untrusted.
local function own_state(page)
  local state = page:evaluate([[(() => {
    const tell = globalThis.render_game_to_text;
    return typeof tell === "function" ? String(tell()).slice(0, 100000) : null;
  })()]], { read_only = true, timeout_ms = STATE_MS })
  return type(state) == "string" and state or nil
end

local function sounds_of(page)
  local count = page:evaluate("__qa_clock.clock.sounds", { read_only = true, timeout_ms = STATE_MS })
  return type(count) == "number" and count or 0
end

local function fields_of(page)
  local inputs, storage = {}, {}
  for _, frame in ipairs(page:probe("world_state", {}, { timeout_ms = STATE_MS }) or {}) do
    local value = type(frame.value) == "table" and frame.value or {}
    for _, text in ipairs(value.inputs or {}) do inputs[#inputs + 1] = text end
    storage[#storage + 1] = value.storage
  end
  return { inputs = inputs, storage = table.concat(storage, "\n") }
end

---A look without a picture.
---@param page qa.Page
---@return qa.WorldLook
function M.of(page)
  local texts, fields, state, sounds = qa.all(function() return reader.texts(page) end,
    function() return fields_of(page) end, function() return own_state(page) end, function() return sounds_of(page) end)
  return { text = texts.written, painted = reader.lines(texts.painted), inputs = fields.inputs,
    storage = fields.storage, sounds = sounds, state = state }
end

return M
