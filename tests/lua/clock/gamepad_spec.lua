-- A gamepad that the script holds: on game time and in real time, in all frames, as a page expects it of the browser.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

local game = [[<script>
  window.heard = []; window.log = [];
  addEventListener('gamepadconnected', (event) => heard.push(event.gamepad.id + ' ' + event.gamepad.mapping));
  const f = () => { const pad = navigator.getGamepads()[0];
    log.push(pad ? pad.buttons[0].value + ' ' + pad.buttons[12].pressed + ' ' + pad.axes[0] : 'none');
    requestAnimationFrame(f); };
  requestAnimationFrame(f);
</script>]]

---Fails unless fn raises a misuse that says `text`.
local function is_refused(t, fn, text)
  local ok, err = pcall(fn)
  t.equal(ok, false)
  t.truthy(tostring(err):find(text, 1, true), tostring(err))
end

return {
  ["what is held is seen by the frames of the game from then on"] = function(t)
    clock_page.with(game, function(open)
      local page = open()
      assert(page:step(2))
      assert(page:gamepad{ buttons = { a = 1, up = 0.5 }, axes = { left_x = -1 } })
      assert(page:step(2))
      assert(page:gamepad{})
      assert(page:step(1))
      t.equal(value(page, "log"), { "none", "none", "1 true -1", "1 true -1", "0 false 0" })
      t.equal(value(page, "heard"), { "Xbox 360 Controller (XInput STANDARD GAMEPAD) standard" })
      t.equal(value(page, "navigator.getGamepads()[0].timestamp.toFixed(1)"), "66.7")
    end)
  end,
  ["it comes after the steps that were asked for before it"] = function(t)
    clock_page.with(game, function(open)
      local page = open()
      qa.all(function() page:step(3) end, function() page:gamepad{ buttons = { a = 1 } } end,
        function() page:step(2) end)
      t.equal(value(page, "log"), { "none", "none", "none", "1 false 0", "1 false 0" })
    end)
  end,
  ["documents to come have it, and frames within the page and of other sites"] = function(t)
    local function child(server, host)
      return ("<iframe allow=gamepad src='%schild.html'></iframe>"):format(server.url:gsub("127%.0%.0%.1", host))
    end
    local asking = [[<script>addEventListener('gamepadconnected', () => { parent.postMessage('connected', '*') });
      onmessage = () => parent.postMessage(navigator.getGamepads()[0].axes[3], '*');</script>]]
    clock_page.with("<script>window.heard = []; onmessage = ({data}) => heard.push(data)</script>",
      function(open, server)
        local page = open()
        assert(page:gamepad{})
        assert(page:gamepad{ axes = { right_y = 0.25 } })
        assert(page:navigate(server.url .. "index.html?again"))
        t.equal(value(page, "navigator.getGamepads()[0].axes[3]"), 0.25)
        value(page, ("document.body.innerHTML = `%s%s`, 0"):format(child(server, "127.0.0.1"),
          child(server, "localhost")))
        assert(page:step(10))
        t.equal(value(page, "heard"), { "connected", "connected" })
        assert(page:gamepad{ axes = { right_y = 0.5 } })
        value(page, "[0, 1].map(i => frames[i].postMessage(0, '*')).length")
        assert(page:step(10))
        t.equal(value(page, "heard"), { "connected", "connected", 0.5, 0.5 })
      end, { ["child.html"] = asking })
  end,
  ["a page in real time has it, too, and sees the browser's own objects and functions"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    local dir = assert(qa.run.open{ slug = "gamepad-spec" })
    assert(qa.run.publish("index.html", "<!doctype html>" .. game))
    assert(page:navigate(assert(qa.serve(dir)).url .. "index.html"))
    assert(page:gamepad{ buttons = { rt = 0.1, home = 1 } })
    assert(page:wait_for{ js = "log[log.length - 1] === '0 false 0'" })
    t.equal(value(page, "heard.length"), 1)
    t.equal(value(page, [[(() => { const [pad] = navigator.getGamepads(), f = navigator.getGamepads;
      return [pad instanceof Gamepad, pad.buttons[7] instanceof GamepadButton, pad.buttons.length,
        pad.buttons[7].pressed,
        pad.buttons[7].touched, pad.buttons[16].value, f.name, f.length, String(f), 'prototype' in f,
        Object.keys(window).includes('__qa_gamepad')]; })()]]),
      { true, true, 17, false, true, 1, "getGamepads", 0, "function getGamepads() { [native code] }", false, false })
    browser:close()
  end,
  ["what cannot be held is refused"] = function(t)
    local browser = assert(qa.browser.launch{})
    local page = assert(browser:new_page{})
    is_refused(t, function() page:gamepad{ buttons = { fire = 1 } } end, "fire")
    is_refused(t, function() page:gamepad{ buttons = { a = 1.5 } } end, "'a'")
    is_refused(t, function() page:gamepad{ buttons = { a = -0.5 } } end, "'a'")
    is_refused(t, function() page:gamepad{ axes = { left_x = -2 } } end, "'left_x'")
    is_refused(t, function() page:gamepad{ buttons = 1 } end, "table")
    is_refused(t, function() page:gamepad{ sticks = {} } end, "sticks")
    page:close()
    is_refused(t, function() page:gamepad{} end, "closed")
    browser:close()
  end,
}
