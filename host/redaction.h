#pragma once
// Redaction: values that no report, trace, log or prompt may show, taken out of text wherever it stands. Bindings apply
// it to what goes to Lua and into the journal, so that no script can write what it never saw. Any thread, once filled.

#include <string>
#include <string_view>
#include <vector>

namespace qa {

class Redaction {
 public:
  /// Shorter values occur by chance in any page's text and are not looked for.
  static constexpr std::size_t kShortest = 8;

  void add(const std::string& secret);
  bool finds(std::string_view text) const;
  /// The text with every value replaced by "***".
  std::string apply(std::string_view text) const;

 private:
  std::vector<std::string> secrets_;  ///< Longest first: one may be part of another.
};

}  // namespace qa
