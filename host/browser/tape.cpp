#include "host/browser/tape.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "host/browser/json_fields.h"
#include "host/files.h"
#include "host/net/served_file.h"
#include "host/sha256.h"

namespace qa {
namespace {

using Json = nlohmann::json;

constexpr const char *kIndex = "tape.jsonl", *kBodies = "bodies";
constexpr mode_t kFolderMode = 0700, kFileMode = 0600;
constexpr std::size_t kMostGaps = 1000, kMostEntries = 200'000;
constexpr std::string_view kLeftOut = "left-out";

std::string slot_name(const std::string& key, int count) { return key + ' ' + std::to_string(count); }

/// The address from the path on: an origin of ours has another port in each run.
std::string path_of(const std::string& url) {
  const std::size_t host = url.find("://"), path = host == url.npos ? url.npos : url.find('/', host + 3);
  return path == url.npos ? url : url.substr(path);
}

/// Does the name of a query parameter say that its value is a credential?
bool names_credential(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view words[] = {"key", "token",   "secret",     "passw", "auth",
                                        "sig", "session", "credential", "jwt"};
  return std::any_of(std::begin(words), std::end(words), [&](auto word) { return name.find(word) != name.npos; });
}

/// The URL without values of its query that look like credentials, and whether there were any.
std::pair<std::string, bool> shown_url(const std::string& url) {
  const std::size_t query = url.find('?');
  if (query == url.npos) return {url, false};
  std::string shown = url.substr(0, query);
  bool is_private = false;
  for (std::size_t at = query; at < url.size();) {
    const std::size_t end = std::min(url.find_first_of("&#", at + 1), url.size()), value = url.find('=', at);
    const bool hides = value < end && names_credential(url.substr(at + 1, value - at - 1));
    shown += hides ? url.substr(at, value - at + 1).append(kLeftOut) : url.substr(at, end - at);
    is_private = is_private || hides;
    at = end;
  }
  return {shown, is_private};
}

/// "name=left-out; Path=/" of a Set-Cookie header.
std::string without_value(const std::string& cookie) {
  const std::size_t value = cookie.find('='), rest = std::min(cookie.find(';'), cookie.size());
  return value < rest ? cookie.substr(0, value + 1).append(kLeftOut).append(cookie.substr(rest)) : cookie;
}

}  // namespace

Result<std::shared_ptr<Tape>> Tape::open(const TapeOptions& options) {
  const std::shared_ptr<Tape> tape(new Tape(options));
  if (options.folder.empty()) return tape;
  tape->folder_ = std::make_unique<Folder>(QA_TRY(Folder::open(options.folder, true)));
  ::mkdirat(tape->folder_->fd(), kBodies, kFolderMode);
  tape->bodies_folder_.reset(::openat(tape->folder_->fd(), kBodies, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!tape->bodies_folder_) return io_failure("cannot make a tape in " + options.folder, errno);
  QA_TRY(tape->read());
  if (tape->was_there_) tape->asks_network_ = options.asks_network.value_or(false);
  tape->index_.reset(
      ::openat(tape->folder_->fd(), kIndex, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!tape->index_) return io_failure("cannot write the tape in " + options.folder, errno);
  return tape;
}

Result<Unit> Tape::read() {
  const UniqueFd file(::openat(folder_->fd(), kIndex, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return errno == ENOENT ? Result<Unit>(Unit{}) : io_failure("cannot read the tape", errno);
  was_there_ = true;
  const auto text = read_all(file.get(), kLargestFile);
  if (!text) return io_failure("cannot read the tape", errno);
  std::size_t number = 0, next = 0;
  for (std::size_t at = 0; at < text->size(); at = next) {
    const std::size_t end = text->find('\n', at);
    const std::string_view line = std::string_view(*text).substr(at, end - at);
    next = end == text->npos ? text->size() : end + 1;
    ++number;
    auto taken = end != text->npos && chain_.follow(line)
                     ? read_entry(line)
                     : Error{ErrorKind::trace_mismatch, "it is damaged, or an entry before it is missing"};
    if (taken) continue;
    const std::string which = "entry " + std::to_string(number) + " at offset " + std::to_string(at) + " of " +
                              folder_->path() + "/" + kIndex + ": ";
    return Error{ErrorKind::trace_mismatch, which + taken.error().message};
  }
  return Unit{};
}

Result<Unit> Tape::read_entry(std::string_view line) {
  const auto failure = [](const std::string& why) { return Error{ErrorKind::trace_mismatch, why}; };
  const Json entry = Json::parse(line, nullptr, false);
  const std::string key = text_of(entry, "key"), hash = text_of(entry, "body"), url = text_of(entry, "url");
  if (key.empty() || entries_ >= kMostEntries) return failure("it is no entry of a tape");
  TapeResponse response;
  response.status = static_cast<int>(number_field(entry, "status"));
  response.failure = text_of(entry, "failure");
  response.order = static_cast<int>(number_field(entry, "order", -1));
  for (const Json& header : nested_field(entry, "headers")) {
    if (header.is_array() && header.size() == 2 && header[0].is_string() && header[1].is_string())
      response.headers.emplace_back(header[0].get<std::string>(), header[1].get<std::string>());
  }
  if (!hash.empty() && bodies_.count(hash) == 0) {
    const bool is_name = hash.find_first_not_of("0123456789abcdef") == hash.npos;
    auto body = is_name ? read_file(folder_->path() + "/bodies/" + hash) : failure("");
    if (!body) return failure("its body " + hash.substr(0, 12) + " of " + url + " cannot be read");
    if (sha256_hex(*body) != hash) return failure("its body " + hash.substr(0, 12) + " of " + url + " is damaged");
    share(std::make_shared<const std::string>(std::move(*body)), hash);
  }
  if (!hash.empty()) response.body = bodies_.at(hash);
  const int count = static_cast<int>(number_field(entry, "count"));
  if (count == 0) files_[path_of(url)] = hash;
  answers_ = std::max(answers_, response.order + 1);
  slots_[slot_name(key, count)].response = std::make_shared<const TapeResponse>(std::move(response));
  ++entries_;
  return Unit{};
}

std::shared_ptr<const std::string> Tape::share(std::shared_ptr<const std::string> body, const std::string& hash) {
  const auto [known, is_new] = bodies_.emplace(hash, std::move(body));
  if (is_new) bytes_ += known->second->size();
  return known->second;
}

std::string Tape::key_of(const TapeRequest& request) {
  const std::string body = request.body.empty() ? "" : sha256_hex(request.body);
  return sha256_hex(request.method + ' ' + request.url + ' ' + body);
}

Tape::Slot& Tape::slot(const std::string& key, int count) { return slots_[slot_name(key, count)]; }

std::shared_ptr<const TapeResponse> Tape::file(const std::string& url) const {
  const auto known = slots_.find(slot_name(key_of({"GET", url, ""}), 0));
  return known == slots_.end() ? nullptr : known->second.response;
}

bool Tape::keep(const TapeRequest& request, int count, TapeResponse response) {
  response.order = answers_;
  if (!store(key_of(request), request, count, std::move(response))) return false;
  ++answers_;
  return true;
}

bool Tape::keep_file(const std::string& url, TapeResponse response) {
  response.order = -1;
  const TapeRequest request{"GET", url, ""};
  return store(key_of(request), request, 0, std::move(response));
}

bool Tape::store(const std::string& key, const TapeRequest& request, int count, TapeResponse response) {
  const std::size_t size = response.body ? response.body->size() : 0;
  const std::string hash = size > 0 ? sha256_hex(*response.body) : "";
  const std::size_t more = bodies_.count(hash) == 0 ? size : 0;
  if (bytes_ + more > max_bytes_ || entries_ >= kMostEntries) {
    note_gap(request.url, "the tape is full; it is asked anew each time");
    return false;
  }
  if (auto written = write(key, request, count, response, hash); !written) {
    note_gap(request.url, "it is not on disk: " + written.error().message);
  }
  if (size > 0) response.body = share(response.body, hash);
  if (count == 0) files_[path_of(request.url)] = hash;
  ++entries_;
  Slot& slot = slots_[slot_name(key, count)];
  slot.response = std::make_shared<const TapeResponse>(std::move(response));
  give_up(slot);
  return true;
}

/// In the kernel when it returns: a tape survives the process, and need not survive the machine.
Result<Unit> Tape::write(const std::string& key, const TapeRequest& request, int count, const TapeResponse& response,
                         const std::string& hash) {
  if (!folder_) return Unit{};
  const auto [url, has_credential] = shown_url(request.url);
  Json headers = Json::array();
  bool is_private = request.is_private || has_credential;
  for (const auto& [name, value] : response.headers) {
    const bool is_cookie = equal_ignoring_case(name, "set-cookie");
    headers.push_back({name, is_cookie ? without_value(value) : value});
    // Where a redirect leads is needed to follow it.
    const bool has_key = equal_ignoring_case(name, "location") && shown_url(value).second;
    is_private = is_private || is_cookie || has_key;
  }
  Json entry{{"key", key},   {"method", request.method},  {"url", url},         {"count", count},
             {"body", hash}, {"status", response.status}, {"headers", headers}, {"order", response.order}};
  if (!response.failure.empty()) entry["failure"] = response.failure;
  if (is_private) entry["private"] = true;
  if (!hash.empty() && bodies_.count(hash) == 0) {
    const UniqueFd file(
        ::openat(bodies_folder_.get(), hash.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (!file || !write_all(file.get(), *response.body)) return io_failure("cannot write a body of the tape", errno);
  }
  LineChain chain = chain_;
  if (!write_all(index_.get(), chain.seal(dump_json(entry)) + "\n")) return io_failure("cannot write the tape", errno);
  chain_ = std::move(chain);
  return Unit{};
}

void Tape::give_up(Slot& slot) {
  slot.is_asked = false;  // Also of one that is answered now.
  for (const auto& tell : std::exchange(slot.watchers, {})) tell();
}

void Tape::note_gap(const std::string& url, const std::string& reason) {
  if (gaps_.size() < kMostGaps) gaps_.emplace_back(shown_url(url).first, reason);
}

std::string Tape::files_sha256() const {
  std::string list;
  for (const auto& [path, hash] : files_) list += path + ' ' + hash + '\n';
  return sha256_hex(list);
}

TapePart cut_range(const TapeResponse& whole, std::string_view range) {
  TapePart part{whole.status, whole.headers, whole.body ? *whole.body : ""};
  ByteRange bytes{0, part.body.size()};
  const auto wanted =
      range.empty() || whole.status != 200 ? RangeAnswer::whole : parse_range(range, part.body.size(), bytes);
  if (wanted == RangeAnswer::whole) return part;
  const std::string size = std::to_string(part.body.size());
  if (wanted == RangeAnswer::unsatisfiable) return {416, {{"Content-Range", "bytes */" + size}}, ""};
  part.status = 206;
  part.body = part.body.substr(bytes.start, bytes.length);
  part.headers.emplace_back("Content-Range", "bytes " + std::to_string(bytes.start) + "-" +
                                                 std::to_string(bytes.start + bytes.length - 1) + "/" + size);
  return part;
}

}  // namespace qa
