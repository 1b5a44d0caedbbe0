return { extra = "hey" }
