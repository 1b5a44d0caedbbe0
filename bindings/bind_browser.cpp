// qa.browser.launch and connect, and browser:new_page info pages close.

#include <chrono>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "host/browser/browser.h"
#include "host/browser/page.h"
#include "host/browser/tape_track.h"

namespace qa::lua {
namespace {

namespace fs = std::filesystem;
constexpr auto kCloseLimit = std::chrono::milliseconds(4000);

/// The folder that browsers have theirs in, when the last one is gone.
void remove_if_empty(const std::string& directory) {
  std::error_code ignored;
  if (!directory.empty()) fs::remove(directory, ignored);
}

/// Tells the supervisor and forgets the handles of a browser that is closed or killed.
void browser_gone(VmState& vm, HandleId id) {
  const auto found = vm.handles.browsers.find(id);
  if (found == vm.handles.browsers.end()) return;
  const int pid = found->second.browser->info().pid;
  const std::string directory = found->second.directory;
  vm.handles.drop_browser(id);
  if (pid > 0 && vm.options.on_group_gone) vm.options.on_group_gone(pid);
  remove_if_empty(directory);
}

/// A browser that has started is the Vm's, whether or not its task still waits.
HandleId adopt(VmState& vm, const std::shared_ptr<Browser>& browser, const std::string& directory) {
  const HandleId id = vm.handles.add_browser(browser, directory);
  const BrowserInfo& info = browser->info();
  if (info.pid > 0 && vm.options.on_group_started) vm.options.on_group_started(info.pid);
  // Who has it controls the session: it is for the user, and for reports only where they are meant to have it.
  if (info.remote && !info.remote->debug_url.empty()) vm.log("line", "watch the session: " + info.remote->debug_url);
  return id;
}

/// Starts or connects, given the folder of the run's browsers, "" for a remote one; what kill() takes until it is
/// there.
using Start = std::function<std::weak_ptr<Browser>(const std::string& folder, Callback<std::shared_ptr<Browser>>)>;

int open_browser(Call& call, bool has_folder, const Start& start) {
  // The run is opened first, so that the launch is in its journal.
  const auto opened = call.vm.ensure_run();
  Scheduler& scheduler = *call.vm.scheduler;
  const WaitKey key = scheduler.begin_wait(call, {});
  auto done = completion<HandleId>(call, key, [vm = &call.vm](lua_State* L, HandleId& id) {
    vm->handles.push_browser(L, id);
    return 1;
  });
  if (!opened) {
    call.vm.loop.post([done, error = opened.error()] { done(error); });
    return scheduler.yield(call.L);
  }
  const std::string directory = has_folder ? call.vm.journal.run().browser_path() : "";
  const int ticket = call.vm.next_launch++;
  call.vm.launching[ticket] = start(directory, [weak = scheduler.weak_from_this(), vm = &call.vm, done, ticket,
                                                directory](Result<std::shared_ptr<Browser>> started) {
    if (weak.expired()) return;  // The end of the Vm has killed it.
    vm->launching.erase(ticket);
    if (started) {
      done(adopt(*vm, *started, directory));
    } else {
      remove_if_empty(directory);
      done(started.error());
    }
    // A copy: what it calls may take it back.
    if (const auto on_launched = vm->on_launched) on_launched();
  });
  return scheduler.yield(call.L);
}

int connect_browser(Call& call, RemoteOptions remote) {
  const ModelOptions& models = call.vm.options.models;
  remote.network = models.http;
  return open_browser(call, false, [&](const std::string&, Callback<std::shared_ptr<Browser>> done) {
    return Browser::connect(call.vm.loop, std::move(remote), std::move(done));
  });
}

int browser_launch(Call& call) {
  OptionTable options(call, 1, {"path", "headed", "arguments", "clock"});
  LaunchOptions launch;
  launch.path = options.string("path", call.vm.options.browser_path);
  launch.headed = options.boolean("headed", call.vm.options.headed);
  launch.extra_arguments = options.strings("arguments");
  launch.game_clock = options.one_of("clock", "real", {"real", "game"}) == "game";
  const auto& remote = call.vm.options.remote;
  if (remote && (!launch.path.empty() || launch.headed || !launch.extra_arguments.empty())) {
    const Error error{
        ErrorKind::browser_launch_failed,
        "path, headed and arguments start a browser of this machine, but this run has a remote one: leave "
        "them out, or leave out --cdp, --grid or --browserbase",
        call.name, ""};
    return open_browser(call, false, [&](const std::string&, Callback<std::shared_ptr<Browser>> done) {
      call.vm.loop.post([done = std::move(done), error] { done(error); });
      return std::weak_ptr<Browser>();
    });
  }
  if (remote) return connect_browser(call, *remote);
  for (auto& word : cookie_arguments(call.vm.options.credentials)) launch.extra_arguments.push_back(std::move(word));
  return open_browser(call, true, [&](const std::string& folder, Callback<std::shared_ptr<Browser>> done) {
    launch.directory = folder;
    return Browser::launch(call.vm.loop, std::move(launch), std::move(done));
  });
}

int browser_connect(Call& call) {
  RemoteOptions remote;
  remote.url = string_at(call, 1, "url");
  return connect_browser(call, std::move(remote));
}

int browser_new_page(Call& call) {
  const auto browser = browser_self(call);
  OptionTable options(
      call, 2,
      {"width", "height", "scale", "touch", "tap_text", "count_draws", "hold_scroll", "grace_extensions",
       "reload_loop_loads", "reload_loop_ms", "clock", "seed", "epoch_ms", "frame_ms", "patience_ms", "tape", "twin"});
  PageOptions page;
  page.access = call.vm.access;
  page.is_remote = browser->info().remote.has_value();
  page.width = options.integer("width", page.width, 1, 10000);
  page.height = options.integer("height", page.height, 1, 10000);
  page.scale = options.number("scale", page.scale, 0.1, 10);
  page.touch = options.boolean("touch", page.touch);
  page.tap_text = options.boolean("tap_text", page.tap_text);
  page.count_draws = options.boolean("count_draws", page.count_draws);
  page.hold_scroll = options.boolean("hold_scroll", page.hold_scroll);
  if (options.one_of("clock", "real", {"real", "game"}) == "game") {
    ClockOptions& clock = page.clock.emplace();
    clock.seed = options.integer("seed", 1, 0, std::numeric_limits<int>::max());
    clock.epoch_ms = options.number("epoch_ms", clock.epoch_ms, 0, 4e12);
    clock.frame_ms = options.number("frame_ms", clock.frame_ms, 1, 1000);
    clock.patience_ms = options.number("patience_ms", clock.patience_ms, 1, 3600 * 1000);
  }
  if (auto tape = tape_option(call, options)) {
    page.tape = std::make_shared<TapeUse>(TapeUse{std::move(tape), options.boolean("twin", false)});
  } else if (options.has("twin")) {
    throw Misuse("twin is for a page with a tape");
  }
  HealthLimits& health = page.health;
  health.grace_extensions = options.integer("grace_extensions", health.grace_extensions, 0, 1000);
  health.reload_loop_loads = options.integer("reload_loop_loads", health.reload_loop_loads, 1, 1000);
  health.reload_loop_ms = options.integer("reload_loop_ms", health.reload_loop_ms, 1, 3600 * 1000);
  return await<std::shared_ptr<Page>>(call, [&](auto done) { browser->new_page(page, done); });
}

int browser_info(Call& call) {
  const BrowserInfo info = browser_self(call)->info();
  Json facts = {{"path", info.path},         {"product", info.product},       {"protocol", info.protocol},
                {"headless", info.headless}, {"no_sandbox", info.no_sandbox}, {"pid", info.pid}};
  if (info.remote) {
    facts["remote"] = {{"service", info.remote->service},
                       {"address", info.remote->address},
                       {"session", info.remote->session},
                       {"node", info.remote->node}};
    if (call.vm.options.remote && call.vm.options.remote->reports_debug_url)
      facts["remote"]["debug_url"] = info.remote->debug_url;
  }
  return push_result(call.L, facts);
}

int browser_pages(Call& call) {
  const auto push = [&](const std::shared_ptr<Page>& page) { call.vm.handles.push_page(call.L, page); };
  return push_list(call.L, browser_self(call)->pages(), push);
}

int browser_close(Call& call) {
  const HandleId id = handle_id(call, 1, "browser");
  const auto found = call.vm.handles.browsers.find(id);
  const auto browser = found == call.vm.handles.browsers.end() ? nullptr : found->second.browser;
  const auto start = [&](Callback<Unit> done) {
    if (!browser) return call.vm.loop.post([done] { done(Unit{}); });  // Closing twice is fine.
    browser->close([weak = call.vm.scheduler->weak_from_this(), vm = &call.vm, id, done](Result<Unit> closed) {
      if (weak.expired()) return;
      browser_gone(*vm, id);
      done(closed);
    });
  };
  return await<Unit>(call, start);
}

/// Browsers that the end of a run waits for.
struct Closing {
  VmState* vm;
  std::function<void()> then;
  EventLoop::TimerId timer = 0;

