---@meta
-- Plans: the file, and what the hooks of a policy (`extends = "verified"`) get. docs/plans.md.

---@class qa.PlanTask a task as the plan's file has it
---@field id string
---@field description? string
---@field title? string
---@field dependencies? string[] ids of the same project
---@field files? string[] what may be changed to mend it: paths, folders ("src/"), patterns with "*"
---@field test_command? string[] read from a list or a text
---@field test_game? {target: string, strategy?: string, metadata?: string, set?: table, seed?: number, oracle?: string}
---@field test_file? string
---@field test_files? string[]
---@field junit? string
---@field requires_testing? boolean true
---@field timeout_ms? integer
---@field dir? string
---@field is_parent? boolean
---@field sub_project_id? string

---@class qa.Project
---@field name? string
---@field goal? string
---@field dir? string
---@field tasks qa.PlanTask[]
---@field projects? table<string, qa.Project> of the plan itself
---@field max_depth? integer

---@class qa.PlanNode a task in its place
---@field id string
---@field path string ids from the top: "phase-2/buffer"
---@field task qa.PlanTask
---@field parent qa.PlanNode
---@field depth integer 0 for tasks of the plan itself
---@field deps qa.PlanNode[]
---@field dir string its folder
---@field children? qa.PlanNode[] of a parent
---@field project? qa.Project

---@class qa.TestResult
---@field passed boolean
---@field output string
---@field failure_details? string
---@field ms number
---@field cases? integer tests that its report counts
---@field is_broken? boolean it could not be run: nobody is asked to mend that

---@class qa.PlanContext
---@field plan {project: qa.Project, path: string, folder: string}
---@field options table<string, any>
---@field lists table<string, table>
---@field role fun(name: "executor"|"bug_hunter"|"planner"): table?
---@field scratch fun(node: qa.PlanNode): string a folder for what its test writes

---@class qa.PlanPolicy: qa.Strategy
---@field act? fun(ctx: qa.PlanContext, task: qa.PlanNode, base: function): {output: string}?, qa.Error? the executor
---@field assess? fun(ctx: qa.PlanContext, task: qa.PlanNode, test: table, base: function): qa.TestResult runs it once
---@field recover? fun(ctx: qa.PlanContext, task: qa.PlanNode, failure: qa.Failure, base: function): table?, qa.Error?
---The planner. request: {kind: "phases"|"tasks", prompt: string, schema: table}.
---@field propose? fun(ctx: qa.PlanContext, request: table, base: function): table?, qa.Error?

---@class qa.Failure: {test: table, details: string, attempt: integer, earlier: table[]}
