return { name = "broken", step = function( }
