#pragma once
// Keymap: from any usual spelling of a key to the fields of Input.dispatchKeyEvent
// (US layout). Sources: the W3C UI Events "code" and "key" value lists.

#include <optional>
#include <string>
#include <string_view>

namespace qa {

struct Key {
  std::string key;       ///< KeyboardEvent.key: "w", "ArrowUp", " ".
  std::string code;      ///< KeyboardEvent.code: "KeyW", "ArrowUp", "Space".
  int windows_code = 0;  ///< KeyboardEvent.keyCode.
  int location = 0;
  std::string text;  ///< Text the key produces, or empty.
};

/// "KeyW", "w", "W", "ArrowUp", "Up", "Space", " ", "Spacebar", "Enter", "Return", "Esc", "Ctrl", "Digit1", "1" ...
/// Letter case is ignored: "W" is the key that a player without Shift presses, and gives "w".
std::optional<Key> find_key(std::string_view name);

/// The key as it acts while Shift is held: "w" gives "W", "1" gives "!"; others are unchanged.
Key shifted_key(Key key);

/// The key that types one ASCII character, and whether Shift is held for it.
struct TypedKey {
  Key key;
  bool shift = false;
};
std::optional<TypedKey> find_typed_key(char character);

/// The closest known name, for "did you mean", or "".
std::string nearest_key_name(std::string_view name);

}  // namespace qa
