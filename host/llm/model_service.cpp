#include "host/llm/model_service.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "host/files.h"

namespace qa {
namespace {

constexpr Nano kDefaultCap = kDollar / 2;  ///< The seeds' $0.50 a run (C-030).

HttpClientOptions http_options(const ModelOptions& options) {
  HttpClientOptions http;
  http.ca_file = options.ca_file;
  http.proxy = options.proxy;
  http.no_proxy = options.no_proxy;
  return http;
}

Result<std::optional<Nano>> amount(const std::string& what, const std::string& text) {
  const auto parsed = parse_dollars(text);
  if (text.empty() || parsed) return parsed;
  return Error{ErrorKind::type_mismatch, what + ": expected dollars such as 0.50, got '" + text + "'", "", ""};
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Encodes the pictures of a call on the pool, two at a time: frames that are to be looked at find their way between.
class Encoding : public std::enable_shared_from_this<Encoding> {
 public:
  using Done = Callback<std::vector<SentImage>>;
  Encoding(EventLoop& loop, std::shared_ptr<SentImages> known, std::vector<PicturePtr> pictures, Done done)
      : loop_(loop),
        known_(std::move(known)),
        pictures_(std::move(pictures)),
        encoded_(pictures_.size()),
        done_(std::move(done)) {}

  void run() {
    if (pictures_.empty()) return loop_.post([self = shared_from_this()] { self->finish(); });
    for (int lane = 0; lane < 2; ++lane) encode_next();
  }

 private:
  void encode_next() {
    if (next_ == pictures_.size()) return;
    loop_.compute(
        [self = shared_from_this(), i = next_++] { self->encoded_[i] = self->known_->of(self->pictures_[i]); },
        [self = shared_from_this()] {
          if (++self->finished_ == self->pictures_.size()) return self->finish();
          self->encode_next();
        });
  }

  void finish() {
    std::vector<SentImage> images;
    for (auto& one : encoded_) {
      if (!*one) return done_(one->error());
      images.push_back(std::move(**one));
    }
    done_(std::move(images));
  }

  EventLoop& loop_;
  std::shared_ptr<SentImages> known_;
  std::vector<PicturePtr> pictures_;
  std::vector<std::optional<Result<SentImage>>> encoded_;
  std::size_t next_ = 0, finished_ = 0;
  Done done_;
};

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
  const auto table = Table::parse(json);
  if (!table) return table.error();
  known.overlay(*table);
  return Unit{};
}

template <class Table>
Result<Unit> read_table(Table& table, const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return overlay_table(table, *text);
}

}  // namespace

ModelService::ModelService(EventLoop& loop, const ModelOptions& options)
    : loop_(loop),
      environment_(options.environment),
      http_(loop, http_options(options)),
      sent_images_(std::make_shared<SentImages>(!options.cassette.empty())) {
  if (!environment_) environment_ = [](const std::string&) { return std::string(); };
}

Result<std::shared_ptr<ModelService>> ModelService::open(EventLoop& loop, const ModelOptions& options) {
  auto service = std::shared_ptr<ModelService>(new ModelService(loop, options));
  if (auto read = service->read_tables(options.data); !read) return read.error();
  if (auto opened = service->open_budgets(options); !opened) return opened.error();
  if (auto opened = service->open_cassette(options); !opened) return opened.error();
  return service;
}

Result<Unit> ModelService::read_tables(const std::string& folder) {
  if (auto read = read_table(prices_, folder + "/prices.json"); !read) return read;
  return read_table(models_, folder + "/models.json");
}

Result<Unit> ModelService::open_budgets(const ModelOptions& options) {
  const auto cap = amount("budget", options.budget_usd);
  if (!cap) return cap.error();
  const auto suite_cap = amount("suite budget", options.suite_usd);
  if (!suite_cap) return suite_cap.error();
  const auto day_cap = amount("day budget", options.day_usd);
  if (!day_cap) return day_cap.error();
  std::shared_ptr<SharedBook> book;
  if (!options.state.empty()) {
    book = std::make_shared<SharedBook>(options.state, SharedScopes{options.run, options.suite, *suite_cap, *day_cap});
  }
  budgets_.push_back(std::make_unique<BudgetScope>(loop_, Scope::open("run", cap->value_or(kDefaultCap)), book));
  return Unit{};
}

Result<Unit> ModelService::open_cassette(const ModelOptions& options) {
  if (options.cassette.empty()) return Unit{};
  const auto mode = cassette_mode_named(options.cassette_mode.empty() ? "replay" : options.cassette_mode);
  if (!mode) {
    return Error{ErrorKind::type_mismatch,
                 "--cassette-mode is record, replay or refresh, got '" + options.cassette_mode + "'", "", ""};
  }
  auto cassette = Cassette::open(options.cassette, *mode);
  if (!cassette) return cassette.error();
  cassette_ = std::move(*cassette);
  return Unit{};
}

Result<PriceRow> ModelService::price(const Endpoint& endpoint) const {
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

Result<Unit> ModelService::overlay(const std::string& prices_json, const std::string& models_json) {
  if (!prices_json.empty()) {
    if (auto read = overlay_table(prices_, prices_json); !read) return read;
  }
  return models_json.empty() ? Unit{} : overlay_table(models_, models_json);
}

Result<int> ModelService::open_scope(int parent, const std::string& name, Nano cap) {
  auto child = scope(parent).child(name, cap);
  if (!child) return child.error();
  budgets_.push_back(std::make_unique<BudgetScope>(loop_, std::move(*child), book()));
  return static_cast<int>(budgets_.size()) - 1;
}

Result<Unit> ModelService::complete(CallPlan& plan) const {
  plan.model = model(plan.endpoint.model).value_or(ModelRow{});
  const auto known = price(plan.endpoint);
  if (!known) return known.error();
  plan.price = *known;
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
  const CallServices services{loop_, http_, budget, cassette_.get(), environment_, std::move(on_reserved)};
  const auto send = [asked, services, alive = weak_from_this()](const Result<std::vector<SentImage>>& images) {
    if (alive.expired() || asked->is_cancelled) return;
    ModelRequest& wanted = asked->request;
    if (!images) return asked->done(wanted.plan, images.error());
    place_images(wanted.question, *images);
    asked->cancel = ask_model(services, wanted.plan, std::move(wanted.question), [asked, alive](CallResult result) {
      if (!alive.expired()) asked->done(asked->request.plan, std::move(result));
    });
  };
  std::make_shared<Encoding>(loop_, sent_images_, std::move(asked->request.pictures), send)->run();
  return [asked] {
    asked->is_cancelled = true;
    if (asked->cancel) asked->cancel();
  };
}

Result<ModelEstimate> ModelService::estimate(ModelRequest request) const {
  if (const auto known = complete(request.plan); !known) return known.error();
  std::vector<SentImage> sizes;
  std::int64_t for_images = 0;
  for (const PicturePtr& picture : request.pictures) {
    SentImage& image = sizes.emplace_back();
    image.width = picture->size().width;
    image.height = picture->size().height;
    for_images += image_tokens(request.plan.model.image, {image.width, image.height}).value_or(0);
  }
  place_images(request.question, sizes);
  const auto worst = worst_of(request.plan, request.question);
  if (!worst) return worst.error();
  return ModelEstimate{*worst, for_images};
}

}  // namespace qa
