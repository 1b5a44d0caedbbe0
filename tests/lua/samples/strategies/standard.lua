return { name = "standard" }
