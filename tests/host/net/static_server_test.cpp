#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "host/net/served_file.h"
#include "host/net/static_files.h"
#include "tests/support/raw_client.h"

namespace fs = std::filesystem;
using namespace qa::test;
using qa::StaticServer;

namespace {

/// A served folder, its loop on a thread of its own.
struct Site {
  fs::path outside, root;
  qa::EventLoop loop;
  std::unique_ptr<StaticServer> server;
  std::thread thread;

  Site() {
    std::string name = (fs::temp_directory_path() / "qa-site-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()));
    outside = name;
    root = outside / "root";
    fs::create_directories(root / "sub dir");
    fs::create_directory(root / "empty");
    write("index.html", "<p>home");
    write("sub dir/index.htm", "<p>sub");
    write("data.bin", "0123456789");
    write("void", "");
    std::ofstream(outside / "secret.txt") << "secret";
    auto started = StaticServer::start(loop, root.string());
    REQUIRE(started);
    server = std::move(*started);
    thread = std::thread([this] { loop.run(); });
  }
  ~Site() {
    loop.post([this] {
      server.reset();
      loop.stop();
    });
    thread.join();
    fs::remove_all(outside);
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(root / name, std::ios::binary) << bytes;
  }
  std::string host() const { return "Host: 127.0.0.1:" + std::to_string(server->port()) + "\r\n"; }
  std::string raw(const std::string& request) const {
    RawClient client(server->port());
    client.send(request);
    return client.read_all();
  }
  std::string get(const std::string& target, const std::string& fields = "", const std::string& method = "GET") const {
    return raw(method + " " + target + " HTTP/1.1\r\n" + host() + "Connection: close\r\n" + fields + "\r\n");
  }
};

}  // namespace

TEST_CASE("a folder is served with its types, for GET and HEAD", "[static_server]") {
  Site site;
  CHECK(site.server->origin() == "http://127.0.0.1:" + std::to_string(site.server->port()));
  const std::string home = site.get("/");
  CHECK(status_of(home) == 200);
  CHECK(body_of(home) == "<p>home");
  CHECK(has_line(home, "Content-Type: text/html; charset=utf-8"));
  CHECK(has_line(home, "Cache-Control: no-cache"));
  CHECK(has_line(home, "Content-Length: 7"));
  const std::string head = site.get("/data.bin?v=1", "", "HEAD");
  CHECK(status_of(head) == 200);
  CHECK(has_line(head, "Content-Length: 10"));
  CHECK(body_of(head).empty());
  CHECK(body_of(site.get("/void")).empty());
  CHECK(body_of(site.get("http://127.0.0.1/data.bin")) == "0123456789");
  std::promise<int> count;
  site.loop.post([&] { count.set_value(site.server->request_count()); });
  CHECK(count.get_future().get() == 4);
}

TEST_CASE("types follow the extension", "[static_server]") {
  CHECK(qa::mime_type("/a/b.MJS") == "text/javascript; charset=utf-8");
  CHECK(qa::mime_type("game.wasm") == "application/wasm");
  CHECK(qa::mime_type("a.b/c") == "application/octet-stream");
  CHECK(qa::mime_type("font.woff2") == "font/woff2");
  CHECK(qa::mime_type("hero.atlas") == "text/plain; charset=utf-8");
  CHECK(qa::mime_type("x.") == "application/octet-stream");
}

TEST_CASE("a folder without its slash is redirected, by path only", "[static_server]") {
  const Site site;
  const std::string moved = site.get("/sub%20dir?level=2");
  CHECK(status_of(moved) == 301);
  CHECK(has_line(moved, "Location: /sub%20dir/?level=2"));
  CHECK(body_of(site.get("/sub%20dir/")) == "<p>sub");
  CHECK(has_line(site.get("//empty"), "Location: /empty/"));
  CHECK(status_of(site.get("/empty/")) == 404);
}

TEST_CASE("ranges are answered in part", "[static_server]") {
  const Site site;
  const std::string part = site.get("/data.bin", "Range: bytes=2-4\r\n");
  CHECK(status_of(part) == 206);
  CHECK(body_of(part) == "234");
  CHECK(has_line(part, "Content-Range: bytes 2-4/10"));
  CHECK(body_of(site.get("/data.bin", "Range: bytes=7-\r\n")) == "789");
  CHECK(body_of(site.get("/data.bin", "Range: bytes=-2\r\n")) == "89");
  CHECK(body_of(site.get("/data.bin", "Range: bytes=-99\r\n")) == "0123456789");
  CHECK(body_of(site.get("/data.bin", "Range: bytes=8-99\r\n")) == "89");
  const std::string beyond = site.get("/data.bin", "Range: bytes=10-\r\n");
  CHECK(status_of(beyond) == 416);
  CHECK(has_line(beyond, "Content-Range: bytes */10"));
  CHECK(status_of(site.get("/void", "Range: bytes=0-\r\n")) == 416);
  CHECK(status_of(site.get("/data.bin", "Range: bytes=-0\r\n")) == 416);
  for (const char* whole : {"bytes=4-2", "bytes=x-", "bytes=1-2,4-5", "lines=1-2", "bytes=99999999999999999999-"}) {
    INFO(whole);
    CHECK(status_of(site.get("/data.bin", "Range: " + std::string(whole) + "\r\n")) == 200);
  }
  CHECK(status_of(site.get("/data.bin", "Range: bytes=2-4\r\nIf-Range: \"x\"\r\n")) == 200);
}

TEST_CASE("no path leaves the root", "[static_server]") {
  const Site site;
  fs::create_symlink(site.outside / "secret.txt", site.root / "link.txt");
  fs::create_directory_symlink(site.outside, site.root / "up");
  fs::create_symlink(site.root / "data.bin", site.root / "inside.js");
  fs::create_directory(site.outside / "root-too");
  std::ofstream(site.outside / "root-too" / "x") << "secret";
  fs::create_symlink(site.outside / "root-too" / "x", site.root / "sibling");
  for (const char* target : {"/../secret.txt", "/%2e%2e/secret.txt", "/sub%20dir/../../secret.txt", "/..%2fsecret.txt",
                             "/link.txt", "/up/secret.txt", "/up/", "/sibling", "/missing", "/index.html/"}) {
    INFO(target);
    const std::string answer = site.get(target);
    CHECK(status_of(answer) == 404);
    CHECK(answer.find("secret") == answer.npos);
  }
  const std::string inside = site.get("/inside.js");
  CHECK(body_of(inside) == "0123456789");
  CHECK(has_line(inside, "Content-Type: text/javascript; charset=utf-8"));
}

TEST_CASE("dotfiles and folders of runs are not served", "[static_server]") {
  const Site site;
  for (const char* folder :
       {".git", "sub dir/.svn", "old/qa-runs", "my-runs/run 1/shots", ".well-known", "a/.well-known"}) {
    fs::create_directories(site.root / folder);
  }
  for (const char* name :
       {".env", ".git/config", "sub dir/.svn/x", "old/qa-runs/index.html", "my-runs/run 1/trace.jsonl",
        "my-runs/run 1/index.html", "my-runs/run 1/shots/a.png", "a/.well-known/x"}) {
    site.write(name, "private");
  }
  site.write(".well-known/assetlinks.json", "open");
  site.write("my-runs/notes.txt", "open");
  fs::create_symlink(site.root / ".env", site.root / "env.txt");
  fs::create_directory_symlink(site.root / "my-runs" / "run 1", site.root / "linked");
  for (const char* target :
       {"/.env", "/%2eenv", "/.git/config", "/.git/", "/.git", "/sub%20dir/.svn/x", "/env.txt", "/old/qa-runs/",
        "/old/qa-runs/index.html", "/my-runs/run%201/trace.jsonl", "/my-runs/run%201/", "/my-runs/run%201",
        "/my-runs/run%201/shots/a.png", "/linked/shots/a.png", "/linked/", "/a/.well-known/x", "/./.env"}) {
    INFO(target);
    const std::string answer = site.get(target);
    CHECK(status_of(answer) == 404);
    CHECK(answer.find("private") == answer.npos);
  }
  CHECK(body_of(site.get("/.well-known/assetlinks.json")) == "open");
  CHECK(body_of(site.get("/my-runs/notes.txt")) == "open");
  CHECK(body_of(site.get("/.env")) == body_of(site.get("/.not-there")));
}

TEST_CASE("a request that is addressed elsewhere is refused", "[static_server]") {
  const Site site;
  const std::string port = std::to_string(site.server->port());
  const auto addressed_to = [&](const std::string& fields) {
    return status_of(site.raw("GET /data.bin HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n"));
  };
  CHECK(addressed_to("Host: 127.0.0.1:" + port + "\r\n") == 200);
  CHECK(addressed_to("Host: LocalHost:" + port + "\r\n") == 200);
  CHECK(addressed_to("Host: game.example\r\n") == 421);
  CHECK(addressed_to("Host: game.example:" + port + "\r\n") == 421);
  CHECK(addressed_to("Host: 127.0.0.1\r\n") == 421);
  CHECK(addressed_to("Host: 127.0.0.1:" + port + "\r\nHost: 127.0.0.1:" + port + "\r\n") == 421);
  CHECK(addressed_to("") == 421);
}

TEST_CASE("what is no request for a file is refused", "[static_server]") {
  const Site site;
  ::mkfifo((site.root / "fifo").c_str(), 0600);
  CHECK(status_of(site.get("/fifo")) == 404);
  CHECK(status_of(site.get("/a%zz")) == 400);
  CHECK(status_of(site.get("/a%2")) == 400);
  CHECK(status_of(site.get("/data.bin%00.html")) == 400);
  CHECK(status_of(site.get("*")) == 400);
  CHECK(status_of(site.raw("nonsense\r\n\r\n")) == 400);
  CHECK(status_of(site.raw("GET / HTTP/1.1\r\nX: " + std::string(100000, 'x') + "\r\n\r\n")) == 431);
  const std::string post = site.raw("POST / HTTP/1.1\r\n" + site.host() + "Content-Length: 5\r\n\r\nhello");
  CHECK(status_of(post) == 405);
  CHECK(has_line(post, "Allow: GET, HEAD"));
  CHECK(has_line(post, "Connection: close"));
  CHECK(status_of(site.get("/" + std::string(9000, 'x'))) == 404);
}

TEST_CASE("a connection serves many requests, also sent at once", "[static_server]") {
  const Site site;
  RawClient client(site.server->port());
  const std::string request = "GET /data.bin HTTP/1.1\r\n" + site.host() + "\r\n";
  client.send(request + request + "HEAD / HTTP/1.1\r\n" + site.host() + "Connection: close\r\n\r\n");
  CHECK(body_of(client.read_answer()) == "0123456789");
  CHECK(body_of(client.read_answer()) == "0123456789");
  CHECK(status_of(client.read_all()) == 200);
}

TEST_CASE("large files arrive whole on many connections", "[static_server]") {
  const Site site;
  std::string large(3'000'001, 'x');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 >> 3);
  site.write("large.bin", large);
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < 24; ++i) {
    answers.push_back(std::async(std::launch::async, [&] { return body_of(site.get("/large.bin")) == large; }));
  }
  for (auto& answer : answers) CHECK(answer.get());
  CHECK(body_of(site.get("/large.bin", "Range: bytes=262140-262150\r\n")) == large.substr(262140, 11));
}

