---@meta
-- Every primitive of qa-host, as a Lua author sees it.
-- Calls look blocking; while one waits, other tasks run. Milliseconds everywhere.
-- Failure: misuse raises at the caller's line; an outcome is `nil, err`; a loss
-- (browser_lost, deadline, cancelled) raises `err` and sticks to its scope.

---@class qa.Error a plain table; tostring(err) is "kind: message"
---@field kind string one of the closed list in host/error.h, "script_error", or "native_error" of an embedding program
---@field message string
---@field op string the primitive, e.g. "page:navigate"
---@field detail? table

---@class qa.Point
---@field x number CSS pixels of the top-level viewport
---@field y number

---@class qa.Rect
---@field x number CSS pixels of the top-level viewport, left edge
---@field y number top edge
---@field width number
---@field height number

---A CSS selector, a point (a find result is one), or visible text.
---@alias qa.Target string|qa.Point|{text: string}|{selector: string}

---@class qa.WaitOptions: {timeout_ms?: integer, poll_ms?: integer, force?: boolean, stable?: boolean}
---@class qa.MouseOptions: {button?: "left"|"middle"|"right", count?: integer, hold_ms?: integer, modifiers?: string[]}
---@class qa.ClickOptions: qa.WaitOptions, qa.MouseOptions
---@class qa.CaptureOptions: {clip?: qa.Rect, format?: "png"|"jpeg", quality?: integer, scale?: number}
---@field timeout_ms? integer
---@class qa.ScreenshotOptions: qa.CaptureOptions, {element?: qa.Target}
---@class qa.PageOptions: {width?: integer, height?: integer, scale?: number, touch?: boolean, tap_text?: boolean}
---@field count_draws? boolean
---@field hold_scroll? boolean
---@field grace_extensions? integer
---@field reload_loop_loads? integer
---@field reload_loop_ms? integer
---@field clock? "real"|"game"
---@field seed? integer
---@field epoch_ms? number
---@field frame_ms? number
---@field patience_ms? number
---@field tape? qa.Tape
---@field twin? boolean
---@class qa.ProgressNoise: {factor?: number, add?: integer, reach?: integer, mask_factor?: number, mask_add?: integer}
---@class qa.ProgressWindows: {window_ms?: integer, controls?: integer, most_controls?: integer, effects?: integer}
---@class qa.ProgressScene: {width?: integer, height?: integer, margin?: integer, min_cells?: integer, after?: boolean}
---@class qa.ProgressOptions: qa.ProgressNoise, qa.ProgressWindows, qa.ProgressScene
---@field fresh_ms? integer
---@field busy_share? number
---@field baseline? table
---@class qa.ProgressResult: {progressed: "yes"|"no"|"unknown", method: string, cells: integer, control_cells: integer}
---@field page_changed boolean
---@field regions qa.Rect[]
---@field control qa.Window the last without input
---@field after qa.Window the last with it
---@field text_control? string
---@field text_after? string
---@class qa.PermutationOptions: {draws?: integer, seed?: integer, statistic?: "max"|"max_abs"|"norm"}
---@field chosen? integer
---@field strata? {rows: integer, chosen: integer}[]
---skipping_lost: since the document was loaded, a canvas that frames had left out was looked at, or read by the page,
---before it was drawn again. Pictures of this page may be wrong; a new one with draw = "all" has right ones.
---@class qa.Stepped: {frames: integer, game_ms: number, met: boolean, skipping_lost: boolean}
---@class qa.Settled: {verdict: "settled"|"animating", ms: number, frames: integer, quiet: qa.Window}
---@field picture? qa.Image
---@field last_change_ms number
---@field frame_delay_ms number
---@class qa.Health: {loading: boolean, crashed: boolean, hung: boolean, webgl_lost: boolean, network_idle_ms: number}
---@field hung_drawing boolean it hangs, and its picture takes longer than its script
---@field counts table<string, integer>
---@field requests_in_flight integer
---@field navigations integer
---@field dialogs integer
---@field dropped_events integer
---@field main_status integer
---@field main_url string
---@field last_seq integer
---@class qa.ProcessOptions: {argv: string[], timeout_ms?: integer, cwd?: string, env?: table<string, string>}
---@field input? string
---@field output_bytes? integer
---@class qa.ProcessResult: {exit_code: integer, signal?: integer, stdout: string, stderr: string, ms: number}
---@field stdout_bytes integer
---@field stderr_bytes integer
---@field is_cut boolean

---@class qa
---@field browser qa.browser
---@field image qa.image
---@field tape qa.tape
---@field effect qa.effect
---@field json qa.json
---@field grid qa.grid
---@field log qa.log
---@field fs qa.fs
---@field run qa.run
---@field process qa.process
---@field internal qa.internal
---@field llm qa.llm
---@field budget qa.budget
---@field schema qa.schema
---@field store qa.store
---@field args string[] arguments of the script
---@field command table name and parsed options of the running subcommand
---@field version string
qa = {}

