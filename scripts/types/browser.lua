---@meta
-- Browsers and pages: what starts or reaches one, looks at it and plays.

---@class qa.browser
qa.browser = {}
---Starts Chromium. Without options: the path of --browser, else the one that is found; headless unless --headed. With
---`--cdp`, `--grid` or `--browserbase` it gives that browser, and no options are taken. clock = "game": nothing in its
---pictures moves by real time, as pages on game time need it.
---@param opts? {path?: string, headed?: boolean, arguments?: string[], clock?: "real"|"game"}
---@return qa.Browser?, qa.Error?
function qa.browser.launch(opts) end
---Connects to a remote Chromium: ws(s):// of a browser, or http(s):// of its debugging port. Its pages live in a
---browser context that ends with the connection; other pages of that browser are left alone.
---@param url string
---@return qa.Browser?, qa.Error? err "browser_launch_failed"
function qa.browser.connect(url) end

---A browser that this host did not start. address has no path, query or user name; debug_url controls the session and
---is there with --report-debug-url alone.
---@class qa.RemoteBrowser
---@field service "cdp"|"grid"|"browserbase"
---@field address string
---@field session string of a Grid or a service, else ""
---@field node string of a Grid, else ""
---@field debug_url? string

---@class qa.Browser
local Browser = {}
---1280 x 720 CSS pixels, scale 1; tap_text: remember what the page writes on its canvases; count_draws: count what it
---draws each time that it paints; hold_scroll: arrow keys and Space do not scroll it; grace_extensions (3): how often a
---page that gets no processor is given more time before it has hung; more loads of one address by the page itself than
---reload_loop_loads (4) within reload_loop_ms (10000) are a reload loop. With clock = "game" its time stands still but
---in page:step and while input is held; chance comes from seed (1), Date begins at epoch_ms (the year 2026), a frame
---takes frame_ms (1000/60) and waits at most patience_ms (10000) of real time for what is under way; it shares no
---cookies, storage or cache with other pages. With tape, requests are answered
---from it, but those to folders that qa.serve serves; with twin = true, it sends no POST, PUT, PATCH or DELETE.
---@param opts? qa.PageOptions
---@return qa.Page?, qa.Error?
function Browser:new_page(opts) end
---path is "" and pid -1 for a remote browser.
---@return {path: string, product: string, protocol: string, headless: boolean, no_sandbox: boolean, pid: integer,
---remote?: qa.RemoteBrowser}
function Browser:info() end
---Pages that are open, popups included.
---@return qa.Page[]
function Browser:pages() end
---Ends Chromium. Closing twice is fine.
---@return true?, qa.Error?
function Browser:close() end

---@alias qa.PadButton "a"|"b"|"x"|"y"|"lb"|"rb"|"lt"|"rt"|"back"|"start"|"ls"|"rs"|"up"|"down"|"left"|"right"|"home"
---@alias qa.PadAxis "left_x"|"left_y"|"right_x"|"right_y"

