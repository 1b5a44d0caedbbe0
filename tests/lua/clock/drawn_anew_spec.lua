-- Worlds of games that cannot be drawn in the frames alone that somebody looks at.
local clock_page = require("qa").load_chunk("tests/lua/support/clock_page.lua")()
local worlds = require "qa.world.world"

---Calls fn(open); open() gives a world of `html`.
local function with_worlds(html, fn)
  clock_page.with(html, function(_, server, browser)
    fn(function() return assert(worlds.open(browser, { url = server.url, width = 640, height = 360 })) end)
  end)
end

local tests = {}

tests["a game that builds on frames that were left out is drawn anew"] = function(t)
  with_worlds([[<canvas id="view" width="300" height="200"></canvas><script>
    const brush = view.getContext('2d');
    let n = 0;
    const tick = () => {
      if (++n < 90) brush.clearRect(0, 0, 300, 200);
      brush.fillRect(n * 37 % 290, n * 19 % 190, 9, 9);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  </script>]], function(open)
    local world, all = open(), open()
    for _, frames in ipairs{ 40, 39, 60, 5 } do
      assert(world:step(frames))
      assert(all:step(frames, { draw = "all" }))
    end
    t.equal(world.game.draws_all, true)
    t.equal(all.game.draws_all, nil)
    t.equal(world:frame(), 144)
    t.equal(world:differs(all), nil)
    assert(world:fork())
  end)
end

tests["a game whose last frame was left out is drawn anew, and who holds its page is told"] = function(t)
  with_worlds([[<canvas id="view" width="300" height="200"></canvas><script>
    const brush = view.getContext('2d');
    let n = 0;
    const tick = () => {
      brush.clearRect(0, 0, 300, 200);
      brush.fillRect(++n * 37 % 290, n * 19 % 190, 9, 9);
      if (n < 100) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  </script>]], function(open)
    local world, all = open(), open()
    local held = world.page
    function world.on_new_page(page) held = page end
    for _, frames in ipairs{ 60, 60, 5 } do
      assert(world:step(frames))
      assert(all:step(frames, { draw = "all" }))
      t.truthy(held == world.page)
    end
    t.equal(world.game.draws_all, true)
    t.equal(world:frame(), 125)
    t.equal(world:differs(all), nil)
    assert(world:fork())
  end)
end

return tests
