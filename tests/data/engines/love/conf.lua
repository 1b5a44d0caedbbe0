function love.conf(t)
  t.identity = "lantern"
  t.window.width, t.window.height = 480, 270
end
