-- Only the host moves the pointer.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local value = clock_page.value

return {
  ["a pointer that rests tells nothing, and one that is moved tells once"] = function(t)
    clock_page.with([[<div id=box style="position:absolute;left:0;top:0;width:50px;height:50px">box</div><script>
      window.log = [];
      for (const type of ['mousemove', 'pointermove', 'mouseover', 'mouseout', 'click'])
        addEventListener(type, (event) => log.push(type + ' ' + event.clientX + ',' + event.clientY));
      setTimeout(() => { box.style.left = '200px'; box.style.top = '100px'; }, 500);
    </script>]], function(open)
      local page = open()
      assert(page:step(10))
      t.equal(#value(page, "log"), 0)
      assert(page:move{ x = 220, y = 120 })
      local moved = value(page, "log.join(' ')")
      t.equal(moved, "mouseout 220,120 mouseover 220,120 pointermove 220,120 mousemove 220,120")
      -- The box comes under the pointer: nothing has moved it.
      assert(page:step(60))
      value(page, "new Promise(done => fetch('/index.html').then(r => r.text()).then(done))")
      t.equal(value(page, "log.join(' ')"), moved)
      assert(page:click{ x = 220, y = 120 })
      t.truthy(value(page, "log.join(' ')"):find("click 220,120", 1, true))
    end)
  end,
}
