#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

/// Appends one JSON line a test case, {file, name, ok, message}, to the file that QA_TEST_RESULTS names: what
/// tests/run counts.
struct ResultLines : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    message_.clear();
  }

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.isOk()) return false;
    const Catch::SourceLineInfo at = result.getSourceInfo();
    message_ += std::string(at.file) + ":" + std::to_string(at.line) + ": " + result.getExpandedExpression();
    if (result.hasMessage()) message_ += " " + std::string(result.getMessage());
    message_ += "\n";
    return false;
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const char* path = std::getenv("QA_TEST_RESULTS");
    if (!path) return;
    const nlohmann::json line{{"file", stats.testInfo.lineInfo.file},
                              {"name", stats.testInfo.name},
                              {"ok", stats.totals.testCases.failed == 0},
                              {"message", message_}};
    std::ofstream(path, std::ios::app) << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

 private:
  std::string message_;
};
CATCH_REGISTER_LISTENER(ResultLines)

}  // namespace
