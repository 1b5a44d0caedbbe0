#include "host/browser/health_monitor.h"

#include <sched.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "host/browser/json_fields.h"
#include "tests/support/live_page.h"

using namespace qa;
using qa::test::LivePage;
using qa::test::run_until;

namespace {

struct Watched {
  LivePage page;
  std::unique_ptr<HealthMonitor> health;

  explicit Watched(HealthLimits limits = {}) {
    health = std::make_unique<HealthMonitor>(page.loop, page.cdp, limits);
    page.on_event([this](const std::string& session, std::string_view method, const Json& params, const std::string&) {
      health->on_event(session, method, params);
    });
    health->attach(page.session, "page");
    // Answered after the enable commands, as a page waits for them too: a renderer that starts earlier is not watched.
    page.call("Page.getFrameTree");
  }

  void open(const std::string& html) {
    const std::string url = page.page("index.html", html);
    health->expect_navigation(url);
    page.send("Page.navigate", {{"url", url}});
  }
  /// The first event of a kind, waited for.
  Json event(const std::string& kind, int limit_ms = 15000) {
    Json found;
    bool done = false;
    health->next_event(0, kind, limit_ms, [&](auto result) {
      done = true;
      if (result) found = *result;
    });
    REQUIRE(run_until(
        page.loop, [&] { return done; }, limit_ms + 2000));
    INFO(kind);
    REQUIRE(found.is_object());
    return found;
  }
  int count(const std::string& kind) const {
    const Json counts = health->summary()["counts"];
    return counts.count(kind) != 0 ? counts[kind].get<int>() : 0;
  }
  bool until(const std::function<bool()>& ready, int limit_ms = 15000) { return run_until(page.loop, ready, limit_ms); }
};

/// All of a type: Chromium keeps a renderer in reserve.
std::vector<pid_t> processes_of(LivePage& page, const std::string& type) {
  Json processes;
  page.cdp->call("", "SystemInfo.getProcessInfo", "", 5000, [&](const auto& reply) {
    REQUIRE(reply);
    processes = nested_field(reply->result, "processInfo");
  });
  REQUIRE(run_until(page.loop, [&] { return processes.is_array(); }));
  std::vector<pid_t> found;
  for (const Json& process : processes) {
    if (process["type"] == type) found.push_back(process["id"]);
  }
  REQUIRE_FALSE(found.empty());
  return found;
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task"))
    threads.push_back(std::stoi(entry.path().filename()));
  return threads;
}

/// Threads that never rest, on one processor with some others (a process stands for its main thread).
class Crowd {
 public:
  explicit Crowd(const std::vector<pid_t>& others) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    for (const pid_t other : others) ::sched_setaffinity(other, sizeof one, &one);
    for (std::thread& thread : threads_) {
      thread = std::thread([this, one] {
        ::sched_setaffinity(0, sizeof one, &one);
        while (!done_) {
        }
      });
    }
  }
  ~Crowd() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::array<std::thread, 5> threads_;
};

}  // namespace

TEST_CASE("C-011, C-013: errors of a page are seen from its first script on", "[health][browser]") {
  Watched watched;
  watched.open(R"html(<script src="missing.js"></script>
<script>
console.warn("low %s", "memory"); console.error("bad", {score: 3});
setTimeout(() => console.assert(false, "impossible"));
Promise.reject(new Error("nobody caught me"));
new Worker(URL.createObjectURL(new Blob(["throw new Error('in worker')"])));
null.start();
</script>)html");
  CHECK(watched.event("console_warning")["message"] == "low memory");
  const Json exception = watched.event("exception");
  CHECK_THAT(exception["message"].get<std::string>(), Catch::StartsWith("TypeError: Cannot read properties of null"));
  CHECK(exception["line"] == 7);
  CHECK_THAT(exception["url"].get<std::string>(), Catch::EndsWith("/index.html"));
  CHECK(watched.event("console_error")["message"] == "bad {score: 3}");
  const Json request = watched.event("request_failed");
  CHECK(request["detail"] == Json({{"status", 404}, {"type", "Script"}, {"main", false}, {"same_origin", true}}));
  REQUIRE(watched.until([&] { return watched.count("exception") >= 2 && watched.count("console_error") >= 2; }));
  REQUIRE(watched.until([&] {
    const Json now = watched.health->summary();
    return now["loading"] == false && now["network_idle_ms"].get<double>() > 50;
  }));
  const Json summary = watched.health->summary();
  CHECK(summary["main_status"] == 200);
  CHECK(summary["requests_in_flight"] == 0);
  CHECK(summary["counts"].count("redirect") == 0);
  CHECK(summary["counts"].count("navigation") == 0);
}

