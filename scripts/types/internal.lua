---@meta
-- What the loop, plans and the runner of specs are made of: qa.internal. Strategies do without.

---@class qa.internal what the loop and the runner of specs are made of; strategies do without
qa.internal = {}
---Runs fn in a task that no loss of the caller reaches, for at most ms. When they are over: `nil, {kind = "timeout"}`.
---@generic T
---@param ms number
---@param fn fun(): T
---@return T?, qa.Error?
function qa.internal.grace(ms, fn) end
---pcall in a task of its own: a stretch of pure Lua that was stopped in it does not end the caller.
---@param fn fun(): any
---@return boolean ok, any ... the values, or what was raised
function qa.internal.attempt(fn) end
---After ms, the calling task and all below it get the loss `deadline`. nil takes that back.
---@param ms? number
function qa.internal.deadline_at(ms) end
---Does the embedding program give a module of this name, by a source or by functions of its own?
---@param name string
---@return boolean
function qa.internal.is_embedded(name) end
---What is open now, the calling task left out.
---@return {tasks: integer, pages: integer, browsers: integer, images: integer, refs: integer, stale: integer}
function qa.internal.leaks() end
---Writes a file below a folder, whole or not at all, on the disk when it returns. Folders are made, links not followed.
---@param root string
---@param name string plain relative path
---@param bytes string
---@return true?, qa.Error?
function qa.internal.folder_write(root, name, bytes) end
---@param root string
---@param name string
---@param bytes string
---@return true?, qa.Error?
function qa.internal.folder_append(root, name, bytes) end
---A file that is not there is fine.
---@param root string
---@param name string
---@return true?, qa.Error?
function qa.internal.folder_remove(root, name) end
---Keeps other processes out until folder_unlock, or the end. `store_locked` when another one has it.
---@param root string
---@param name string
---@return string? lock, qa.Error?
function qa.internal.folder_lock(root, name) end
---@param lock string
function qa.internal.folder_unlock(lock) end
---All files below a folder by path; their bytes are kept in objects by hash. ignore: names at any depth, or "*.ending".
---@param root string
---@param objects string
---@param ignore string[]
---@return table<string, {sha256: string, mode: integer, is_link: boolean}>?, qa.Error?
function qa.internal.tree_snapshot(root, objects, ignore) end
---Makes a file what it was in a snapshot.
---@param root string
---@param objects string
---@param path string
---@param entry {sha256: string, mode: integer, is_link: boolean}
---@return true?, qa.Error?
function qa.internal.tree_restore(root, objects, path, entry) end
---Where "qa-host.lua", "strategies" or "scripts/commands" of a trusted project is; nil where it may not be used.
---@param name string
---@return string? path
function qa.internal.project_path(name) end
---A line that somebody types on stdin; nil at its end.
---@return string? line
function qa.internal.read_line() end
