#pragma once
// Reading text off pixels with Tesseract 5, in libqa_ocr.so (host/installation.h). Runs on the pool; each of its
// threads has an engine of its own. Game text is bright or dark, outlined, tilted, on busy grounds: each mask leaves
// one kind of text as dark on light, lines of letters are found in it (text_lines.h), and each is read by itself. The
// surest reading of a place counts.

#include <functional>
#include <string>
#include <vector>

#include "host/image/image.h"
#include "host/image/text_lines.h"

namespace qa {

/// What a mask takes for text.
enum class OcrMask {
  bright,    ///< All channels bright.
  luma,      ///< Brighter than the middle.
  dark,      ///< Darker than the middle.
  distance,  ///< Unlike the most frequent colour.
};

struct OcrOptions {
  std::vector<OcrMask> masks;  ///< Empty: all four.
  std::string language = "eng";
  std::string allowed;     ///< Characters to expect, "" for any.
  bool is_line = false;    ///< The image is one line of text, such as a score.
  double confidence = 60;  ///< Least, 0 .. 100.
};

struct OcrWord {
  std::string text;
  Rect box;  ///< Pixels of the image.
  double confidence = 0;
};

/// Gives a job to another thread of the pool, which may run it late or never.
using ShareJob = std::function<void(std::function<void()>)>;

/// Words in reading order. ocr_unavailable when the library or its language data is not installed. With `share`,
/// another thread of the pool reads lines, too; the words are the same.
Result<std::vector<OcrWord>> read_text(const Image& image, const OcrOptions& options, const ShareJob& share = {});

/// What the mask takes for text, as dark on light.
GreyPicture masked(const Image& image, OcrMask mask);

}  // namespace qa
