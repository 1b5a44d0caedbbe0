#include "host/installation.h"

#include <catch2/catch.hpp>
#include <filesystem>

TEST_CASE("an installation is found from the place of its own file", "[installation]") {
  CHECK(qa::prefix_of("/opt/qa host/bin/qa-host", "lib") == "/opt/qa host");
  CHECK(qa::prefix_of("/opt/qa/lib/libqa_host.so.1", "lib") == "/opt/qa");
  CHECK(qa::prefix_of("/usr/lib/x86_64-linux-gnu/libqa_host.so.1", "lib/x86_64-linux-gnu") == "/usr");
  CHECK(qa::prefix_of("/usr/bin/qa-host", "lib/x86_64-linux-gnu") == "/usr");
  CHECK(qa::prefix_of("/opt/game/plugins/libqa_host.so.1", "lib") == "/opt/game");
  CHECK(qa::prefix_of("/bin/qa-host", "lib").empty());
  CHECK(qa::prefix_of("", "lib").empty());
}

TEST_CASE("the build tree is laid out as an installation is", "[installation]") {
  CHECK(std::filesystem::exists(qa::share_folder() + "/scripts/qa/init.lua"));
  CHECK(qa::plugin_folder() ==
        std::filesystem::path(qa::share_folder()).parent_path().parent_path() / QA_LIBDIR / "qa-host");
}
