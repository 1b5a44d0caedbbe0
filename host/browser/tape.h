#pragma once
// Tape: what the network answered to the first of a game's worlds that asked, given to all later ones. Entries are
// known by method, URL, body and how often that was asked before. One object for all worlds of a game, in memory and,
// where it has a folder, on disk as well:
//   FOLDER/tape.jsonl     one entry a line, each with the sum of all before it (line_chain.h)
//   FOLDER/bodies/SHA256  0600
// On disk, values of Set-Cookie and of query parameters that look like credentials are left out, and entries that came
// with credentials are marked "private". Loop thread only, but for open().

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/folder.h"
#include "host/line_chain.h"
#include "host/net/http_message.h"

namespace qa {

struct TapeOptions {
  std::string folder;  ///< "": in memory alone. It is made; one with a tape is read.
  std::size_t max_bytes = std::size_t{512} << 20;
  /// Is the network asked for what is not on the tape? Else it fails. Not set: when the tape is new.
  std::optional<bool> asks_network = {};
};

/// What identifies a request.
struct TapeRequest {
  std::string method, url, body;
  bool is_private = false;  ///< It carried credentials.
};

struct TapeResponse {
  int status = 0;       ///< 0: there was no answer.
  std::string failure;  ///< Why, as Network.ErrorReason has it.
  HttpHeaders headers;
  std::shared_ptr<const std::string> body;
  int order = -1;  ///< Place among the answers that came by the network; -1 for a file of a folder that we serve.
};

class Tape {
 public:
  /// A request with what is known of it.
  struct Slot {
    std::shared_ptr<const TapeResponse> response;
    bool is_asked = false;                        ///< Somebody asks the network.
    std::vector<std::function<void()>> watchers;  ///< Called once, when one of these changes.
  };

  /// trace_mismatch names the damaged entry and its offset; io_error. Reads the whole tape: belongs on the pool.
  static Result<std::shared_ptr<Tape>> open(const TapeOptions& options);

  /// Method, URL and body in short.
  static std::string key_of(const TapeRequest& request);
  /// The entry for the `count`th time (from 1) that a world asks this.
  Slot& slot(const std::string& key, int count);
  /// An answer that holds for every time it is asked; nullptr where there is none.
  std::shared_ptr<const TapeResponse> file(const std::string& url) const;

  /// Puts an answer on the tape; false when it is full, and the entry stays unknown.
  bool keep(const TapeRequest& request, int count, TapeResponse response);
  /// The same for every time it is asked.
  bool keep_file(const std::string& url, TapeResponse response);
  /// The network will not tell: whoever waits may ask itself.
  void give_up(Slot& slot);

  /// Requests that nothing was known of, or that could not be kept: what, and why.
  void note_gap(const std::string& url, const std::string& reason);
  const std::vector<std::pair<std::string, std::string>>& gaps() const { return gaps_; }

  bool asks_network() const { return asks_network_; }
  bool was_there() const { return was_there_; }  ///< The folder had a tape.
  std::size_t entries() const { return entries_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t max_bytes() const { return max_bytes_; }
  int answers() const { return answers_; }  ///< How many have an order.
  /// Of all entries on disk.
  const std::string& sum() const { return chain_.sum(); }
  /// SHA-256 of the addresses and bodies of the files that were served: which build of the game this is.
  std::string files_sha256() const;

 private:
  explicit Tape(const TapeOptions& options)
      : max_bytes_(options.max_bytes), asks_network_(options.asks_network.value_or(true)) {}
  Result<Unit> read();
  Result<Unit> read_entry(std::string_view line);
  bool store(const std::string& key, const TapeRequest& request, int count, TapeResponse response);
  Result<Unit> write(const std::string& key, const TapeRequest& request, int count, const TapeResponse& response,
                     const std::string& hash);
  std::shared_ptr<const std::string> share(std::shared_ptr<const std::string> body, const std::string& hash);

  const std::size_t max_bytes_;
  bool asks_network_;
  std::unique_ptr<Folder> folder_;
  UniqueFd index_, bodies_folder_;  ///< Where there is a folder.
  bool was_there_ = false;
  std::map<std::string, Slot> slots_;
  std::map<std::string, std::shared_ptr<const std::string>> bodies_;  ///< By SHA-256.
  std::map<std::string, std::string> files_;                          ///< SHA-256 of bodies by URL, without origin.
  LineChain chain_;
  std::vector<std::pair<std::string, std::string>> gaps_;
  std::size_t entries_ = 0, bytes_ = 0;
  int answers_ = 0;
};

/// The bytes of `whole` that a Range header asks for, as a 206 or 416; `whole` itself for another status or no range.
struct TapePart {
  int status;
  HttpHeaders headers;
  std::string body;
};
TapePart cut_range(const TapeResponse& whole, std::string_view range);

}  // namespace qa