---Waits, wall time.
---@param ms number
function qa.sleep(ms) end
---Milliseconds since the host started, steady clock.
---@return number
function qa.now_ms() end
---UTC time as ISO 8601 with milliseconds.
---@return string
function qa.utc() end
---Runs functions in parallel. One value per position, then `errs`: nil, or a table by position of the outcomes
---(`nil, err`) that functions returned. A raise cancels the siblings and is raised here.
---@param ... fun(): any, qa.Error?
---@return any ...
function qa.all(...) end
---Runs functions in parallel until the first returns; the others are cancelled.
---@param ... fun(): any
---@return integer index, any value
function qa.race(...) end
---Starts a task that ends with its parent at the latest.
---@param fn fun()
---@return qa.Task
function qa.spawn(fn) end
---Runs fn with a time limit. When it is over: `nil, {kind = "timeout"}`.
---@generic T
---@param ms number
---@param fn fun(): T
---@return T?, qa.Error?
function qa.with_deadline(ms, fn) end
---Serves a folder (or the folder of an .html file) on loopback until the run ends. With a tape, each file is copied to
---it when it is first asked for, and given from there from then on.
---@param path string
---@param opts? {tape?: qa.Tape}
---@return {url: string, origin: string, root: string}? server url ends in the file's name, in "/" for a folder
---@return qa.Error?
function qa.serve(path, opts) end
---Marks a declared list that adds to the list of the strategy it extends.
---@param list table
---@return table
function qa.inherit(list) end
---Did this input change the scene, or would it have changed anyway? Watches the scene without input first (4 to 8
---windows), then acts and watches 2 more. Numbers that decide, and their defaults: scripts/qa/effect/progress.lua.
---method is "sequential": it shows a response, it does not prove a cause.
---@param page qa.Page
---@param act fun(): any the input
---@param opts? qa.ProgressOptions
---@return qa.ProgressResult?, qa.Error?
function qa.progress(page, act, opts) end
---How often would chance alone give at least what was measured? A permutation test by sequential Monte Carlo (Besag and
---Clifford 1991), off the event loop. rows are sparse vectors: tables from places (1, 2, ...) to numbers. The measured
---value is that of the sum of all rows, whose signs are exchangeable; with `chosen`, of the first so many rows, and the
---rows are exchangeable; with `strata` of consecutive rows, they are permuted within a stratum, whose chosen rows come
---first. statistic: of the sum the largest entry, the largest absolute value, or the Euclidean norm. draws: at most so
---many (10000), up to 10000000.
---@param rows table<integer, number>[]
---@param opts? qa.PermutationOptions
---@return number p in (0, 1]
function qa.permutation_test(rows, opts) end
---Loads a Lua chunk (text only) in an environment of its own, whose reads fall back to the globals.
---@param path string
---@return function? chunk
---@return qa.Error? err "io_error", or "script_error" with the message "file:line: ..."
function qa.load_chunk(path) end

---@class qa.Task
local Task = {}
---Waits for the task's first value; raises what it raised.
---@return any value
function Task:join() end
---Raises `cancelled` in the task, at its wait and at every later one.
function Task:cancel() end

---@class qa.json
---@field null any JSON null inside tables
qa.json = {}
---@param value any
---@return string
function qa.json.encode(value) end
---Raises on malformed text: "qa.json.decode: ... at byte N".
---@param text string
---@return any
function qa.json.decode(text) end
---Marks a table as an array, so that an empty one encodes as [].
---@param list table
---@return table
function qa.json.array(list) end

---@class qa.log writes one line to stderr; text is made safe for terminals
qa.log = {}
function qa.log.debug(...) end
function qa.log.info(...) end
function qa.log.warn(...) end
function qa.log.error(...) end
---A progress line, as it is: for reporters.
function qa.log.line(text) end

---@class qa.fs files that a script may read
qa.fs = {}
---@param path string
---@return string?, qa.Error?
function qa.fs.read(path) end
---Names in a folder, sorted; folders end in "/".
---@param path string
---@return string[]?, qa.Error?
function qa.fs.list(path) end
---@param path string
---@return {kind: "file"|"folder", size: integer, mtime_ms: number}?, qa.Error?
function qa.fs.stat(path) end
---@param bytes string
---@return string hex 64 digits
function qa.fs.sha256(bytes) end
---Folder of the shipped scripts and strategies.
---@return string
function qa.fs.share() end

---@class qa.run the run directory, its journal and its report; opening another one ends the last
qa.run = {}
---@param opts? {out?: string, slug?: string, reopen?: string} reopen: the directory of an earlier run, for recover
---@return string? dir, qa.Error?
function qa.run.open(opts) end
---@return string? dir nil when no run is open
function qa.run.dir() end
---Appends an event to the journal (op "event") and returns the line as a table, as recover would read it.
---@param name string
---@param data? table
---@return table? line {seq, t_ms, step, op = "event", args = {name, data}, ok = true, ...}
---@return qa.Error?
function qa.run.event(name, data) end
---Number of the step that later journal lines carry.
---@param n integer
function qa.run.step(n) end
---Lines of the journal as tables; a torn last line is left out.
---@return table[]?, qa.Error?
function qa.run.journal() end
---Writes a file of the run directory atomically.
---@param name string
---@param bytes string
---@return true?, qa.Error?
function qa.run.publish(name, bytes) end
---Tells the supervisor how a target ended, for the summary.
---@param status string
---@param score integer
---@param report string path
function qa.run.result(status, score, report) end

---@class qa.process programs; only with --allow-process
qa.process = {}
---Runs a program to its end: no shell, a process group of its own, killed with everything it started when its time is
---over or the task is cancelled, and when it ends itself. It gets PATH, HOME, LANG, LC_*, TMPDIR, TZ, USER, LOGNAME and
---what env adds, and stdin from input. Of stdout and of stderr the beginning and the end are kept (output_bytes, 256
---KiB). exit_code is 128 + N where signal N ended it. `timeout` (detail has what was written), `process_failed` when it
---cannot be started. Without --allow-process it raises.
---@param opts qa.ProcessOptions
---@return qa.ProcessResult?, qa.Error?
function qa.process.run(opts) end
---May programs be started; may this one.
---@param program? string as argv would name it
---@return boolean
function qa.process.is_allowed(program) end
---The file that a program's name means, or nil.
---@param program string
---@param folder? string where a relative path begins
---@return string?
function qa.process.find(program, folder) end

return qa
