---@meta
-- Models and money: qa.llm, qa.budget. Who answers: docs/models.md.

---@class qa.Cost: {input_upper: integer, image_tokens: integer, max_output: integer, usd: number}
---@class qa.Estimate: qa.Cost, {endpoint: string, model: string}
---@class qa.ModelAbility: {model: string, vision: boolean, tools: boolean, computer: string, max_output: integer}
---@class qa.ModelChoice: qa.ModelAbility, {endpoint: string, dialect: string}
---@class qa.ModelRow: qa.ModelAbility, {structured: string, space: string, order: string}
---@class qa.Spending: {model: string, purpose: string, calls: integer, usd: number, assumed_usd: number}
---@class qa.DaySpending: qa.Spending, {day: string, suite: string, run: string, held_usd: number}
---@class qa.ScopeSpending: qa.Spending, {scope: string, refunded: integer, overruns: integer}

---@class qa.Budget a scope of money, in US dollars
local Budget = {}
---What calls may still cost here and in all scopes above.
---@return number usd
function Budget:left() end
---What calls have cost here and below.
---@return number usd
function Budget:spent() end
---@return {name: string, cap: number, spent: number, held: number, left: number, near_cap: boolean, closed: boolean}
function Budget:state() end
---Is 90 % of the cap spent?
---@return boolean
function Budget:is_near_cap() end
---A scope below this one; budget_exceeded when its cap is more than left().
---@param opts {usd: number, name?: string}
---@return qa.Budget?, qa.Error?
function Budget:child(opts) end
---Lowers the cap; budget_exceeded when it would be raised.
---@param usd number
---@return true?, qa.Error?
function Budget:lower(usd) end
---Keeps an amount for calls of purpose "analysis".
---@param usd number
---@return true?, qa.Error?
function Budget:keep(usd) end

---@class qa.budget the run's money: what a scope has as methods, as functions
---@field run qa.Budget the run's scope as a value, for `budget =` of a call
local budget = {}
---@return number usd
function budget.left() end
---@return number usd
function budget.spent() end
---@return table as Budget:state
function budget.state() end
---@return boolean
function budget.is_near_cap() end
---@param opts {usd: number, name?: string}
---@return qa.Budget?, qa.Error?
function budget.child(opts) end
---@param usd number
---@return true?, qa.Error?
function budget.lower(usd) end
---@param usd number
---@return true?, qa.Error?
function budget.keep(usd) end
---@return {scope: string, model: string, purpose: string, calls: integer, usd: number}[]
function budget.spending() end

