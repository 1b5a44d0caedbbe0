-- A page of which no picture can be taken, for specs.
local context = require "qa.run.context"

---Calls fn while no picture of a stage can be taken.
---@return any value of fn
---@return integer tries
return function(stage, fn)
  local real, tries = context.new, 0
  function context.new(fields)
    local ctx = real(fields)
    local picture = ctx.picture
    function ctx:picture(name)
      if name ~= stage then return picture(self, name) end
      tries = tries + 1
      return nil, { kind = "timeout", message = "no picture came", op = "page:screenshot" }
    end
    return ctx
  end
  local ok, value = pcall(fn)
  context.new = real
  if not ok then error(value, 0) end
  return value, tries
end
