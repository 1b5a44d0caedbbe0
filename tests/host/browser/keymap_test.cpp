#include "host/browser/keymap.h"

#include <catch2/catch.hpp>

using namespace qa;

namespace {

/// "key code windows_code text" of a name, or "none".
std::string described(const std::string& name) {
  const auto key = find_key(name);
  return key ? key->key + " " + key->code + " " + std::to_string(key->windows_code) : "none";
}

}  // namespace

TEST_CASE("C-066: usual spellings of a key give the same key", "[keymap]") {
  for (const char* name : {"w", "W", "KeyW", "keyw", "KEYW"}) CHECK(described(name) == "w KeyW 87");
  for (const char* name : {"ArrowUp", "Up", "up", "UPARROW"}) CHECK(described(name) == "ArrowUp ArrowUp 38");
  for (const char* name : {" ", "Space", "Spacebar", "space"}) CHECK(described(name) == "  Space 32");
  for (const char* name : {"Enter", "Return", "enter"}) CHECK(described(name) == "Enter Enter 13");
  for (const char* name : {"Escape", "Esc"}) CHECK(described(name) == "Escape Escape 27");
  for (const char* name : {"Control", "Ctrl", "ControlLeft"}) CHECK(described(name) == "Control ControlLeft 17");
  for (const char* name : {"Meta", "Cmd", "MetaLeft"}) CHECK(described(name) == "Meta MetaLeft 91");
  for (const char* name : {"1", "Digit1"}) CHECK(described(name) == "1 Digit1 49");
  for (const char* name : {"Del", "Delete"}) CHECK(described(name) == "Delete Delete 46");
  CHECK(described("Shift") == "Shift ShiftLeft 16");
  CHECK(described("ShiftRight") == "Shift ShiftRight 16");
  CHECK(described("Left") == "ArrowLeft ArrowLeft 37");
}

TEST_CASE("function and keypad keys have their own codes", "[keymap]") {
  CHECK(described("F1") == "F1 F1 112");
  CHECK(described("f12") == "F12 F12 123");
  CHECK(described("F24") == "F24 F24 135");
  CHECK(described("Numpad5") == "5 Numpad5 101");
  CHECK(described("NumpadEnter") == "Enter NumpadEnter 13");
  CHECK(find_key("NumpadEnter")->location == 3);
  CHECK(find_key("ControlRight")->location == 2);
}

TEST_CASE("what is no key is not found", "[keymap]") {
  for (const char* name : {"", "F0", "F25", "F01", "KeyÄ", "Key", "Digit", "Digit10", "Foo", "\x01", "ä"}) {
    CAPTURE(name);
    CHECK_FALSE(find_key(name));
  }
}

TEST_CASE("keys produce text where a keyboard does", "[keymap]") {
  CHECK(find_key("w")->text == "w");
  CHECK(find_key("Enter")->text == "\r");
  CHECK(find_key("Space")->text == " ");
  CHECK(find_key("ArrowUp")->text.empty());
  CHECK(find_key("Shift")->text.empty());
  CHECK(find_key("F5")->text.empty());
}

TEST_CASE("every printable character has a key, with Shift where a US keyboard needs it", "[keymap]") {
  for (char c = ' '; c <= '~'; ++c) {
    CAPTURE(c);
    const auto typed = find_typed_key(c);
    REQUIRE(typed);
    CHECK(typed->key.text == std::string(1, c));
    const bool shifted = (c >= 'A' && c <= 'Z') || std::string("~!@#$%^&*()_+{}|:\"<>?").find(c) != std::string::npos;
    CHECK(typed->shift == shifted);
    CHECK(find_key(std::string(1, c)));
  }
  CHECK(find_typed_key('!')->key.code == "Digit1");
  CHECK(find_typed_key('\n')->key.code == "Enter");
  CHECK_FALSE(find_typed_key('\x7f'));
  CHECK_FALSE(find_typed_key('\xc3'));
}

TEST_CASE("shift changes characters and leaves other keys alone", "[keymap]") {
  CHECK(shifted_key(*find_key("w")).key == "W");
  CHECK(shifted_key(*find_key("Slash")).text == "?");
  CHECK(shifted_key(*find_key("Enter")).text == "\r");
  CHECK(shifted_key(*find_key("Numpad1")).key == "1");
  CHECK(shifted_key(shifted_key(*find_key("1"))).key == "!");
}

TEST_CASE("a misspelt key has a suggestion", "[keymap]") {
  CHECK(nearest_key_name("Spce") == "Space");
  CHECK(nearest_key_name("arowup") == "ArrowUp");
  CHECK(nearest_key_name("qqqqqqqqqqqq").empty());
}
