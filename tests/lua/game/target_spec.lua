local target = require "qa.game.target"

local function refused(t, value, pattern) t.raises(function() target.classify(value) end, pattern) end

return {
  ["a slug comes from the folder or the URL path, never from a port"] = function(t)
    t.equal(target.classify("examples/games/clicker").slug, "clicker")
    t.equal(target.classify("examples/games/clicker/index.html").slug, "clicker")
    t.equal(target.classify("http://127.0.0.1:8080/games/My_Game/index.html?x=1").slug, "my-game")
    t.equal(target.classify("http://127.0.0.1:8080/").slug, "game")
    t.equal(target.classify("https://play.example.com").slug, "play-example-com")
  end,
  ["other schemes are refused before anything starts"] = function(t)
    for _, url in ipairs { "file:///etc/passwd", "chrome://crash", "javascript:alert(1)", "data:text/html,x",
      "ftp://x/" } do
      refused(t, url, "only http and https URLs")
    end
  end,
  ["what is no target is refused with a hint"] = function(t)
    refused(t, "no/such/folder", "no such file or folder")
    refused(t, "localhost:8080", "did you mean http://localhost:8080%?")
    refused(t, "tests/lua", "no index.html")
    refused(t, "README.md", "README.md: no")
    refused(t, "http://user:secret@example.com/", "user name or password")
    refused(t, "http:///x", "no host")
    refused(t, "", "no target")
  end,
  ["slugs are plain, short and never empty"] = function(t)
    t.equal(target.slug("Ünï cödé!"), "n-c-d")
    t.equal(target.slug("***"), "game")
    t.equal(#target.slug(("x"):rep(90)), 40)
  end,
}
