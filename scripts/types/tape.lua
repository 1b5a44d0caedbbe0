---@meta
-- Tapes: what the network answered to the first world of a game that asked, given to all later ones.

---@class qa.tape
qa.tape = {}
---A tape in memory, or in a folder, which is made; one that holds a tape already is read and checked. max_bytes (512
---MiB) bounds the bodies: what comes later is asked anew each time, and is a gap. on_miss: what happens to a request
---that the tape knows nothing of: "network" asks, and tapes the answer, as a new tape does; "refuse" lets it fail, as
---one that was read does. A folder holds tape.jsonl and bodies/, for nobody but its owner; values of cookies, and of
---query parameters that look like credentials, are left out; what came with credentials is marked "private".
---@param folder? string
---@param opts? {max_bytes?: integer, on_miss?: "refuse"|"network"}
---@return qa.Tape?, qa.Error? err "trace_mismatch" names the damaged entry and its offset; "io_error"
function qa.tape.open(folder, opts) end

---@class qa.Tape
local Tape = {}
---What it holds. sum is that of its last entry on disk; files_sha256 says which build of a served game it is; gaps are
---requests that it could not answer, or not keep.
---@return {entries: integer, bytes: integer, was_there: boolean, sum: string, files_sha256: string, gaps: {url: string,
---reason: string}[]}
function Tape:info() end
