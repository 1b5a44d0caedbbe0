--- The list of controls in the report: what each of them did.
local controls = require "parts.standard.game_time.controls"
local effects = require "qa.effect.effect"

local M = {}

---Times that a key is asked before it counts as one that does nothing.
local ASKED_IN_VAIN = 2

---What each control did, for the report. Keys that nothing but the game's code names, and that did nothing whenever
---they were asked, are keys of another part of it: they leave the list. What answered and was not on it joins it.
function M.all(ctx)
  local answers, list, listed = ctx.state.answers, {}, {}
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
  for _, move in ipairs(controls.working(ctx)) do
    if move.action == "press" and not move.modifiers and not listed[move.key] then
      list[#list + 1] = { kind = "key", key = move.key, source = "tried",
        effect = effects.sentence(move, answers.by_name[move.key].effect) }
    end
  end
  if #answers.list == 0 then return end
  ctx.state.controls = list
  ctx:event("controls", { controls = list })
end

return M
