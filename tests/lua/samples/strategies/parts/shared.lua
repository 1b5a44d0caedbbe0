return { "shared" }
