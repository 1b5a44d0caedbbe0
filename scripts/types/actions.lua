---@meta
-- What is done in a game, and what came of it: input.actions, effect.groups, run.metrics, model.scripted_model of qa.

---@class qa.Action plain data; places are CSS pixels of the view unless unit says otherwise
---Also understood: keypress, tap and swipe.
---@field action "click"|"double_click"|"drag"|"press"|"hold"|"type"|"scroll"|"move"|"wait"|"burst"|"complete"
---@field target? qa.Target|{x: number, y: number, unit: "px"|"percent"|"canvas"}|{key: string} where, or which key
---@field to? qa.Target where a drag ends
---@field key? string|string[]|{key: string} "Space", "w", "ctrl+a", {"Control", "a"}
---@field text? string
---@field hold_ms? integer
---@field wait_ms? integer
---@field repeat? integer of click, press and trial
---@field dx? integer of scroll
---@field dy? integer
---@field reasoning? string
---@field confidence? number

---@class qa.Outcome
---@field success boolean
---@field error? qa.Error type_mismatch: no action, or out of bounds; element_not_found: outside the view; a primitive's
---@field ms number
---@field at? qa.Point where it went
---@field snapped_to? string the control that the point hit
---@field complete? boolean
---@field stop? "max_actions"|"max_duration" a limit left no room: nothing was done

---@class qa.ListOutcome: {outcomes: qa.Outcome[], done: integer, success: boolean, complete: boolean, broken_by: any}
---@field error? qa.Error
---@field failed_at? integer
---@field stop? string

---@class qa.input.actions
local actions = {}
---One action as a model writes it, for qa.llm.object; only the fields that its actions need. reasoning: {min?, max?}.
---@param opts? {actions?: string[], reasoning?: table|false, confidence?: boolean, caps?: table, more?: table[]}
---@return qa.schema.Type
function actions.schema(opts) end
---A copy in its plain form, or what is wrong with it.
---@param action table
---@param bounds? {width?: number, height?: number, canvas?: table, caps?: table}
---@return qa.Action?, qa.Error?
function actions.check(action, bounds) end
---@param ctx table
---@param action table
---@param opts? {snap?: boolean, rows?: table[], timeout_ms?: integer, caps?: table}
---@return qa.Outcome
function actions.perform(ctx, action, opts) end
---To the first error, or past errors (go_on); to complete, a limit, or what `between` says.
---@param ctx table
---@param list table[]
---@param opts? table as perform, and {go_on?: boolean, between?: fun(i: integer, action: table, outcome: qa.Outcome)}
---@return qa.ListOutcome
function actions.perform_all(ctx, list, opts) end
---Tells the report (metadata.actionHistory).
---@param ctx table
---@param action table
---@param outcome qa.Outcome
---@param progressed? boolean
function actions.record(ctx, action, outcome, progressed) end
---"click 640,360", "press Space x10"
---@param action table
---@return string
function actions.describe(action) end

---@class qa.GroupResult: qa.ProgressResult, {still: boolean, rests: boolean, trial?: table}

---@class qa.effect.groups
local groups = {}
---The scene before the first action against that after the last; numbers that decide: scripts/qa/effect/groups.lua.
---@param ctx table
---@param act fun(): any
---@param opts? table
---@return qa.GroupResult?, qa.Error?
function groups.assess(ctx, act, opts) end
---Watches the scene without input, as while a model thinks: the next assessment knows its motion.
---@param ctx table
---@param window_ms? integer
---@return boolean more
function groups.watch(ctx, window_ms) end

---@class qa.run.metrics
local metrics = {}
---@param ctx table
---@param name string
---@param n? number
function metrics.add(ctx, name, n) end
---@param ctx table
---@param name string
---@param fn fun(...): any
---@return any ... what fn returned
function metrics.span(ctx, name, fn, ...) end
---report.metrics as it is now.
---@param ctx table
---@return table
function metrics.of(ctx) end

---@class qa.model.scripted_model
local scripted_model = {}
---Runs fn while answers stand in for every model; for specs.
---@param answers table<string, any[]> by purpose: texts, JSON as tables, functions of the question, {refusal}, {error}
---@param fn fun(asked: table[]): any
---@return any value, {purpose: string, text: string, images: integer, schema?: string}[] asked
function scripted_model.run(answers, fn) end

return actions, groups, metrics, scripted_model
