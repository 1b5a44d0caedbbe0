#include "host/image/ocr.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <iterator>
#include <latch>
#include <map>
#include <memory>

#include "host/image/ocr_engine.h"
#include "host/installation.h"
#include "host/lazy_library.h"

// clang-format off
#define QA_OCR_FUNCTIONS(F) \
  F(void*, qa_ocr_open, (const char* a, char* b, int c), (a, b, c)) \
  F(void, qa_ocr_close, (void* a), (a)) \
  F(int, qa_ocr_read, (void* a, const unsigned char* b, int c, int d, int e, const char* f, qa_ocr_sink g, void* h), \
    (a, b, c, d, e, f, g, h))
// clang-format on

QA_LAZY_LIBRARY((qa::plugin_folder() + "/libqa_ocr.so").c_str(), QA_OCR_FUNCTIONS)

namespace qa {
namespace {

constexpr int kLetterHeights[] = {
    30, 42, 22};  ///< Tesseract reads letters of about so many pixels best; the others are second tries.
constexpr double kComplete = 0.97;      ///< Share of a line's ink that a complete reading covers.
constexpr std::size_t kMostLines = 40;  ///< Of one mask: a busy picture is full of things like letters.
constexpr int kWidest = 6000;           ///< Of a line that is read.
constexpr int kLeastHeight = 10;        ///< Of its letters, to be read at all.
constexpr int kOneLine = 7;             ///< Tesseract's page segmentation mode.
constexpr double kSure = 85;            ///< A place read with such confidence is not read again.

/// The calling thread's engine for a language; it lives as long as the thread.
Result<void*> engine_for(const std::string& language) {
  struct Engines {
    std::map<std::string, void*> by_language;
    ~Engines() {
      for (const auto& [name, engine] : by_language) qa_ocr_close(engine);
    }
  };
  if (const std::string& fault = loaded(); !fault.empty()) {
    return Error{ErrorKind::ocr_unavailable, "the OCR library cannot be loaded: " + fault, "", ""};
  }
  thread_local Engines engines;
  if (const auto found = engines.by_language.find(language); found != engines.by_language.end()) return found->second;
  std::array<char, 256> message{};
  void* engine = qa_ocr_open(language.c_str(), message.data(), static_cast<int>(message.size()));
  if (!engine) return Error{ErrorKind::ocr_unavailable, message.data(), "", ""};
  engines.by_language[language] = engine;
  return engine;
}

/// 0 at `from`, 255 at `to`, in between a ramp: anti-aliased edges stay soft.
std::uint8_t ramp(int value, int from, int to) {
  return static_cast<std::uint8_t>(std::clamp((value - from) * 255 / (to - from), 0, 255));
}

struct Colour {
  int red = 0, green = 0, blue = 0;
};

/// The middle of the most frequent colour cell of 16 steps a channel.
Colour most_frequent(const Image& image) {
  std::vector<std::uint32_t> counts(4096);
  const std::uint8_t* at = image.pixels.data();
  for (std::size_t i = 0; i < image.pixels.size();
       i += static_cast<std::size_t>(image.channels), at += image.channels) {
    ++counts[static_cast<std::size_t>((at[0] >> 4) << 8 | (at[1] >> 4) << 4 | at[2] >> 4)];
  }
  const auto cell = static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  return {(cell >> 8 & 15) * 16 + 8, (cell >> 4 & 15) * 16 + 8, (cell & 15) * 16 + 8};
}

/// How much like text a pixel is, 0..255.
std::uint8_t text_at(const std::uint8_t* pixel, OcrMask mask, const Colour& ground) {
  const int red = pixel[0], green = pixel[1], blue = pixel[2];
  const int luma = (299 * red + 587 * green + 114 * blue) / 1000;
  switch (mask) {
    case OcrMask::bright:
      return ramp(std::min({red, green, blue}), 170, 230);
    case OcrMask::luma:
      return ramp(luma, 120, 180);
    case OcrMask::dark:
      return ramp(-luma, -130, -70);
    case OcrMask::distance:
      break;
  }
  return ramp(std::max({std::abs(red - ground.red), std::abs(green - ground.green), std::abs(blue - ground.blue)}), 35,
              95);
}

/// One line being read, and the words that were found in it.
struct Reading {
  LinePicture line;
  double confidence = 0;
  std::vector<OcrWord> words;
  std::vector<std::pair<int, int>> columns;  ///< Of the words, in the line's picture.

