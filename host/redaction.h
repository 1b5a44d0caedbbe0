#pragma once
// Redaction: values that no report, trace, log or prompt may show, taken out of text wherever it stands. Bindings apply
// it to what goes to Lua and into the journal, so that no script can write what it never saw. Any thread, once filled.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace qa {

class Redaction {
 public:
  /// Shorter values occur by chance in any page's text and are not looked for.
  static constexpr std::size_t kShortest = 8;

  void add(const std::string& secret) {
    if (secret.size() < kShortest) return;
    secrets_.push_back(secret);
    std::sort(secrets_.begin(), secrets_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }

  bool finds(std::string_view text) const {
    return std::any_of(secrets_.begin(), secrets_.end(),
                       [&](const std::string& secret) { return text.find(secret) != text.npos; });
  }

  /// The text with every value replaced by "***".
  std::string apply(std::string_view text) const {
    std::string clean(text);
    for (const std::string& secret : secrets_) {
      for (std::size_t at = 0; (at = clean.find(secret, at)) != clean.npos;) {
        constexpr std::string_view shown = "***";
        clean.replace(at, secret.size(), shown);
        at += shown.size();
      }
    }
    return clean;
  }

 private:
  std::vector<std::string> secrets_;  ///< Longest first: one may be part of another.
};

}  // namespace qa
