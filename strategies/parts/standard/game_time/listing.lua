--- The list of controls in the report: what each of them did.
local effects = require "qa.effect.effect"

local M = {}

---Times that a key is asked before it counts as one that does nothing.
local ASKED_IN_VAIN = 2

---What the pointer does, by the name of the move: the kind of the control.
local pointer = { click = "click", move = "move", drag = "drag", wheel = "wheel", touch = "touch" }

---What each control did, for the report. Keys that nothing but the game's code names, and that did nothing whenever
---they were asked, are keys of another part of it: they leave the list. What answered and was not on it joins it.
function M.all(ctx)
  local answers, list, listed, tried = ctx.state.answers, {}, {}, {}
  for _, control in ipairs(ctx.state.controls) do
    local known = answers.by_name[control.key or control.kind]
    local is_guess = control.kind == "key" and (control.source == "script" or control.source == "listener")
    local is_dead = is_guess and known ~= nil and not known.effect and known.asked >= ASKED_IN_VAIN
    if not is_dead then
      listed[control.key or control.kind] = true
      if known and known.effect then control.effect = effects.sentence(known.move, known.effect) end
      list[#list + 1] = control
    end
  end
  for name, known in pairs(answers.by_name) do
    local move = known.effect and known.move
    local kind = move and (move.action == "press" and not move.modifiers and "key" or pointer[name])
    if kind and not listed[name] then
      tried[#tried + 1] = { kind = kind, key = kind == "key" and name or nil, source = "tried",
        effect = effects.sentence(move, known.effect) }
    end
  end
  table.sort(tried, function(a, b) return (a.key or a.kind) < (b.key or b.kind) end)
  for _, control in ipairs(tried) do list[#list + 1] = control end
  if #answers.list == 0 then return end
  ctx.state.controls = list
  ctx:event("controls", { controls = list })
end

return M
