return { name = "root", extends = "standard" }
