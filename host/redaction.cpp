#include "host/redaction.h"

#include <algorithm>

namespace qa {

void Redaction::add(const std::string& secret) {
  if (secret.size() < kShortest) return;
  secrets_.push_back(secret);
  std::sort(secrets_.begin(), secrets_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

bool Redaction::finds(std::string_view text) const {
  return std::any_of(secrets_.begin(), secrets_.end(),
                     [&](const std::string& secret) { return text.find(secret) != text.npos; });
}

std::string Redaction::apply(std::string_view text) const {
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

}  // namespace qa
