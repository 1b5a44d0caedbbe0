-- A file of strategies/games/ sees its parent's parts.
return { name = "deep", extends = "root", lists = { words = require("parts.shared") } }
