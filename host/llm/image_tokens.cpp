#include "host/llm/image_tokens.h"

#include <algorithm>
#include <cmath>

#include "host/money/money.h"

namespace qa {
namespace {

constexpr int kTilesFit = 2048, kTilesShort = 768;  // What tiles512 shrinks to before it counts.

int long_side(ImageSize size) { return std::max(size.width, size.height); }

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The side of the rule's squares.
int unit(ImageRuleKind kind) {
  constexpr int sides[] = {1, 512, 32, 28, 28, 32, 1, 1};
  return sides[static_cast<std::size_t>(kind)];
}

/// Squares that the picture touches once its long side is shrunk to `edge`, without rounding its sides.
std::int64_t squares(ImageSize size, std::int64_t edge, std::int64_t side) {
  const std::int64_t full = long_side(size) * side;
  return divided_up(size.width * edge, full) * divided_up(size.height * edge, full);
}

/// The longest side that the model leaves a picture of this shape.
int longest_kept(const ImageRule& rule, ImageSize size) {
  const int full = long_side(size);
  if (rule.kind == ImageRuleKind::tiles512) {
    const std::int64_t by_short = std::int64_t{kTilesShort} * full / std::min(size.width, size.height);
    return static_cast<int>(std::min<std::int64_t>({full, kTilesFit, by_short}));
  }
  if (rule.kind != ImageRuleKind::patch32 && rule.kind != ImageRuleKind::claude28) return full;
  const int most = rule.max_edge > 0 ? static_cast<int>(std::min<std::int64_t>(full, rule.max_edge)) : full;
  if (rule.max_tokens <= 0 || squares(size, most, unit(rule.kind)) <= rule.max_tokens) return most;
  int kept = 1, over = most;  // The number of squares grows with the side: the last one that is within the limit.
  while (over - kept > 1) {
    const int middle = kept + (over - kept) / 2;
    (squares(size, middle, unit(rule.kind)) <= rule.max_tokens ? kept : over) = middle;
  }
  return kept;
}

/// The side of the same shape that goes with `to` for `from`.
int in_proportion(int side, int from, int to) {
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(side) * to / from)));
}

std::int64_t tiles(const ImageRule& rule, ImageSize size) {
  const double scale = std::min({1.0, static_cast<double>(kTilesFit) / long_side(size),
                                 static_cast<double>(kTilesShort) / std::min(size.width, size.height)});
  const auto across = [&](int side) { return static_cast<std::int64_t>(std::ceil(side * scale / 512 - 1e-9)); };
  return rule.base + rule.per_tile * across(size.width) * across(size.height);
}

}  // namespace

std::optional<std::int64_t> image_tokens(const ImageRule& rule, ImageSize size, ImageDetail detail) {
  size = {std::max(size.width, 1), std::max(size.height, 1)};
  const int side = unit(rule.kind);
  switch (rule.kind) {
    case ImageRuleKind::none:
      return {};
    case ImageRuleKind::fixed:
      return rule.base;
    case ImageRuleKind::gemini768: {
      if (long_side(size) <= 384) return rule.base;
      const int tile = std::clamp(std::min(size.width, size.height) * 2 / 3, 256, 768);
      return rule.base * divided_up(size.width, tile) * divided_up(size.height, tile);
    }
    case ImageRuleKind::tiles512:
      return detail == ImageDetail::low ? rule.base : tiles(rule, size);
    case ImageRuleKind::patch32:
      return divided_up(squares(size, longest_kept(rule, size), side) * rule.multiplier, kDollar);
    case ImageRuleKind::claude28:
      return squares(size, longest_kept(rule, size), side);
    case ImageRuleKind::qwen28:
    case ImageRuleKind::qwen32: {
      const auto rounded = [&](int pixels) { return std::int64_t{std::max(1, (pixels + side / 2) / side)}; };
      return rounded(size.width) * rounded(size.height);
    }
  }
  return {};
}

ImageSize best_size(const ImageRule& rule, ImageSize size, int max_side) {
  size = {std::max(size.width, 1), std::max(size.height, 1)};
  const int full = long_side(size), side = unit(rule.kind);
  const int edge = std::min(longest_kept(rule, size), max_side > 0 ? max_side : full);
  const ImageSize most = {in_proportion(size.width, full, edge), in_proportion(size.height, full, edge)};
  if (most.width % side == 0 || most.height % side == 0) return most;
  const int width = most.width / side * side, height = most.height / side * side;
  const ImageSize by_width = {width, width > 0 ? in_proportion(size.height, size.width, width) : 0};
  const ImageSize by_height = {height > 0 ? in_proportion(size.width, size.height, height) : 0, height};
  if (width == 0 && height == 0) return most;
  return by_width.width >= by_height.width ? by_width : by_height;
}

}  // namespace qa