  /// Share of the ink that lies within the words: what is less has letters that were not read.
  double coverage() const {
    std::int64_t ink = 0, read = 0;
    const GreyPicture& picture = line.picture;
    for (int x = 0; x < picture.width; ++x) {
      std::int64_t column = 0;
      for (int y = 0; y < picture.height; ++y) column += picture.row(y)[x] < 128;
      ink += column;
      const bool is_read = std::any_of(columns.begin(), columns.end(),
                                       [&](const auto& word) { return x >= word.first - 2 && x < word.second + 2; });
      if (is_read) read += column;
    }
    return ink > 0 ? static_cast<double>(read) / static_cast<double>(ink) : 0;
  }
};

/// Does the word hold a letter or digit? Marks such as (c) and dots are what Tesseract makes of ornaments.
bool has_letter(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalnum(c)) return true;
    const bool is_sign = c == 0xC2 || c == 0xE2;  // U+0080..U+00BF, and punctuation from U+2000 on.
    if (c >= 0xC3 && !is_sign) return true;
  }
  return false;
}

void take_word(void* context, const qa_ocr_word* found) {
  auto& reading = *static_cast<Reading*>(context);
  if (static_cast<double>(found->confidence) < reading.confidence || !has_letter(found->text)) return;
  reading.columns.emplace_back(found->left, found->right);
  double x = 0, y = 0;
  reading.line.locate((found->left + found->right) / 2.0, (found->top + found->bottom) / 2.0, x, y);
  const double width = (found->right - found->left) / reading.line.scale,
               height = (found->bottom - found->top) / reading.line.scale;
  const auto pixel = [](double value) { return static_cast<int>(std::lround(value)); };
  reading.words.push_back(
      {found->text,
       {pixel(x - width / 2), pixel(y - height / 2), std::max(1, pixel(width)), std::max(1, pixel(height))},
       static_cast<double>(found->confidence)});
}

/// Do the two words share most of the smaller one?
bool same_place(const OcrWord& a, const OcrWord& b) {
  return shared_part(a.box, b.box).area() * 2 > std::min(a.box.area(), b.box.area());
}

/// The surest reading of each place.
void join(std::vector<OcrWord>& words, std::vector<OcrWord> more) {
  for (OcrWord& word : more) {
    const auto surer = [&](const OcrWord& other) {
      return same_place(word, other) && other.confidence >= word.confidence;
    };
    if (std::any_of(words.begin(), words.end(), surer)) continue;
    std::erase_if(words, [&](const OcrWord& other) { return same_place(word, other); });
    words.push_back(std::move(word));
  }
}

/// Is the whole line covered by words that are sure?
bool is_known(const TextLine& line, const std::vector<OcrWord>& words) {
  std::int64_t covered = 0;
  for (const OcrWord& word : words) {
    const Rect shared = shared_part(line.box, word.box);
    if (shared.area() == 0) continue;
    if (word.confidence < kSure) return false;
    covered += shared.width;
  }
  return covered * 10 > std::int64_t{line.box.width} * 8;
}

/// Is the one word as high as the other, by more than half of the lower one?
bool is_level(const Rect& a, const Rect& b) {
  return (std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y)) * 2 > std::min(a.height, b.height);
}

/// Top to bottom in lines, left to right within one. A line goes on with what is level with its last word, so that it
/// may be tilted.
void sort_for_reading(std::vector<OcrWord>& words) {
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.box.x < b.box.x; });
  std::vector<std::vector<OcrWord>> lines;
  for (OcrWord& word : words) {
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const auto& one) { return is_level(one.back().box, word.box); });
    if (line == lines.end()) line = lines.emplace(lines.end());
    line->push_back(std::move(word));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.front().box.y + a.front().box.height / 2 < b.front().box.y + b.front().box.height / 2;
  });
  words.clear();
  for (auto& line : lines) std::move(line.begin(), line.end(), std::back_inserter(words));
}

/// The words of the most complete of a few tries.
std::vector<OcrWord> read_line(void* engine, const GreyPicture& mask, const TextLine& line, const OcrOptions& options) {
  std::vector<OcrWord> best;
  double most = 0;
  int tried = 0;
  for (const int wanted : kLetterHeights) {
    // A long line is read smaller.
    const int height = std::min(wanted, static_cast<int>(kWidest * line.letter / (line.box.width + line.letter)));
    if (height < kLeastHeight || height == tried) continue;
    tried = height;
    Reading reading{cut_line(mask, line, height), options.confidence, {}, {}};
    const GreyPicture& picture = reading.line.picture;
    if (qa_ocr_read(engine, picture.pixels.data(), picture.width, picture.height, kOneLine, options.allowed.c_str(),
                    take_word, &reading) != 0) {
      continue;
    }
    const double coverage = reading.coverage();
    if (coverage > most) {
      most = coverage;
      best = std::move(reading.words);
    }
    // Nothing at all like a word is no line of text, at any height.
    if (coverage >= kComplete || coverage == 0) break;
  }
  return best;
}

