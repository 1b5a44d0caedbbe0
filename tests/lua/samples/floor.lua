return { name = "floor", extends = "standard", prepare = function() return true end }
