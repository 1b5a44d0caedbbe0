-- qa-host test TARGET: one target, one run, one verdict.
return function(command) return require("qa.run.test_command").run(command) end
