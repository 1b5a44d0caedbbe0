#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/browser/launcher.h"

namespace qa {
namespace {

constexpr const char* kFlags[] = {
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    // GPU: games run in software GL (SwiftShader), the same on every machine.
    "--disable-gpu",
    "--force-color-profile=srgb",
    // Out-of-process iframes also in chromium-headless-shell, which has none by default.
    "--site-per-process",
    "--hide-scrollbars",
    "--mute-audio",
    "--autoplay-policy=no-user-gesture-required",
    // Nothing but the game talks to the network.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-quic",
    "--disable-breakpad",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // A page that is not in front plays on.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // The host sees hangs and answers dialogs itself.
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,GlobalMediaControls,"
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,InterestFeedContentSuggestions,"
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater,BackForwardCache,"
    // A document that the host answers itself counts as one of the Internet, which may not speak to this machine.
    "LocalNetworkAccessChecks",
};

/// What the browser would animate, or finish, in its own time: GIFs, scrolling, images decoded after their first paint.
constexpr const char* kGameClockFlags[] = {
    "--blink-settings=imageAnimationPolicy=2",
    // A picture would wait for the screen that there is not: it takes half the time so.
    "--disable-frame-rate-limit",
    "--disable-checker-imaging",
    "--disable-image-animation-resync",
    "--disable-partial-raster",
    "--disable-smooth-scrolling",
    "--disable-threaded-animation",
    "--disable-threaded-scrolling",
};

constexpr std::string_view kInherited[] = {"PATH=", "LANG=", "LC_ALL=", "LC_CTYPE=", "TZ=", "FONTCONFIG_"};
constexpr std::string_view kInheritedHeaded[] = {"DISPLAY=", "WAYLAND_DISPLAY=", "XDG_RUNTIME_DIR=", "XAUTHORITY="};

/// Containers often have 64 MiB of shared memory, which a game's textures exceed; the tab then crashes.
bool shared_memory_is_small() {
  std::error_code failed;
  const auto space = std::filesystem::space("/dev/shm", failed);
  return failed || space.capacity < (512ULL << 20);
}

bool allowed(std::string_view entry, bool headed) {
  const auto begins_entry = [entry](std::string_view name) { return entry.starts_with(name); };
  return std::any_of(std::begin(kInherited), std::end(kInherited), begins_entry) ||
         (headed && std::any_of(std::begin(kInheritedHeaded), std::end(kInheritedHeaded), begins_entry));
}

}  // namespace

bool is_headless_shell(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.find("headless-shell") != std::string::npos || name.find("headless_shell") != std::string::npos;
}

std::vector<std::string> browser_arguments(const LaunchOptions& options, const std::string& path,
                                           const std::string& directory, bool no_sandbox) {
  std::vector<std::string> arguments{path};
  arguments.insert(arguments.end(), std::begin(kFlags), std::end(kFlags));
  if (is_headless_shell(path)) {
    arguments.emplace_back("--headless");
  } else {
    if (!options.headed) arguments.emplace_back("--headless=new");
    // Pages are opened by the host; a start window would be one renderer more.
    arguments.emplace_back("--no-startup-window");
  }
  if (options.game_clock) arguments.insert(arguments.end(), std::begin(kGameClockFlags), std::end(kGameClockFlags));
  arguments.push_back("--user-data-dir=" + directory + "/profile");
  if (no_sandbox) arguments.emplace_back("--no-sandbox");
  if (shared_memory_is_small()) arguments.emplace_back("--disable-dev-shm-usage");
  arguments.insert(arguments.end(), options.extra_arguments.begin(), options.extra_arguments.end());
  return arguments;
}

std::vector<std::string> remote_arguments() {
  std::vector<std::string> arguments{"--headless=new"};
  for (const std::string flag : kFlags) {
    if (flag != "--remote-debugging-pipe") arguments.push_back(flag);
  }
  return arguments;
}

std::vector<std::string> browser_environment(const std::string& directory, const std::string& temporary, bool headed) {
  std::vector<std::string> environment;
  bool has_path = false;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!allowed(*entry, headed)) continue;
    has_path = has_path || std::string_view(*entry).starts_with("PATH=");
    environment.emplace_back(*entry);
  }
  if (!has_path) environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
  environment.push_back("HOME=" + directory);
  environment.push_back("TMPDIR=" + temporary);
  return environment;
}

}  // namespace qa
