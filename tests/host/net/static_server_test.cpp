#include "host/net/static_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "host/net/served_file.h"

namespace fs = std::filesystem;
using qa::StaticServer;

namespace {

/// One connection that speaks plain bytes.
class Client {
 public:
  explicit Client(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience = {20, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_connected() const { return connected_; }
  /// Whether the last read met the end of the connection, not of the patience.
  bool is_closed() const { return is_closed_; }
  void send(const std::string& text) { sent_ = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  /// Everything until the server closes.
  std::string read_all() {
    while (read_some()) {
    }
    return std::exchange(received_, {});
  }
  /// One answer, by its Content-Length; what follows is kept.
  std::string read_answer() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == received_.npos) {
      if (!read_some()) return std::exchange(received_, {});
    }
    const std::size_t field = received_.find("Content-Length: ");
    const std::size_t total = end + 4 + std::stoul(received_.substr(field + 16));
    while (received_.size() < total && read_some()) {
    }
    const std::string answer = received_.substr(0, total);
    received_.erase(0, total);
    return answer;
  }
  /// Closes with a reset instead of an orderly end.
  void vanish() {
    const linger now = {1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  bool read_some() {
    char chunk[65536];
    const ssize_t got = ::recv(fd_, chunk, sizeof chunk, 0);
    if (got > 0) received_.append(chunk, static_cast<std::size_t>(got));
    is_closed_ = got == 0 || (got < 0 && errno == ECONNRESET);
    return got > 0;
  }
  int fd_;
  bool connected_ = false;
  bool is_closed_ = false;
  ssize_t sent_ = 0;
  std::string received_;
};

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
  std::string raw(const std::string& request) const {
    Client client(server->port());
    client.send(request);
    return client.read_all();
  }
  std::string get(const std::string& target, const std::string& fields = "", const std::string& method = "GET") const {
    return raw(method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + fields + "\r\n");
  }
};

int status(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }
std::string body(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == answer.npos ? "no answer" : answer.substr(end + 4);
}
bool has(const std::string& answer, const std::string& line) {
  return answer.find("\r\n" + line + "\r\n") != answer.npos;
}

}  // namespace

TEST_CASE("a folder is served with its types, for GET and HEAD", "[static_server]") {
  Site site;
  CHECK(site.server->origin() == "http://127.0.0.1:" + std::to_string(site.server->port()));
  const std::string home = site.get("/");
  CHECK(status(home) == 200);
  CHECK(body(home) == "<p>home");
  CHECK(has(home, "Content-Type: text/html; charset=utf-8"));
  CHECK(has(home, "Cache-Control: no-cache"));
  CHECK(has(home, "Content-Length: 7"));
  const std::string head = site.get("/data.bin?v=1", "", "HEAD");
  CHECK(status(head) == 200);
  CHECK(has(head, "Content-Length: 10"));
  CHECK(body(head).empty());
  CHECK(body(site.get("/void")).empty());
  CHECK(body(site.get("http://127.0.0.1/data.bin")) == "0123456789");
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
  CHECK(status(moved) == 301);
  CHECK(has(moved, "Location: /sub%20dir/?level=2"));
  CHECK(body(site.get("/sub%20dir/")) == "<p>sub");
  CHECK(has(site.get("//empty"), "Location: /empty/"));
  CHECK(status(site.get("/empty/")) == 404);
}

TEST_CASE("ranges are answered in part", "[static_server]") {
  const Site site;
  const std::string part = site.get("/data.bin", "Range: bytes=2-4\r\n");
  CHECK(status(part) == 206);
  CHECK(body(part) == "234");
  CHECK(has(part, "Content-Range: bytes 2-4/10"));
  CHECK(body(site.get("/data.bin", "Range: bytes=7-\r\n")) == "789");
  CHECK(body(site.get("/data.bin", "Range: bytes=-2\r\n")) == "89");
  CHECK(body(site.get("/data.bin", "Range: bytes=-99\r\n")) == "0123456789");
  CHECK(body(site.get("/data.bin", "Range: bytes=8-99\r\n")) == "89");
  const std::string beyond = site.get("/data.bin", "Range: bytes=10-\r\n");
  CHECK(status(beyond) == 416);
  CHECK(has(beyond, "Content-Range: bytes */10"));
  CHECK(status(site.get("/void", "Range: bytes=0-\r\n")) == 416);
  CHECK(status(site.get("/data.bin", "Range: bytes=-0\r\n")) == 416);
  for (const char* whole : {"bytes=4-2", "bytes=x-", "bytes=1-2,4-5", "lines=1-2", "bytes=99999999999999999999-"}) {
    INFO(whole);
    CHECK(status(site.get("/data.bin", "Range: " + std::string(whole) + "\r\n")) == 200);
  }
  CHECK(status(site.get("/data.bin", "Range: bytes=2-4\r\nIf-Range: \"x\"\r\n")) == 200);
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
    CHECK(status(answer) == 404);
    CHECK(answer.find("secret") == answer.npos);
  }
  const std::string inside = site.get("/inside.js");
  CHECK(body(inside) == "0123456789");
  CHECK(has(inside, "Content-Type: text/javascript; charset=utf-8"));
}

TEST_CASE("what is no request for a file is refused", "[static_server]") {
  const Site site;
  ::mkfifo((site.root / "fifo").c_str(), 0600);
  CHECK(status(site.get("/fifo")) == 404);
  CHECK(status(site.get("/a%zz")) == 400);
  CHECK(status(site.get("/a%2")) == 400);
  CHECK(status(site.get("/data.bin%00.html")) == 400);
  CHECK(status(site.get("*")) == 400);
  CHECK(status(site.raw("nonsense\r\n\r\n")) == 400);
  CHECK(status(site.raw("GET / HTTP/1.1\r\nX: " + std::string(100000, 'x') + "\r\n\r\n")) == 431);
  const std::string post = site.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  CHECK(status(post) == 405);
  CHECK(has(post, "Allow: GET, HEAD"));
  CHECK(has(post, "Connection: close"));
  CHECK(status(site.get("/" + std::string(9000, 'x'))) == 404);
}

TEST_CASE("a connection serves many requests, also sent at once", "[static_server]") {
  const Site site;
  Client client(site.server->port());
  const std::string request = "GET /data.bin HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(request + request + "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(body(client.read_answer()) == "0123456789");
  CHECK(body(client.read_answer()) == "0123456789");
  CHECK(status(client.read_all()) == 200);
}

TEST_CASE("large files arrive whole on many connections", "[static_server]") {
  const Site site;
  std::string large(3'000'001, 'x');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 >> 3);
  site.write("large.bin", large);
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < 24; ++i) {
    answers.push_back(std::async(std::launch::async, [&] { return body(site.get("/large.bin")) == large; }));
  }
  for (auto& answer : answers) CHECK(answer.get());
  CHECK(body(site.get("/large.bin", "Range: bytes=262140-262150\r\n")) == large.substr(262140, 11));
}

