#include "host/image/template_match.h"

#include <algorithm>
#include <cmath>

namespace qa {
namespace {

constexpr int kSmallestSide = 4;
constexpr int kCoarseSide = 10;       ///< The template is shrunk until its shorter side has about so many pixels.
constexpr double kScaleStep = 1.06;   ///< Between neighbouring scales: correlation tolerates half of it.
constexpr double kCoarseLoss = 0.25;  ///< A place may score so much less on the shrunken picture.
constexpr std::size_t kCandidates = 16, kMostMatches = 200;
constexpr std::size_t kMostRough = 1 << 18;  ///< Places kept of those that might match, at most.
constexpr double kFlat = 1.0;  ///< Standard deviation (luma steps) below which there is nothing to correlate.

/// Planes of floats: what correlation is computed on.
struct Planes {
  int width = 0, height = 0, count = 0;
  std::vector<float> values;   ///< `count` planes, row major.
  std::vector<float> weights;  ///< One plane: 1 counts, 0 does not. Empty for an image.

  const float* row(int plane, int y) const {
    return values.data() +
           (static_cast<std::size_t>(plane) * static_cast<std::size_t>(height) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(width);
  }
};

Planes planes_of(const Image& image, bool colour, bool weighted) {
  Planes out{image.width, image.height, colour ? 3 : 1, {}, {}};
  const auto area = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  out.values.resize(area * static_cast<std::size_t>(out.count));
  if (weighted) out.weights.resize(area);
  const std::uint8_t* at = image.pixels.data();
  for (std::size_t i = 0; i < area; ++i, at += image.channels) {
    if (colour) {
      for (std::size_t plane = 0; plane < 3; ++plane) out.values[plane * area + i] = at[plane];
    } else {
      out.values[i] = 0.299F * at[0] + 0.587F * at[1] + 0.114F * at[2];
    }
    if (weighted) out.weights[i] = image.channels == 4 && at[3] < 128 ? 0.0F : 1.0F;
  }
  return out;
}

/// A template made ready: its mean taken off, what does not count set to 0.
struct Pattern {
  Planes planes;
  double weight = 0, deviation = 0;  ///< Pixels that count; root of the sum of squares.
  std::vector<double> means;

  explicit Pattern(const Image& image, bool colour) : planes(planes_of(image, colour, true)) {
    const std::size_t area = planes.weights.size();
    for (const float w : planes.weights) weight += w;
    double squares = 0;
    for (int plane = 0; plane < planes.count; ++plane) {
      float* values = planes.values.data() + static_cast<std::size_t>(plane) * area;
      double sum = 0;
      for (std::size_t i = 0; i < area; ++i) sum += values[i] * planes.weights[i];
      const double mean = weight > 0 ? sum / weight : 0;
      means.push_back(mean);
      for (std::size_t i = 0; i < area; ++i) {
        values[i] = (values[i] - static_cast<float>(mean)) * planes.weights[i];
        squares += static_cast<double>(values[i]) * values[i];
      }
    }
    deviation = std::sqrt(squares);
  }
  bool is_flat() const { return deviation < kFlat * std::sqrt(weight); }
};

struct Sums {
  float product = 0, value = 0, square = 0;
};

/// Of one row of the template over the image.
Sums sums_of(const float* image, const float* pattern, const float* weights, int width) {
  Sums sums;
  for (int x = 0; x < width; ++x) {
    const float value = image[x] * weights[x];
    sums.product += image[x] * pattern[x];
    sums.value += value;
    sums.square += value * image[x];
  }
  return sums;
}

/// -1 .. 1; a flat template is compared by its colour instead, as it has no shape.
double score_at(const Planes& image, const Pattern& pattern, int x, int y) {
  const Planes& small = pattern.planes;
  double product = 0, spread = 0, offset = 0;
  for (int plane = 0; plane < image.count; ++plane) {
    double value = 0, square = 0;
    for (int row = 0; row < small.height; ++row) {
      const Sums sums = sums_of(
          image.row(plane, y + row) + x, small.row(plane, row),
          small.weights.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(small.width), small.width);
      product += sums.product;
      value += sums.value;
      square += sums.square;
    }
    spread += std::max(0.0, square - value * value / pattern.weight);
    offset += std::abs(value / pattern.weight - pattern.means[static_cast<std::size_t>(plane)]);
  }
  const bool flat_here = std::sqrt(spread) < kFlat * std::sqrt(pattern.weight);
  if (pattern.is_flat()) return flat_here ? 1 - offset / image.count / 255 : 0;
  return flat_here ? 0 : product / (pattern.deviation * std::sqrt(spread));
}

/// Best first, without those that lie over a better one.
std::vector<TemplateMatch> without_overlaps(std::vector<TemplateMatch> found, std::size_t most) {
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<TemplateMatch> kept;
  for (const TemplateMatch& match : found) {
    const bool hidden = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
      return shared_part(match.box, other.box).area() * 3 > std::min(match.box.area(), other.box.area());
    });
    if (!hidden) kept.push_back(match);
    if (kept.size() == most) break;
  }
  return kept;
}

Size scaled(Size size, double by) {
  return {std::max(1, static_cast<int>(std::lround(size.width * by))),
          std::max(1, static_cast<int>(std::lround(size.height * by)))};
}

ImagePtr resized(const Image& image, Size size) {
  auto out = resize_image(image, size);
  return out ? *out : nullptr;
}

class Search {
 public:
  Search(const Image& image, const Image& pattern, const FindOptions& options)
      : image_(image), pattern_(pattern), options_(options) {}