TEST_CASE("clients that vanish do not disturb others", "[static_server]") {
  const Site site;
  site.write("large.bin", std::string(20'000'000, 'x'));
  for (int i = 0; i < 30; ++i) {
    RawClient client(site.server->port());
    REQUIRE(client.is_connected());
    client.send(i % 3 == 0 ? "GET /lar" : "GET /large.bin HTTP/1.1\r\n" + site.host() + "\r\n");
    if (i % 2 == 0) client.vanish();
  }
  CHECK(body_of(site.get("/data.bin")) == "0123456789");
}

TEST_CASE("a file that shrinks while it is served ends the connection", "[static_server]") {
  const Site site;
  site.write("large.bin", std::string(30'000'000, 'x'));
  RawClient client(site.server->port());
  client.send("GET /large.bin HTTP/1.1\r\n" + site.host() + "\r\n");
  RawClient other(site.server->port());
  other.send("GET /data.bin HTTP/1.1\r\n" + site.host() + "\r\n");
  CHECK(status_of(other.read_answer()) == 200);
  fs::resize_file(site.root / "large.bin", 10);
  CHECK(client.read_all().size() < 30'000'000);
  CHECK(client.is_closed());
  CHECK(body_of(site.get("/data.bin")) == "0123456789");
}

TEST_CASE("a server that goes away closes its connections and its port", "[static_server]") {
  Site site;
  const int port = site.server->port();
  RawClient idle(port);
  idle.send("GET /data.bin HTTP/1.1\r\n" + site.host() + "\r\n");
  CHECK(status_of(idle.read_answer()) == 200);
  std::promise<void> gone;
  site.loop.post([&] {
    site.server.reset();
    gone.set_value();
  });
  gone.get_future().wait();
  CHECK(idle.read_all().empty());
  CHECK(idle.is_closed());
  CHECK_FALSE(RawClient(port).is_connected());
}

TEST_CASE("only folders are served", "[static_server]") {
  qa::EventLoop loop;
  for (const char* root : {"/nowhere/at/all", "/etc/passwd", ""}) {
    INFO(root);
    const auto server = StaticServer::start(loop, root);
    REQUIRE_FALSE(server);
    CHECK(server.error().kind == qa::ErrorKind::io_error);
  }
}

TEST_CASE("a loop may end while a server has connections", "[static_server]") {
  const fs::path folder = fs::temp_directory_path();
  qa::EventLoop loop;
  auto server = StaticServer::start(loop, folder.string());
  REQUIRE(server);
  const RawClient client((*server)->port());
  loop.after(std::chrono::milliseconds(20), [&] { loop.stop(); });
  loop.run();
  CHECK(client.is_connected());
}
