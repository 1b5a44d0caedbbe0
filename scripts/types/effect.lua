---@meta
-- qa.effect: what an input changes in a world of game time. A world is made by qa.world.world; a run on game time has
-- one, ctx.world.

---@class qa.effect
---@field PLACEBO qa.Move a press of a key that no game uses
qa.effect = {}
---Plays a move in a world, and lets the same frames pass in its twin, which gets all else: the pointer is moved there,
---too. The two are compared 6, 20 and 60 frames after the move began, then each 60 frames, up to `frames`, while
---nothing differs. Afterwards the world goes on. A twin that is still equal waits for the next question; else the next
---one opens another and plays all that was done to the world.
---@param world table
---@param move qa.Move
---@param options? {frames?: integer, pictures?: boolean, is_brief?: boolean} frames: 60; pictures: give those of both;
---is_brief: do not ask whether it lasts, for which half a second of the game would pass
---@return qa.Effect?, qa.Error? err trace_mismatch: the game does not repeat, so nothing can be said
function qa.effect.of(world, move, options) end
---Asks moves one after the other.
---@param world table
---@param list qa.Move[]
---@param options? {frames?: integer, enough?: integer, is_over?: fun(): boolean} frames: of each (20); enough: effects
---after which no more are asked
---@return qa.Effect[] effects in the order of the list, as far as it was asked
---@return qa.Error? err why the rest was not asked
function qa.effect.scan(world, list, options) end
---Does anything of all this change anything? One comparison for many moves.
---@param world table
---@param list qa.Move[]
---@param options? table of qa.effect.of
---@return qa.Effect?, qa.Error?
function qa.effect.of_all(world, list, options) end
---Lets frames pass in a world and its twin.
---@param world table
---@param frames integer
---@return true?, qa.Error?
function qa.effect.wait(world, frames) end
---The twin of a world, equal to it: the one that waits, or a new one.
---@param world table
---@return table? twin, qa.Error? err trace_mismatch: the game does not repeat
function qa.effect.twin(world) end
---From now on a twin follows what is done to the world, beside it, so that the next question does not wait for one.
---@param world table
function qa.effect.keep_up(world) end
---An effect as a sentence that a tester can check.
---@param move qa.Move
---@param effect qa.Effect
---@return string
function qa.effect.sentence(move, effect) end

---What is played in one go: the kinds are listed in scripts/qa/input/moves.lua.
---@class qa.Move
---@field action string "press", "click", "right_click", "hover", "move", "drag", "touch", "wheel", "type" ...
---@field key? string
---@field modifiers? string[]
---@field x? number
---@field y? number
---@field to? qa.Point
---@field hold_ms? integer
