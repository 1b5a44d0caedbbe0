#include "host/image/text_lines.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qa {
namespace {

constexpr std::uint8_t kText = 128;  ///< Below: text.
constexpr int kLowest = 6, kHighest = 120;
constexpr double kMostRatio = 2.6, kMostGap = 1.1;  ///< Of the heights of neighbours, and between them, of the higher.
constexpr std::size_t kMostLetters = 50000;         ///< More of them are no text, but noise.

struct Run {
  int y = 0, from = 0, to = 0;  ///< `to` exclusive.
  int set = 0;
};

struct Blob {
  int left = 0, top = 0, right = 0, bottom = 0, area = 0;
  int width() const { return right - left; }
  int height() const { return bottom - top; }
  double middle_x() const { return (left + right) / 2.0; }
  double middle_y() const { return (top + bottom) / 2.0; }
};

/// Sets that are joined, by index.
class Sets {
 public:
  int add() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int root(int i) {
    while (parents_[static_cast<std::size_t>(i)] != i) {
      i = parents_[static_cast<std::size_t>(i)] =
          parents_[static_cast<std::size_t>(parents_[static_cast<std::size_t>(i)])];
    }
    return i;
  }
  void join(int a, int b) { parents_[static_cast<std::size_t>(root(a))] = root(b); }

 private:
  std::vector<int> parents_;
};

void runs_of_row(const GreyPicture& mask, int y, std::vector<Run>& runs) {
  const std::uint8_t* row = mask.row(y);
  for (int x = 0; x < mask.width;) {
    if (row[x] >= kText) {
      ++x;
      continue;
    }
    const int from = x;
    while (x < mask.width && row[x] < kText) ++x;
    runs.push_back({y, from, x, 0});
  }
}

/// Connected components, also by a corner.
std::vector<Blob> blobs_of(const GreyPicture& mask) {
  std::vector<Run> runs;
  Sets sets;
  std::size_t above = 0;
  for (int y = 0; y < mask.height; ++y) {
    const std::size_t first = runs.size();
    runs_of_row(mask, y, runs);
    std::size_t other = above;
    for (std::size_t i = first; i < runs.size(); ++i) {
      runs[i].set = sets.add();
      while (other < first && runs[other].to < runs[i].from) ++other;
      for (std::size_t j = other; j < first && runs[j].from <= runs[i].to; ++j) sets.join(runs[i].set, runs[j].set);
    }
    above = first;
  }
  std::vector<Blob> by_set(runs.size());
  for (const Run& run : runs) {
    Blob& blob = by_set[static_cast<std::size_t>(sets.root(run.set))];
    if (blob.area == 0) blob = {run.from, run.y, run.to, run.y + 1, 0};
    blob.left = std::min(blob.left, run.from);
    blob.right = std::max(blob.right, run.to);
    blob.bottom = std::max(blob.bottom, run.y + 1);
    blob.area += run.to - run.from;
  }
  std::erase_if(by_set, [](const Blob& blob) { return blob.area == 0; });
  return by_set;
}

/// A letter, or a word whose letters touch; no speck, no frame, no solid panel.
bool may_be_letter(const Blob& blob) {
  const int width = blob.width(), height = blob.height();
  if (height < kLowest || height > kHighest || width > 14 * height || width < 1) return false;
  const double fill = static_cast<double>(blob.area) / (static_cast<double>(width) * height);
  if (fill < 0.08) return false;
  return fill < 0.92 || width * 2 < height;
}

bool lies_in(const Blob& inner, const Blob& outer) {
  return inner.left > outer.left && inner.right < outer.right && inner.top > outer.top && inner.bottom < outer.bottom;
}

/// Takes out the frames of buttons: thin, and around what may be letters. `letters` by rising left.
void drop_frames(std::vector<Blob>& letters) {
  std::vector<Blob> kept;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    int inside = 0;
    for (std::size_t j = i + 1; j < letters.size() && letters[j].left < letters[i].right && inside < 2; ++j) {
      inside += lies_in(letters[j], letters[i]) ? 1 : 0;
    }
    if (inside < 2) kept.push_back(letters[i]);
  }
  letters = std::move(kept);
}

bool are_neighbours(const Blob& a, const Blob& b) {
  const int low = std::min(a.height(), b.height()), high = std::max(a.height(), b.height());
  if (high > low * kMostRatio) return false;
  const int overlap = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const int gap = std::max(a.left, b.left) - std::min(a.right, b.right);
  return overlap * 10 > low * 4 && gap < high * kMostGap;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The least-squares slope of the letters' middles.
double slope_of(const std::vector<const Blob*>& letters, double letter) {
  if (letters.size() < 3) return 0;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Blob* blob : letters) {
    x += blob->middle_x();
    y += blob->middle_y();
  }
  const auto n = static_cast<double>(letters.size());
  x /= n;
  y /= n;
  for (const Blob* blob : letters) {
    xx += (blob->middle_x() - x) * (blob->middle_x() - x);
    xy += (blob->middle_x() - x) * (blob->middle_y() - y);
  }
  // Over a short run, capitals and descenders would look like a slope.
  const double slope = xx > 0 ? xy / xx : 0;
  const bool is_tilted = std::abs(slope) * 2 * std::sqrt(xx / n) > letter * 0.12 && std::abs(slope) < 0.3;
  return is_tilted ? slope : 0;
}

