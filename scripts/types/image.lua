---@meta
-- Pictures: qa.image and the methods of qa.Image. Coordinates are pixels of the picture.

---@class qa.DiffOptions: {metric?: "exact"|"yiq", threshold?: number, antialias?: boolean}
---@field ignore? qa.Rect[]
---@field highlight? boolean
---@class qa.Diff: {identical: boolean, changed_pixels: integer, changed_ratio: number, regions: qa.Rect[]}
---@field highlight? qa.Image
---@class qa.ReadOptions: {language?: string, allowed?: string, line?: boolean, confidence?: number}
---@field masks? ("bright"|"luma"|"dark"|"distance")[]

---@class qa.image
qa.image = {}
---@param path string
---@return qa.Image?, qa.Error?
function qa.image.load(path) end
---PNG or JPEG bytes.
---@param bytes string
---@return qa.Image?, qa.Error?
function qa.image.decode(bytes) end
---A contact sheet: 1 to 400 images, each made width (320) pixels wide and as high as the first is then, in rows of
---columns (5), from left to right and from the top down.
---@param images qa.Image[]
---@param opts? {columns?: integer, width?: integer}
---@return qa.Image?, qa.Error? image_decode, image_size
function qa.image.sheet(images, opts) end

---@class qa.Image
local Image = {}
---@return integer width, integer height
function Image:size() end
---A part, clipped to the image.
---@param x integer
---@param y integer
---@param width integer
---@param height integer
---@return qa.Image?, qa.Error?
function Image:crop(x, y, width, height) end
---Luma grid: one byte a cell, row major; 64x36 by default.
---@param columns? integer
---@param rows? integer
---@return string?, qa.Error? image_decode: a broken screenshot
function Image:grid(columns, rows) end
---Perceptual hash (dHash): 16 hex digits; similar pictures differ in few bits.
---@return string?, qa.Error? image_decode
function Image:hash() end
---Another size, 1..16384 a side: the mean of the pixels that a new one covers, the nearest where it grows.
---@param width integer
---@param height integer
---@return qa.Image?, qa.Error?
function Image:resize(width, height) end
---A copy with a numbered box around each mark: frames outside of their boxes, numbers beside them where there is room,
---in digits of digit_height pixels (14) or a little more. label: 0..9999, the mark's place in the list by default. A
---picture that is sent smaller afterwards has smaller digits: qa.llm takes marks, too, and draws them last.
---@param marks {x: number, y: number, width: number, height: number, label?: integer}[]
---@param opts? {digit_height?: integer}
---@return qa.Image?, qa.Error?
function Image:mark(marks, opts) end
---What differs: any channel of a pixel ("exact"), or what is seen ("yiq", as pixelmatch counts it; threshold 0..1, 0.1
---by default; antialias = true leaves out pixels that differ only by anti-aliasing). highlight = true adds a picture of
---it. Other sizes: image_size.
---@param other qa.Image
---@param opts? qa.DiffOptions
---@return qa.Diff?, qa.Error?
function Image:diff(other, opts) end
---@class qa.Match: {x: integer, y: integer, width: integer, height: integer, scale: number, score: number}

---Where a small picture is inside this one, best first; scale is one number or {smallest, largest} of the template's
---size (1), threshold the least correlation (0.9). Template pixels with alpha below half do not count. Without all: the
---best place or nil; with it a list, at most 200. A template smaller than 4x4 or larger than the image: image_size.
---@param template qa.Image
---@param opts? {scale?: number|number[], threshold?: number, all?: boolean}
---@return qa.Match|qa.Match[]|nil, qa.Error?
function Image:find(template, opts) end
---Words on the picture in reading order, read by Tesseract: lines of letters are found in masks that each leave one
---kind of text (all four by default), and read one by one. line = true: the picture is one line, such as a score;
---allowed = "0123456789" for its digits. Words below confidence (60) are left out. Without Tesseract: ocr_unavailable.
---@param opts? qa.ReadOptions
---@return {text: string, x: integer, y: integer, width: integer, height: integer, confidence: number}[]?, qa.Error?
function Image:text(opts) end
---Writes a PNG, whatever the path ends in. A relative path is inside the run directory when a run is open.
---@param path string
---@return true?, qa.Error?
function Image:save(path) end
---Frees the pixels now.
function Image:close() end
