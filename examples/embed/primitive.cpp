// A program that adds a primitive of its own, which a strategy uses: the rules of the game's server, which know what a
// score may be. usage: primitive STRATEGY TARGET
#include <cstdlib>
#include <iostream>
#include <qa_host.hpp>

namespace {

/// [score, seconds] -> whether our server would take that score.
std::string accepts(const std::string& arguments) {
  const double score = std::strtod(arguments.c_str() + 1, nullptr);
  const std::size_t comma = arguments.find(',');
  if (comma == std::string::npos) throw std::invalid_argument("rules.accepts(score, seconds) needs two numbers");
  const double seconds = std::strtod(arguments.c_str() + comma + 1, nullptr);
  constexpr double kFastestFinger = 20;
  return score >= 0 && score <= seconds * kFastestFinger ? "true" : "false";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::cerr << "usage: primitive STRATEGY TARGET\n", 3;
  try {
    qahost::Options options;
    options.log = [](const std::string& level, const std::string& text) { std::cerr << level << ": " << text << '\n'; };
    qahost::Host host(options);
    host.add("rules.accepts", accepts);
    host.run_strategy(argv[1], argv[2], R"({"set":{"interaction_ms":3000}})");
    std::cout << host.status() << '\n';
    return host.status() == "pass" ? 0 : 1;
  } catch (const std::exception& problem) {
    return std::cerr << "primitive: " << problem.what() << '\n', 3;
  }
}
