#include "host/redaction.h"

#include <catch2/catch.hpp>

using qa::Redaction;

TEST_CASE("values are taken out of text wherever they stand", "[redaction]") {
  Redaction hidden;
  CHECK_FALSE(hidden.finds(""));
  CHECK_FALSE(hidden.finds("secret-1"));
  hidden.add("secret-1");
  hidden.add("secret-1-and-more");
  hidden.add("short");
  CHECK(hidden.finds("a secret-1"));
  CHECK_FALSE(hidden.finds("short secret-"));
  CHECK(hidden.apply("secret-1secret-1 and secret-1-and-more.") == "****** and ***.");
  CHECK(hidden.apply("short") == "short");
}

TEST_CASE("a value that occurs in its own replacement ends", "[redaction]") {
  Redaction hidden;
  hidden.add("********");
  CHECK(hidden.apply("********!") == "***!");
}
