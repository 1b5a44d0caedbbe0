#pragma once
// Service: `qa-host serve`. Runs are asked for, watched and fetched over HTTP; each is a process of its own. Loop
// thread only.
//
//   POST /runs  GET /runs/ID  /runs/ID/report  /runs/ID/files/…  /runs/ID/events  DELETE /runs/ID  /metrics  /healthz
//
//   [HttpServer] --> routes --> [RunQueue] --> `qa-host test --event` ...
//        ^                         |  changes, lines
//        '---- [ProgressFeed] <----+--> [Webhooks]  [ServiceMetrics]

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/error.h"
#include "host/event_loop.h"

namespace qa {

struct ServiceOptions {
  std::string address = "127.0.0.1";
  int port = 0;
  std::string token_file, webhook_secret_file;  ///< Mode 0600; the second "" where there are no webhooks.
  std::string folder;                           ///< Of all runs.
  std::vector<std::string> words;               ///< The program that plays one run, and its options.
  std::vector<std::string> allowed_origins;
  std::string ca_file;                 ///< Trusted for webhooks, beside the system's.
  std::chrono::milliseconds limit{0};  ///< Of the play of one run.
  std::size_t jobs = 1, queue = 16;
};

class Service {
 public:
  /// io_error for secrets that cannot be used, a folder, an origin or a port; store_locked for a folder in use.
  static Result<std::unique_ptr<Service>> start(EventLoop& loop, const ServiceOptions& options);
  virtual ~Service() = default;

  virtual int port() const = 0;
  /// Accepts no more runs; `done` is called when all have ended, and their webhooks have been tried.
  virtual void drain(std::function<void()> done) = 0;
  /// What drains is cancelled at once.
  virtual void cancel_all() = 0;
};

/// A secret of a file: regular, readable by its owner alone, at least 16 bytes, without blanks; a last line break does
/// not count. `what` names it in errors.
Result<std::string> read_secret(const std::string& path, const std::string& what);

}  // namespace qa
