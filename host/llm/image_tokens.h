#pragma once
// How many tokens a picture costs a model: the vendors' rules, whose numbers are facts in scripts/data/models.json.
// An estimate that sizes a reservation; the usage of an answer always wins. Any thread.

#include <cstdint>
#include <optional>

namespace qa {

/// The rules in use, by the side of the squares that they count.
enum class ImageRuleKind {
  none,       ///< Not known: no estimate, so a model that is not free is sent no picture.
  tiles512,   ///< OpenAI, GPT-4 to 4o: fits 2048 and a short side of 768, then `base` and `per_tile` for each 512 tile.
  patch32,    ///< OpenAI, later: one for each 32 patch, shrunk to `max_tokens`, times `multiplier`.
  claude28,   ///< Anthropic: one for each 28 patch, shrunk to `max_edge` and `max_tokens`.
  qwen28,     ///< Qwen2.5-VL: sides rounded to a multiple of 28, one for each patch.
  qwen32,     ///< Qwen3-VL: the same with 32.
  gemini768,  ///< Gemini 2: `base` for each tile of two thirds of the short side, 256 to 768 pixels; one up to 384.
  fixed,      ///< Gemini 3: `base` for any picture.
};

struct ImageRule {
  ImageRuleKind kind = ImageRuleKind::none;
  std::int64_t base = 0, per_tile = 0;      ///< tiles512; gemini768 and fixed have a base alone.
  std::int64_t max_tokens = 0;              ///< patch32, claude28: before the multiplier; 0 for no limit.
  std::int64_t max_edge = 0;                ///< claude28: pixels of the long side; 0 for no limit.
  std::int64_t multiplier = 1'000'000'000;  ///< patch32: in billionths.
};

enum class ImageDetail { high, low };

struct ImageSize {
  int width = 0, height = 0;
  bool operator==(const ImageSize&) const = default;
};

/// Tokens of a picture of so many pixels, rounded up; nullopt when the rule is not known. `detail` low counts on
/// tiles512 alone, where it is `base`; other rules take it for high, which is never too little.
std::optional<std::int64_t> image_tokens(const ImageRule& rule, ImageSize size, ImageDetail detail = ImageDetail::high);

/// The best size to send for a wish: of the same shape, no side over `max_side` (0 for no limit) or over what the
/// model would shrink it to by itself, and with one side on a boundary of the rule, since one pixel over it can
/// triple the price (513x513 is four tiles, 512x512 one). Never larger than asked, at least 1x1.
ImageSize best_size(const ImageRule& rule, ImageSize size, int max_side = 0);

}  // namespace qa