TEST_CASE("dialogs are answered by kind and the page goes on", "[health][browser]") {
  Watched watched;
  watched.open(
      R"html(<script>alert("hi"); window.yes = confirm("sure?"); window.name_ = prompt("who?", "anna");
let asked = 0; for (window.table = ''; !window.table && asked < 4; asked++) window.table = prompt("which table?");
window.done = 1;
</script>)html");
  CHECK(watched.event("dialog")["detail"]["type"] == "alert");
  REQUIRE(watched.until([&] { return watched.count("dialog") == 4 && !watched.health->dialog_open(); }));
  CHECK(watched.page.evaluate("[yes, name_, table, done]") == Json({true, "anna", "1", 1}));
  CHECK(watched.count("dialog_storm") == 0);
}

TEST_CASE("a storm of dialogs is told once and keeps being answered", "[health][browser]") {
  Watched watched;
  watched.open("<script>for (let i = 0; i < 12; i++) alert('again ' + i); window.done = 1</script>");
  watched.event("dialog_storm");
  REQUIRE(watched.until([&] { return watched.count("dialog") == 12 && !watched.health->dialog_open(); }));
  CHECK(watched.page.evaluate("done") == 1);
  CHECK(watched.count("dialog_storm") == 1);
  CHECK(watched.count("hang") == 0);
}

TEST_CASE("a page in an endless loop hangs once, and is well again when it answers", "[health][browser][alone]") {
  Watched watched({100, 800});
  watched.open("<title>busy</title>");
  REQUIRE(watched.until([&] { return watched.health->summary()["main_status"] == 200; }));
  watched.page.send("Runtime.evaluate", {{"expression", "for (;;);"}});
  const Json detail = watched.event("hang")["detail"];
  CHECK(detail["renderer_cpu"].get<double>() > 0.1);
  CHECK(detail["renderer_cpu"].get<double>() > detail["gpu_cpu"].get<double>());
  CHECK(watched.health->hung());
  watched.page.send("Runtime.terminateExecution");
  REQUIRE(watched.until([&] { return !watched.health->hung(); }));
  CHECK(watched.count("hang") == 1);
}

TEST_CASE("a renderer that is kept from the processor has not hung until its extensions are used up",
          "[health][browser][alone]") {
  for (const int extensions : {3, 0}) {
    Watched watched({100, 800, extensions});
    watched.open("<title>starved</title>");
    REQUIRE(watched.until([&] { return watched.health->summary()["main_status"] == 200; }));
    const Crowd crowd(processes_of(watched.page, "renderer"));
    watched.page.evaluate("{ const end = Date.now() + 2500; while (Date.now() < end); }");
    CHECK(watched.count("hang") == (extensions > 0 ? 0 : 1));
  }
}

TEST_CASE("a renderer whose picture is drawn by a process kept from the processor has not hung",
          "[health][browser][alone]") {
  Watched watched({100, 800});
  watched.open(R"html(<canvas id="board" width="512" height="512"></canvas><script>
const gl = board.getContext("webgl"), program = gl.createProgram();
for (const [type, text] of [[gl.VERTEX_SHADER, "attribute vec2 p; void main() { gl_Position = vec4(p, 0., 1.); }"],
  [gl.FRAGMENT_SHADER, `precision highp float; void main() { float x = gl_FragCoord.x;
    for (int i = 0; i < 40; i++) x = sin(x) + 1.; gl_FragColor = vec4(x); }`]]) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
}
gl.linkProgram(program); gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
window.draw = () => { gl.drawArrays(gl.TRIANGLES, 0, 3); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)) };
draw();
</script>)html");
  REQUIRE(watched.until([&] {
    const Json now = watched.health->summary();
    return now["main_status"] == 200 && now["loading"] == false;
  }));
  REQUIRE(watched.page.evaluate("gl.getError()") == 0);
  const Crowd crowd(threads_of(processes_of(watched.page, "GPU")[0]));
  watched.page.evaluate("{ const end = Date.now() + 2500; while (Date.now() < end) draw(); }");
  CHECK(watched.count("hang") == 0);
}

