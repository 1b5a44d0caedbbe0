-- The one table of status -> exit code of a run (contract: docs/report.md).
return { pass = 0, fail = 1, inconclusive = 2, error = 3 }
