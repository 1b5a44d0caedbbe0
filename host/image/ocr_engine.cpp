#include "host/image/ocr_engine.h"

#include <tesseract/baseapi.h>
#include <tesseract/resultiterator.h>

#include <cstdio>
#include <memory>

/// Of libgomp, which Tesseract brings along; OpenMP 5.1, 3.2.16.
extern "C" void omp_set_max_active_levels(int levels);

namespace {

constexpr int kDpi = 96;

/// What Tesseract would print comes back as errors instead. The variable is one for all engines, so it is set once.
bool silence() { return tesseract::TessBaseAPI().SetVariable("debug_file", "/dev/null"); }

}  // namespace

void* qa_ocr_open(const char* language, char* message, int size) {
  // Tesseract's own threads spin, and cost more than they give for pictures of this size: none for this thread. Its
  // variable in the environment would have to be set before libgomp is loaded.
  omp_set_max_active_levels(0);
  static const bool is_silent = silence();
  static_cast<void>(is_silent);
  auto engine = std::make_unique<tesseract::TessBaseAPI>();
  if (engine->Init(nullptr, language, tesseract::OEM_LSTM_ONLY) != 0) {
    std::snprintf(message, static_cast<std::size_t>(size),
                  "Tesseract has no data for language '%s' (Debian: tesseract-ocr-eng)", language);
    return nullptr;
  }
  engine->SetVariable("user_defined_dpi", "96");
  return engine.release();
}

void qa_ocr_close(void* engine) { delete static_cast<tesseract::TessBaseAPI*>(engine); }

int qa_ocr_read(void* engine, const unsigned char* grey, int width, int height, int mode, const char* allowed,
                qa_ocr_sink sink, void* context) {
  auto& reader = *static_cast<tesseract::TessBaseAPI*>(engine);
  reader.SetPageSegMode(static_cast<tesseract::PageSegMode>(mode));
  reader.SetVariable("tessedit_char_whitelist", allowed);
  reader.SetImage(grey, width, height, 1, width);
  reader.SetSourceResolution(kDpi);
  if (reader.Recognize(nullptr) != 0) return 1;
  const std::unique_ptr<tesseract::ResultIterator> at(reader.GetIterator());
  if (at) {
    do {
      const std::unique_ptr<char[]> text(at->GetUTF8Text(tesseract::RIL_WORD));
      qa_ocr_word word{};
      if (!text || !at->BoundingBox(tesseract::RIL_WORD, &word.left, &word.top, &word.right, &word.bottom)) continue;
      word.confidence = at->Confidence(tesseract::RIL_WORD);
      word.text = text.get();
      sink(context, &word);
    } while (at->Next(tesseract::RIL_WORD));
  }
  reader.Clear();
  return 0;
}
