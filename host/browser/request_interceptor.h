#pragma once
// RequestInterceptor: requests of one page that the host answers itself, or adds something to, before they leave the
// browser. Part of Page; fed with the events of its sessions. Loop thread only.
//
//   Fetch.requestPaused --> rules in order --> continue | continue with other headers | fulfil
//   Fetch.authRequired  --> rules in order --> user and password, once a request | as without the host
//
// A page with a tape asks that first, and what it has to ask the network is paused once more, with the answer.
//
// Each request that a pattern names costs a round trip, so nothing is enabled while no rule has a pattern.
//
// What arrives where (seen with Chromium 156, chromium and chromium-headless-shell alike): a page's session gets
// the requests of all frames of its process, of their dedicated workers (script, imports, fetches, nested workers; the
// workers' own sessions have no Fetch domain), and the documents of out-of-process frames, whose other requests arrive
// on the frame's session. A service worker's script and fetches arrive on the session that the page's auto-attach gave
// it. Not seen: WebSocket handshakes, what a shared worker fetches, Network.loadNetworkResource. A redirect pauses anew
// and starts from the page's own headers: what was added to one hop does not reach the next. The browser itself checks
// answers of the host against CORS.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/browser/cdp_connection.h"
#include "host/browser/request_rule.h"
#include "host/net/http_message.h"

namespace qa {

class TapeTrack;

class RequestInterceptor {
 public:
  /// A body beyond this is not handed over: as base64 it would leave little of the 64 MiB that may wait for a browser.
  /// Chromium itself ends at a message of 100 MB (a body of 64 MB took 2 s, and one of 90 MB ended the browser).
  static constexpr std::size_t kMostBody = std::size_t{40} << 20;

  explicit RequestInterceptor(std::shared_ptr<CdpConnection> cdp);
  ~RequestInterceptor();

  void set_rules(std::vector<RequestRule> rules) { rules_ = std::move(rules); }
  void set_tape(std::unique_ptr<TapeTrack> track);
  /// Is there a request to pause?
  bool is_active() const { return !patterns().empty(); }
  /// Holds requests of this session: page, iframe or service worker.
  void attach(const std::string& session);
  void detach(const std::string& session) { sessions_.erase(session); }
  /// Takes patterns into use that have changed.
  void refresh();
  /// What a rule answers in the place of a server, for a request of the host itself, which no session holds.
  std::optional<RequestAnswer> answer_here(const std::string& url) const;
  /// True when the event was for this object.
  bool on_event(const std::string& session, std::string_view method, const Json& params);

 private:
  std::vector<std::string> patterns() const;
  std::optional<RequestAnswer> answer_of(const PausedRequest& paused) const;
  void enable(const std::string& session);
  void on_paused(const std::string& session, const Json& params);
  void on_challenge(const std::string& session, const Json& params);
  /// A paused request whose turn has not come.
  struct Waiting {
    std::string session, request;
    PausedRequest paused;
  };
  void answer(const Waiting& waiting);
  void answer_by_rules(const Waiting& waiting);
  void fulfil(const std::string& session, const std::string& request, const RequestAnswer& answer);
  void go_on(const std::string& session, const std::string& request, const HttpHeaders* headers, bool is_recorded);
  /// The answer of the network to a request that is to be recorded.
  void on_answered(const std::string& session, const Json& params);
  struct Recorded;
  using RecordedRequests = std::map<std::string, std::unique_ptr<Recorded>>;
  RecordedRequests::iterator find_recorded(std::string_view network);
  void end_unanswered(RecordedRequests::iterator left);
  void take_body(const std::string& session, const std::string& request, struct TapeResponse response);
  void end_delivery();
  void record(const std::string& session, const std::string& request, struct TapeResponse response);
  void answer_next();
  void fail(const std::string& session, const std::string& request, const std::string& reason = "Failed");
  void send(const std::string& session, const std::string& request, std::string_view method, std::string members,
            std::function<void()> then = {});

  std::shared_ptr<CdpConnection> cdp_;
  std::vector<RequestRule> rules_;
  std::vector<std::string> enabled_;  ///< Patterns that the browser knows.
  std::set<std::string> sessions_;
  std::unique_ptr<TapeTrack> tape_;
  RecordedRequests recorded_;  ///< By session and request.
  std::string delivering_;     ///< Request that the page is getting from the tape.
  std::deque<Waiting> waiting_;
  std::size_t under_way_ = 0;                               ///< Bytes of bodies that the browser is still taking.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>();  ///< Goes with this object, before its last completions.
  std::set<std::string> challenged_;  ///< Requests that were given a password, which was wrong if they ask again.
};

}  // namespace qa
