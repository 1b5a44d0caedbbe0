---@meta
-- Memory: qa.store, and ctx.memory of strategies. What is remembered, and how: docs/memory.md.

---@class qa.store plain data by namespace and key, in memory.sqlite of the state folder; a user's processes share it
local store = {}
---@param namespace string
---@return qa.Store
function store.open(namespace) end

---@class qa.Store a namespace. Outcomes: store_locked, store_error
local Store = {}
---@param key string at most 1024 bytes
---@return any value nil where there is none
---@return number|qa.Error revision_or_err 0 where there is none
function Store:get(key) end
---On the disk when it returns.
---@param key string
---@param value any plain data, at most 4 MiB of JSON
---@param opts? {revision?: number} written only if the record has this revision now; 0: only if there is none
---@return number|false|nil revision false: somebody was faster
---@return qa.Error?
function Store:put(key, value, opts) end
---@param key string
---@return boolean? was_there, qa.Error?
function Store:delete(key) end
---`for key, value, revision in store:each{ prefix = "a/" } do`; raises the error of a store that cannot be read.
---@param opts? {prefix?: string}
---@return fun(): string?, any, number?
function Store:each(opts) end
---Reads, calls fn, writes; begins again when somebody was faster, so that no update is lost. fn only computes; nil
---leaves the record alone.
---@param key string
---@param fn fun(value: any): any
---@return any value what is there now, qa.Error?
function Store:update(key, fn) end

---@class qa.Memory.Context
---@field game string
---@field build string
---@field scene string
---@field goal string
---@field hash? string perceptual hash of the scene; an imported one has none
---@field is_known? boolean the scene has been met before

---@class qa.Memory ctx.memory: what runs have taught about this game. Errors of the store are raised
---@field here? qa.Memory.Context where the strategy recall has begun
local Memory = {}
---@param hash string of image:hash
---@param goal? string
---@param moves? boolean the scene moves by itself
---@return qa.Memory.Context
function Memory:context(hash, goal, moves) end
---@return table? pattern {actions, outcome, count, timestamp, signature}
function Memory:get_successful_pattern(context) end
---@param steps {action: table}[]
---@param outcome string
---@param extra? table further fields of the pattern
function Memory:record_success(context, steps, outcome, extra) end
---@param steps {action: table}[] the action that failed last
---@param reason string
---@param signature? string of the pattern that was replayed
function Memory:record_failure(context, steps, reason, signature) end
function Memory:update_reward(action_type, reward) end
---@return number
function Memory:get_action_reward(action_type) end
---@param view? {width: integer, height: integer} of the page, for the part of it that a click is counted to (1280x720)
---@return boolean avoid, string? reason
function Memory:should_avoid_action(context, action, view) end
---What a planner is told to avoid; fence it, it may hold words of the page.
---@return string
function Memory:hint(context) end
---prior: {wins, losses}; is_fixed: worth its mean as long as nothing was learned of it.
---@param question string
---@param options {name: string, confidence?: number, price?: number, prior?: table, is_fixed?: boolean}[]
---@return string name, boolean explored, table[] ranked
function Memory:choose(question, options) end
---@param reward number 0 to 1
---@param forget? number what earlier lessons count from now on, the policy's `forget` else
function Memory:learn(question, name, reward, forget) end
---@param groups {confidence?: number, actions: table[]}[]
---@param view? {width: integer, height: integer}
---@return table[] best first
function Memory:rank(context, groups, view) end
---@return number
function Memory:exploration_rate() end

---A record of the store and its revision; nil and 0 where there is none.
---@param namespace string
---@param key string
---@return any value, number|qa.Error revision_or_err
function qa.internal.store_get(namespace, key) end
---The new revision; false when the record has another one than `replaces` now.
---@param namespace string
---@param key string
---@param value any
---@param replaces? number
---@return number|false|nil revision, qa.Error?
function qa.internal.store_put(namespace, key, value, replaces) end
---@param namespace string
---@param key string
---@return boolean? was_there, qa.Error?
function qa.internal.store_delete(namespace, key) end
---@param namespace string
---@param prefix string
---@param after string
---@param limit integer
---@return {key: string, value: any, revision: number}[]?, qa.Error?
function qa.internal.store_list(namespace, prefix, after, limit) end
---@param bytes string
---@return string
function qa.internal.base64(bytes) end
---@param text string
---@return string? bytes nil where the text is none
function qa.internal.from_base64(text) end

return store
