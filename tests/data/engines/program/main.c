// A program as a port of a desktop game is built: it has a loop of its own that sleeps, keeps a file, and plays sound.
// SDL 1.2, OpenAL and the file system are those of Emscripten; ASYNCIFY lets the loop give the browser its turn.
#include <AL/al.h>
#include <AL/alc.h>
#include <SDL/SDL.h>
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH 480
#define HEIGHT 270
#define FILE_NAME "/save/visits"

static volatile int synced = 0;
EMSCRIPTEN_KEEPALIVE void on_synced(void) { synced = 1; }

// With what the browser keeps, to and fro.
static void exchange(int loads) {
  synced = 0;
  EM_ASM({ FS.syncfs(Boolean($0), () => _on_synced()); }, loads);
  while (!synced) emscripten_sleep(1);
}

static int count_visit(void) {
  int visits = 0;
  mkdir("/save", 0777);
  EM_ASM({ FS.mount(IDBFS, {}, "/save"); });
  exchange(1);
  FILE *file = fopen(FILE_NAME, "r");
  if (file) {
    if (fscanf(file, "%d", &visits) != 1) visits = 0;
    fclose(file);
  }
  file = fopen(FILE_NAME, "w");
  fprintf(file, "%d\n", ++visits);
  fclose(file);
  exchange(0);
  return visits;
}

static ALuint make_sound(void) {
  static short samples[11025];
  ALuint buffer, source;
  for (int i = 0; i < 11025; ++i) samples[i] = (i / 25) % 2 ? 4000 : -4000;
  alcMakeContextCurrent(alcCreateContext(alcOpenDevice(NULL), NULL));
  alGenBuffers(1, &buffer);
  alBufferData(buffer, AL_FORMAT_MONO16, samples, sizeof samples, 22050);
  alGenSources(1, &source);
  alSourcei(source, AL_BUFFER, (ALint)buffer);
  return source;
}

static void fill(SDL_Surface *screen, int x, int y, int width, int height, int red, int green, int blue) {
  SDL_Rect place = {(Sint16)x, (Sint16)y, (Uint16)width, (Uint16)height};
  SDL_FillRect(screen, &place, SDL_MapRGB(screen->format, (Uint8)red, (Uint8)green, (Uint8)blue));
}

int main(void) {
  SDL_Init(SDL_INIT_VIDEO);
  SDL_Surface *screen = SDL_SetVideoMode(WIDTH, HEIGHT, 32, SDL_SWSURFACE);
  const int visits = count_visit();
  const ALuint beep = make_sound();
  int playing = 0, x = 200, left = 0, right = 0, drop = 0, drop_x = 100;
  srand((unsigned)emscripten_random());
  for (Uint32 last = SDL_GetTicks();;) {
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
      if (event.type != SDL_KEYDOWN && event.type != SDL_KEYUP) continue;
      const int down = event.type == SDL_KEYDOWN;
      if (event.key.keysym.sym == SDLK_RETURN && down && !playing) {
        playing = 1;
        alSourcePlay(beep);
      }
      if (event.key.keysym.sym == SDLK_LEFT) left = down;
      if (event.key.keysym.sym == SDLK_RIGHT) right = down;
    }
    const int ms = (int)(SDL_GetTicks() - last);
    last += (Uint32)ms;
    if (playing) {
      x += (right - left) * ms / 4;
      drop += ms / 8;
      if (drop > HEIGHT) {
        drop = 0;
        drop_x = rand() % WIDTH;
      }
    }
    ALint state;
    alGetSourcei(beep, AL_SOURCE_STATE, &state);
    fill(screen, 0, 0, WIDTH, HEIGHT, 20, state == AL_PLAYING ? 60 : 30, 50);
    for (int i = 0; i < visits; ++i) fill(screen, 8 + i * 14, 8, 10, 10, 220, 220, 220);
    if (playing) fill(screen, drop_x, drop, 8, 8, 120, 180, 255);
    fill(screen, x, 250, 60, 10, 220, 160, 60);
    SDL_UpdateRect(screen, 0, 0, 0, 0);
    usleep(1500);  // As games do that want to spare the processor: Emscripten waits by reading the clock.
    SDL_Delay(15);
  }
}
