-- qa.permutation_test from Lua: what is counted is tested in the host; here, its arguments.
local qa = require "qa"

return {
  ["rows are sparse, and chance chooses or turns them"] = function(t)
    local rows = {}
    for i = 1, 12 do rows[i] = { [i <= 4 and 7 or i + 100] = 1 } end
    t.truthy(qa.permutation_test(rows, { chosen = 4 }) < 0.01)
    t.truthy(qa.permutation_test(rows, { draws = 2000 }) > 0.05)
  end,
  ["what is no row is refused where it is called"] = function(t)
    for _, rows in ipairs{ { 1 }, { { [0] = 1 } }, { { a = 1 } }, { { "x" } }, { { [1.5] = 1 } }, { { 0 / 0 } } } do
      local ok, message = pcall(function()
        local p = qa.permutation_test(rows)
        return p
      end)
      t.falsy(ok)
      t.truthy(tostring(message):find("permutation_spec.lua", 1, true) and tostring(message):find("row", 1, true))
    end
    t.falsy((pcall(qa.permutation_test, { { 1 } }, { chosen = 2 })))
    t.falsy((pcall(qa.permutation_test, { { 1 } }, { statistic = "mean" })))
    t.falsy((pcall(qa.permutation_test, { { 1 }, { 2 } }, { strata = { { rows = 1, chosen = 1 } } })),
      "strata that leave a row out")
    t.falsy((pcall(qa.permutation_test, { { 1 } }, { strata = { { rows = 1, chosen = 2 } } })))
  end,
}