TextLine line_of(const std::vector<const Blob*>& letters) {
  Blob box = *letters.front();
  std::vector<double> heights;
  for (const Blob* blob : letters) {
    box.left = std::min(box.left, blob->left);
    box.top = std::min(box.top, blob->top);
    box.right = std::max(box.right, blob->right);
    box.bottom = std::max(box.bottom, blob->bottom);
    heights.push_back(blob->height());
  }
  TextLine line;
  line.box = {box.left, box.top, box.width(), box.height()};
  line.letter = median(heights);
  line.letters = static_cast<int>(letters.size());
  line.slope = slope_of(letters, line.letter);
  return line;
}

}  // namespace

std::vector<TextLine> find_text_lines(const GreyPicture& mask, std::size_t most) {
  std::vector<Blob> letters = blobs_of(mask);
  std::erase_if(letters, [](const Blob& blob) { return !may_be_letter(blob); });
  if (letters.size() > kMostLetters) return {};
  std::sort(letters.begin(), letters.end(), [](const Blob& a, const Blob& b) { return a.left < b.left; });
  drop_frames(letters);
  Sets sets;
  for (std::size_t i = 0; i < letters.size(); ++i) sets.add();
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const double reach = letters[i].right + letters[i].height() * kMostRatio * kMostGap;
    for (std::size_t j = i + 1; j < letters.size() && letters[j].left < reach; ++j) {
      if (are_neighbours(letters[i], letters[j])) sets.join(static_cast<int>(i), static_cast<int>(j));
    }
  }
  std::vector<std::vector<const Blob*>> groups(letters.size());
  for (std::size_t i = 0; i < letters.size(); ++i)
    groups[static_cast<std::size_t>(sets.root(static_cast<int>(i)))].push_back(&letters[i]);
  std::vector<TextLine> lines;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    const TextLine line = line_of(group);
    const bool is_wide = line.box.width > 1.4 * line.letter;
    if (is_wide && line.letters <= 80 && line.box.height < 3 * line.letter + std::abs(line.slope) * line.box.width)
      lines.push_back(line);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const TextLine& a, const TextLine& b) { return a.letters > b.letters; });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

void LinePicture::locate(double x, double y, double& mask_x, double& mask_y) const {
  mask_x = left + x / scale;
  mask_y = top + y / scale + slope * (x / scale);
}

LinePicture cut_line(const GreyPicture& mask, const TextLine& line, int height) {
  const double margin = line.letter * 0.4;
  LinePicture out;
  out.slope = line.slope;
  out.scale = height / line.letter;
  out.left = static_cast<int>(std::floor(line.box.x - margin));
  // Level: the top of the sheared line is where its left end stands, or would stand.
  const double rise = line.slope * line.box.width;
  out.top = static_cast<int>(std::floor(line.box.y - margin - std::min(0.0, rise)));
  const double level_height = line.box.height - std::abs(rise) + 2 * margin;
  GreyPicture& picture = out.picture;
  picture.width = static_cast<int>(std::ceil((line.box.width + 2 * margin) * out.scale));
  picture.height = std::max(1, static_cast<int>(std::ceil(level_height * out.scale)));
  picture.pixels.assign(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height), 255);
  const double step = 1 / out.scale;
  const int samples = std::max(1, static_cast<int>(std::lround(step)));
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      double sum = 0;
      for (int sample = 0; sample < samples * samples; ++sample) {
        // The middle of the sample; between mask pixels, linear.
        const double sx = (x + (sample % samples + 0.5) / samples) * step,
                     sy = (y + (sample / samples + 0.5) / samples) * step;
        const double mx = out.left + sx - 0.5, my = out.top + sy + line.slope * sx - 0.5;
        const int x0 = static_cast<int>(std::floor(mx)), y0 = static_cast<int>(std::floor(my));
        const double fx = mx - x0, fy = my - y0;
        const auto at = [&](int px, int py) {
          return px < 0 || py < 0 || px >= mask.width || py >= mask.height ? 255.0
                                                                           : static_cast<double>(mask.row(py)[px]);
        };
        sum += (at(x0, y0) * (1 - fx) + at(x0 + 1, y0) * fx) * (1 - fy) +
               (at(x0, y0 + 1) * (1 - fx) + at(x0 + 1, y0 + 1) * fx) * fy;
      }
      picture
          .pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)] =
          static_cast<std::uint8_t>(sum / (samples * samples));
    }
  }
  return out;
}

}  // namespace qa
