-- Stands for a strategy whose hooks a spec gives.
return { name = "quick", step = function() return false, "completed" end }
