-- The start cascade on real pages, one affordance each: the step that is made for it must be the one that starts it.
local cascade = require "qa.start.cascade"
local start_pages = require("qa").load_chunk("tests/lua/support/start_pages.lua")()
local canvas_menu, run = start_pages.canvas_menu, start_pages.run

return {
  ["C-051: an attribute that holds the word alone comes next"] = function(t)
    local result = run("<button class='big play-now'>Los</button>", "document.querySelector('button').onclick = go")
    t.equal(result.method, "dom_attribute")
  end,
  ["visible text on anything clickable starts a game"] = function(t)
    local result = run("<div style='cursor:pointer;width:120px' id='x7'>New game</div>",
      "document.getElementById('x7').onclick = go")
    t.equal(result.method, "dom_text")
  end,
  ["instruction text names the key to press"] = function(t)
    local result = run("<p>Press Enter to begin your quest</p>",
      "addEventListener('keydown', e => e.key === 'Enter' && go())")
    t.equal(result.method, "instruction")
    t.equal(result.target, "Enter")
  end,
  ["a modal is closed, and does not count as a start"] = function(t)
    local _, attempts = run("<div id='m' style='position:fixed;inset:20px;background:#ccc'>Rules " ..
      "<button>Close</button></div>",
      "document.querySelector('button').onclick = () => document.getElementById('m').remove()")
    t.equal(attempts[1].method, "modal")
    t.equal(attempts[1].effect, "yes")
  end,
  ["an unnamed clickable is tried before blind input"] = function(t)
    local result = run("<div role='button' style='width:60px;height:60px;background:#999'></div>",
      "document.querySelector('[role]').onclick = go")
    t.equal(result.method, "clickable")
  end,
  ["the middle of the largest canvas is clicked"] = function(t)
    local result = run("<canvas width='400' height='200' style='background:#eee'></canvas>",
      "document.querySelector('canvas').onclick = go")
    t.equal(result.method, "canvas")
  end,
  ["C-G2: a click without effect is not a start"] = function(t)
    local result, attempts = run("<button id='start-btn'>Start</button>", "")
    t.falsy(result.found)
    t.equal(attempts[1].effect, "no")
  end,
  ["a start word on a canvas is clicked where it stands"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", canvas_menu("go()"))
    t.equal(result.method, "canvas_text")
    t.equal(result.target, 'text "START"')
  end,
  ["a start word that only its pixels show is clicked where it stands"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>",
      "const screen = document.querySelector('canvas'), canvas = document.createElement('canvas'); canvas.width = " ..
        "640; canvas.height = 360;" ..
      canvas_menu("go()", "canvas") .. "screen.getContext('2d').drawImage(canvas, 0, 0);")
    t.equal(result.method, "pixel_text")
  end,
  ["what began the last round is tried first for the next"] = function(t)
    local page = "<button id='start-btn' style='position:absolute;left:300px;top:20px'>Start</button><div " ..
      "style='height:200px'></div>"
    local script = "addEventListener('mousedown', e => e.clientX < 50 && go())"
    local result = run(page, script, nil, { is_restart = true, restart_by = { x = 20, y = 200 } })
    t.equal({ result.method, result.attempts, result.by }, { "remembered", 1, { x = 20, y = 200 } })
    t.truthy(run(page, script, nil, { restart_by = { x = 20, y = 200 } }).method ~= "remembered")
  end,
  ["a menu whose entries the keys walk through is no game yet: an entry is chosen and taken"] = function(t)
    local result, attempts = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", [[
      const menu = document.querySelector('canvas').getContext('2d');
      let chosen = -1, is_left = false;
      const show = () => {
        menu.fillStyle = '#000'; menu.fillRect(0, 0, 640, 360);
        menu.fillStyle = '#fff'; menu.font = '24px sans-serif'; menu.fillText('CHOOSE A HERO', 200, 60);
        ['Knight', 'Bard', 'Cook'].forEach((name, i) => {
          menu.fillStyle = i === chosen ? '#fff' : '#444'; menu.fillRect(180, 90 + 70 * i, 260, 60);
          menu.fillStyle = '#a33'; menu.fillText(name, 220, 130 + 70 * i);
        });
      };
      show();
      addEventListener('keydown', e => {
        if (is_left) return;
        if (e.code === 'ArrowDown') { chosen = (chosen + 1) % 3; show() }
        if (e.code === 'Enter' && chosen >= 0) { is_left = true; second() }
      });
      const second = () => {]] .. canvas_menu("go()") .. "}", { { kind = "key", key = "ArrowDown" } })
    local told = {}
    for i = 1, 4 do told[i] = ("%s %s %s"):format(attempts[i].method, attempts[i].target, attempts[i].effect) end
    t.equal(told, { "menu Enter no", "menu Space no", "menu ArrowDown yes", "menu Enter yes" })
    t.equal({ result.found, result.method, result.auto }, { true, "canvas_text" })
  end,
  ["a switch for the sound starts no game"] = function(t)
    local result, attempts = run("<a id='m' style='cursor:pointer'>Mute</a>",
      "document.getElementById('m').onclick = e => { e.target.textContent = 'Unmute'; go() }")
    t.falsy(result.found)
    for _, attempt in ipairs(attempts) do t.truthy(attempt.method ~= "clickable") end
  end,
  ["an instruction that goes away when it is followed was right, however small"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>", [[
      const ctx = document.querySelector('canvas').getContext('2d');
      ctx.font = 'bold 10px "DejaVu Sans"'; ctx.fillText('Press Space to play', 290, 180);
      addEventListener('keydown', e => { if (e.code === 'Space') ctx.clearRect(0, 0, 640, 360) })
    ]])
    t.equal({ result.found, result.method, result.target }, { true, "instruction", "Space" })
  end,
  ["an instruction on a canvas is followed"] = function(t)
    local result = run("<canvas width='640' height='360' style='position:fixed;inset:0'></canvas>",
      "const ctx = document.querySelector('canvas').getContext('2d'); ctx.font = '30px sans-serif'; " ..
        "ctx.fillText('Press S to start', 100, 90);" ..
      "addEventListener('keydown', e => { if (e.code === 'KeyS') { " ..
        "document.querySelector('canvas').remove(); go() } })")
    t.equal(result.method, "instruction")
    t.equal(result.target, "KeyS")
  end,
  ["a link within the page starts a game like a button"] = function(t)
    local result = run("<a href='#' id='x7'>Play</a>", "document.getElementById('x7').onclick = go")
    t.equal({ result.found, result.method }, { true, "dom_text" })
  end,
  ["the page is looked at again only after something was tried"] = function(t)
    local scenes, looks, ways, tried = require "qa.page.scene", 0, {}, 0
    local look = scenes.look
    scenes.look = function(ctx)
      looks = looks + 1
      return look(ctx)
    end
    local ok, _, attempts = pcall(run, "<p>..</p>", "")
    scenes.look = look
    t.truthy(ok)
    for _, attempt in ipairs(attempts) do
      if not ways[attempt.method] then ways[attempt.method], tried = true, tried + 1 end
    end
    t.truthy(tried >= 2)
    -- The last step finds nothing to try here.
    t.equal(looks, tried + 1)
  end,
  ["buttons that cannot be pressed take no place of those that can"] = function(t)
    local links = ("<a href='http://127.0.0.1:9/'>Blog</a>"):rep(3)
      .. "<button disabled style='width:60px;height:40px'>Hard</button>"
    local result = run(links .. "<button id='easy' style='width:60px;height:40px'>Easy</button>",
      "document.getElementById('easy').onclick = go")
    t.equal({ result.method, result.target, result.is_certain or false }, { "clickable", 'button#easy "Easy"', false })
  end,
  ["whatever is clicked without a word for starting is no certain start"] = function(t)
    local button = "<button id='b' style='width:90px;height:40px'>%s</button>"
    local function certain(text)
      return run(button:format(text), "document.getElementById('b').onclick = go").is_certain or false
    end
    t.equal({ certain "Easy", certain "Start" }, { false, true })
  end,
  ["a name is written where a start button asks for one, and the button pressed again"] = function(t)
    local script = [[
      document.getElementById('b').onclick = () => { if (document.getElementById('n').value) go() };
    ]]
    local page = "<input id='n' style='font-size:24px'>%s<button id='b' style='width:90px;height:40px'>%s</button>"
    local result, attempts = run(page:format("", "Play"), script)
    local told = {}
    for i, attempt in ipairs(attempts) do told[i] = attempt.method .. " " .. attempt.effect end
    t.equal(told, { "dom_text no", "field yes", "dom_text yes" })
    t.equal({ result.found, result.method }, { true, "dom_text" })
    -- Without one the field may be what the game is played with.
    local _, others = run(page:format("", "Guess"), script)
    for _, attempt in ipairs(others) do t.truthy(attempt.method ~= "field") end
  end,
  ["a question about the sound is answered, and is no start"] = function(t)
    local result, attempts = run("<div id='q' style='position:fixed;inset:20px;background:#ccc'>Sound available " ..
      "<button>enable audio</button>"
      .. "<button>disable audio</button></div>", [[
      for (const b of document.querySelectorAll('button')) b.onclick = () => { document.getElementById('q').remove(); };
    ]])
    t.equal({ attempts[1].method, attempts[1].effect, result.found }, { "sound_question", "yes", false })
  end,
  ["a link that leaves the page is never clicked"] = function(t)
    local _, attempts = run("<a href='http://127.0.0.1:9/'>Play</a>", "")
    for _, attempt in ipairs(attempts) do t.falsy(attempt.target:find("^a ")) end
    local _, others = run("<a href='http://127.0.0.1:9/'>Click here for more games</a>"
      .. "<a href='http://127.0.0.1:9/'><img class='play-button' width=90 height=40></a>", "")
    for _, attempt in ipairs(others) do t.falsy(attempt.method == "instruction" or attempt.method == "dom_exact") end
  end,
  ["a start button that cannot be pressed yet is pressed when it can"] = function(t)
    local result = run("<button id='start-btn' disabled style='width:90px;height:40px'>Start</button>" ..
      "<button id='level'>Level one</button>", [[
      const start = document.getElementById('start-btn');
      document.getElementById('level').onclick = () => { start.disabled = false;
        document.getElementById('scene').style.background = '#8a2' };
      start.onclick = () => { window.has_begun = true; go() };
    ]], nil, nil, function(ctx)
      return cascade.run(ctx, function() return ctx.page:evaluate("window.has_begun === true") == true end,
        function() return false end)
    end)
    t.truthy(result.target and result.target:find("start-btn", 1, true), result.target)
  end,
  ["after a scroll the other buttons are looked for again"] = function(t)
    local result = run("<button id='x' style='margin:40px;width:90px;height:40px'>Play</button><div " ..
      "style='height:1200px'></div>"
      .. "<button style='width:120px;height:40px'>Start game</button><div style='height:300px'></div>",
      "document.getElementById('x').onclick = go")
    t.equal({ result.method, result.target, result.attempts }, { "dom_text", 'button#x "Play"', 2 })
  end,
}
