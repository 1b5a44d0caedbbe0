#pragma once
// ModelService: what the calls of one run share: budgets, the HTTP client, the cassette, and the tables of prices and
// models. Made at the first call, so that a run without models pays nothing. Loop thread only.

#include <memory>
#include <string>
#include <vector>

#include "host/image/picture.h"
#include "host/llm/cassette.h"
#include "host/llm/key_hosts.h"
#include "host/llm/model_call.h"
#include "host/llm/model_options.h"
#include "host/llm/models.h"
#include "host/llm/sent_image.h"
#include "host/money/budget_scope.h"
#include "host/money/prices.h"
#include "host/net/http_client.h"

namespace qa {

/// What is to be asked.
struct ModelRequest {
  CallPlan plan;                     ///< Without model and price, which the tables know.
  Question question;                 ///< An image's sha256 is its number among the pictures, from 1.
  std::vector<PicturePtr> pictures;  ///< Encoded before the question is sent.
  int scope = 0;                     ///< The budget that pays, by number.
};

/// What a call would reserve for an attempt.
struct ModelEstimate {
  WorstCase worst;
  std::int64_t image_tokens = 0;  ///< Of all pictures; those that no rule counts are left out.
};

class ModelService : public std::enable_shared_from_this<ModelService> {
 public:
  using OnReserved = std::function<void(const CallPlan&, int attempt, Nano reserved)>;
  using Done = std::function<void(const CallPlan&, Result<CallResult>)>;

  /// type_mismatch, io_error, store_error or cassette_miss name what in the options or the data cannot be used.
  static Result<std::shared_ptr<ModelService>> open(EventLoop& loop, const ModelOptions& options);

  /// The row of a table, the user's own before the shipped one.
  std::optional<ModelRow> model(const std::string& id) const { return models_.find(id); }
  /// Overlays the shipped tables with the user's own: JSON text of {rows = [...]}.
  Result<Unit> overlay(const std::string& prices_json, const std::string& models_json);

  /// Budgets by number: 0 is the run. budget_exceeded when the child's cap is more than its parent has left.
  Result<int> open_scope(int parent, const std::string& name, Nano cap);
  Scope& scope(int number) { return budgets_[static_cast<std::size_t>(number)]->scope(); }
  bool has_scope(int number) const { return number >= 0 && number < static_cast<int>(budgets_.size()); }
  /// The ledger that processes share; null without a state folder. Jobs of the pool may keep it.
  const std::shared_ptr<SharedBook>& book() const { return budgets_.front()->book(); }

  /// Encodes the pictures and asks. `done` runs once, posted, with the plan as it was completed; an error instead of a
  /// result: nothing was begun, because the price is not known (budget_exceeded) or a picture cannot be encoded.
  /// `on_reserved` as in CallServices. The returned function cancels: `done` gets `cancelled` then, or, before the
  /// pictures are encoded, nothing. Nothing is called any more once the service is gone.
  std::function<void()> ask(ModelRequest request, OnReserved on_reserved, Done done);
  /// Sends nothing. budget_exceeded: nobody knows what the call can cost.
  Result<ModelEstimate> estimate(ModelRequest request) const;

 private:
  ModelService(EventLoop& loop, const ModelOptions& options);
  Result<Unit> read_tables(const ModelOptions& options);
  Result<Unit> open_budgets(const ModelOptions& options);
  Result<Unit> open_cassette(const ModelOptions& options);
  /// What the tables know of the plan's model, and what its endpoint costs.
  Result<Unit> complete(CallPlan& plan) const;
  Result<PriceRow> price(const Endpoint& endpoint) const;

  EventLoop& loop_;
  KeyHosts keys_;
  HttpClient http_;
  std::unique_ptr<Cassette> cassette_;
  std::vector<std::unique_ptr<BudgetScope>> budgets_;  ///< By number.
  std::shared_ptr<SentImages> sent_images_;            ///< Jobs of the pool may outlive the service.
  PriceTable prices_;
  ModelTable models_;
};

}  // namespace qa
