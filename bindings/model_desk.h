#pragma once
// ModelDesk: what the calls of a Vm share: the budget, the HTTP client, the cassette, and the tables of prices and
// models. Made at the first call, so that a run without models pays nothing. Loop thread only.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bindings/trampoline.h"
#include "bindings/vm.h"
#include "host/llm/cassette.h"
#include "host/llm/model_call.h"
#include "host/llm/models.h"
#include "host/llm/sent_image.h"
#include "host/money/budget_scope.h"
#include "host/money/prices.h"
#include "host/net/http_client.h"

namespace qa::lua {

class ModelDesk {
 public:
  /// type_mismatch, io_error, store_error or cassette_miss name what in the options or the data cannot be used.
  static Result<std::unique_ptr<ModelDesk>> open(EventLoop& loop, const VmOptions& options);

  /// The row of a table, the user's own before the shipped one.
  std::optional<ModelRow> model(const std::string& id) const { return models_.find(id); }
  /// What calls of the endpoint cost: its own price, nothing, or a row of the table; budget_exceeded says how to give
  /// one.
  Result<PriceRow> price(const Endpoint& endpoint) const;
  /// Overlays the shipped tables with the user's own: JSON text of {rows = [...]}.
  Result<Unit> overlay(const std::string& prices_json, const std::string& models_json);

  /// Scopes by number: 0 is the run. budget_exceeded when the child's cap is more than its parent has left.
  Result<int> open_scope(int parent, const std::string& name, Nano cap);
  Scope& scope(int number) { return budgets_[static_cast<std::size_t>(number)]->scope(); }
  BudgetScope& budget(int number) { return *budgets_[static_cast<std::size_t>(number)]; }
  bool has_scope(int number) const { return number >= 0 && number < static_cast<int>(budgets_.size()); }

  /// Jobs of the pool may outlive the desk.
  std::shared_ptr<SentImages> sent_images() const { return sent_images_; }
  /// A call's surroundings. `on_reserved` as in CallServices.
  CallServices services(int scope, std::function<void(const CallPlan&, int, Nano)> on_reserved);

 private:
  ModelDesk(EventLoop& loop, const VmOptions& options);
  Result<Unit> prepare(const VmOptions& options);

  EventLoop& loop_;
  std::function<std::string(const std::string&)> environment_;
  HttpClient http_;
  std::unique_ptr<Cassette> cassette_;
  std::vector<std::unique_ptr<BudgetScope>> budgets_;  ///< By scope number.
  std::shared_ptr<SentImages> sent_images_;
  PriceTable prices_;
  ModelTable models_;
};

/// The Vm's desk, opened now if it has not been; Raised when its options or data cannot be used.
ModelDesk& model_desk(Call& call);

/// Dollars, for Lua and for journals; sums are kept in Nano.
inline double usd(Nano amount) { return static_cast<double>(amount) / static_cast<double>(kDollar); }

}  // namespace qa::lua
