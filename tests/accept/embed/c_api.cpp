// What tests/accept/embed/10_c_api.sh measures with the installed library. Prints numbers, ends with 0.
// usage: c_api cycles N | stop N | start N PROGRAM OTHER
#include <fcntl.h>
#include <qa_host.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

long descriptors() { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); }

/// VmRSS of proc(5), in KiB.
long resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "c_api: %s\n", what);
  std::exit(1);
}

/// Descriptors and KiB after a fifth of the cycles and after all.
int cycles(int count) {
  long early_descriptors = 0, early_memory = 0;
  for (int i = 1; i <= count; ++i) {
    qa_host* host = nullptr;
    char* json = nullptr;
    expect(qa_host_create(nullptr, &host) == QA_HOST_OK, qa_host_last_error(nullptr));
    const char* const lua = "local t = {} for i = 1, 1e4 do t[i] = {i} end qa.sleep(1) return #t";
    expect(qa_host_run_string(host, lua, &json) == QA_HOST_OK && std::strcmp(json, "10000") == 0, "a wrong answer");
    qa_host_free(json);
    qa_host_destroy(host);
    if (i == count / 5) early_descriptors = descriptors(), early_memory = resident();
  }
  std::printf("%ld %ld %ld %ld\n", early_descriptors, descriptors(), early_memory, resident());
  return 0;
}

/// The longest time in ms from qa_host_stop in one thread to the end of the run in another.
int stops(int count) {
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    qa_host_options options{};
    options.size = sizeof options;
    std::atomic<bool> begun{false};
    options.user = &begun;
    options.print = [](void* user, const char*) { *static_cast<std::atomic<bool>*>(user) = true; };
    qa_host* host = nullptr;
    expect(qa_host_create(&options, &host) == QA_HOST_OK, qa_host_last_error(nullptr));
    Clock::time_point stopped;
    std::thread other([&] {
      while (!begun) std::this_thread::yield();
      stopped = Clock::now();
      expect(qa_host_stop(host, 1000) == QA_HOST_OK, "nothing ran");
    });
    const char* const lua = i % 2 == 0 ? "print 'now' while true do pcall(function() while true do end end) end"
                                       : "print 'now' repeat local ok = pcall(qa.sleep, 1e6) until false";
    expect(qa_host_run_string(host, lua, nullptr) == QA_HOST_CANCELLED, "the run was not cancelled");
    const auto ended = Clock::now();
    other.join();
    worst = std::max(worst, std::chrono::duration<double, std::milli>(ended - stopped).count());
    qa_host_destroy(host);
  }
  std::printf("%.1f\n", worst);
  return 0;
}

double time_of(const char* program) {
  char* arguments[] = {const_cast<char*>(program), nullptr};
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begin = Clock::now();
  pid_t child = 0;
  int status = 0;
  expect(posix_spawn(&child, program, &silent, nullptr, arguments, environ) == 0, program);
  expect(waitpid(child, &status, 0) == child && status == 0, program);
  posix_spawn_file_actions_destroy(&silent);
  return ms_since(begin);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Medians in ms of two programs that take turns.
int starts(int count, const char* program, const char* other) {
  std::vector<double> first, second;
  for (int i = 0; i < count; ++i) {
    first.push_back(time_of(program));
    second.push_back(time_of(other));
  }
  std::printf("%.2f %.2f\n", median(first), median(second));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "cycles") return cycles(count);
  if (what == "stop") return stops(count);
  if (what == "start" && argc > 4) return starts(count, argv[3], argv[4]);
  return 3;
}
