#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "host/browser/console_text.h"
#include "host/browser/event_ring.h"
#include "host/browser/navigation_watch.h"
#include "host/browser/network_activity.h"
#include "tests/support/live_page.h"

using namespace qa;
using qa::test::run_until;

namespace {

std::vector<std::string> kinds(const std::vector<HealthEvent>& events) {
  std::vector<std::string> out;
  for (const auto& event : events) out.push_back(event.kind);
  return out;
}

using Kinds = std::vector<std::string>;

Json sent(const std::string& id, const std::string& url, const std::string& type) {
  return {{"requestId", id}, {"request", {{"url", url}}}, {"type", type}, {"documentURL", "http://game.local/"}};
}

Json answered(const std::string& id, int status) { return {{"requestId", id}, {"response", {{"status", status}}}}; }

}  // namespace

TEST_CASE("a ring keeps rare events however many noisy ones follow", "[health]") {
  EventLoop loop;
  EventRing ring(loop);
  ring.push({"crash", "gone", "", 0});
  for (int i = 0; i < 5000; ++i) ring.push({"console_error", "line " + std::to_string(i), "", 0});
  const Json events = ring.after(0);
  CHECK(events.size() == 801);
  CHECK(events[0]["kind"] == "crash");
  CHECK(events.back()["message"] == "line 4999");
  CHECK(ring.counts().at("console_error") == 5000);
  CHECK(ring.after(ring.last_seq()).empty());
}

TEST_CASE("an event that repeats in every frame is counted and not kept each time", "[health]") {
  EventLoop loop;
  EventRing ring(loop);
  for (int i = 0; i < 500; ++i) ring.push({"exception", "TypeError: x is undefined", "game.js", 7});
  CHECK(ring.after(0).size() == 20);
  CHECK(ring.counts().at("exception") == 500);
}

TEST_CASE("a message is cut at four KiB and at a character border", "[health]") {
  EventLoop loop;
  EventRing ring(loop);
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "é";
  ring.push({"console_error", text, "", 0});
  const Json events = ring.after(0);
  CHECK(events[0]["message"].get<std::string>().size() < 4200);
  CHECK_NOTHROW(events.dump());
}

TEST_CASE("who waits for an event gets the next of that kind or a timeout", "[health]") {
  EventLoop loop;
  EventRing ring(loop);
  Json got;
  ErrorKind failed = ErrorKind::io_error;
  ring.push({"dialog", "old", "", 0});
  ring.wait(1, "dialog", 2000, [&](auto result) { got = *result; });
  ring.wait(0, "hang", 20, [&](auto result) { failed = result.error().kind; });
  ring.push({"exception", "other kind", "", 0});
  CHECK(got.is_null());
  ring.push({"dialog", "new", "", 0});
  REQUIRE(run_until(
      loop, [&] { return !got.is_null() && failed == ErrorKind::timeout; }, 2000));
  CHECK(got["message"] == "new");
}

TEST_CASE("an event that is already there answers at once, but not inline", "[health]") {
  EventLoop loop;
  EventRing ring(loop);
  ring.push({"popup", "first", "", 0});
  ring.push({"popup", "second", "", 0});
  Json got;
  ring.wait(0, "", 1000, [&](auto result) { got = *result; });
  CHECK(got.is_null());
  REQUIRE(run_until(
      loop, [&] { return !got.is_null(); }, 1000));
  CHECK(got["message"] == "first");
}

TEST_CASE("origins are compared as browsers do", "[health]") {
  CHECK(url_origin("http://Game.Local:80/a?b#c") == "http://game.local");
  CHECK(url_origin("https://u:p@x.org:8443/") == "https://x.org:8443");
  CHECK(url_origin("about:blank") == "null");
  CHECK(url_origin("data:text/html,http://x.org/") == "null");
  CHECK(url_origin("blob:http://x.org/abc") == "http://x.org");
  CHECK(tolerates_move("http://x.org", "https://www.x.org"));
  CHECK_FALSE(tolerates_move("https://x.org", "http://x.org"));
  CHECK_FALSE(tolerates_move("http://x.org", "http://evil.org"));
  CHECK_FALSE(tolerates_move("http://x.org:1", "http://x.org:2"));
}

