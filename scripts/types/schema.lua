---@meta
-- Answers of models and text for them: require "qa.model.schema", "qa.model.structured", "qa.model.point_space",
-- "qa.model.page_text".

---@class qa.schema.Type what an answer has to be; made by the functions of qa.schema, never changed
---@class qa.schema.Options
---@field doc? string what the model is told about it
---@field check? fun(value: any): true?, string? run on a value that fits, null left out; nil and a message refuse it

---@class qa.schema.Compiled
---@field name string up to 64 letters, digits, _ and -
---@field text string JSON Schema of the strict subset that OpenAI and Anthropic take; always the same bytes
---@field hash string SHA-256 of text
---@field is_strict boolean false when it holds qa.schema.raw
---@field root qa.schema.Type
---@field space? qa.Space

---@class qa.schema
local schema = {}
---Fields in the order in which the model writes them, all required: {{"action", schema.enum{...}}, ...}, no map.
---@param fields {[1]: string, [2]: qa.schema.Type}[]
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.object(fields, opts) end
---@param items qa.schema.Type
---@param opts? {min?: integer, max?: integer, sort_desc?: string, doc?: string, check?: function} sort_desc: a field
---@return qa.schema.Type
function schema.array(items, opts) end
---min and max count characters; pattern is a Lua pattern.
---@param opts? {min?: integer, max?: integer, pattern?: string, doc?: string, check?: function}
---@return qa.schema.Type
function schema.string(opts) end
---@param opts? {min?: number, max?: number, doc?: string, check?: function}
---@return qa.schema.Type
function schema.number(opts) end
---Whole numbers below 2^53.
---@param opts? {min?: number, max?: number, doc?: string, check?: function}
---@return qa.schema.Type
function schema.integer(opts) end
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.boolean(opts) end
---@param values (string|number|boolean)[]
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.enum(values, opts) end
---@param value string|number|boolean
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.const(value, opts) end
---May be null: nil as a field of an object, qa.json.null in a list. What is optional is this.
---@param inner qa.schema.Type
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.nullable(inner, opts) end
---The first that fits.
---@param types qa.schema.Type[]
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.any_of(types, opts) end
---A place on the picture that the model sees; once read, {x, y} in CSS pixels of the page.
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.point(opts) end
---JSON Schema as it is; its answers are parsed and else unchecked.
---@param text string
---@param opts? qa.schema.Options
---@return qa.schema.Type
function schema.raw(text, opts) end
---For one request: space is how the model writes points. Raises where a limit of the vendor is passed (depth 10,
---properties 5000, enum_values 1000 unless given).
---@param root qa.schema.Type an object
---@param opts? {name?: string, space?: qa.Space, limits?: table<string, integer>}
---@return qa.schema.Compiled
function schema.compile(root, opts) end

---@class qa.model.structured.Result
---@field value table
---What was done, in order.
---@field steps {step: "strip"|"parse"|"coerce"|"validate"|"partial"|"ask", ok: boolean, attempt: integer}[]
---@field attempts integer answers read
---@field is_partial boolean the answer was cut off: it holds the elements that were closed

---@class qa.model.structured.Options: {strip?: boolean, coerce?: boolean, partial?: "closed", finish?: string}
---@field max_asks? integer
---@field ask_again? fun(errors: string, attempt: integer): string?, qa.Error?, string?

---@class qa.model.structured
local structured = {}
---The text of an answer as a checked value. strip: the endpoint has no json_schema, so take off a BOM, fences and prose
---around the one object; coerce: "640" and 1e3 where a whole number is due; partial = "closed": of an answer that was
---cut off, what was closed; ask_again sends the errors once (max_asks) and returns the next text; finish: how the model
---ended. Failures: llm_invalid, llm_truncated ("length"), llm_refused ("refusal"), with detail {text, bytes, errors =
---{{path, message}}, attempts, steps}.
---@param text string
---@param compiled qa.schema.Compiled
---@param opts? qa.model.structured.Options
---@return qa.model.structured.Result?, qa.Error?
function structured.read(text, compiled, opts) end

---@class qa.Space how a model writes points, and how the picture that it saw lies on the page
---@field width number pixels of the picture as it was sent
---@field height number
---@field space? "px"|"norm1000"|"percent" pixels of the picture (the default), or 0..1000 or 0..100 of each side
---@field order? "xy"|"yx"
---@field form? "object"|"list"|"box" {x, y} (the default), two numbers, or four of a box whose centre counts
---@field scale? number|{x: number, y: number} pixels of the picture for one CSS pixel of the page
---@field origin? qa.Point CSS pixels of the page at the picture's top left corner

---@class qa.model.point_space
local point_space = {}
---Checks a description and fills in what was left out.
---@param space qa.Space
---@return qa.Space
function point_space.new(space) end
---The largest value on each axis, in the unit of the space.
---@param space qa.Space
---@return number x, number y
function point_space.limits(space) end
---Numbers in the order of the space to CSS pixels of the page; nil and a message for what is outside.
---@param space qa.Space made by new, as below
---@param a number
---@param b number
---@return qa.Point?, string?
function point_space.to_page(space, a, b) end
---The centre of a box, and the box.
---@param space qa.Space
---@return {x: number, y: number, left: number, top: number, width: number, height: number}?, string?
function point_space.box_to_page(space, a1, b1, a2, b2) end
---A point of the page as whole numbers in the order of the space; nil and a message when it is not on the picture.
---@param space qa.Space
---@param point qa.Point
---@return integer?, integer|string
function point_space.to_model(space, point) end

---@class qa.model.page_text
local page_text = {}
---An upper estimate of the tokens of a text: its bytes by bytes_per_token (3).
---@param text string
---@param bytes_per_token? number
---@return integer
function page_text.tokens(text, bytes_per_token) end
---Rows of page:clickables() as lines `id tag "text" x,y wxh`, usable ones that say a word first; id is the place in
---rows. 150 tokens of 2 bytes each.
---@param rows table[]
---@param opts? {max_tokens?: integer, bytes_per_token?: number, max_text?: integer, space?: qa.Space}
---@return string text, {shown: integer[], left_out: integer, tokens: integer}
function page_text.clickables(rows, opts) end
---Boxes for `marks` of a request, labelled as the rows: what can be clicked now, without canvases and what has a
---quarter of the view's area.
---@param rows table[]
---@param area? number CSS pixels of the view (1280 x 720)
---@return {x: number, y: number, width: number, height: number, label: integer}[]
function page_text.marks(rows, area) end
---HTML without scripts, styles, drawings, comments, handlers and data; cut between elements, with a marker. 3000 tokens
---of 3 bytes each.
---@param html string
---@param opts? {max_tokens?: integer, bytes_per_token?: number, max_text?: integer, max_attribute?: integer}
---@return string text, {is_cut: boolean, tokens: integer}
function page_text.html(html, opts) end
---Text of the page between two lines that it cannot contain, without characters that nobody sees.
---@param text string
---@param label string
---@return string fenced, string mark
function page_text.fence(text, label) end

return schema, structured, point_space, page_text
