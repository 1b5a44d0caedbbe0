return { name = "misspelt", stepp = function() return true end }