/// A line that may be read, and the mask that shows it.
struct Candidate {
  std::shared_ptr<const GreyPicture> mask;
  TextLine line;
};

/// Do the two lines share a quarter of the smaller one? Then they are two views of one text, or of its surroundings.
bool overlap(const TextLine& a, const TextLine& b) {
  return shared_part(a.box, b.box).area() * 4 > std::min(a.box.area(), b.box.area());
}

/// The candidates of all masks, those with most letters first: a text comes before the holes of its letters.
std::vector<Candidate> candidates_of(const Image& image, const OcrOptions& options) {
  static const std::vector<OcrMask> all = {OcrMask::bright, OcrMask::dark, OcrMask::luma, OcrMask::distance};
  std::vector<Candidate> found;
  for (const OcrMask mask : options.masks.empty() ? all : options.masks) {
    const auto picture = std::make_shared<const GreyPicture>(masked(image, mask));
    TextLine whole;
    whole.box = {0, 0, image.width, image.height};
    whole.letter = std::max(1.0, image.height * 0.7);
    const auto lines = options.is_line ? std::vector<TextLine>{whole} : find_text_lines(*picture, kMostLines);
    for (const TextLine& line : lines) found.push_back({picture, line});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.line.letters > b.line.letters; });
  return found;
}

/// Takes out of `open` the lines that no earlier one overlaps: they can be read at the same time.
std::vector<Candidate> next_wave(std::vector<Candidate>& open) {
  std::vector<Candidate> wave, rest;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const bool waits = std::any_of(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Candidate& earlier) { return overlap(earlier.line, open[i].line); });
    (waits ? rest : wave).push_back(open[i]);
  }
  open = std::move(rest);
  return wave;
}

/// One wave, read by whichever threads come. The words are put together in the order of the lines, so that it does not
/// matter who read what.
class LineJobs {
 public:
  LineJobs(std::vector<Candidate> lines, OcrOptions options)
      : lines_(std::move(lines)),
        options_(std::move(options)),
        read_(static_cast<std::ptrdiff_t>(lines_.size())),
        words_(lines_.size()),
        faults_(lines_.size()) {}

  /// Reads lines until none is left. A thread without an engine leaves them to the others.
  void work() {
    if (next_ >= lines_.size()) return;  // An engine takes long to open.
    const auto engine = engine_for(options_.language);
    if (!engine) return;
    for (std::size_t i; (i = next_++) < lines_.size(); read_.count_down()) {
      try {
        words_[i] = read_line(*engine, *lines_[i].mask, lines_[i].line, options_);
      } catch (const std::exception&) {
        faults_[i] = std::current_exception();
      }
    }
  }

  /// The words of all lines, once those that others read are there; throws what the reading of one threw.
  std::vector<std::vector<OcrWord>> finish() {
    work();
    read_.wait();
    for (const auto& fault : faults_) {
      if (fault) std::rethrow_exception(fault);
    }
    return std::move(words_);
  }

 private:
  const std::vector<Candidate> lines_;
  const OcrOptions options_;
  std::atomic<std::size_t> next_ = 0;
  std::latch read_;                          ///< Lines that are not read yet.
  std::vector<std::vector<OcrWord>> words_;  ///< By line.
  std::vector<std::exception_ptr> faults_;
};

}  // namespace

GreyPicture masked(const Image& image, OcrMask mask) {
  const Colour ground = mask == OcrMask::distance ? most_frequent(image) : Colour{};
  GreyPicture out{image.width, image.height, {}};
  out.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  const std::uint8_t* end = image.pixels.data() + image.pixels.size();
  for (const std::uint8_t* at = image.pixels.data(); at != end; at += image.channels) {
    out.pixels.push_back(static_cast<std::uint8_t>(255 - text_at(at, mask, ground)));
  }
  return out;
}

Result<std::vector<OcrWord>> read_text(const Image& image, const OcrOptions& options, const ShareJob& share) {
  const auto engine = engine_for(options.language);
  if (!engine) return engine.error();
  std::vector<OcrWord> words;
  if (image.width < 1 || image.height < 1) return words;
  for (auto open = candidates_of(image, options); !open.empty();) {
    auto wave = next_wave(open);
    const bool is_shared = share && wave.size() > 1;
    const auto jobs = std::make_shared<LineJobs>(std::move(wave), options);
    if (is_shared) share([jobs] { jobs->work(); });
    for (auto& found : jobs->finish()) join(words, std::move(found));
    std::erase_if(open, [&](const Candidate& other) { return is_known(other.line, words); });
  }
  sort_for_reading(words);
  return words;
}

}  // namespace qa
