// A remote browser: reached by a WebSocket, by way of a session that somebody gives and gets back.
//
//   session --> WebSocket --> version + context of our own --> open --> (context disposed, session given back) --> gone

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/browser/browser_state.h"
#include "host/browser/cdp_reply.h"
#include "host/browser/json_fields.h"
#include "host/browser/page_state.h"
#include "host/net/websocket.h"

namespace qa {
namespace {

constexpr int kConnectMs = 30000;
constexpr int kHandshakeMs = 30000;
constexpr int kDisposeMs = 1000;
constexpr char kOp[] = "browser.launch";

}  // namespace

std::weak_ptr<Browser> Browser::connect(EventLoop& loop, RemoteOptions options,
                                        Callback<std::shared_ptr<Browser>> done) {
  std::shared_ptr<Browser> browser(new Browser());
  browser->state_ = std::make_shared<State>(loop);
  State& state = *browser->state_;
  state.handle = browser;
  state.network = options.network;
  state.source = RemoteSession::make(loop, std::move(options));
  // The handle lives in the completion until the handshake is over.
  state.launched = [browser, done = std::move(done)](Result<std::shared_ptr<Browser>> result) {
    done(std::move(result));
  };
  state.connect();
  return browser;
}

void Browser::State::connect() {
  source->open([self = shared_from_this()](Result<std::string> endpoint) {
    self->info.remote = self->source->facts();
    if (self->killed) return;
    if (!endpoint) return self->finish_launch(endpoint.error());
    connect_websocket(self->loop, self->network, *endpoint, kConnectMs,
                      [self](Result<std::shared_ptr<MessageWire>> wire) {
                        if (self->killed) return;
                        if (!wire) {
                          Error error = wire.error();
                          error.message = self->info.remote->described() + " cannot be used: " + error.message;
                          error.kind = ErrorKind::browser_launch_failed;
                          error.op = kOp;
                          return self->finish_launch(std::move(error));
                        }
                        self->attach(std::move(*wire));
                        self->join();
                      });
  });
}

/// Everything at once: on a long way each answer that is waited for costs.
void Browser::State::join() {
  const auto self = shared_from_this();
  cdp->call("", "Browser.getVersion", "", kHandshakeMs, [self](Result<CdpConnection::Reply> reply) {
    if (!reply) return;
    self->info.product = text_of(reply->result, "product");
    self->info.protocol = text_of(reply->result, "protocolVersion");
    self->info.headless = text_of(reply->result, "userAgent").find("Headless") != std::string::npos;
  });
  cdp->send("", "Target.setDiscoverTargets", R"({"discover":true,"filter":[{"type":"page"}]})");
  // Its pages end with this connection, however that ends.
  cdp->call("", "Target.createBrowserContext", R"({"disposeOnDetach":true})", kHandshakeMs,
            [self](Result<CdpConnection::Reply> reply) {
              if (!reply && reply.error().kind == ErrorKind::browser_lost) return;  // lose() tells why.
              if (!reply) {
                return self->finish_launch(Error{ErrorKind::browser_launch_failed,
                                                 self->info.remote->described() +
                                                     " gives no browser context of its own: " + reply.error().message +
                                                     "; is this the address of a browser, not of a page?",
                                                 kOp, reply.error().detail});
              }
              self->context = text_of(reply->result, "browserContextId");
              self->deny_downloads(self->context);
              self->finish_launch(Unit{});
            });
}

void Browser::State::lose_remote() {
  if (cdp) cdp->close(*loss);
  forget_pages(*loss);
  if (closing) return;
  source->release([self = shared_from_this()] { self->remote_gone(); });
}

void Browser::State::close_remote() {
  const auto self = shared_from_this();
  if (loss) return;  // The session is on its way back.
  auto waiting = std::make_shared<int>(2);
  const auto one_less = [self, waiting] {
    if (--*waiting == 0) self->remote_gone();
  };
  source->release(one_less);
  if (!cdp) return one_less();
  cdp->on_lost({});
  cdp->call("", "Target.disposeBrowserContext", dump_json({{"browserContextId", context}}), kDisposeMs,
            [self, one_less](Result<CdpConnection::Reply>) {
              self->cdp->close();
              one_less();
            });
}

void Browser::State::remote_gone() {
  if (std::exchange(gone, true)) return;
  if (!loss) loss = Error{ErrorKind::browser_lost, "the browser was closed", "", ""};
  if (launched) {
    Error error = *loss;
    error.kind = ErrorKind::browser_launch_failed;
    error.op = kOp;
    return finish_launch(std::move(error));
  }
  finish_close();
}

}  // namespace qa
