#include "host/llm/model_service.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "host/files.h"

namespace qa {
namespace {

constexpr Nano kDefaultCap = kDollar / 2;  ///< The seeds' $0.50 a run (C-030).

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The pictures of a call on their way through the pool.
struct Encoding {
  EventLoop& loop;
  std::shared_ptr<SentImages> known;
  std::vector<PicturePtr> pictures;
  Callback<std::vector<SentImage>> done;
  std::vector<std::optional<Result<SentImage>>> encoded{pictures.size()};
  std::size_t next = 0, finished = 0;

  void finish() {
    std::vector<SentImage> images;
    for (auto& one : encoded) {
      if (!*one) return done(one->error());
      images.push_back(std::move(**one));
    }
    done(std::move(images));
  }
};

void encode_next(const std::shared_ptr<Encoding>& all) {
  if (all->next == all->pictures.size()) return;
  all->loop.compute([all, i = all->next++] { all->encoded[i] = all->known->of(all->pictures[i]); },
                    [all] {
                      if (++all->finished == all->pictures.size()) return all->finish();
                      encode_next(all);
                    });
}

/// Two at a time: frames that are to be looked at find their way between.
void encode(const std::shared_ptr<Encoding>& all) {
  if (all->pictures.empty()) return all->loop.post([all] { all->finish(); });
  for (int lane = 0; lane < 2; ++lane) encode_next(all);
}

/// Puts the encoded pictures where the question names them by number.
void place_images(Question& question, const std::vector<SentImage>& images) {
  for (Message& message : question.messages) {
    for (Part& part : message.parts) {
      if (!part.image) continue;
      const auto number = static_cast<std::size_t>(std::stoul(part.image->sha256));
      if (number > images.size()) continue;
      const std::string detail = part.image->detail;
      part.image = images[number - 1];
      part.image->detail = detail;
    }
  }
}

template <class Table>
Result<Unit> overlay_table(Table& known, const std::string& json) {
  known.overlay(QA_TRY(Table::parse(json)));
  return Unit{};
}

template <class Table>
Result<Unit> read_table(Table& table, const std::string& path) {
  return overlay_table(table, QA_TRY(read_file(path)));
}

}  // namespace

ModelService::ModelService(EventLoop& loop, const ModelOptions& options)
    : loop_(loop),
      keys_(options.environment ? options.environment : [](const std::string&) { return std::string(); }),
      http_(loop, options.http),
      sent_images_(std::make_shared<SentImages>(!options.cassette.empty())) {}

Result<std::shared_ptr<ModelService>> ModelService::open(EventLoop& loop, const ModelOptions& options) {
  auto service = std::shared_ptr<ModelService>(new ModelService(loop, options));
  QA_TRY(service->read_tables(options));
  QA_TRY(service->open_budgets(options));
  QA_TRY(service->open_cassette(options));
  return service;
}

Result<Unit> ModelService::read_tables(const ModelOptions& options) {
  QA_TRY(read_table(prices_, options.data + "/prices.json"));
  QA_TRY(read_table(models_, options.data + "/models.json"));
  const auto presets = QA_TRY(read_file(options.data + "/endpoints.json"));
  QA_TRY(keys_.add_presets(presets));
  return options.endpoints.empty() ? Unit{} : keys_.add_own(options.endpoints);
}

Result<Unit> ModelService::open_budgets(const ModelOptions& options) {
  struct Cap {
    const char* name;
    const std::string& typed;
    std::optional<Nano> amount = parse_dollars(typed);
  };
  const Cap caps[] = {
      {"budget", options.budget_usd}, {"suite budget", options.suite_usd}, {"day budget", options.day_usd}};
  for (const auto& [name, typed, amount] : caps) {
    if (typed.empty() || amount) continue;
    return Error{ErrorKind::type_mismatch, fmt::format("{}: expected dollars such as 0.50, got '{}'", name, typed)};
  }
  std::shared_ptr<SharedBook> book;
  if (!options.state.empty()) {
    book = std::make_shared<SharedBook>(options.state,
                                        SharedScopes{options.run, options.suite, caps[1].amount, caps[2].amount});
  }
  budgets_.push_back(
      std::make_unique<BudgetScope>(loop_, Scope::open("run", caps[0].amount.value_or(kDefaultCap)), book));
  return Unit{};
}

Result<Unit> ModelService::open_cassette(const ModelOptions& options) {
  if (options.cassette.empty()) return Unit{};
  const auto mode = cassette_mode_named(options.cassette_mode.empty() ? "replay" : options.cassette_mode);
  if (!mode) {
    return Error{ErrorKind::type_mismatch,
                 "--cassette-mode is record, replay or refresh, got '" + options.cassette_mode + "'"};
  }
  cassette_ = QA_TRY(Cassette::open(options.cassette, *mode));
  return Unit{};
}

Result<PriceRow> ModelService::price(const Endpoint& endpoint) const {
  if (endpoint.free) return PriceRow{};
  if (!endpoint.price.empty()) {
    nlohmann::json row = nlohmann::json::parse(endpoint.price, nullptr, false);
    if (!row.is_object())
      return Error{ErrorKind::type_mismatch, "an endpoint's price is a table {input=, output=, ...}"};
    row["provider"] = endpoint.name;
    row["models"] = {endpoint.model};
    if (!row.contains("source")) row["source"] = "the endpoint's own";
    if (!row.contains("date")) row["date"] = utc_day(unix_seconds());
    const auto table = QA_TRY(PriceTable::parse(nlohmann::json{{"rows", {row}}}.dump()));
    return table.rows().front();
  }
  const auto found = prices_.find(endpoint.name, endpoint.model, utc_day(unix_seconds()));
  if (!found) return Error{ErrorKind::budget_exceeded, no_price_message(endpoint.name, endpoint.model)};
  return *found;
}

Result<Unit> ModelService::overlay(const std::string& prices_json, const std::string& models_json) {
  if (!prices_json.empty()) {
    QA_TRY(overlay_table(prices_, prices_json));
  }
  return models_json.empty() ? Unit{} : overlay_table(models_, models_json);
}

Result<int> ModelService::open_scope(int parent, const std::string& name, Nano cap) {
  auto child = QA_TRY(scope(parent).child(name, cap));
  budgets_.push_back(std::make_unique<BudgetScope>(loop_, std::move(child), book()));
  return static_cast<int>(budgets_.size()) - 1;
}

Result<Unit> ModelService::complete(CallPlan& plan) const {
  plan.model = model(plan.endpoint.model).value_or(ModelRow{});
  plan.price = QA_TRY(price(plan.endpoint));
  return Unit{};
}

std::function<void()> ModelService::ask(ModelRequest request, OnReserved on_reserved, Done done) {
  struct Asked {
    ModelRequest request;
    Done done;
    bool is_cancelled = false;
    std::function<void()> cancel = {};  ///< Set while the model is being asked.
  };
  const auto asked = std::make_shared<Asked>(Asked{std::move(request), std::move(done)});
  if (const auto known = complete(asked->request.plan); !known) {
    loop_.post([asked, error = known.error()] { asked->done(asked->request.plan, error); });
    return [] {};
  }
  BudgetScope& budget = *budgets_[static_cast<std::size_t>(asked->request.scope)];
  const auto key = [this](const std::string& name, const std::string& url) { return keys_.key_for(name, url); };
  const CallServices services{weak_from_this(), loop_, http_, budget, cassette_.get(), key, std::move(on_reserved)};
  const auto send = [asked, services, alive = weak_from_this()](const Result<std::vector<SentImage>>& images) {
    if (alive.expired() || asked->is_cancelled) return;
    ModelRequest& wanted = asked->request;
    if (!images) return asked->done(wanted.plan, images.error());
    place_images(wanted.question, *images);
    asked->cancel = ask_model(services, wanted.plan, std::move(wanted.question), [asked, alive](CallResult result) {
      if (!alive.expired()) asked->done(asked->request.plan, std::move(result));
    });
  };
  encode(std::make_shared<Encoding>(Encoding{loop_, sent_images_, std::move(asked->request.pictures), send}));
  return [asked] {
    asked->is_cancelled = true;
    if (asked->cancel) asked->cancel();
  };
}

Result<ModelEstimate> ModelService::estimate(ModelRequest request) const {
  QA_TRY(complete(request.plan));
  std::vector<SentImage> sizes;
  std::int64_t for_images = 0;
  for (const PicturePtr& picture : request.pictures) {
    SentImage& image = sizes.emplace_back();
    image.width = picture->size().width;
    image.height = picture->size().height;
    for_images += image_tokens(request.plan.model.image, {image.width, image.height}).value_or(0);
  }
  place_images(request.question, sizes);
  return ModelEstimate{QA_TRY(worst_of(request.plan, request.question)), for_images};
}

}  // namespace qa
