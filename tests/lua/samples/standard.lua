-- The root of the sample chain: found before the shipped one, since it lies beside the files that extend it.
return { name = "standard", step = function() return "standard" end, conclude = function(_, report) return report end }
