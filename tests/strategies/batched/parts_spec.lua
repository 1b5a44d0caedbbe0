-- Parts of the batched strategy by themselves: a look that is taken again, batches, and what is done again.
local backoff = require "qa.model.backoff"
local plans = require "qa.model.batch_plan"
local qa = require "qa"
local strategies = require "qa.run.strategy_file"

local executor, vision = strategies.part "batched.executor", strategies.part "batched.vision"

return {
  ["B-015: a screenshot that fails is taken again, with pauses that grow"] = function(t)
    local tries, at, moves = 0, {}, nil
    local function taken(good_at)
      tries, at[#at + 1] = tries + 1, qa.now_ms()
      if tries < good_at then return nil, { kind = "timeout", message = "late" } end
      return { hash = function() return "00" end, close = function() end, number = tries }
    end
    local function ctx_of(good_at)
      tries, at = 0, {}
      return { options = { shot_attempts = 3, settle_ms = 10 }, state = {}, width = 1280, height = 720,
        event = function() end, url = "http://x/",
        page = { settle = function() return moves and { verdict = "settled", last_change_ms = moves } end,
          screenshot = function() return taken(good_at) end, evaluate = function() return "http://x/" end,
          clickables = function() return {} end,
          listeners = function() return {} end, probe = function() return {} end, content = function() return "" end },
        picture = function(_, _, image)
          if image then return image end
          return taken(good_at)
        end }
    end
    local look = assert(vision.look(ctx_of(3), "turn"))
    t.equal({ tries, look.key }, { 3, "00" })
    t.truthy(at[2] - at[1] >= 190 and at[3] - at[2] >= 390, qa.json.encode(at))
    local none, err = vision.look(ctx_of(9), "turn")
    t.equal({ none, err.kind, tries }, { nil, "timeout", 3 })
    -- What was read of a scene that moved meanwhile is read again; of one that rested it stands.
    for ms, number in pairs{ [0] = 1, [40] = 2 } do
      moves = ms
      t.equal(assert(vision.look(ctx_of(1), "turn")).image.number, number, ms)
    end
  end,

  ["the picture that an assessment took is looked at, unless the game was scrolled back into view since"] = function(t)
    local function image(name) return { name = name, hash = function() return "00" end, close = function() end } end
    for y, seen in pairs{ [100] = "assessed", [2000] = "taken anew" } do
      local canvas = { x = 0, y = y, width = 800, height = 600, visible = true }
      local ctx = { options = { shot_attempts = 1, settle_ms = 10 }, state = { is_assessed = true }, width = 1280,
        height = 720, url = "http://x/",
        at_rest = { picture = image "assessed", t_ms = qa.now_ms() }, event = function() end,
        picture = function(_, _, taken) return taken end,
        page = { screenshot = function() return image "taken anew" end, evaluate = function() return "http://x/" end,
          clickables = function() return {} end, content = function() return "" end,
          listeners = function() return {} end,
          probe = function(_, name) return name == "page_state"
            and { { value = { canvases = { canvas }, scroll = { x = 0, y = 0 } } } } or {} end } }
      t.equal(assert(vision.look(ctx, "turn")).image.name, seen, y)
    end
  end,

  ["B-017: batches are cut by what their actions weigh, and where another screen is expected"] = function(t)
    local function sizes(list, size)
      local cut = {}
      for i, batch in ipairs(plans.batches(list, size)) do cut[i] = #batch.actions end
      return cut
    end
    local function many(kind, n)
      local list = {}
      for i = 1, n do list[i] = { action = kind } end
      return list
    end
    t.equal(sizes(many("press", 9), 4), { 8, 1 })
    t.equal(sizes(many("click", 9), 4), { 4, 4, 1 })
    t.equal(sizes(many("drag", 3), 4), { 2, 1 })
    t.equal(sizes(many("drag", 2), 1), { 1, 1 })
    t.equal(sizes({ { action = "click", leads_on = true }, { action = "click" } }, 4), { 1, 1 })
    t.equal(sizes({}, 4), {})
    local plan_ = plans.new(many("click", 6), { size = 4 })
    plans.advance(plan_, 3)
    t.equal({ #plans.next_batch(plan_), #plans.rest(plan_) }, { 1, 3 })
    plans.recut(plan_, 8)
    t.equal(#plans.next_batch(plan_), 3)
    plans.advance(plan_, 3)
    t.falsy(plans.is_valid(plan_))
  end,

  ["B-017: what may pass is tried again with a pause that grows, what is final is not"] = function(t)
    local n, at = 0, {}
    local function failing(kind, good_at)
      return function()
        n, at[#at + 1] = n + 1, qa.now_ms()
        if n < good_at then return nil, { kind = kind } end
        return "ok"
      end
    end
    t.equal({ backoff.try(failing("timeout", 3), { first_ms = 100 }) }, { "ok", nil, 3 })
    t.truthy(at[3] - at[2] > 1.5 * (at[2] - at[1]), qa.json.encode(at))
    n, at = 0, {}
    local value, err, attempts = backoff.try(failing("type_mismatch", 3), { first_ms = 20 })
    t.equal({ value, err.kind, attempts }, { nil, "type_mismatch", 1 })
    -- An action that times out is done again; what was done before it is not.
    local done = {}
    local ctx = { options = { action_retries = 2, retry_ms = 10 },
      state = { batched = {}, trials = {}, scene_moves = false }, limits = {}, width = 100, height = 100,
      event = function() end, url = "http://x/",
      page = { watch = function() return nil, { kind = "timeout" } end, evaluate = function() return "x" end,
        probe = function() return {} end,
        clickables = function() return {} end,
        press = function(_, key)
          done[#done + 1] = key
          if key == "KeyB" and #done < 3 then return nil, { kind = "timeout", message = "late" } end
          return true
        end } }
    executor.perform(ctx, { { action = "press", key = "a" }, { action = "press", key = "b" },
      { action = "press", key = "c" } }, function() end)
    t.equal(done, { "KeyA", "KeyB", "KeyB", "KeyC" })
  end,
}