  std::vector<TemplateMatch> run() {
    std::vector<TemplateMatch> rough;
    for (const double scale : scales()) scan(scale, rough);
    rough = without_overlaps(std::move(rough), options_.all ? kMostMatches : kCandidates);
    if (rough.empty()) return {};
    const Planes full = planes_of(image_, true, false);
    std::vector<TemplateMatch> found;
    for (const TemplateMatch& match : rough) {
      if (const TemplateMatch better = refine(full, match); better.score >= options_.threshold) found.push_back(better);
    }
    return without_overlaps(std::move(found), options_.all ? kMostMatches : 1);
  }

 private:
  std::vector<double> scales() const {
    std::vector<double> list;
    for (double scale = options_.smallest_scale; scale < options_.largest_scale; scale *= kScaleStep)
      list.push_back(scale);
    list.push_back(options_.largest_scale);
    return list;
  }

  Size at_scale(double scale) const { return scaled({pattern_.width, pattern_.height}, scale); }

  /// Looks everywhere on a shrunken picture, and adds what might match.
  void scan(double scale, std::vector<TemplateMatch>& rough) {
    const Size size = at_scale(scale);
    if (size.width > image_.width || size.height > image_.height || std::min(size.width, size.height) < kSmallestSide)
      return;
    const double shrink = std::min(1.0, static_cast<double>(kCoarseSide) / std::min(size.width, size.height));
    const ImagePtr small = resized(pattern_, scaled(size, shrink));
    if (shrink != shrink_) {
      const ImagePtr shrunken = resized(image_, scaled({image_.width, image_.height}, shrink));
      if (!shrunken) return;
      coarse_ = planes_of(*shrunken, false, false);
      shrink_ = shrink;
    }
    if (!small) return;
    const Pattern pattern(*small, false);
    if (pattern.weight < 1) return;
    for (int y = 0; y + small->height <= coarse_.height; ++y) {
      for (int x = 0; x + small->width <= coarse_.width; ++x) {
        const double score = score_at(coarse_, pattern, x, y);
        if (score < options_.threshold - kCoarseLoss || score <= least_) continue;
        rough.push_back(
            {{static_cast<int>(x / shrink), static_cast<int>(y / shrink), size.width, size.height}, scale, score});
        if (rough.size() == kMostRough) thin(rough);
      }
    }
  }

  /// Nearly everything looks alike: only what is better than the better half is of interest from now on.
  void thin(std::vector<TemplateMatch>& rough) {
    std::stable_sort(rough.begin(), rough.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    rough.resize(kMostRough / 2);
    least_ = rough.back().score;
  }

  /// The best place and scale near a rough one, at full size and in colour.
  TemplateMatch refine(const Planes& full, const TemplateMatch& rough) const {
    TemplateMatch best = rough;
    best.score = -1;
    try_scale(full, rough, rough.scale, best);
    if (options_.smallest_scale == options_.largest_scale) return best;
    for (const double step : {0.03, 0.015, 0.0075}) {
      const TemplateMatch start = best.score > 0 ? best : rough;
      try_scale(full, start, start.scale * (1 - step), best);
      try_scale(full, start, start.scale * (1 + step), best);
    }
    return best;
  }

  void try_scale(const Planes& full, const TemplateMatch& near, double scale, TemplateMatch& best) const {
    scale = std::clamp(scale, options_.smallest_scale, options_.largest_scale);
    const ImagePtr small = resized(pattern_, at_scale(scale));
    if (!small || small->width > full.width || small->height > full.height) return;
    climb(full, Pattern(*small, true), near, scale, best);
  }

  /// From a grid of steps to single pixels, each round around the best of the one before.
  static void climb(const Planes& full, const Pattern& pattern, const TemplateMatch& rough, double scale,
                    TemplateMatch& best) {
    if (pattern.weight < 1) return;
    const int width = pattern.planes.width, height = pattern.planes.height;
    const int reach = std::max(2, std::min(width, height) / kCoarseSide + 1);
    int x = rough.box.x + (rough.box.width - width) / 2, y = rough.box.y + (rough.box.height - height) / 2;
    for (int step = std::max(1, reach / 3), round_reach = reach;; step = std::max(1, step / 3)) {
      double top = -1;
      int top_x = x, top_y = y;
      for (int ny = y - round_reach; ny <= y + round_reach; ny += step) {
        for (int nx = x - round_reach; nx <= x + round_reach; nx += step) {
          if (nx < 0 || ny < 0 || nx + width > full.width || ny + height > full.height) continue;
          const double score = score_at(full, pattern, nx, ny);
          if (score > top) {
            top = score;
            top_x = nx;
            top_y = ny;
          }
        }
      }
      x = top_x;
      y = top_y;
      if (top > best.score) best = {{x, y, width, height}, scale, top};
      if (step == 1) return;
      round_reach = step;
    }
  }

  const Image& image_;
  const Image& pattern_;
  const FindOptions& options_;
  Planes coarse_;
  double shrink_ = 0, least_ = -2;
};

}  // namespace

Result<std::vector<TemplateMatch>> find_template(const Image& image, const Image& pattern, const FindOptions& options) {
  const Size least = scaled({pattern.width, pattern.height}, options.smallest_scale);
  const auto refuse = [&](const char* why) {
    return Error{ErrorKind::image_size,
                 "the template of " + size_text({pattern.width, pattern.height}) + " pixels " + why, "", ""};
  };
  if (least.width > image.width || least.height > image.height) return refuse("is larger than the image");
  const Size most = scaled({pattern.width, pattern.height}, options.largest_scale);
  if (std::min(most.width, most.height) < kSmallestSide)
    return refuse("is too small to be found: a side has at least 4");
  if (Pattern(pattern, false).weight < 1) return refuse("is transparent");
  return Search(image, pattern, options).run();
}

}  // namespace qa
