#include "host/browser/keymap.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "host/text.h"

namespace qa {
namespace {

constexpr int kLeft = 1, kRight = 2, kNumpad = 3;  // KeyboardEvent.DOM_KEY_LOCATION_*.

struct Entry {
  const char* code;
  const char* key;
  const char* shifted;  ///< key while Shift is held, or "" when it is the same.
  int windows_code;
  int location;
  const char* text;
};

// Letters, digits and function keys are computed; see computed_key().
constexpr Entry kEntries[] = {
    {"Space", " ", "", 32, 0, " "},
    {"Enter", "Enter", "", 13, 0, "\r"},
    {"Tab", "Tab", "", 9, 0, ""},
    {"Escape", "Escape", "", 27, 0, ""},
    {"Backspace", "Backspace", "", 8, 0, ""},
    {"ArrowUp", "ArrowUp", "", 38, 0, ""},
    {"ArrowDown", "ArrowDown", "", 40, 0, ""},
    {"ArrowLeft", "ArrowLeft", "", 37, 0, ""},
    {"ArrowRight", "ArrowRight", "", 39, 0, ""},
    {"ShiftLeft", "Shift", "", 16, kLeft, ""},
    {"ShiftRight", "Shift", "", 16, kRight, ""},
    {"ControlLeft", "Control", "", 17, kLeft, ""},
    {"ControlRight", "Control", "", 17, kRight, ""},
    {"AltLeft", "Alt", "", 18, kLeft, ""},
    {"AltRight", "Alt", "", 18, kRight, ""},
    {"MetaLeft", "Meta", "", 91, kLeft, ""},
    {"MetaRight", "Meta", "", 92, kRight, ""},
    {"ContextMenu", "ContextMenu", "", 93, 0, ""},
    {"CapsLock", "CapsLock", "", 20, 0, ""},
    {"NumLock", "NumLock", "", 144, 0, ""},
    {"ScrollLock", "ScrollLock", "", 145, 0, ""},
    {"Pause", "Pause", "", 19, 0, ""},
    {"PrintScreen", "PrintScreen", "", 44, 0, ""},
    {"Insert", "Insert", "", 45, 0, ""},
    {"Delete", "Delete", "", 46, 0, ""},
    {"Home", "Home", "", 36, 0, ""},
    {"End", "End", "", 35, 0, ""},
    {"PageUp", "PageUp", "", 33, 0, ""},
    {"PageDown", "PageDown", "", 34, 0, ""},
    {"Minus", "-", "_", 189, 0, "-"},
    {"Equal", "=", "+", 187, 0, "="},
    {"BracketLeft", "[", "{", 219, 0, "["},
    {"BracketRight", "]", "}", 221, 0, "]"},
    {"Backslash", "\\", "|", 220, 0, "\\"},
    {"Semicolon", ";", ":", 186, 0, ";"},
    {"Quote", "'", "\"", 222, 0, "'"},
    {"Backquote", "`", "~", 192, 0, "`"},
    {"Comma", ",", "<", 188, 0, ","},
    {"Period", ".", ">", 190, 0, "."},
    {"Slash", "/", "?", 191, 0, "/"},
    {"NumpadEnter", "Enter", "", 13, kNumpad, "\r"},
    {"NumpadAdd", "+", "", 107, kNumpad, "+"},
    {"NumpadSubtract", "-", "", 109, kNumpad, "-"},
    {"NumpadMultiply", "*", "", 106, kNumpad, "*"},
    {"NumpadDivide", "/", "", 111, kNumpad, "/"},
    {"NumpadDecimal", ".", "", 110, kNumpad, "."},
};

/// Names in use that are neither a code nor a key, by code: those of old browsers, of keyboards, and of other tools.
struct Aliases {
  const char* code;
  std::array<std::string_view, 6> names;
};
constexpr Aliases kAliases[] = {
    {"ArrowUp", {"up", "uparrow"}},
    {"ArrowDown", {"down", "downarrow"}},
    {"ArrowLeft", {"left", "leftarrow"}},
    {"ArrowRight", {"right", "rightarrow"}},
    {"Escape", {"esc"}},
    {"Enter", {"return"}},
    {"Space", {"spacebar"}},
    {"ControlLeft", {"ctrl", "leftctrl"}},
    {"ControlRight", {"rightctrl"}},
    {"ShiftLeft", {"leftshift", "lshift"}},
    {"ShiftRight", {"rightshift", "rshift"}},
    {"MetaLeft", {"cmd", "command", "super", "win", "windows", "os"}},
    {"AltLeft", {"option"}},
    {"AltRight", {"altgraph", "altgr"}},
    {"Delete", {"del"}},
    {"Insert", {"ins"}},
    {"PageUp", {"pgup"}},
    {"PageDown", {"pgdn", "pagedn"}},
    {"ContextMenu", {"menu"}},
    {"NumpadAdd", {"plus"}},
    {"Equal", {"equals"}},
    {"Period", {"dot"}},
    {"Quote", {"apostrophe"}},
    {"Backquote", {"grave"}},
};

constexpr char kShiftedDigits[] = ")!@#$%^&*(";

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

Key letter_key(char lower_case) {
  const char upper = static_cast<char>(lower_case - 'a' + 'A');
  return {std::string(1, lower_case), std::string("Key") + upper, upper, 0, std::string(1, lower_case)};
}

Key digit_key(char digit) {
  return {std::string(1, digit), std::string("Digit") + digit, digit, 0, std::string(1, digit)};
}

Key entry_key(const Entry& entry) { return {entry.key, entry.code, entry.windows_code, entry.location, entry.text}; }

/// "KeyW", "Digit1", "Numpad7" (NumLock on), "F12", in lower case.
std::optional<Key> computed_key(std::string_view name) {
  const char last = name.back();
  const bool digit = last >= '0' && last <= '9';
  if (name.size() == 4 && name.substr(0, 3) == "key" && last >= 'a' && last <= 'z') return letter_key(last);
  if (name.size() == 6 && name.substr(0, 5) == "digit" && digit) return digit_key(last);
  if (name.size() == 7 && name.substr(0, 6) == "numpad" && digit) {
    return Key{std::string(1, last), std::string("Numpad") + last, last - '0' + 96, kNumpad, std::string(1, last)};
  }
  if (name.size() <= 3 && name[0] == 'f' && name.size() > 1 && digit && name[1] != '0') {
    const int number = name.size() == 2 ? last - '0' : (name[1] - '0') * 10 + (last - '0');
    if (number < 1 || number > 24) return std::nullopt;
    const std::string text = "F" + std::to_string(number);
    return Key{text, text, 111 + number, 0, ""};
  }
  return std::nullopt;
}

std::optional<Key> character_key(char character) {
  if (character == '\n' || character == '\r') return find_key("Enter");
  if (character == '\t') return find_key("Tab");
  const char letter = lower(character);
  if (letter >= 'a' && letter <= 'z') return letter_key(letter);
  if (character >= '0' && character <= '9') return digit_key(character);
  for (const Entry& entry : kEntries) {
    if (entry.key[1] == '\0' && entry.key[0] == character) return entry_key(entry);
  }
  if (const auto typed = find_typed_key(character)) return typed->key;
  return std::nullopt;
}

}  // namespace

std::optional<Key> find_key(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name.size() == 1) return character_key(name[0]);
  for (const Entry& entry : kEntries) {
    if (same_name(name, entry.code) || same_name(name, entry.key)) return entry_key(entry);
  }
  const std::string lower_case = lower(name);
  if (auto key = computed_key(lower_case)) return key;
  for (const auto& [code, names] : kAliases) {
    if (std::find(names.begin(), names.end(), lower_case) != names.end()) return find_key(code);
  }
  return std::nullopt;
}

