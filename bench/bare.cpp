// The least that any controller must do: the same commands as the others, composed beforehand, written to the pipe and
// waited for; answers are read and not parsed, nothing is kept. A peer of bench/browser.mjs, which compiles it.
// usage: bare URL FOLDER CHROMIUM FLAG...
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int to_browser = -1, from_browser = -1;
int last_id = 0;

void stop(const char* why) {
  std::perror(why);
  std::exit(1);
}

void write_all(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t size = write(to_browser, text.data() + at, text.size() - at);
    if (size < 0) stop("write");
    at += static_cast<std::size_t>(size);
  }
}

/// The next message that answers `id`.
std::string answer_to(int id) {
  static std::string inbox;
  const std::string wanted = "{\"id\":" + std::to_string(id) + ",";
  for (;;) {
    for (std::size_t end; (end = inbox.find('\0')) != std::string::npos;) {
      std::string message = inbox.substr(0, end);
      inbox.erase(0, end + 1);
      if (message.rfind(wanted, 0) == 0) return message;
    }
    char bytes[65536];
    const ssize_t size = read(from_browser, bytes, sizeof bytes);
    if (size <= 0) stop("read");
    inbox.append(bytes, static_cast<std::size_t>(size));
  }
}

std::string command(const std::string& session, const std::string& method, const std::string& params) {
  std::string text = "{\"id\":" + std::to_string(++last_id) + ",\"method\":\"" + method + "\",\"params\":" + params;
  if (!session.empty()) text += ",\"sessionId\":\"" + session + "\"";
  return text + "}" + '\0';
}

std::string call(const std::string& session, const std::string& method, const std::string& params) {
  write_all(command(session, method, params));
  return answer_to(last_id);
}

std::string field(const std::string& message, const std::string& name) {
  const std::size_t at = message.find("\"" + name + "\":\"");
  if (at == std::string::npos) stop(message.c_str());
  const std::size_t from = at + name.size() + 4;
  return message.substr(from, message.find('"', from) - from);
}

/// Written at once, as nothing of them depends on the answer to another.
void together(const std::string& session, const char* method, const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& params : all) text += command(session, method, params);
  write_all(text);
  for (int id = last_id - static_cast<int>(all.size()) + 1; id <= last_id; ++id) answer_to(id);
}

void launch(char** words) {
  int out[2], in[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(in, O_CLOEXEC) != 0) stop("pipe2");
  // Above 4, so that neither lies in the other's way.
  const int browser_in = fcntl(out[0], F_DUPFD_CLOEXEC, 10), browser_out = fcntl(in[1], F_DUPFD_CLOEXEC, 10);
  to_browser = fcntl(out[1], F_DUPFD_CLOEXEC, 10);
  from_browser = fcntl(in[0], F_DUPFD_CLOEXEC, 10);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, browser_in, 3);
  posix_spawn_file_actions_adddup2(&actions, browser_out, 4);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string folder = std::string("--user-data-dir=") + words[2], pipe = "--remote-debugging-pipe";
  std::vector<char*> arguments;
  for (char** word = words + 3; *word != nullptr; ++word) arguments.push_back(*word);
  for (std::string* more : {&folder, &pipe}) arguments.push_back(more->data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, words[3], &actions, nullptr, arguments.data(), environ) != 0) stop(words[3]);
  for (const int fd : {out[0], out[1], in[0], in[1], browser_in, browser_out}) close(fd);
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::fprintf(stderr, "usage: bare URL FOLDER CHROMIUM FLAG...\n"), 3;
  launch(words);
  const std::string target =
      field(call("", "Target.createTarget", R"({"url":")" + std::string(words[1]) + "\"}"), "targetId");
  const std::string session =
      field(call("", "Target.attachToTarget", R"({"flatten":true,"targetId":")" + target + "\"}"), "sessionId");
  const auto evaluate = [&](const std::string& expression) {
    return call(session, "Runtime.evaluate",
                R"({"returnByValue":true,"awaitPromise":true,"expression":")" + expression + "\"}");
  };
  call(session, "Emulation.setFocusEmulationEnabled", R"({"enabled":true})");
  evaluate("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))");
  std::printf("{\"ready\":true}\n");
  std::fflush(stdout);
  const std::string key = R"("key":"a","code":"KeyA","windowsVirtualKeyCode":65})",
                    button = R"("x":320,"y":200,"button":"left","clickCount":1})";
  char line[256], op[32];
  for (int turn, times; std::fgets(line, sizeof line, stdin) != nullptr;) {
    if (std::sscanf(line, R"({"turn":%d,"op":"%31[a-z_]","count":%d})", &turn, op, &times) != 3) break;
    std::string wall;
    for (int i = 0; i < times; ++i) {
      const auto began = std::chrono::steady_clock::now();
      if (std::string(op) == "evaluate") evaluate("1 + 1");
      if (std::string(op) == "key")
        together(session, "Input.dispatchKeyEvent",
                 {R"({"type":"keyDown","text":"a",)" + key, R"({"type":"keyUp",)" + key});
      if (std::string(op) == "click")
        together(session, "Input.dispatchMouseEvent",
                 {R"({"type":"mouseMoved","x":320,"y":200})", R"({"type":"mousePressed",)" + button,
                  R"({"type":"mouseReleased",)" + button});
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
      wall += (wall.empty() ? "" : ",") + std::to_string(took.count());
    }
    std::printf("{\"turn\":%d,\"wall\":[%s]}\n", turn, wall.c_str());
    std::fflush(stdout);
  }
  const std::string counts = evaluate("'clicks ' + counts.clicks + ' keys ' + counts.keys");
  int clicks = 0, keys = 0;
  std::sscanf(counts.c_str() + std::min(counts.size(), counts.find("clicks ")), "clicks %d keys %d", &clicks, &keys);
  std::printf("{\"counts\":{\"clicks\":%d,\"keys\":%d}}\n", clicks, keys);
  std::fflush(stdout);
  write_all(command("", "Browser.close", "{}"));
  return 0;
}
