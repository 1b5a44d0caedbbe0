// Two threads move what the page draws: each sleeps by waiting on memory (Atomics.wait), and the page reads what they wrote.
#include <emscripten.h>
#include <emscripten/html5.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int playing = 0, steps[2];
static int x = 200;

static void *count(void *given) {
  for (;;) {
    usleep(20000);
    if (playing) atomic_fetch_add((atomic_int *)given, 1);
  }
  return NULL;
}

static EM_BOOL on_key(int type, const EmscriptenKeyboardEvent *event, void *data) {
  (void)type, (void)data;
  if (event->keyCode == 13) playing = 1;
  if (event->keyCode == 37) x -= 12;
  if (event->keyCode == 39) x += 12;
  return EM_TRUE;
}

EM_JS(void, draw, (int playing, int first, int second, int x), {
  const context = Module.canvas.getContext("2d");
  context.fillStyle = playing ? "#204030" : "#303030";
  context.fillRect(0, 0, 480, 270);
  context.fillStyle = "#c0d0ff";
  context.fillRect(first * 5 % 480, 60, 20, 20);
  context.fillRect(second * 5 % 480, 120, 20, 20);
  context.fillStyle = "#e0a040";
  context.fillRect(x, 240, 60, 12);
});

static void frame(void) { draw(playing, steps[0], steps[1], x); }

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, &steps[i]);
  emscripten_set_keydown_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, NULL, EM_TRUE, on_key);
  emscripten_set_main_loop(frame, 0, 0);
}
