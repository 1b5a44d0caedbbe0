#pragma once
// Texts that a page could print to break a terminal, a line or JSON: made of pieces in an order that a seed decides, so
// that each run of the tests sees the same 300.

#include <random>
#include <string>
#include <vector>

namespace qa::test {

inline std::vector<std::string> hostile_texts() {
  static const std::string pieces[] = {"\x1b[2J",
                                       "\x1b]52;c;eA==\x07",
                                       "\x7f",
                                       "\xC2\x9B",
                                       "\xC2\x85",
                                       "\u202E",
                                       "\u2066",
                                       "\u200F",
                                       "\u061C",
                                       "\u2028",
                                       "\u2029",
                                       "\uFEFF",
                                       "\xED\xA0\x80",
                                       "\xED\xBF\xBF",
                                       "\xFF",
                                       "\xC0\xAF",
                                       "\xF0\x9F",
                                       "\r\n",
                                       "\t",
                                       std::string(1, 0),
                                       "\x08",
                                       "\"",
                                       "\\",
                                       "\\u202e",
                                       "</script>",
                                       "<img onerror=x>",
                                       "]}",
                                       "{\"a\":",
                                       "$(id)",
                                       "%s%n",
                                       "🎮",
                                       "ünïcödé",
                                       "plain"};
  std::mt19937 random(20261128);
  std::vector<std::string> texts;
  while (texts.size() < 300) {
    std::string text;
    for (auto left = 1 + random() % 8; left > 0; --left) text += pieces[random() % std::size(pieces)];
    texts.push_back(text);
  }
  return texts;
}

}  // namespace qa::test
