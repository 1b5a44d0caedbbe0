#include "host/net/connection.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>

#include "host/net/tls.h"

namespace qa {
namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

constexpr std::size_t kTunnelRead = 4 * 1024;
constexpr std::uint32_t kTunnelHead = 64 * 1024;

}  // namespace

DialPlan::DialPlan(HttpClientOptions given) : options(std::move(given)) {
  const std::string& text = options.proxy;
  proxy = parse_http_url(text.find("://") == text.npos ? "http://" + text : text);
  if (proxy && proxy->is_https) proxy.reset();
}

Dial::Dial(EventLoop& loop, DialPlan& plan, HttpUrl url)
    : loop_(loop), plan_(plan), url_(std::move(url)), resolver_(loop.io()) {
  peers_.host = url_.host_and_port();
  by_proxy_ = url_.is_https && !plan.options.proxy.empty() && !is_proxy_exempt(url_, plan.options.no_proxy);
  if (by_proxy_) phase_ = HttpPhase::proxy;
  if (by_proxy_ && plan.proxy) peers_.proxy = plan.proxy->host_and_port();
}

std::string Dial::refusal() const {
  return by_proxy_ && !plan_.proxy ? "the address of the proxy is no http:// address: correct HTTPS_PROXY" : "";
}

void Dial::start(Done done) {
  done_ = std::move(done);
  connection_ = std::make_unique<Connection>(loop_.io());
  const HttpUrl& peer = by_proxy_ ? *plan_.proxy : url_;
  error_code is_name;
  const auto address = asio::ip::make_address(peer.host, is_name);
  if (!is_name) return open(tcp::resolver::results_type::create(tcp::endpoint(address, peer.port), "", ""));
  if (is_localhost(peer)) {
    const std::array<tcp::endpoint, 2> here = {tcp::endpoint(asio::ip::address_v6::loopback(), peer.port),
                                               tcp::endpoint(asio::ip::address_v4::loopback(), peer.port)};
    return open(tcp::resolver::results_type::create(here.begin(), here.end(), "", ""));
  }
  resolver_.async_resolve(peer.host, std::to_string(peer.port),
                          [self = shared_from_this()](error_code failed, const auto& addresses) {
                            if (!self->done_) return;
                            failed ? self->broken(failed) : self->open(addresses);
                          });
}

void Dial::open(const tcp::resolver::results_type& addresses) {
  phase_ = by_proxy_ ? HttpPhase::proxy : HttpPhase::connect;
  asio::async_connect(connection_->socket, addresses,
                      [self = shared_from_this()](error_code failed, const tcp::endpoint&) {
                        if (!self->done_) return;
                        if (failed) return self->broken(failed);
                        error_code ignored;
                        self->connection_->socket.set_option(tcp::no_delay(true), ignored);
                        self->by_proxy_ ? self->tunnel() : self->secure();
                      });
}

void Dial::tunnel() {
  answer_ = std::make_unique<HttpAnswer>(kTunnelHead, 0, false, [](std::string_view) { return BodyStep::more; });
  head_ = tunnel_head(peers_.host, *plan_.proxy);
  // A write that fails says less than what the proxy says, or than its end.
  asio::async_write(connection_->socket, asio::buffer(head_), [self = shared_from_this()](error_code, std::size_t) {});
  read_tunnel();
}

void Dial::read_tunnel() {
  connection_->socket.async_read_some(asio::buffer(answer_->room(kTunnelRead), kTunnelRead),
                                      [self = shared_from_this()](error_code failed, std::size_t count) {
                                        if (!self->done_) return;
                                        if (failed) return self->broken(failed);
                                        self->answer_->take(count);
                                        self->on_tunnel();
                                      });
}

void Dial::on_tunnel() {
  const HttpAnswer::State state = answer_->state();
  if (state == HttpAnswer::State::head || state == HttpAnswer::State::body) return read_tunnel();
  if (state != HttpAnswer::State::complete) return fail(malformed_text(phase_, peers_, answer_->fault()));
  const int status = answer_->response().status;
  if (status / 100 != 2) return fail(refused_text(peers_, status));
  secure();
}

void Dial::secure() {
  if (!url_.is_https) return end(std::move(connection_), "");
  phase_ = HttpPhase::tls;
  if (!plan_.trust) {
    auto context = make_tls_context(plan_.options.ca_file);
    if (!context) return fail(context.error().message);
    plan_.trust.emplace(context->release());
  }
  connection_->tls.emplace(connection_->socket, *plan_.trust);
  error_code is_name;
  asio::ip::make_address(url_.host, is_name);
  if (expect_tls_host(connection_->tls->native_handle(), url_.host, !is_name)) return shake_hands();
  fail("no certificate can be for " + peers_.host + ": correct the host name");
}

void Dial::shake_hands() {
  connection_->tls->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](error_code failed) {
    if (!self->done_) return;
    if (!failed) return self->end(std::move(self->connection_), "");
    const bool is_tls = failed.category() == asio::error::get_ssl_category();
    const auto code = is_tls ? static_cast<unsigned long>(failed.value()) : 0;
    self->fail(tls_failure_text(self->connection_->tls->native_handle(), code, self->peers_.host));
  });
}

void Dial::broken(error_code cause) { fail(broken_text(phase_, peers_, cause.message())); }

void Dial::end(std::unique_ptr<Connection> connection, std::string fault) {
  const Done done = std::exchange(done_, nullptr);
  cancel();
  done(std::move(connection), std::move(fault));
}

void Dial::cancel() {
  done_ = nullptr;
  resolver_.cancel();
  if (connection_) connection_->close();
}

}  // namespace qa
