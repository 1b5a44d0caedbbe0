---@meta
-- How the scene looks as a grid of cells: what page:watch and page:settle tell, and qa.grid.

---@class qa.Band {low, high} of a window, or of several: grids as strings
---@field low string
---@field high string

---What the scene did for a while, per cell of 128x72, row major, as strings of bytes. A grid is three planes: luma of
---each cell, then the blueness of each, then the redness (Cb and Cr of BT.601, halved about 128).
---@class qa.Window: qa.Band
---@field columns integer
---@field rows integer
---@field frames integer painted in it; a still page paints none after the first
---@field first string the grid at its start
---@field last string the grid at its end
---@field low string the smallest value of each cell and plane
---@field high string the largest
---@field activity string how often each cell changed by more than 6 steps in any plane between frames: a byte each
---@field moved_ms number when the last change was seen, from its start; 0 when nothing moved
---@field ms number its length

---What changed in the scene, cell by cell; of windows that page:watch tells, and of bands {low, high}. A cell counts
---when any of its planes does. Cells are counted from 1, row by row. Windows of different sizes raise; one in which
---nothing was seen is empty, and so is the answer.
---@class qa.grid
qa.grid = {}
---Cells of a window that leave the band by more than `margin` steps (0..255).
---@param window qa.Band
---@param band qa.Band
---@param margin integer
---@return integer[] cells
function qa.grid.novel(window, band, margin) end
---Cells that stay outside the band for the whole window: something appeared or went away there, and did not just pass.
---@param window qa.Band
---@param band qa.Band
---@param margin integer
---@return integer[] cells
function qa.grid.lasting(window, band, margin) end
---Cells that were not the same all the time in two windows.
---@param a qa.Band
---@param b qa.Band
---@param margin integer
---@return integer[] cells
function qa.grid.restless(a, b, margin) end
---The band that covers both.
---@param a qa.Band
---@param b qa.Band
---@return qa.Band
function qa.grid.band(a, b) end