TEST_CASE("a page that moves itself to another origin is a redirect, the host's own navigation is none", "[health]") {
  NavigationWatch watch;
  watch.expect("http://game.local/");
  CHECK(watch.committed({{"url", "http://game.local/"}}, 0).empty());
  CHECK(kinds(watch.committed({{"url", "http://game.local/level2"}}, 10)) == Kinds{"navigation"});
  CHECK(kinds(watch.committed({{"url", "http://evil.org/"}}, 20)) == Kinds{"navigation", "redirect"});
  watch.expect("http://evil.org/");
  CHECK(watch.committed({{"url", "http://evil.org/"}}, 30).empty());
}

TEST_CASE("a page that leaves before its own commit was told still left by itself", "[health]") {
  NavigationWatch watch;
  watch.expect("http://game.local/");
  watch.requested_document("http://game.local/", "A");
  watch.requested_document("http://evil.org/", "B");
  const auto events = watch.committed({{"url", "http://evil.org/"}, {"loaderId", "B"}}, 0);
  REQUIRE(kinds(events) == Kinds{"navigation", "redirect"});
  CHECK(Json::parse(events[1].detail)["by"] == "page");
  watch.expect("http://game.local/");
  watch.requested_document("http://game.local/", "C");
  const auto sent_away = watch.committed({{"url", "http://ads.example/"}, {"loaderId", "C"}}, 10);
  REQUIRE(kinds(sent_away) == Kinds{"redirect"});
  CHECK(Json::parse(sent_away[0].detail)["by"] == "server");
}

TEST_CASE("a server that sends the host elsewhere is a redirect, one that upgrades to https is none", "[health]") {
  NavigationWatch watch;
  watch.expect("http://game.local/");
  CHECK(kinds(watch.committed({{"url", "http://ads.example/"}}, 0)) == Kinds{"redirect"});
  watch.expect("http://game.local/");
  CHECK(watch.committed({{"url", "https://www.game.local/"}}, 0).empty());
  CHECK(kinds(watch.committed({{"url", "https://www.game.local/two"}}, 0)) == Kinds{"navigation"});
}

TEST_CASE("more than four loads of one address within ten seconds are a reload loop, told once", "[health]") {
  NavigationWatch watch;
  int loops = 0;
  watch.expect("http://game.local/#a");
  for (int i = 0; i < 9; ++i) {
    const std::string url = "http://game.local/#" + std::to_string(i);
    for (const auto& event : watch.committed({{"url", url}}, i * 500)) loops += event.kind == "reload_loop";
  }
  CHECK(loops == 1);
  watch.expect("http://game.local/");
  for (int i = 0; i < 9; ++i) {
    for (const auto& event : watch.committed({{"url", "http://game.local/"}}, i * 4000)) {
      loops += event.kind == "reload_loop";
    }
  }
  CHECK(loops == 1);
  // A game whose every move is a form that is sent.
  watch.expect("http://game.local/");
  for (int i = 0; i < 9; ++i) {
    watch.requested("formSubmissionPost");
    for (const auto& event : watch.committed({{"url", "http://game.local/"}}, 90000 + i * 500)) {
      loops += event.kind == "reload_loop";
    }
  }
  CHECK(loops == 1);
}

TEST_CASE("what makes a reload loop is a limit of the page", "[health]") {
  NavigationWatch watch({.reload_loop_loads = 2, .reload_loop_ms = 1000});
  watch.expect("http://game.local/");
  std::string told;
  for (const int at_ms : {0, 1200, 2400, 2600, 2800}) {
    CHECK(told.empty());
    for (const auto& event : watch.committed({{"url", "http://game.local/"}}, at_ms)) {
      if (event.kind == "reload_loop") told = event.message;
    }
  }
  CHECK(told == "the page loaded itself more than 2 times within 1 s");
}

TEST_CASE("the network is idle when nothing but long and open requests is under way", "[health]") {
  NetworkActivity network;
  network.restart(0);
  network.on_event("s", "Network.requestWillBeSent", sent("1.1", "http://game.local/a.js", "Script"), 100);
  network.on_event("s", "Network.requestWillBeSent", sent("1.2", "http://game.local/stream", "EventSource"), 100);
  network.on_event("s", "Network.requestWillBeSent", sent("1.3", "data:image/png;base64,AA", "Image"), 100);
  CHECK(network.in_flight(200) == 1);
  CHECK(network.idle_ms(200) == 0);
  SECTION("the request ends") {
    network.on_event("s", "Network.loadingFinished", {{"requestId", "1.1"}}, 300);
    CHECK(network.in_flight(900) == 0);
    CHECK(network.idle_ms(900) == 600);
  }
  SECTION("the request takes more than ten seconds") {
    CHECK(network.in_flight(10200) == 0);
    CHECK(network.idle_ms(10200) == 100);
  }
  SECTION("its session goes away") {
    network.forget_session("s");
    CHECK(network.in_flight(300) == 0);
  }
}

