#include "host/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/folder.h"
#include "host/pipe_reader.h"
#include "host/process_leader.h"
#include "host/text.h"
#include "host/unique_fd.h"

extern char** environ;

namespace qa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

Error failure(const std::string& message) { return {ErrorKind::process_failed, message, "process.run", ""}; }

bool is_inherited(std::string_view entry) {
  if (entry.starts_with("LC_")) return true;
  for (const std::string_view name : {"HOME=", "LANG=", "TMPDIR=", "TZ=", "USER=", "LOGNAME="}) {
    if (entry.starts_with(name)) return true;
  }
  return false;
}

/// PATH without relative entries: a program in the folder that is tested must not stand in for a tool.
std::string clean_path(const char* value) {
  std::string result;
  const std::string all = value == nullptr || *value == '\0' ? kDefaultPath : value;
  for (const std::string_view part : split(all, ':')) {
    if (part.starts_with('/')) result.append(result.empty() ? "" : ":").append(part);
  }
  return result.empty() ? kDefaultPath : result;
}

std::vector<std::string> environment_of(const SubprocessSpec& spec) {
  std::vector<std::string> result = inherited_environment();
  for (const auto& [name, value] : spec.environment) {
    const std::string start = name + "=";
    std::erase_if(result, [&](const std::string& entry) { return entry.starts_with(start); });
    if (!value.empty()) result.push_back(start + value);
  }
  return result;
}

std::string path_in(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return kDefaultPath;
}

/// The first and the last bytes of a stream.
class Capture {
 public:
  explicit Capture(std::size_t limit) : half_(limit / 2) {}

  void add(const char* data, std::size_t count) {
    bytes_ += count;
    const std::size_t for_head = std::min(count, half_ - head_.size());
    head_.append(data, for_head);
    tail_.append(data + for_head, count - for_head);
    // Cutting at twice the limit makes a flood cost one move per half.
    if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);
  }

  CapturedOutput take() {
    if (tail_.size() > half_) tail_.erase(0, tail_.size() - half_);
    const std::uint64_t missing = bytes_ - head_.size() - tail_.size();
    CapturedOutput output{std::move(head_), bytes_, missing > 0};
    if (missing > 0) output.text += fmt::format("\n[{} bytes left out]\n", missing);
    output.text += tail_;
    return output;
  }

 private:
  std::size_t half_;
  std::string head_, tail_;
  std::uint64_t bytes_ = 0;
};

/// The descriptors of a start, all close-on-exec.
struct Channels {
  UniqueFd input, out_read, out_write, err_read, err_write;
};

/// stdin from memory: what the program does not read costs nobody a wait.
bool fill_input(UniqueFd& fd, const std::string& input) {
  if (input.empty()) {
    fd.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return static_cast<bool>(fd);
  }
  fd.reset(::memfd_create("qa-host-input", MFD_CLOEXEC));
  return fd && write_all(fd.get(), input) && ::lseek(fd.get(), 0, SEEK_SET) == 0;
}

