return { name = "wrong_limit", limits = { actions = "many" } }