TEST_CASE("a crashed renderer is told, and a page that navigates again is alive", "[health][browser]") {
  Watched watched;
  watched.open("<title>soon gone</title>");
  REQUIRE(watched.until([&] { return watched.health->summary()["main_status"] == 200; }));
  watched.page.send("Page.crash");
  CHECK(watched.event("crash")["detail"]["main"] == true);
  CHECK(watched.health->crashed());
  watched.open("<title>back</title>");
  REQUIRE(watched.until([&] { return !watched.health->crashed(); }));
}

TEST_CASE("a page that reloads itself over and over is a reload loop and no redirect", "[health][browser]") {
  Watched watched;
  watched.open("<script>setTimeout(() => location.reload(), 20)</script>");
  const Json loop = watched.event("reload_loop");
  CHECK_THAT(loop["url"].get<std::string>(), Catch::EndsWith("/index.html"));
  CHECK(watched.count("redirect") == 0);
  CHECK(watched.count("navigation") >= 5);
}

TEST_CASE("a page that leaves for another origin is a redirect", "[health][browser]") {
  Watched watched;
  watched.page.page("away.html", "elsewhere");
  watched.open(
      "<script>location.href = location.href.replace('127.0.0.1', 'localhost').replace('index', 'away')</script>");
  const Json redirect = watched.event("redirect");
  CHECK_THAT(redirect["detail"]["to"].get<std::string>(), Catch::StartsWith("http://localhost:"));
  CHECK(redirect["detail"]["by"] == "page");
}

TEST_CASE("a flood of console messages is counted without keeping its text", "[health][browser]") {
  Watched watched;
  watched.open(R"html(<script>const big = "x".repeat(20000); for (let i = 0; i < 5000; i++) console.error(i + big);
document.title = "flooded"</script>)html");
  const bool all = watched.until([&] { return watched.count("console_error") == 5000; }, 120000);
  INFO(watched.health->summary().dump());
  REQUIRE(all);
  const Json events = watched.health->events_after(0);
  CHECK(events.size() <= 1000);
  CHECK(events[0]["message"].get<std::string>().size() < 4200);
  CHECK(watched.health->summary()["dropped_events"].get<int>() >= 4000);
}

TEST_CASE("after a thousand messages within a second no more text is kept", "[health][browser]") {
  Watched watched;
  for (int i = 0; i < 5000; ++i) {
    const Json argument = {{"type", "string"}, {"value", "message " + std::to_string(i)}};
    watched.health->on_event("s", "Runtime.consoleAPICalled", {{"type", "error"}, {"args", {argument}}});
  }
  const Json summary = watched.health->summary();
  CHECK(summary["counts"]["console_error"] == 5000);
  // A machine that is held up may see the second turn once or twice.
  CHECK(summary["last_seq"] >= 1000);
  CHECK(summary["last_seq"] <= 3000);
}

TEST_CASE("a lost WebGL context is told from the browser's own message", "[health][browser]") {
  Watched watched;
  watched.open("<script>console.warn('WebGL: CONTEXT_LOST_WEBGL: loseContext: context lost')</script>");
  watched.event("webgl_lost");
  CHECK(watched.health->summary()["webgl_lost"] == true);
}

TEST_CASE("who waits for an event when the monitor ends is told that the page is closed", "[health][browser]") {
  Watched watched;
  ErrorKind kind = ErrorKind::io_error;
  watched.health->next_event(0, "crash", 60000, [&](auto result) { kind = result.error().kind; });
  watched.page.cdp->on_events(watched.page.session, {});
  watched.health.reset();
  REQUIRE(watched.until([&] { return kind == ErrorKind::page_closed; }, 2000));
}
