-- qa-host test TARGET: one target, one run, one verdict.
return function(command) return require("qa.test_run").run(command) end
