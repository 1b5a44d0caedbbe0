// What pictures cost inside the process, in CPU time, taking turns: the YIQ count against reading both buffers once,
// the fast PNG decoder against stb_image, and one look of page:watch (decode a small JPEG, make its grid, compare).
// usage: qa-bench FOLDER [ROUNDS]     FOLDER has the pairs of bench/pairs.lua

#include <emmintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

// A copy of its own, optimised as the host's decoder is: the host's has other allocations.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC optimize("O3")
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#include <stb/stb_image.h>
#pragma GCC pop_options
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include "host/image/diff.h"
#include "host/image/image.h"

namespace {

constexpr int kColumns = 128, kRows = 72;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every byte of both, once, so that nothing can be left out; four sums, so that no load waits for an addition.
std::uint64_t plain_read(const qa::Image& a, const qa::Image& b) {
  __m128i first = _mm_setzero_si128(), second = first, third = first, fourth = first;
  for (const qa::Image* image : {&a, &b}) {
    const auto* at = reinterpret_cast<const __m128i*>(image->pixels.data());
    for (const auto* end = at + image->pixels.size() / 64 * 4; at != end; at += 4) {
      first = _mm_add_epi64(first, _mm_loadu_si128(at));
      second = _mm_add_epi64(second, _mm_loadu_si128(at + 1));
      third = _mm_add_epi64(third, _mm_loadu_si128(at + 2));
      fourth = _mm_add_epi64(fourth, _mm_loadu_si128(at + 3));
    }
  }
  first = _mm_add_epi64(_mm_add_epi64(first, second), _mm_add_epi64(third, fourth));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(first) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(first, first)));
}

struct Task {
  std::string name;
  std::function<std::uint64_t()> run;
  std::vector<double> times = {};

  double median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};

volatile std::uint64_t kept = 0;

void take_turns(std::vector<Task>& tasks, int rounds) {
  for (int round = 0; round <= rounds; ++round) {
    // Each begins once: what runs before a task has warmed or cooled its pictures.
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Task& task = tasks[(static_cast<std::size_t>(round) + i) % tasks.size()];
      const double begin = cpu_ms();
      kept = kept + task.run();
      if (round > 0) task.times.push_back(cpu_ms() - begin);
    }
  }
}

std::string small_jpeg(const qa::Image& image) {
  const auto small = *qa::resize_image(image, {320, 180});
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  stbi_write_jpg_to_func(append, &bytes, small->width, small->height, small->channels, small->pixels.data(), 70);
  return bytes;
}

/// Cells of a grid that differ by more than page:watch takes for noise, with the least and the most of each kept.
int look(const std::string& jpeg, std::string& low, std::string& high, const std::string& last) {
  constexpr int kNoise = 6;
  const std::string now = qa::colour_grid(**qa::decode_image(jpeg), kColumns, kRows);
  std::vector<char> moved(kColumns * kRows, 0);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto at = [i](const std::string& grid) { return static_cast<unsigned char>(grid[i]); };
    if (at(now) < at(low)) low[i] = now[i];
    if (at(now) > at(high)) high[i] = now[i];
    if (std::abs(at(now) - at(last)) > kNoise) moved[i % moved.size()] = 1;
  }
  return static_cast<int>(std::count(moved.begin(), moved.end(), 1));
}

/// False when a look does not tell what the pictures show.
bool compare(const std::string& folder, const std::string& size, int rounds) {
  const auto path = [&](const char* kind) { return folder + "/" + size + "-" + kind + ".png"; };
  const std::string first = read_file(path("a"));
  const auto a = *qa::decode_image(first);
  const std::vector<const char*> kinds = {"again", "slight", "whole"};
  std::vector<qa::ImagePtr> others;
  for (const char* kind : kinds) others.push_back(*qa::decode_image(read_file(path(kind))));
  const std::string before = small_jpeg(*a), after = small_jpeg(*others[1]);
  const std::string grid = qa::colour_grid(**qa::decode_image(before), kColumns, kRows);
  std::string low = grid, high = grid;
  const int still = look(before, low, high, grid), moved = look(after, low, high, grid);
  if (still != 0 || moved == 0)
    return std::printf("%s: a look saw %d and %d cells\n", size.c_str(), still, moved), false;
  qa::DiffOptions yiq;
  yiq.metric = qa::Metric::yiq;
  std::vector<Task> tasks;
  tasks.push_back({"plain read of both buffers", [&] { return plain_read(*a, *others[1]); }});
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    tasks.push_back({std::string("YIQ count, ") + kinds[i], [&, i] {
                       return static_cast<std::uint64_t>(qa::diff_images(*a, *others[i], yiq)->changed_pixels);
                     }});
  }
  tasks.push_back({"decode, stb_image", [&] {
                     int width = 0, height = 0, channels = 0;
                     stbi_uc* pixels =
                         stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(first.data()),
                                               static_cast<int>(first.size()), &width, &height, &channels, 0);
                     const std::uint64_t value = pixels[0];
                     stbi_image_free(pixels);
                     return value;
                   }});
  tasks.push_back(
      {"decode, fast PNG", [&] { return static_cast<std::uint64_t>((*qa::decode_image(first))->pixels[0]); }});
  tasks.push_back({"one look of page:watch", [&] { return static_cast<std::uint64_t>(look(after, low, high, grid)); }});
  take_turns(tasks, rounds);
  const auto ms = [&](std::size_t i) { return tasks[i].median(); };
  for (Task& task : tasks) std::printf("%-6s %-28s %8.3f ms CPU\n", size.c_str(), task.name.c_str(), task.median());
  std::printf(
      "%-6s YIQ / plain read: again %.2f, slight %.2f, whole %.2f; stb_image / fast PNG %.2f, one look %.3f ms\n",
      size.c_str(), ms(1) / ms(0), ms(2) / ms(0), ms(3) / ms(0), ms(4) / ms(5), ms(6));
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return std::fprintf(stderr, "usage: qa-bench FOLDER [ROUNDS]\n"), 3;
  const int rounds = count > 2 ? std::atoi(words[2]) : 31;
  bool is_right = true;
  for (const char* size : {"720p", "1080p", "2160p"}) is_right = compare(words[1], size, rounds) && is_right;
  return is_right ? 0 : 1;
}
