#include "host/line_chain.h"

#include "host/sha256.h"

namespace qa {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kMember = R"(,"sum":")", kEnd = R"("})";

}  // namespace

std::string LineChain::seal(std::string object) {
  sum_ = sha256_hex(sum_ + object).substr(0, kDigits);
  object.pop_back();
  return object.append(kMember).append(sum_).append(kEnd);
}

bool LineChain::follow(std::string_view line) {
  constexpr std::size_t tail = kMember.size() + kDigits + kEnd.size();
  if (line.size() <= tail) return false;
  std::string object(line.substr(0, line.size() - tail));
  object += '}';
  return seal(std::move(object)) == line;
}

std::optional<BrokenLine> find_broken_line(std::string_view text) {
  LineChain chain;
  BrokenLine at{1, 0};
  while (at.offset < text.size()) {
    const std::size_t end = text.find('\n', at.offset);
    if (end == text.npos || !chain.follow(text.substr(at.offset, end - at.offset))) return at;
    at = {at.number + 1, end + 1};
  }
  return std::nullopt;
}

}  // namespace qa
