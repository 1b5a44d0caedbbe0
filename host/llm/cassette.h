#pragma once
// Cassette: recorded questions and answers of a run, in a folder: index.jsonl (one line a call, readable in a diff) and
// blobs/<sha256>.png|jpg (the pictures that were sent). Replaying costs nothing and opens no socket. Loop thread only.
//
// A question is found by, in this order: the same body and pictures ("exact"); the same text and pictures that differ
// in at most 8 of the 64 bits of their difference hash ("similar"); being the n-th of its purpose ("sequence").

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/error.h"
#include "host/llm/conversation.h"
#include "host/llm/endpoint.h"
#include "host/llm/models.h"

namespace qa {

enum class CassetteMode {
  record,   ///< What is known exactly is replayed, all else is asked and added.
  replay,   ///< What is not known is an error: cassette_miss.
  refresh,  ///< Everything is asked anew; the old lines are replaced.
};
std::optional<CassetteMode> cassette_mode_named(std::string_view word);

/// A question as a cassette knows it.
struct CassetteKey {
  std::string exact, text;  ///< SHA-256 of the body with the pictures' hashes, and without pictures.
  std::string purpose;
  std::string request;  ///< The body, its pictures by hash and local servers as http://game.local.
  std::vector<SentImage> images;
};
CassetteKey cassette_key(const Endpoint& endpoint, const ModelRow& model, const Question& question,
                         const std::string& purpose);

struct Recorded {
  std::optional<Answer> answer;
  std::optional<Error> error;  ///< Instead: a failure that was the model's (refused, too large), not the network's.
  std::string matched_by;      ///< "exact", "similar" or "sequence".
};

class Cassette {
 public:
  /// io_error when the folder cannot be read or written; cassette_miss when replay finds no index or a line in it is
  /// broken.
  static Result<std::unique_ptr<Cassette>> open(const std::string& folder, CassetteMode mode);
  ~Cassette();

  CassetteMode mode() const;
  /// The recorded answer; nullopt: ask the model. cassette_miss in replay mode.
  Result<std::optional<Recorded>> find(const CassetteKey& key);
  /// Adds a line. io_error, and nothing is written, when it would hold one of the secrets, plain or in base64.
  Result<Unit> add(const CassetteKey& key, const Recorded& recorded, const std::vector<std::string>& secrets);

 private:
  struct State;
  explicit Cassette(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace qa
