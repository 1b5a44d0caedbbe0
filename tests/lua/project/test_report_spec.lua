local line_diff = require "qa.text.line_diff"
local test_report = require "qa.project.test_report"

return {
  ["JUnit XML gives cases and failures, skipped ones left out"] = function(t)
    local report = test_report.junit([==[<?xml version="1.0"?><testsuites><testsuite name="s" tests="4">
<testcase classname="a.B" name="one" time="0.1"/>
<testcase classname="a.B" name="two"><failure message="1 &lt; 2">File &quot;x&quot;
line 3</failure></testcase>
<testcase name="three"><error message="boom"><![CDATA[<raw>]]></error></testcase>
<testcase name="four"><skipped/></testcase></testsuite></testsuites>]==])
    t.equal({ report.cases, report.failed }, { 3, 2 })
    t.equal(report.failures[1], { name = "a.B.two", message = '1 < 2\nFile "x"\nline 3' })
    t.equal(report.failures[2].message, "boom\n<raw>")
    t.equal(test_report.junit "no xml", nil)
    t.equal(test_report.junit "<testsuite><testcase name='x'>cut", nil)
  end,

  ["TAP gives cases, failures with their notes, and what was planned"] = function(t)
    local report = test_report.tap("TAP version 13\n1..4\nok 1 - a\nnot ok 2 - b\n# got 3\n  ---\nok 3 # SKIP " ..
      "no\nnot ok 4 - c # TODO later\n")
    t.equal({ report.cases, report.failed, report.planned, report.seen }, { 3, 1, 4, 4 })
    t.equal(report.failures[1], { name = "b", message = "# got 3\n  ---" })
    t.equal(test_report.tap "ok then\nall fine\n", nil)
    t.equal(test_report.tap("1..2\nok 1\nBail out! no disk\n").failures[1].name, "Bail out! no disk")
  end,

  ["of other output the cleaned end is kept"] = function(t)
    t.equal(test_report.tail "\27[31mred\27[0m\r\nline\7\n\n", "red\nline")
    local long = test_report.tail(("x"):rep(100) .. "\n" .. ("y"):rep(100) .. "\nlast\n", 120)
    t.equal(long, "…" .. ("y"):rep(100) .. "\nlast")
  end,

  ["a diff shows the lines that changed, with their neighbours"] = function(t)
    local diff = line_diff.unified("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh\n", "x.txt")
    t.equal(diff, "--- a/x.txt\n+++ b/x.txt\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n")
    t.equal(line_diff.unified("a\n", "a\n", "x"), "")
    t.equal(line_diff.unified(nil, "new\n", "x"), "--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+new\n")
    t.truthy(line_diff.unified("a\0b", "c", "x"):find "binary files differ")
    t.truthy(line_diff.unified("a\n", "\27[2Jb\n", "x"):find "%+%[2Jb", "escape sequences are taken out")
    local many = {}
    for i = 1, 900 do many[i] = "line " .. i end
    t.truthy(line_diff.unified("", table.concat(many, "\n"), "x"):find "%[700 lines left out%]")
  end,
}
