---@meta
-- Strategies: the table that a file returns, and ctx, which every hook gets. What they mean: docs/strategies.md.

---@class qa.Strategy
---@field name? string
---@field doc? string
---@field extends? string a name or a path; "standard" where there is none
---@field url? string what `qa-host FILE.lua` plays
---@field metadata? string a file
---@field clock? "auto"|"game"|"real" time that the game is played in, where --clock says none; a strategy with a step
---of its own, and without this, plays in real time
---@field limits? {actions?: integer, steps?: integer, duration_ms?: integer, usd?: number}
---@field options? table<string, {default: number|string|boolean, doc: string}>
---@field lists? table<string, table> qa.inherit{...} adds to a list, a plain table replaces it
---@field prepare? fun(ctx: qa.Context, base: function): boolean?, any false, reason ends the run; nil, err is an error
---@field start? fun(ctx: qa.Context, base: function): boolean?, any nil, err: not found, the run goes on
---@field step? fun(ctx: qa.Context, base: function): boolean?, string? false, reason ends the run
---@field conclude? fun(ctx: qa.Context, report: table, base: function): table the report, with its verdict
---@field observe? function parts of a step, for strategies that call them; so are those below
---@field propose? function
---@field act? function
---@field assess? function
---@field recover? function
---@field learn? function

---@class qa.Context
---@field url string
---@field page qa.Page
---@field world? table on game time: the page with its seed, tape and log (qa.world.world), for qa.effect
---@field browser qa.Browser
---@field width integer of the view, CSS pixels
---@field height integer
---@field options table<string, any>
---@field limits table<string, number>
---@field lists table<string, table>
---@field metadata? table
---@field seed integer
---@field goal string
---@field strategy table as it was loaded
---@field dir string the run directory
---@field log qa.log
---@field budget qa.Budget the run's
---@field memory? qa.Memory
---@field state table plain data; survives a hot swap
---@field this_step table plain data; joins the step in the report
---@field report table what is known so far
---@field fold {report: table} the report as the journal makes it
local Context = {}
---Waits, wall time.
---@param ms number
function Context:wait(ms) end
---@return number since the run began
function Context:elapsed_ms() end
---Writes an event to the journal and takes it into the report.
---@param name string
---@param data? table plain data
function Context:event(name, data) end
---@param name string
function Context:phase(name) end
---A picture to look at, kept where screenshots are; the caller closes it.
---@param stage string
---@param taken? qa.Image a screenshot that was taken just now, else one is taken
---@return qa.Image? image, string|qa.Error|nil path_or_err
function Context:picture(stage, taken) end
---A screenshot for the report.
---@param stage string
---@return string? path, qa.Error?
function Context:shot(stage) end
---@param issue {severity: "critical"|"major"|"minor", kind: string, description: string, evidence?: string[]}
function Context:issue(issue) end
---@param id string
---@param outcome "pass"|"fail"|"unknown"
---@param missing? string the signal that is missing, and what to do about it
---@param evidence? string[]
function Context:check(id, outcome, missing, evidence) end
---Ends the run here: it raises, nothing after it in the hook is run; what was measured is judged.
---@param reason string
function Context:stop(reason) end
---A prompt file, filled in; the report notes its hash.
---@param name string
---@param vars table<string, any>
---@return string text
function Context:prompt(name, vars) end
---Writes the report as far as it is known.
function Context:publish() end
