-- What a page listens to, on game time: its own listeners alone.
local qa = require "qa"
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()

local GAME = [[<button id="go">go</button><iframe srcdoc="<script>onwheel = () => {}</script>"></iframe><script>
  addEventListener('keydown', () => {});
  go.onclick = () => {};
</script>]]

return {
  ["those of the clock are not among them"] = function(t)
    clock_page.with(GAME, function(open)
      local page, types = open(), {}
      page:step(2)
      for _, listener in ipairs(assert(page:listeners())) do
        types[#types + 1] = ("%s %s"):format(listener.type, listener.target)
      end
      table.sort(types)
      t.equal(types, { "click button", "keydown window", "wheel window" }, qa.json.encode(types))
    end)
  end,
}