---@class qa.llm.Options
---@field prompt? string this or messages
---@field messages? qa.llm.Message[]
---@field system? string
---@field images? qa.Image[] sent in the size that suits the model
---@field role? string who answers: "vision" (default), "orchestrator", or one of your own
---@field otherwise? string "PRESET/MODEL" that answers where nobody is named for the role and the preset's key is set
---A preset, a name of the user's configuration, or {dialect, base_url, key_env, model, headers, version, free, price}.
---@field endpoint? string|table
---@field model? string instead of the endpoint's
---@field max_output? integer tokens; always sent (1024)
---@field max_side? integer pixels of a picture's longer side, at most
---@field marks? {x: number, y: number, width: number, height: number, label?: integer}[] drawn on the first picture
---@field detail? "low"|"high"|"auto"
---@field temperature? number left out where the model or the dialect refuses it
---@field timeout_ms? integer for everything, pauses included (60000)
---@field attempts? integer (3)
---@field stream? boolean have the answer come in pieces; a cut one is told from a whole one
---@field purpose? string for the report: "action", "analysis" ...
---@field budget? qa.Budget (the run's)
---Functions, or a vendor's own tool as JSON text.
---@field tools? {name?: string, description?: string, parameters?: string|qa.schema.Type, vendor?: string}[]
---@field tool_choice? "auto"|"required"|"none"
---@field previous_id? string
---@field extra? table members for the request's body

---@class qa.llm.Message
---@field role "system"|"user"|"assistant"|"tool"
---@field content? string instead of parts
---@field parts? {text?: string, image?: qa.Image, detail?: string}[]
---@field tool_calls? qa.llm.ToolCall[] of an assistant
---@field items? string of an answer: the assistant's message as the dialect wrote it, instead of parts and tool_calls
---@field tool_call_id? string of a tool's answer: the call's id
---@field toolset? string of a tool's answer: the call's toolset
---@field checks? string of a tool's answer: the call's checks, which acknowledges them

---@class qa.llm.ToolCall
---@field id string
---@field name string
---@field arguments string JSON text; of OpenAI's computer calls the array of actions
---@field toolset string "computer" for calls of a vendor's computer tool of name "computer" or toolset
---@field checks string JSON text of safety checks that wait for an acknowledgement, "" for none

---@class qa.llm.Answer
---@field text string
---@field usd number what it cost, all attempts together
---@field assumed boolean part of usd is a reservation whose bill nobody knows
---@field usage? table<string, integer> tokens: input, cached_input, cache_write, output, reasoning, image_input
---@field finish "stop"|"tool_calls"|"length"|"other"
---@field tool_calls qa.llm.ToolCall[]
---@field items string what the model wrote as the dialect has it, to be sent back in a conversation; "" for openai-chat
---@field id string
---@field attempts {status: integer, ms: number, usd: number, request_id?: string, failure?: string}[]
---@field ms number
---@field replayed? "exact"|"similar"|"sequence" the step of the cassette

---@class qa.llm
local llm = {}
---Asks for text. Outcomes: llm_unavailable llm_rate_limited llm_invalid llm_refused llm_truncated llm_too_large
---budget_exceeded cassette_miss timeout.
---@param opts qa.llm.Options
---@return qa.llm.Answer?, qa.Error?
function llm.ask(opts) end
---Asks for a value of a schema: {schema, name?, repair? re-asks (1), coerce?, partial? = "closed", scale?, origin?,
---coordinates? = "percent"} beside what ask takes.
---@param opts table
---@return table? value, qa.llm.Answer|qa.Error answer_or_err
function llm.object(opts) end
---Who would be asked and at most at what cost an attempt, as the host would reserve it; nothing is sent.
---@param opts qa.llm.Options
---@return qa.Estimate?, qa.Error?
function llm.estimate(opts) end
---Where the model would see the first picture on the page, for coordinates in a prompt; nil when nobody answers.
---@param opts table what object takes
---@return qa.Space?
function llm.space(opts) end
---Who would be asked and what that model can do: computer is the type of the vendor's computer tool that it is made
---for, "" for none. nil when nobody answers.
---@param opts {role?: string, otherwise?: string, endpoint?: string|table, model?: string}
---@return qa.ModelChoice?
function llm.model(opts) end
---@param role? string
---@return boolean
function llm.is_available(role) end

---What qa.llm and qa.budget are made of; strategies do without. A budget is a number here, 0 the run's.
---@param spec table endpoint, messages, max_output, schema, tools ... as host/llm/conversation.h has them
---@param images? qa.Image[] which messages name by number
---@return qa.llm.Answer?, qa.Error?
function qa.internal.ask_model(spec, images) end
---@param since_day string "2026-11-01", "" for all
---@return qa.DaySpending[]?, qa.Error?
function qa.internal.shared_spending(since_day) end
---@param model string
---@return qa.ModelRow?
function qa.internal.model_row(model) end
---The size in which a picture is best sent.
---@param model string
---@param width integer
---@param height integer
---@param max_side integer 0 for none
---@return integer width, integer height
function qa.internal.model_size(model, width, height, max_side) end
---What ask_model would reserve for an attempt; nothing is sent.
---@param spec table as of ask_model
---@param images? qa.Image[]
---@return qa.Cost?, qa.Error?
function qa.internal.model_estimate(spec, images) end
---@param prices string JSON of {rows}, "" for none
---@param models string
---@return true?, qa.Error?
function qa.internal.overlay_tables(prices, models) end
---Lines of the journal about calls since it was last asked.
---@return table[]
function qa.internal.model_lines() end
---A variable of the environment that says how models are reached; keys are none of them.
---@param name string
---@return string
function qa.internal.environment(name) end
---The user's own configuration, as the host read it, and its path. Raises what is wrong with it.
---@return table configuration
---@return string path
function qa.internal.user_configuration() end
---Is the variable set? Its value never reaches Lua.
---@param name string
---@return boolean
function qa.internal.has_key(name) end
---@param budget integer
---@return table
function qa.internal.budget_state(budget) end
---@param budget integer
---@param name string
---@param usd number
---@return integer?, qa.Error?
function qa.internal.budget_child(budget, name, usd) end
---@param budget integer
---@param usd number
---@return true?, qa.Error?
function qa.internal.budget_lower(budget, usd) end
---@param budget integer
---@param usd number
---@return true?, qa.Error?
function qa.internal.budget_keep(budget, usd) end
---@return qa.ScopeSpending[]
function qa.internal.budget_spending() end
