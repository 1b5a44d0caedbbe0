#include "bindings/model_desk.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "bindings/files.h"
#include "bindings/vm_state.h"

namespace qa::lua {
namespace {

constexpr Nano kDefaultCap = kDollar / 2;  ///< The seeds' $0.50 a run (C-030).

HttpClientOptions http_options(const VmOptions& options) {
  HttpClientOptions http;
  http.ca_file = options.models.ca_file;
  http.proxy = options.models.proxy;
  http.no_proxy = options.models.no_proxy;
  return http;
}

Result<std::string> data_file(const VmOptions& options, const std::string& name) {
  return read_file(options.share + "/scripts/data/" + name);
}

Error bad_amount(const std::string& what, const std::string& text) {
  return {ErrorKind::type_mismatch, what + ": expected dollars such as 0.50, got '" + text + "'", "", ""};
}

Result<std::optional<Nano>> amount(const std::string& what, const std::string& text) {
  if (text.empty()) return std::optional<Nano>();
  const auto parsed = parse_dollars(text);
  if (!parsed) return bad_amount(what, text);
  return std::optional<Nano>(*parsed);
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

ModelDesk::ModelDesk(EventLoop& loop, const VmOptions& options)
    : loop_(loop), environment_(options.environment), http_(loop, http_options(options)) {
  if (!environment_) environment_ = [](const std::string&) { return std::string(); };
}

Result<std::unique_ptr<ModelDesk>> ModelDesk::open(EventLoop& loop, const VmOptions& options) {
  auto desk = std::unique_ptr<ModelDesk>(new ModelDesk(loop, options));
  if (auto ready = desk->prepare(options); !ready) return ready.error();
  return desk;
}

Result<Unit> ModelDesk::prepare(const VmOptions& options) {
  const VmOptions::Models& wanted = options.models;
  const auto price_text = data_file(options, "prices.json");
  if (!price_text) return price_text.error();
  auto prices = PriceTable::parse(*price_text);
  if (!prices) return prices.error();
  prices_ = std::move(*prices);
  const auto model_text = data_file(options, "models.json");
  if (!model_text) return model_text.error();
  auto models = ModelTable::parse(*model_text);
  if (!models) return models.error();
  models_ = std::move(*models);

  const auto cap = amount("budget", wanted.budget_usd);
  if (!cap) return cap.error();
  const auto suite_cap = amount("suite budget", wanted.suite_usd);
  if (!suite_cap) return suite_cap.error();
  const auto day_cap = amount("day budget", wanted.day_usd);
  if (!day_cap) return day_cap.error();
  std::shared_ptr<SharedBook> book;
  if (!wanted.state.empty()) {
    book = std::make_shared<SharedBook>(wanted.state, SharedScopes{options.out, wanted.suite, *suite_cap, *day_cap});
  }
  budgets_.push_back(std::make_unique<BudgetScope>(loop_, Scope::open("run", (*cap).value_or(kDefaultCap)), book));
  sent_images_ = std::make_shared<SentImages>(!wanted.cassette.empty());
  if (wanted.cassette.empty()) return Unit{};
  const auto mode = cassette_mode_named(wanted.cassette_mode.empty() ? "replay" : wanted.cassette_mode);
  if (!mode) {
    return Error{ErrorKind::type_mismatch,
                 "--cassette-mode is record, replay or refresh, got '" + wanted.cassette_mode + "'", "", ""};
  }
  auto cassette = Cassette::open(wanted.cassette, *mode);
  if (!cassette) return cassette.error();
  cassette_ = std::move(*cassette);
  return Unit{};
}

Result<PriceRow> ModelDesk::price(const Endpoint& endpoint) const {
  if (endpoint.free) return PriceRow{};
  if (!endpoint.price.empty()) {
    nlohmann::json row = nlohmann::json::parse(endpoint.price, nullptr, false);
    if (!row.is_object())
      return Error{ErrorKind::type_mismatch, "an endpoint's price is a table {input=, output=, ...}", "", ""};
    row["provider"] = endpoint.name;
    row["models"] = {endpoint.model};
    if (!row.contains("source")) row["source"] = "the endpoint's own";
    if (!row.contains("date")) row["date"] = utc_day(unix_seconds());
    const auto table = PriceTable::parse(nlohmann::json{{"rows", {row}}}.dump());
    if (!table) return table.error();
    return table->rows().front();
  }
  const auto found = prices_.find(endpoint.name, endpoint.model, utc_day(unix_seconds()));
  if (!found) return Error{ErrorKind::budget_exceeded, no_price_message(endpoint.name, endpoint.model), "", ""};
  return *found;
}

Result<Unit> ModelDesk::overlay(const std::string& prices_json, const std::string& models_json) {
  if (!prices_json.empty()) {
    const auto table = PriceTable::parse(prices_json);
    if (!table) return table.error();
    prices_.overlay(*table);
  }
  if (!models_json.empty()) {
    const auto table = ModelTable::parse(models_json);
    if (!table) return table.error();
    models_.overlay(*table);
  }
  return Unit{};
}

Result<int> ModelDesk::open_scope(int parent, const std::string& name, Nano cap) {
  auto child = scope(parent).child(name, cap);
  if (!child) return child.error();
  budgets_.push_back(std::make_unique<BudgetScope>(loop_, std::move(*child), budgets_.front()->book()));
  return static_cast<int>(budgets_.size()) - 1;
}

CallServices ModelDesk::services(int scope, std::function<void(const CallPlan&, int, Nano)> on_reserved) {
  return {loop_, http_, budget(scope), cassette_.get(), environment_, std::move(on_reserved)};
}

ModelDesk& model_desk(Call& call) {
  if (!call.vm.desk) {
    auto opened = ModelDesk::open(call.vm.loop, call.vm.options);
    if (!opened) throw Raised(opened.error());
    call.vm.desk = std::move(*opened);
  }
  return *call.vm.desk;
}

}  // namespace qa::lua
