// What pictures cost inside the process, in CPU time, taking turns: the YIQ count against reading both buffers once, the
// fast PNG decoder against stb_image, and one look of page:watch (decode a small JPEG, make its grid, compare).
// usage: qa-bench FOLDER [ROUNDS]     FOLDER has the pairs of bench/pairs.lua

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image.h>
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

/// Every byte of both, once, so that nothing can be left out.
std::uint64_t plain_read(const qa::Image& a, const qa::Image& b) {
  std::uint64_t sum = 0, word = 0;
  for (const qa::Image* image : {&a, &b}) {
    for (std::size_t i = 0; i + sizeof word <= image->pixels.size(); i += sizeof word) {
      std::memcpy(&word, image->pixels.data() + i, sizeof word);
      sum += word;
    }
  }
  return sum;
}

struct Task {
  const char* name;
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
    for (Task& task : tasks) {
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

void compare(const std::string& folder, const std::string& size, int rounds) {
  const std::string first = read_file(folder + "/" + size + "-a.png"), second = read_file(folder + "/" + size + "-slight.png");
  const auto a = *qa::decode_image(first), b = *qa::decode_image(second);
  const std::string look = small_jpeg(*b);
  const std::string grid = qa::colour_grid(*a, kColumns, kRows);
  qa::DiffOptions yiq;
  yiq.metric = qa::Metric::yiq;
  std::vector<Task> tasks;
  tasks.push_back({"plain read of both buffers", [&] { return plain_read(*a, *b); }});
  tasks.push_back({"YIQ count", [&] { return static_cast<std::uint64_t>(qa::diff_images(*a, *b, yiq)->changed_pixels); }});
  tasks.push_back({"decode, stb_image", [&] {
                     int width = 0, height = 0, channels = 0;
                     stbi_uc* pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(first.data()),
                                                             static_cast<int>(first.size()), &width, &height, &channels, 0);
                     const std::uint64_t value = pixels[0];
                     stbi_image_free(pixels);
                     return value;
                   }});
  tasks.push_back({"decode, fast PNG", [&] { return static_cast<std::uint64_t>((*qa::decode_image(first))->pixels[0]); }});
  tasks.push_back({"one look of page:watch", [&] {
                     const std::string now = qa::colour_grid(**qa::decode_image(look), kColumns, kRows);
                     return static_cast<std::uint64_t>(now == grid ? 0 : 1);
                   }});
  take_turns(tasks, rounds);
  const auto ms = [&](std::size_t i) { return tasks[i].median(); };
  for (Task& task : tasks) std::printf("%-6s %-28s %8.3f ms CPU\n", size.c_str(), task.name, task.median());
  std::printf("%-6s YIQ / plain read %.2f, stb_image / fast PNG %.2f, one look %.3f ms\n", size.c_str(), ms(1) / ms(0), ms(2) / ms(3), ms(4));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return std::fprintf(stderr, "usage: qa-bench FOLDER [ROUNDS]\n"), 3;
  const int rounds = count > 2 ? std::atoi(words[2]) : 31;
  for (const char* size : {"720p", "1080p", "2160p"}) compare(words[1], size, rounds);
  return 0;
}
