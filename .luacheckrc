std = "luajit"
max_line_length = 120
max_string_line_length = false
exclude_files = { "build*", "qa-runs", "node_modules", "tests/node_modules" }
-- What the sandbox takes away may not creep back into scripts.
not_globals = { "ffi", "dofile", "newproxy", "setfenv", "getfenv", "module" }
files["scripts/types"] = { ignore = { "." } }  -- declarations for editors; never run
files["tests/data/engines/love"] = { globals = { "love" } }  -- what the engine calls
