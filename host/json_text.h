#pragma once
// Composing JSON as text, where a tree would cost more than the rest: commands that scripts send most, journal lines,
// and requests that carry pictures.

#include <string>
#include <string_view>

namespace qa {

/// Appends text as a JSON string: escaped, safe for terminals (json_safe), invalid UTF-8 replaced.
void append_quoted(std::string& to, std::string_view text);

/// Appends members of an object, in order; commas and braces are its business. Its end closes the
/// object; close() where the text is used or returned before that.
class ObjectText {
 public:
  explicit ObjectText(std::string& to) : to_(to) { to_ += '{'; }
  ~ObjectText() { close(); }
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;
  void close() {
    if (is_open_) to_ += '}';
    is_open_ = false;
  }
  /// Begins a member, whose value the caller appends to the same text.
  std::string& key(std::string_view name);
  void text(std::string_view name, std::string_view value) { append_quoted(key(name), value); }
  /// A finite number that reads back the same: with all digits where it is whole or has one decimal, else the shortest.
  void number(std::string_view name, double value);
  void raw(std::string_view name, std::string_view json) { key(name) += json; }
  /// The members of an object given as text, "" or "{}" for none.
  void members(std::string_view object);

 private:
  std::string& to_;
  bool first_ = true, is_open_ = true;
};

}  // namespace qa
