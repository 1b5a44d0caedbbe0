// The test program of a game that also has a web build: it plays the folder of that build, as a browser gets it, and
// ends as ctest and CI expect: 0 pass, 1 fail, 2 inconclusive, 3 when nothing could begin. usage: game_test FOLDER
#include <iostream>
#include <qa_host.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: game_test FOLDER\n", 3;
  try {
    qahost::Options options;
    options.log = [](const std::string& level, const std::string& text) {
      if (level == "line") std::cerr << text << '\n';
    };
    qahost::Host host(options);
    const std::string report =
        host.run_strategy("", argv[1], R"({"seed":1,"max_duration_ms":60000,"set":{"interaction_ms":3000}})");
    const std::string verdict = host.status();
    std::cout << "web build: " << verdict << '\n';
    if (verdict != "pass") std::cout << report << '\n';
    return verdict == "pass" ? 0 : verdict == "fail" ? 1 : verdict == "inconclusive" ? 2 : 3;
  } catch (const std::exception& problem) {
    return std::cerr << "game_test: " << problem.what() << '\n', 3;
  }
}