---@class qa.Page
local Page = {}
---Only http, https and about:blank; others are `navigation_denied`.
---@param url string
---@param opts? {wait?: "load"|"dom"|"commit", timeout_ms?: integer}
---@return {url: string, status: integer, ms: number, reached: string}?, qa.Error?
function Page:navigate(url, opts) end
---@param opts? {wait?: "load"|"dom"|"commit", timeout_ms?: integer}
---@return {url: string, status: integer, ms: number, reached: string}?, qa.Error?
function Page:reload(opts) end
---The page as HTML or as visible text, of all frames.
---@param opts? {format?: "html"|"text"}
---@return string?, qa.Error?
function Page:content(opts) end
---What a user could click, in document order, main frame first: {x, y, left, top, width, height, text, name, tag, id,
---class, role, type, href, link (address of the link that it is or lies in), cursor, onclick (boolean), in_viewport,
---covered, disabled, is_empty (a field for text that holds none yet), frame}. x and y are the centre.
---@param opts? {limit?: integer}
---@return table[]?, qa.Error?
function Page:clickables(opts) end
---Does what a short sentence says: "click the start button", "press start", "press space". Looked for in the document,
---in painted text, in pixels, and last by a model, where one is configured.
---@param phrase string
---@param opts? {use_models?: boolean}
---@return true?, qa.Error?
function Page:act(phrase, opts) end
---Event listeners of window, document and elements of every frame: {type, target, node?, frame, passive, once, script,
---line, column, source}; node is the protocol's backendNodeId, of all but a window.
---@return table[]?, qa.Error?
function Page:listeners() end
---@param js string expression, or a function when args is given: page:evaluate("(a, b) => a + b", {args = {1, 2}})
---On game time it comes between two frames and belongs to the page's input log, but with read_only = true, which says
---that it changes nothing. What waits for time to pass there never ends: page:step_until.
---@param opts? {args?: any[], world?: "page"|"host", frame?: string, timeout_ms?: integer, read_only?: boolean}
---@return any value, qa.Error?
function Page:evaluate(js, opts) end
---Runs an in-page function of the host by name in every frame; see host/browser/js/probe/.
---@param name string
---@param args? table
---@param opts? {timeout_ms?: integer}
---@return {frame: string, url: string, x: number, y: number, width: number, height: number, value: any}[]?, qa.Error?
function Page:probe(name, args, opts) end
---Locates a target now, without waiting: {x, y, left, top, width, height, visible, enabled, covered, in_viewport,
---frame, text, tag ...}; x and y are the centre. A text is looked for in the document, then in what canvases painted,
---then in pixels: found there, or a point, it has no left, top, frame or tag. Scrolls it into view. `element_not_found`
---when there is none.
---@param target qa.Target
---@return table?, qa.Error?
function Page:find(target) end
---Waits for a target to be visible and enabled, or for a JavaScript expression ({js = "..."}) to be true.
---@param target qa.Target|{js: string}
---@param opts? qa.WaitOptions timeout_ms: 2000; force = false: uncovered as well
---@return any found, qa.Error?
function Page:wait_for(target, opts) end
---Finds the target (waiting up to timeout_ms, 2000, for visible, enabled and not covered) and clicks the centre of its
---box. stable waits until the box rests; force clicks what is covered.
---@param target qa.Target
---@param opts? qa.ClickOptions
---@return table? found, qa.Error?
function Page:click(target, opts) end
---A page that has locked the pointer sees the difference to the place before, as movementX and movementY; Escape goes
---to the page and frees nothing.
---@param point qa.Point
---@param opts? {steps?: integer}
---@return true?, qa.Error?
function Page:move(point, opts) end
---One click at a point, without looking what is there: the primitive below page:click.
---@param x number
---@param y number
---@param opts? qa.MouseOptions
---@return true?, qa.Error?
function Page:mouse_click(x, y, opts) end
---One drag from point to point: the primitive below page:drag.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param opts? {steps?: integer, hold_ms?: integer, duration_ms?: integer}
---@return true?, qa.Error?
function Page:mouse_drag(x1, y1, x2, y2, opts) end
---A key ("Space", "KeyW", "w", "ArrowUp") or a chord ({"Control", "a"}).
---@param key string|string[]
---@param opts? {hold_ms?: integer, count?: integer, gap_ms?: integer}
---@return true?, qa.Error?
function Page:press(key, opts) end
---@param text string at most 10000 bytes
---@param opts? {gap_ms?: integer}
---@return true?, qa.Error?
function Page:type(text, opts) end
---Drags from centre to centre; HTML5 drags work too. hold_ms: held at both ends (40); duration_ms: of the way (200).
---@param from qa.Target
---@param to qa.Target
---@param opts? {steps?: integer, hold_ms?: integer, duration_ms?: integer, timeout_ms?: integer}
---@return true?, qa.Error?
function Page:drag(from, to, opts) end
---@param point qa.Point
---@param opts? {dx?: number, dy?: number} CSS pixels
---@return true?, qa.Error?
function Page:wheel(point, opts) end
---@param points qa.Point|qa.Point[] at most 10 fingers, on a page opened with touch = true
---@param opts? {hold_ms?: integer, path?: qa.Point|qa.Point[], steps?: integer, duration_ms?: integer} hold_ms: held
---before moving or lifting (0); path: where one finger goes, each way straight, in steps (6), for duration_ms (96)
---@return true?, qa.Error?
function Page:touch(points, opts) end
---Holds a gamepad: what is not named is released, or in the middle. The first call connects it, in all frames and in
---documents to come; what is plugged into the machine is not shown then. Buttons 0..1, by the standard layout with the
---names of an Xbox pad; axes -1..1, up and left are -1. In real time a game looks at it once a frame: hold it as long.
---@param opts? {buttons?: table<qa.PadButton, number>, axes?: table<qa.PadAxis, number>}
---@return true?, qa.Error?
function Page:gamepad(opts) end
---The viewport, a clip of it, or the box of an element (not both).
---@param opts? qa.ScreenshotOptions
---@return qa.Image?, qa.Error?
function Page:screenshot(opts) end
---The primitive below page:screenshot: no element.
---@param opts? qa.CaptureOptions
---@return qa.Image?, qa.Error?
function Page:capture(opts) end
---Waits until the scene has not changed for quiet_ms (200), at least min_ms (0), at most max_ms (6000). area (0): share
---of the 128x72 cells that may go on changing. quiet: what the scene did since the last change that counts, as
---page:watch tells it. frame_delay_ms: how long a frame may have been on its way to us, 25 on an idle machine. picture
---(false): the view is pictured as well, while the quiet is waited for; no picture comes where nothing came to rest, or
---where that failed.
---@param opts? {quiet_ms?: integer, min_ms?: integer, max_ms?: integer, area?: number, picture?: boolean}
---@return qa.Settled?, qa.Error?
function Page:settle(opts) end
---What the scene does for `ms`. On game time page:watch and page:settle step the page, look at it each 50 ms, and tell
---of game time.
---@param ms integer
---@return qa.Window?, qa.Error?
function Page:watch(ms) end
---Gives the viewport another size in CSS pixels, 1..8192 a side; the page sees a resize.
---@param width integer
---@param height integer
---@return true?, qa.Error?
function Page:resize(width, height) end
---Runs frames (1) of game time on a page that was opened with clock = "game"; time stands still otherwise. In a frame:
---the timers that are due by its end, each at its time, then the callbacks of requestAnimationFrame, then those of
---requestIdleCallback. `clock_unavailable`: the page runs in real time, or its clock answers what cannot be.
---draw = "last": canvases that draw themselves anew in each frame are drawn in the last one alone; "all": in each;
---"none": not at all, and no picture shows them until a frame is drawn again. What cannot be left out is always drawn.
---@param frames? integer
---@param opts? {draw?: "last"|"all"|"none"}
---@return qa.Stepped?, qa.Error?
function Page:step(frames, opts) end
---The same for the frames that `ms` of game time take, rounded up.
---@param ms number
---@param opts? {draw?: "last"|"all"|"none"}
---@return qa.Stepped?, qa.Error?
function Page:run_for(ms, opts) end
---Steps until a JavaScript expression of the page is true after a frame, at most max_frames (600). Each frame may be
---the last one, so draw = "last" draws them all.
---@param predicate string
---@param opts? {max_frames?: integer, draw?: "last"|"all"|"none"}
---@return qa.Stepped?, qa.Error? err js_error where the expression throws
function Page:step_until(predicate, opts) end
---Game time goes on by itself from now on, as fast as real time, also in documents that are loaded meanwhile: so
---exceptions, hangs and the frame rate tell how the game does in real time. Inputs take real time then, and page:step
---is `clock_unavailable`.
---@return true?, qa.Error?
function Page:thaw() end
---Time stands still again, after a whole frame. Nothing happens where it does already.
---@return true?, qa.Error?
function Page:freeze() end
---What of the page the clock does not control, as far as the page has come: where that is ("the page", "frame 0/1",
---"worker 001"), why, and what to do about it.
---@return {what: string, where: string, reason: string}[]?, qa.Error?
function Page:clock_coverage() end
---All that was done to a page on game time, with the frame where it stood, and where it stands now; nil where it runs
---in real time. An op is the name of a primitive, "page:press"; args are what it was given.
---@return {frame: integer, entries: {frame: integer, op: string, args: any[], failed: boolean}[]}?
function Page:input_log() end
---Milliseconds of game time since the page was opened; nil where it runs in real time.
---@return number?
function Page:game_time_ms() end
---Animation frames per second, counted for ms. `clock_unavailable` on a page that stands still: thaw it first.
---@param ms integer
---@return number?, qa.Error?
function Page:frame_rate(ms) end
---Counters since the page was opened.
---@return qa.Health
function Page:health() end
---Health events with seq > after, oldest first: {seq, t_ms, kind, message, url?, line?, detail?}. Kinds: exception
---console_error console_warning request_failed dialog dialog_storm crash hang webgl_lost redirect navigation
---reload_loop popup worker_exception download. The detail of a hang, {renderer_cpu, gpu_cpu}, says which process worked
---while the page was silent, in processors.
---@param after? integer
---@return table[]
function Page:events(after) end
---The next event with seq > after (0) and of this kind (any), waiting at most timeout_ms (30000).
---@param opts? {after?: integer, kind?: string, timeout_ms?: integer}
---@return table?, qa.Error?
function Page:next_event(opts) end
---{id, parent, url, name, origin, x, y, width, height, out_of_process}, main frame first.
---@return table[]?, qa.Error?
function Page:frames() end
---Border box of an element by the node of page:listeners. `element_not_found` where it has none, or lies in a frame of
---another process.
---@param node integer
---@param opts? {frame?: string, timeout_ms?: integer}
---@return qa.Rect?, qa.Error?
function Page:node_box(node, opts) end
---What a frame (the main one) and those below it in its process have loaded: {url, type, frame, document}; type as in
---the protocol ("Document", "Script" ...), frame and document are the id and URL of the one that loaded it. Each
---frame's document comes first.
---@param opts? {frame?: string, timeout_ms?: integer}
---@return {url: string, type: string, frame: string, document: string}[]?, qa.Error?
function Page:resources(opts) end
---The text of a resource of a frame; `cdp_error` when the browser has forgotten it, or it is no text.
---@param url string
---@param opts? {frame?: string, timeout_ms?: integer}
---@return string?, qa.Error?
function Page:resource_text(url, opts) end
---Asks the server for a resource once more, with the cookies of the frame; its text, cut at most_bytes (16777216).
---@param url string
---@param opts? {frame?: string, most_bytes?: integer, timeout_ms?: integer}
---@return string?, qa.Error?
function Page:load_resource(url, opts) end
---Runs a script in every document to come, before any of its own.
---@param js string
---@return string? id for page:remove_preload
---@return qa.Error? err
function Page:add_preload(js) end
---@param id string
---@return true?, qa.Error?
function Page:remove_preload(id) end
---Ends what the page's script does now, also an endless loop.
---@return true?, qa.Error?
function Page:terminate_script() end
---Figures of the page's renderer by name, as CDP Performance.getMetrics knows them; what adds up (ScriptDuration, in
---seconds) does so from the first call on.
---@param opts? {timeout_ms?: integer}
---@return table<string, number>?, qa.Error?
function Page:metrics(opts) end
---Does the page, from its next document on, find a screen that can be touched? See also new_page{ touch = true }.
---@param is_on boolean
---@return true?, qa.Error?
function Page:emulate_touch(is_on) end
---Any DevTools protocol command.
---@param method string
---@param params? table
---@param opts? {frame?: string, timeout_ms?: integer}
---@return table?, qa.Error?
function Page:cdp(method, params, opts) end
---Closing twice is fine.
---@return true?, qa.Error?
function Page:close() end
---@return boolean
function Page:is_closed() end
