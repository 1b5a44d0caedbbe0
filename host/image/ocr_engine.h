#pragma once
// The interface of libqa_ocr.so, which holds Tesseract and is loaded at the first reading: linked in, Tesseract alone
// would cost 10 ms and 60 libraries at every start. Plain C, so that the two sides may be built apart.

extern "C" {

struct qa_ocr_word {
  int left, top, right, bottom;  // Pixels of the picture that was read; right and bottom exclusive.
  float confidence;              // 0 .. 100.
  const char* text;              // UTF-8; lives as long as the call.
};
typedef void (*qa_ocr_sink)(void* context, const qa_ocr_word* word);

// An engine for one thread, or null and a reason in `message` (at most `size` bytes).
void* qa_ocr_open(const char* language, char* message, int size);
void qa_ocr_close(void* engine);

// Reads an 8-bit grey picture without gaps: dark text on a light ground. `mode` is Tesseract's page segmentation mode;
// `allowed` the characters to expect, "" for any. Returns 0, or 1 when it could not be read.
int qa_ocr_read(void* engine, const unsigned char* grey, int width, int height, int mode, const char* allowed,
                qa_ocr_sink sink, void* context);
}