TEST_CASE("clients that vanish do not disturb others", "[static_server]") {
  const Site site;
  site.write("large.bin", std::string(20'000'000, 'x'));
  for (int i = 0; i < 30; ++i) {
    Client client(site.server->port());
    REQUIRE(client.is_connected());
    client.send(i % 3 == 0 ? "GET /lar" : "GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 2 == 0) client.vanish();
  }
  CHECK(body(site.get("/data.bin")) == "0123456789");
}

TEST_CASE("a file that shrinks while it is served ends the connection", "[static_server]") {
  const Site site;
  site.write("large.bin", std::string(30'000'000, 'x'));
  Client client(site.server->port());
  client.send("GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n");
  Client other(site.server->port());
  other.send("GET /data.bin HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(status(other.read_answer()) == 200);
  fs::resize_file(site.root / "large.bin", 10);
  CHECK(client.read_all().size() < 30'000'000);
  CHECK(client.is_closed());
  CHECK(body(site.get("/data.bin")) == "0123456789");
}

TEST_CASE("a server that goes away closes its connections and its port", "[static_server]") {
  Site site;
  const int port = site.server->port();
  Client idle(port);
  idle.send("GET /data.bin HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(status(idle.read_answer()) == 200);
  std::promise<void> gone;
  site.loop.post([&] {
    site.server.reset();
    gone.set_value();
  });
  gone.get_future().wait();
  CHECK(idle.read_all().empty());
  CHECK(idle.is_closed());
  CHECK_FALSE(Client(port).is_connected());
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
  const Client client((*server)->port());
  loop.after(std::chrono::milliseconds(20), [&] { loop.stop(); });
  loop.run();
  CHECK(client.is_connected());
}