bool open_channels(Channels& channels, const std::string& input) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return false;
  channels.out_read.reset(out[0]);
  channels.out_write.reset(out[1]);
  if (::pipe2(err, O_CLOEXEC) != 0) return false;
  channels.err_read.reset(err[0]);
  channels.err_write.reset(err[1]);
  if (!fill_input(channels.input, input)) return false;
  // Our ends alone: a program that finds its stdout non-blocking loses output.
  for (const int fd : {channels.out_read.get(), channels.err_read.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return true;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

struct Subprocess::State : std::enable_shared_from_this<State> {
  State(EventLoop& loop_in, const SubprocessSpec& spec, pid_t pid, Callback<SubprocessResult> done_in)
      : loop(loop_in),
        leader(std::make_shared<ProcessLeader>(loop_in, pid)),
        done(std::move(done_in)),
        began_ms(loop.now_ms()),
        out(spec.output_bytes),
        err(spec.output_bytes),
        on_err(spec.on_err) {}

  EventLoop& loop;
  std::shared_ptr<ProcessLeader> leader;
  Callback<SubprocessResult> done;
  double began_ms;
  Capture out, err;
  const std::function<void(std::string_view)> on_err;
  std::shared_ptr<PipeReader> out_pipe, err_pipe;
  bool closed = false, timed_out = false;
  EventLoop::TimerId limit = 0;

  std::shared_ptr<PipeReader> reader(int fd, Capture& capture) {
    return PipeReader::start(loop, fd, [this, &capture](const char* data, std::size_t count) {
      capture.add(data, count);
      if (on_err && &capture == &err) on_err({data, count});
    });
  }

  void close() {
    if (std::exchange(closed, true)) return;
    out_pipe->close();
    err_pipe->close();
    leader->close();
    if (limit != 0) loop.cancel(limit);
  }

  void kill_after(std::chrono::milliseconds delay, bool is_limit) {
    if (limit != 0) loop.cancel(limit);
    limit = loop.after(delay, [weak = weak_from_this(), is_limit] {
      const auto self = weak.lock();
      if (!self || self->closed) return;
      self->limit = 0;
      self->timed_out = is_limit;
      self->leader->kill_group();
    });
  }

  void finish() {
    // What was written before the end is in the pipes. Somebody who left the group may go on writing: not our output.
    out_pipe->drain();
    err_pipe->drain();
    close();
    SubprocessResult result;
    const int status = leader->status();
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.exit_code = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(status);
    result.timed_out = timed_out;
    result.out = out.take();
    result.err = err.take();
    result.ms = loop.now_ms() - began_ms;
    const auto finished = std::exchange(done, nullptr);
    if (finished) finished(std::move(result));
  }

  void stop() {
    done = nullptr;
    if (closed) return;
    leader->end_now();
    close();
  }
};

Subprocess::Subprocess(std::shared_ptr<State> state) : state_(std::move(state)) {}
Subprocess::~Subprocess() { stop(); }
pid_t Subprocess::group() const { return state_->leader->pid(); }
void Subprocess::stop() { state_->stop(); }

void Subprocess::end(std::chrono::milliseconds grace) {
  if (state_->closed || state_->leader->ended()) return;
  ::kill(state_->leader->pid(), SIGTERM);
  state_->kill_after(grace, false);
}

Result<std::shared_ptr<Subprocess>> Subprocess::start(EventLoop& loop, const SubprocessSpec& spec,
                                                      Callback<SubprocessResult> done) {
  std::error_code ignored;
  if (!spec.cwd.empty() && !fs::is_directory(spec.cwd, ignored)) return failure("no folder " + spec.cwd);
  const auto environment = environment_of(spec);
  std::string program = find_program(spec.argv.front(), path_in(environment));
  if (program.empty()) return failure("no program '" + spec.argv.front() + "'; install it or give its path");
  // A relative name means one below the folder that the program runs in.
  if (program.front() != '/' && !spec.cwd.empty()) program = spec.cwd + "/" + program;
  if (!is_program(program)) return failure(program + " is no program that can be run");
  Channels channels;
  if (!open_channels(channels, spec.input)) return failure(std::string("cannot start a process: ") + strerror(errno));
  pid_t pid = -1;
  // The program is opened after the change of folder, so its name must hold there too.
  program = fs::absolute(program, ignored).string();
  const int failed = spawn_group(pid, program, spec.argv, environment,
                                 {channels.input.get(), channels.out_write.get(), channels.err_write.get()}, spec.cwd);
  if (failed != 0) {
    return failure("cannot run " + program + ": " + std::strerror(failed));
  }
  auto state = std::make_shared<State>(loop, spec, pid, std::move(done));
  state->out_pipe = state->reader(channels.out_read.release(), state->out);
  state->err_pipe = state->reader(channels.err_read.release(), state->err);
  state->kill_after(spec.timeout, true);
  state->leader->watch([state] { state->finish(); });
  return std::shared_ptr<Subprocess>(new Subprocess(std::move(state)));
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> result{"PATH=" + clean_path(std::getenv("PATH"))};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (is_inherited(*entry)) result.emplace_back(*entry);
  }
  return result;
}

std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string_view folder : split(path, ':')) {
    const std::string candidate = std::string(folder) + "/" + name;
    if (!folder.empty() && !name.empty() && is_program(candidate)) return candidate;
  }
  return "";
}

bool is_program(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

int spawn_group(pid_t& pid, const std::string& program, std::vector<std::string> arguments,
                std::vector<std::string> environment, const std::vector<int>& files, const std::string& cwd) {
  // Above the numbers that they are moved to, so that no move overwrites another's source.
  const int count = static_cast<int>(files.size());
  std::vector<UniqueFd> sources;
  for (const int fd : files) {
    sources.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, count));
    if (!sources.back()) return errno;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int to = 0; to < count; ++to) {
    posix_spawn_file_actions_adddup2(&actions, sources[static_cast<std::size_t>(to)].get(), to);
  }
  // Descriptors of the embedding program that are not close-on-exec must not keep its files and sockets alive.
  posix_spawn_file_actions_addclosefrom_np(&actions, count);
  if (!cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, cwd.c_str());
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(arguments).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

}  // namespace qa