Key shifted_key(Key key) {
  if (key.location == kNumpad || key.key.size() != 1) return key;
  const char c = key.key[0];
  if (c >= 'a' && c <= 'z') {
    key.key = static_cast<char>(c - 'a' + 'A');
  } else if (c >= '0' && c <= '9') {
    key.key = kShiftedDigits[c - '0'];
  } else {
    for (const Entry& entry : kEntries) {
      if (key.code == entry.code && *entry.shifted != '\0' && key.key == entry.key) key.key = entry.shifted;
    }
  }
  key.text = key.key;
  return key;
}

std::optional<TypedKey> find_typed_key(char character) {
  if (character >= 'A' && character <= 'Z') return TypedKey{shifted_key(letter_key(lower(character))), true};
  for (char digit = '0'; digit <= '9'; ++digit) {
    if (kShiftedDigits[digit - '0'] == character) return TypedKey{shifted_key(digit_key(digit)), true};
  }
  for (const Entry& entry : kEntries) {
    if (entry.location == 0 && entry.shifted[0] == character && character != '\0') {
      return TypedKey{shifted_key(entry_key(entry)), true};
    }
  }
  if (character != '\n' && character != '\r' && character != '\t' && (character < ' ' || character > '~')) {
    return std::nullopt;
  }
  const auto key = character_key(character);
  return key ? std::optional(TypedKey{*key, false}) : std::nullopt;
}

std::string nearest_key_name(std::string_view name) {
  std::vector<std::string> known;
  for (const Entry& entry : kEntries) known.emplace_back(entry.code);
  for (const char* key : {"Shift", "Control", "Alt", "Meta", "Up", "Down", "Left", "Right", "Esc", "Ctrl"}) {
    known.emplace_back(key);
  }
  for (char letter = 'A'; letter <= 'Z'; ++letter) known.push_back(std::string("Key") + letter);
  for (char digit = '0'; digit <= '9'; ++digit) known.push_back(std::string("Digit") + digit);
  for (int number = 1; number <= 24; ++number) known.push_back("F" + std::to_string(number));
  // Spelling is compared in lower case, since case does not matter for long names.
  std::vector<std::string> folded;
  std::transform(known.begin(), known.end(), std::back_inserter(folded), [](const auto& text) { return lower(text); });
  const std::string found = nearest_name(lower(name), folded.data(), folded.size());
  const auto at = std::find(folded.begin(), folded.end(), found);
  return at == folded.end() ? "" : known[static_cast<std::size_t>(at - folded.begin())];
}

}  // namespace qa