  void check(bool late) {
    if (!then || (!late && (!vm->handles.browsers.empty() || !vm->launching.empty()))) return;
    while (!vm->handles.browsers.empty()) {
      const auto first = vm->handles.browsers.begin();
      first->second.browser->kill();
      browser_gone(*vm, first->first);
    }
    const auto next = std::exchange(then, nullptr);
    VmState& owner = *vm;
    const EventLoop::TimerId limit = timer;
    // From here on this object may be gone: the timer and the listener hold it.
    owner.on_launched = nullptr;
    if (!late) owner.loop.cancel(limit);
    next();
  }
};

}  // namespace

void close_browsers(VmState& vm, std::function<void()> then) {
  auto closing = std::make_shared<Closing>(Closing{&vm, std::move(then), 0});
  const std::weak_ptr<Scheduler> weak = vm.scheduler;
  const auto close_open = [&vm, closing, weak] {
    const auto open = vm.handles.browsers;
    for (const auto& [id, entry] : open) {
      entry.browser->close([closing, weak, id = id](const Result<Unit>&) {
        if (weak.expired()) return;
        browser_gone(*closing->vm, id);
        closing->check(false);
      });
    }
    closing->check(false);
  };
  closing->timer = vm.loop.after(kCloseLimit, [closing, weak] {
    if (!weak.expired()) closing->check(true);
  });
  vm.on_launched = close_open;
  close_open();
}

void add_browser(lua_State* L) {
  add_functions(L, "browser_module_waits", "qa.browser.",
                {{"launch", bound<browser_launch>}, {"connect", bound<browser_connect>}});
  add_functions(L, "browser_waits",
                "browser:", {{"new_page", bound<browser_new_page>}, {"close", bound<browser_close>}});
  add_functions(L, "browser", "browser:", {{"info", bound<browser_info>}, {"pages", bound<browser_pages>}});
}

}  // namespace qa::lua