TEST_CASE("failed requests say type, status and origin, and each only once", "[health]") {
  NetworkActivity network;
  network.set_main("s", "F");
  auto begin = [&](const std::string& id, const std::string& url, const std::string& type) {
    Json params = sent(id, url, type);
    params["frameId"] = "F";
    network.on_event("s", "Network.requestWillBeSent", params, 0);
  };
  SECTION("a missing script of the game") {
    begin("1.1", "http://game.local/a.js", "Script");
    const auto event = network.on_event("s", "Network.responseReceived", answered("1.1", 404), 1);
    REQUIRE(event);
    const Json detail = Json::parse(event->detail);
    CHECK(detail == Json({{"status", 404}, {"type", "Script"}, {"main", false}, {"same_origin", true}}));
    CHECK(event->url == "http://game.local/a.js");
    CHECK_FALSE(network.on_event("s", "Network.loadingFailed", {{"requestId", "1.1"}, {"errorText", "net::ERR_X"}}, 2));
  }
  SECTION("the document itself") {
    begin("LOADER", "http://game.local/", "Document");
    const auto event = network.on_event("s", "Network.responseReceived", answered("LOADER", 500), 1);
    REQUIRE(event);
    CHECK(Json::parse(event->detail)["main"] == true);
    CHECK(network.main_status() == 500);
  }
  SECTION("another host that cannot be reached") {
    begin("1.1", "http://ads.example/x.js", "Script");
    const auto event = network.on_event("s", "Network.loadingFailed",
                                        {{"requestId", "1.1"}, {"errorText", "net::ERR_NAME_NOT_RESOLVED"}}, 2);
    REQUIRE(event);
    CHECK(Json::parse(event->detail)["same_origin"] == false);
    CHECK(Json::parse(event->detail)["net_error"] == "net::ERR_NAME_NOT_RESOLVED");
  }
  SECTION("cancelled requests and the favicon are no failures") {
    begin("1.1", "http://game.local/a.js", "Script");
    begin("1.2", "http://game.local/favicon.ico?v=2", "Other");
    CHECK_FALSE(network.on_event("s", "Network.loadingFailed",
                                 {{"requestId", "1.1"}, {"errorText", "net::ERR_FAILED"}, {"canceled", true}}, 2));
    CHECK_FALSE(network.on_event("s", "Network.responseReceived", answered("1.2", 404), 1));
  }
  SECTION("a document that ends on the session of its own process") {
    begin("LOADER2", "http://other.local/", "Document");
    network.on_event("child", "Network.loadingFinished", {{"requestId", "LOADER2"}}, 5);
    CHECK(network.in_flight(6) == 0);
  }
}

TEST_CASE("console arguments read as the console shows them", "[health]") {
  const Json params = {{"type", "error"},
                       {"args",
                        {{{"type", "string"}, {"value", "%cscore %d of %s%%"}},
                         {{"type", "string"}, {"value", "color: red"}},
                         {{"type", "number"}, {"value", 3}},
                         {{"type", "string"}, {"value", "ten"}},
                         {{"type", "object"}, {"description", "Object"}}}}};
  CHECK(console_text(params) == "score 3 of ten% Object");
}

TEST_CASE("events of unexpected shape are survived", "[health]") {
  const Json odd = {{"exceptionDetails", {{"exception", 3}, {"text", nullptr}, {"lineNumber", "x"}}},
                    {"args", {1, nullptr, Json::array()}},
                    {"frame", "x"},
                    {"requestId", 7},
                    {"response", Json::array()}};
  EventLoop loop;
  EventRing ring(loop);
  CHECK_NOTHROW(ring.push(exception_event(odd, "exception")));
  CHECK_NOTHROW(ring.push(console_event(odd, "console_error")));
  NetworkActivity network;
  for (const char* method : {"requestWillBeSent", "responseReceived", "loadingFailed", "loadingFinished"}) {
    CHECK_NOTHROW(network.on_event("s", std::string("Network.") + method, odd, 0));
  }
  NavigationWatch watch;
  CHECK_NOTHROW(watch.committed(Json("x"), 0));
}
