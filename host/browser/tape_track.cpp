#include "host/browser/tape_track.h"

#include "host/net/http_url.h"

namespace qa {
namespace {

/// An answer that came earlier when it was taped may belong to a request that this page never makes.
constexpr std::chrono::milliseconds kOrderWait{250};
/// For the page to have what it was given: a worker does not say so.
constexpr std::chrono::milliseconds kDeliveryWait{100};
/// For another page that asks the network; it may have stopped.
constexpr std::chrono::milliseconds kNetworkWait{10'000};
/// For the page that may send: twins are stepped side by side.
constexpr std::chrono::milliseconds kSenderWait{1'000};
constexpr const char* kRefused = "BlockedByClient";

bool is_safe(const std::string& method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

}  // namespace

struct TapeTrack::Question {
  TapeRequest request;
  std::string key;
  int count = 0;
  std::string range;
  std::function<void(Decision)> done;
  bool is_over = false, is_late = false;
  bool waits = false;  ///< Its timer runs.
};

TapeTrack::~TapeTrack() {
  alive_.reset();
  for (const auto& [key, count] : asking_) use_.tape->give_up(use_.tape->slot(key, count));
}

void TapeTrack::ask(const PausedRequest& paused, std::function<void(Decision)> done) {
  const auto url = parse_http_url(paused.url.substr(0, paused.url.find_first_of("?#")));
  const bool is_here = url && !url->is_https && (url->host == "127.0.0.1" || url->host == "localhost");
  if (!url || (is_here && access_ && access_->folders.count(url->port) != 0)) return done({Way::pass});
  if (paused.network.empty()) {
    if (auto known = recall(paused)) return done(std::move(*known));
  }
  const auto question = std::make_shared<Question>();
  question->request = {paused.method, paused.url, paused.body, is_private(paused)};
  question->range = std::string(paused.header("Range"));
  // A range is cut from the whole, which is asked for once.
  question->key = Tape::key_of(question->request);
  question->count = question->range.empty() ? ++counts_[question->key] : 1;
  question->done = std::move(done);
  look(question);
}

/// The developer tools read what the page has loaded, and ask anew for what may not be kept (Cache-Control: no-store):
/// that is no request of the page, and has no id there. The twins do not make it.
std::optional<TapeTrack::Decision> TapeTrack::recall(const PausedRequest& paused) const {
  const std::string key = Tape::key_of({paused.method, paused.url, paused.body, is_private(paused)});
  const auto asked = counts_.find(key);
  if (asked == counts_.end()) return std::nullopt;
  const auto& response = use_.tape->slot(key, asked->second).response;
  if (!response || response->status == 0) return std::nullopt;
  return Decision{Way::answer, cut_range(*response, std::string(paused.header("Range")))};
}

bool TapeTrack::is_private(const PausedRequest& paused) const {
  if (!paused.header("Authorization").empty()) return true;
  return access_ && !access_->credentials.origin.empty() && paused.url.starts_with(access_->credentials.origin + "/");
}

void TapeTrack::look(const std::shared_ptr<Question>& question) {
  if (question->is_over) return;
  const auto end = [question](Decision decision) {
    question->is_over = true;
    question->done(std::move(decision));
  };
  Tape& tape = *use_.tape;
  Tape::Slot& slot = tape.slot(question->key, question->count);
  auto response = slot.response;
  if (!response && question->request.method == "GET") response = tape.file(question->request.url);
  if (response) {
    question->is_over = true;
    return release(response->order, [question, response, end] {
      end(response->status == 0 ? Decision{Way::fail, {}, response->failure}
                                : Decision{Way::answer, cut_range(*response, question->range)});
    });
  }
  const bool may_ask = use_.tape->asks_network() && (!use_.is_twin || is_safe(question->request.method));
  if (may_ask && !slot.is_asked) {
    slot.is_asked = true;
    asking_.emplace(question->key, question->count);
    return end({Way::record, {}, "", question->request, question->key, question->count});
  }
  if (!use_.tape->asks_network() || question->is_late) {
    tape.note_gap(question->request.url, use_.tape->asks_network() ? "a twin does not send " + question->request.method
                                                                   : "it is not on the tape, and was not asked for");
    return end({Way::fail, {}, kRefused});
  }
  wait(question, slot);
}

void TapeTrack::wait(const std::shared_ptr<Question>& question, Tape::Slot& slot) {
  const auto again = [this, alive = std::weak_ptr(alive_), question] {
    if (!alive.expired()) look(question);
  };
  slot.watchers.emplace_back(again);
  if (std::exchange(question->waits, true)) return;
  const bool is_sent = slot.is_asked;
  loop_.after(is_sent ? kNetworkWait : kSenderWait, [this, alive = std::weak_ptr(alive_), question] {
    if (alive.expired() || question->is_over) return;
    question->is_late = true;
    use_.tape->slot(question->key, question->count).is_asked = false;
    look(question);
  });
}

void TapeTrack::keep(const Decision& asked, TapeResponse response, std::function<void()> done) {
  asking_.erase({asked.key, asked.count});
  if (use_.tape->keep(asked.request, asked.count, std::move(response))) {
    return release(use_.tape->answers() - 1, std::move(done));
  }
  give_up(asked, "");
  done();
}

void TapeTrack::give_up(const Decision& asked, const std::string& reason) {
  asking_.erase({asked.key, asked.count});
  if (!reason.empty()) use_.tape->note_gap(asked.request.url, reason);
  use_.tape->give_up(use_.tape->slot(asked.key, asked.count));
}

void TapeTrack::release(int order, std::function<void()> deliver) {
  if (order < 0) return deliver();
  held_.emplace(order, std::move(deliver));
  release_next();
  if (held_.count(order) == 0) return;
  loop_.after(kOrderWait, [this, alive = std::weak_ptr(alive_), order] {
    if (alive.expired() || held_.count(order) == 0) return;
    next_ = std::max(next_, order);
    release_next();
  });
}

void TapeTrack::release_next() {
  while (!held_.empty() && delivering_ == delivered_) {
    while (released_.erase(next_) != 0) ++next_;
    const auto first = held_.begin();
    if (first->first > next_) return;
    const auto deliver = std::move(first->second);
    if (first->first >= next_) released_.insert(first->first);
    held_.erase(first);
    loop_.after(kDeliveryWait, [this, alive = std::weak_ptr(alive_), number = ++delivering_] {
      if (!alive.expired() && delivered_ < number) on_delivered();
    });
    deliver();
  }
}

void TapeTrack::on_delivered() {
  if (delivered_ < delivering_) ++delivered_;
  release_next();
}

}  // namespace qa
