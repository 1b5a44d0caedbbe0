--- A model that answers by a script, for specs: all of qa.llm is real (schemas, sizes of pictures, conversations), only
-- the call that would go to a server is answered here. And a page to play on.
local qa = require "qa"
local internal = require "qa.internal"
local loop = require "qa.run.loop"
local strategy = require "qa.run.strategy_file"

local M = {}

---Replaces what would be sent. script(spec, n) gives {text | value | calls, ...}, or nil and an error; spec is what the
---host would get.
---@return table[] asked all specs, each with at_ms and done_ms
function M.with(model, script, fn)
  local real, command, asked, lines = { ask_model = internal.ask_model, model_lines = internal.model_lines },
    qa.command, {}, {}
  qa.command = { model = model }
  function internal.ask_model(sent, images)
    -- As it is now: a question that is asked again is the same table.
    local spec = {}
    for key, value in pairs(sent) do spec[key] = value end
    spec.messages = { unpack(sent.messages) }
    -- The second opinion at the end has its own specs.
    if spec.purpose == "analysis" then return nil, { kind = "llm_unavailable", message = "not asked here" } end
    asked[#asked + 1] = spec
    spec.at_ms, spec.pictures = qa.now_ms(), #(images or {})
    local given, err = script(spec, #asked)
    spec.done_ms = qa.now_ms()
    lines[#lines + 1] = { op = "event", t_ms = spec.done_ms, args = { name = "llm_call",
      data = { purpose = spec.purpose, usd = given and 0.001 or 0, attempts = {},
        usage = { input = 100, output = 10 } } } }
    if not given then return nil, err end
    local calls = {}
    for i, call in ipairs(given.calls or {}) do
      calls[i] = { id = "c" .. i, name = call.name, toolset = call.toolset or "", checks = call.checks or "",
        arguments = type(call.arguments) == "table" and qa.json.encode(call.arguments) or call.arguments or "{}" }
    end
    return { text = given.value and qa.json.encode(given.value) or given.text or "", finish = given.finish
      or (#calls > 0 and "tool_calls" or "stop"),
      usd = 0.001, attempts = {}, tool_calls = calls, items = given.items or "", refusal = given.refusal or "",
      id = "a",
      usage = { input = 100, output = 10 } }
  end
  function internal.model_lines()
    local taken = lines
    lines = {}
    return taken
  end
  local ok, err = pcall(fn)
  qa.command, internal.ask_model, internal.model_lines = command, real.ask_model, real.model_lines
  if not ok then error(err, 0) end
  return asked
end

---A point of the page as the model writes it.
function M.at(x, y)
  local space = qa.llm.space{ images = { { size = function() return 1280, 720 end } }, max_side = 768, role = "vision" }
  return { x = math.floor(x * space.scale.x), y = math.floor(y * space.scale.y) }
end

---Six tiles that change colour when clicked, a box that arrow keys move, a button that leads to another screen, and a
---field.
M.page = [[<!doctype html><meta charset="utf-8"><style>body { margin: 0; background: #fff;
  font: 20px sans-serif } div, button, input { position: absolute; outline: none }</style>
<div id="screen"></div><script>
window.log = [];
const names = ['Red', 'Green', 'Blue', 'Pink', 'Teal', 'Gold'];
function first() {
  document.body.style.background = '#fff'; screen_.innerHTML = '';
  names.forEach((name, i) => {
    const b = document.createElement('button'); b.textContent = name; b.id = name.toLowerCase();
    b.style = 'width:220px;height:190px;background:#ccc;' +
      `left:${60 + i % 3 * 260}px;top:${60 + Math.floor(i / 3) * 200}px`;
    b.onclick = () => { log.push(name); b.style.background = b.style.background === 'black' ? '#ccc' : 'black' };
    screen_.append(b);
  });
  const next = document.createElement('button'); next.textContent = 'Next'; next.id = 'next';
  next.style = 'left:900px;top:60px;width:200px;height:100px';
  next.onclick = () => { log.push('Next'); second() };
  const field = document.createElement('input'); field.id = 'field';
  field.style = 'left:900px;top:300px;width:200px;height:40px';
  field.onchange = field.oninput = () => log.push('field ' + field.value);
  screen_.append(next, field);
}
function second() {
  document.body.style.background = '#124'; screen_.innerHTML = '';
  const home = document.createElement('button'); home.textContent = 'Home'; home.id = 'home';
  home.style = 'left:540px;top:300px;width:200px;height:100px';
  home.onclick = () => { log.push('Home'); first() };
  screen_.append(home);
}
const screen_ = document.getElementById('screen');
const box = document.createElement('div'); box.style = 'left:60px;top:560px;width:100px;height:100px;background:#a33';
document.body.append(box);
let x = 60;
addEventListener('keydown', e => { log.push(e.code);
  if (e.code === 'ArrowRight') box.style.left = (x = (x + 120) % 1100) + 'px' });
first();
</script>]]

---Plays the page with a strategy, without the standard start; the model is asked at once.
---@param name string of the strategy
---@param script function see M.with
---@param more? table {model, set, fields of the strategy}
---@return table outcome, table[] asked, string log what the page saw
function M.play(name, script, more)
  more = more or {}
  local dir = assert(qa.run.open{ slug = "scripted" })
  assert(qa.run.publish("index.html", more.page or M.page))
  local hooks = { name = "scripted", extends = name, lists = more.lists, limits = more.limits }
  function hooks.prepare(ctx)
    local state = ctx.state
    state.trials, state.controls, state.round, state.window_ms = {}, { { kind = "click", source = "listener" } }, 0, 150
    state.ready, state.started, state.is_certain, state.declared = { ok = true, ms = 1, signals = {}, summary = "" },
      true, true, true
    ctx.test = more.test
    return ctx.page:navigate(ctx.url, { wait = "load" }) ~= nil
  end
  function hooks.start() return true end
  local set = { look_side = "768", interaction_ms = "0", overtime_ms = "0", settle_ms = "300", frame_rate_ms = "100",
    loop_ms = "50" }
  for key, value in pairs(more.set or {}) do set[key] = value end
  local outcome, log
  local asked = M.with(more.model or "openai/gpt-4o", script, function()
    outcome = loop.run{ strategy = strategy.load("tests/lua/samples/quick.lua", hooks), target = dir, quiet = true,
      set = set,
      metadata = more.metadata, on = function(stage, ctx)
        if (stage == "step" or stage == "done") and not ctx.page:is_closed() then
          local seen = ctx.page:evaluate("window.log && log.join(' ')", { timeout_ms = 1500 })
          log = type(seen) == "string" and seen or log
        end
      end }
  end)
  return outcome, asked, log
end

return M
