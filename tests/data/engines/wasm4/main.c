// A paddle below a ball. WASM-4 keeps its registers at fixed addresses: https://wasm4.org/docs/reference/memory
#include <stdint.h>

#define DRAW_COLORS (*(uint16_t *)0x14)
#define GAMEPAD (*(const uint8_t *)0x16)
#define BUTTON_1 1
#define BUTTON_LEFT 16
#define BUTTON_RIGHT 32
#define IMPORT(name) __attribute__((import_module("env"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

IMPORT("rect") void rect(int32_t x, int32_t y, uint32_t width, uint32_t height);
IMPORT("text") void text(const char *words, int32_t x, int32_t y);
IMPORT("tone") void tone(uint32_t frequency, uint32_t duration, uint32_t volume, uint32_t flags);

static int playing = 0, paddle = 68, x = 40, y = 30, dx = 2, dy = 1;

EXPORT("update") void update(void) {
  DRAW_COLORS = 3;
  if (!playing) {
    text("X BEGINS", 48, 76);
    if (GAMEPAD & BUTTON_1) {
      playing = 1;
      tone(440, 10, 50, 0);
    }
    return;
  }
  if (GAMEPAD & BUTTON_LEFT) paddle -= 2;
  if (GAMEPAD & BUTTON_RIGHT) paddle += 2;
  x += dx;
  y += dy;
  if (x < 0 || x > 154) dx = -dx;
  if (y < 0 || y > 140) dy = -dy;
  rect(paddle, 148, 28, 5);
  rect(x, y, 6, 6);
}
