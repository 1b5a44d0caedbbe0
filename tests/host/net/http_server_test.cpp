#include "host/net/http_server.h"

#include <catch2/catch.hpp>
#include <future>
#include <thread>
#include <vector>

#include "tests/support/raw_client.h"

using namespace qa;
using namespace qa::test;
using std::chrono::milliseconds;

namespace {

/// Echoes method, target and body; "/stream" goes on until the test ends it.
struct Site {
  EventLoop loop;
  std::shared_ptr<HttpStream> stream;
  std::vector<int> answers;
  std::unique_ptr<HttpServer> server;
  std::thread thread;

  explicit Site(const HttpServerLimits& limits) {
    auto started = HttpServer::start(loop, "127.0.0.1", 0, limits, [this](const HttpServerRequest& request) {
      const std::string text = std::string(request.method) + " " + std::string(request.target) + " ";
      HttpReply reply = text_reply(200, text + request.body);
      if (request.target == "/stream") reply.stream = stream = std::make_shared<HttpStream>();
      return reply;
    });
    REQUIRE(started);
    server = std::move(*started);
    server->on_answer([this](int status) { answers.push_back(status); });
    thread = std::thread([this] { loop.run(); });
  }
  ~Site() {
    on_loop([this] { server.reset(); });
    loop.stop();
    thread.join();
  }
  void on_loop(const std::function<void()>& work) {
    std::promise<void> done;
    loop.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  std::string raw(const std::string& request) const {
    RawClient client(server->port());
    client.send(request);
    return client.read_all();
  }
};

HttpServerLimits with_bodies() {
  HttpServerLimits limits;
  limits.max_body = 1000;
  limits.connections = 4;
  return limits;
}

const std::string kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace

TEST_CASE("a body reaches the handler, by length and in chunks", "[http_server]") {
  const Site site(with_bodies());
  RawClient client(site.server->port());
  client.send(
      "POST /x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloPOST /y HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(body_of(client.read_answer()) == "POST /x hello");
  client.send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" + kGet);
  CHECK(body_of(client.read_answer()) == "POST /y abcde");
  CHECK(body_of(client.read_answer()) == "GET /a ");
}

TEST_CASE("a body that is asked leave for is given leave", "[http_server]") {
  const Site site(with_bodies());
  RawClient client(site.server->port());
  client.send("POST /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  CHECK(body_of(client.read_answer()) == "POST /x ok");
}

TEST_CASE("a body beyond the limit is refused without being read", "[http_server]") {
  Site site(with_bodies());
  for (const char* field : {"Content-Length: 1073741824", "Content-Length: 1001", "Content-Length: 9223372036854775807",
                            "Transfer-Encoding: chunked"}) {
    INFO(field);
    RawClient client(site.server->port());
    client.send("POST /x HTTP/1.1\r\n" + std::string(field) + "\r\n\r\n" +
                (field[0] == 'T' ? "400\r\n" + std::string(1024, 'x') + "\r\n" : std::string()));
    const std::string answer = client.read_answer();
    CHECK(status_of(answer) == 413);
    CHECK(has_line(answer, "Connection: close"));
    client.send(std::string(100'000, 'x'));  // Nobody reads it as a request.
    client.end();
    CHECK(client.read_all().empty());
  }
  site.on_loop([&] { CHECK(site.answers == std::vector<int>{413, 413, 413, 413}); });
}

TEST_CASE("malformed requests and floods of headers end the connection with an answer", "[http_server]") {
  const Site site(with_bodies());
  CHECK(status_of(site.raw("nonsense\r\n\r\n")) == 400);
  CHECK(status_of(site.raw("POST /x HTTP/1.1\r\nContent-Length: -5\r\n\r\n")) == 400);
  CHECK(status_of(site.raw("POST /x HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")) == 400);
  CHECK(status_of(site.raw("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")) == 400);
  std::string flood = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10'000; ++i) flood += "X-" + std::to_string(i) + ": y\r\n";
  CHECK(status_of(site.raw(flood)) == 431);
  // Wherever a read ends within a line: at some places the parser takes all there is, and its own limit begins anew.
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "X-Y: z\r\n";
  for (std::size_t shift = 0; shift < 8; ++shift) {
    INFO(shift);
    CHECK(status_of(site.raw("GET /" + std::string(shift, 'a') + " HTTP/1.1\r\n" + lines + "\r\n")) == 431);
  }
}

TEST_CASE("clients that are slow with a head or a body are let go", "[http_server]") {
  HttpServerLimits limits = with_bodies();
  limits.head = limits.body = milliseconds(60);
  const Site site(limits);
  for (const char* part :
       {"", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"}) {
    INFO(part);
    RawClient client(site.server->port());
    client.send(part);
    CHECK(client.read_all().empty());
    CHECK(client.is_closed());
  }
  CHECK(body_of(site.raw("GET /b HTTP/1.1\r\nConnection: close\r\n\r\n")) == "GET /b ");
}

TEST_CASE("a client that does not read an answer is let go", "[http_server]") {
  HttpServerLimits limits = with_bodies();
  limits.write = milliseconds(60);
  Site site(limits);
  RawClient client(site.server->port());
  client.send("GET /stream HTTP/1.1\r\n\r\n");
  CHECK(status_of(client.read_head()) == 200);
  site.on_loop([&] { site.stream->write(std::string(HttpStream::kMostPending, 'x')); });
  bool is_open = true;
  // Each round gives the loop the time that it waits for; what the socket buffers hold is not known.
  while (is_open) {
    site.on_loop([&] {
      site.stream->write(std::string(100'000, 'x'));
      is_open = site.stream->is_open();
    });
  }
  CHECK_FALSE(is_open);
}

TEST_CASE("the connection that waits longest makes room for a new one", "[http_server]") {
  const Site site(with_bodies());
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 4; ++i) {
    idle.push_back(std::make_unique<RawClient>(site.server->port()));
    idle.back()->send(kGet);
    CHECK(status_of(idle.back()->read_answer()) == 200);
  }
  RawClient fifth(site.server->port());
  fifth.send(kGet);
  CHECK(status_of(fifth.read_answer()) == 200);
  CHECK(idle[0]->read_all().empty());
  CHECK(idle[0]->is_closed());
  idle[3]->send(kGet);
  CHECK(status_of(idle[3]->read_answer()) == 200);
}

TEST_CASE("a stream is sent as it is written, and its end ends the connection", "[http_server]") {
  Site site(with_bodies());
  RawClient client(site.server->port());
  client.send("GET /stream HTTP/1.1\r\n\r\n");
  const std::string head = client.read_head();
  CHECK(head.find("Content-Length") == head.npos);
  CHECK(has_line(head + "\r\n", "Connection: close"));
  CHECK(client.read_until("GET /stream ") == "GET /stream ");
  site.on_loop([&] { site.stream->write("data: 1\n\n"); });
  CHECK(client.read_until("\n\n") == "data: 1\n\n");
  SECTION("the handler ends it") {
    site.on_loop([&] {
      site.stream->write("data: 2\n\n");
      site.stream->end();
    });
    CHECK(client.read_all() == "data: 2\n\n");
    CHECK(client.is_closed());
  }
  SECTION("the client leaves") {
    client.end();
    bool is_open = true;
    while (is_open) site.on_loop([&] { is_open = site.stream->is_open(); });
    site.on_loop([&] { site.stream->write("nobody reads this"); });
  }
  SECTION("the server leaves") {
    site.on_loop([&] { site.server.reset(); });
    CHECK(client.read_all().empty());
    CHECK_FALSE(site.stream->is_open());
  }
}

TEST_CASE("a port that is taken is an error that names it", "[http_server]") {
  Site site(with_bodies());
  const auto second = HttpServer::start(site.loop, "127.0.0.1", site.server->port(), {}, nullptr);
  REQUIRE_FALSE(second);
  CHECK(second.error().message.find("port " + std::to_string(site.server->port())) != std::string::npos);
  CHECK_FALSE(HttpServer::start(site.loop, "nowhere", 0, {}, nullptr));
}
