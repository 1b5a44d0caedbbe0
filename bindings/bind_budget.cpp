// qa.internal.budget_state budget_child budget_lower budget_keep budget_spending shared_spending. What a script sees of
// them is scripts/qa/model/budget.lua.

#include <nlohmann/json.hpp>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"
#include "host/llm/model_service.h"

namespace qa::lua {
namespace {

Scope& scope_at(Call& call, int index) {
  ModelService& service = call.vm.model_service();
  const int number = integer_at(call, index, "budget", 0, 1'000'000);
  if (!service.has_scope(number)) throw Misuse("there is no such budget");
  return service.scope(number);
}

/// budget_state(n): {name, cap, spent, held, left, near_cap} in dollars.
int internal_budget_state(Call& call) {
  const Scope& scope = scope_at(call, 1);
  const ScopeState state = scope.state();
  return push_result(call.L, Json{{"name", state.name},
                                  {"cap", usd(state.cap)},
                                  {"spent", usd(state.spent)},
                                  {"held", usd(state.held)},
                                  {"left", usd(scope.left())},
                                  {"near_cap", scope.is_near_cap()},
                                  {"closed", state.is_closed}});
}

Nano dollars_at(Call& call, int index, const char* what) {
  return static_cast<Nano>(number_at(call, index, what, 0, 1e6) * static_cast<double>(kDollar));
}

int internal_budget_child(Call& call) {
  scope_at(call, 1);
  const std::string name(string_at(call, 2, "name"));
  const auto opened =
      call.vm.model_service().open_scope(integer_at(call, 1, "budget", 0, 1'000'000), name, dollars_at(call, 3, "usd"));
  if (!opened) return push_outcome(call, opened.error());
  lua_pushinteger(call.L, *opened);
  return 1;
}

int internal_budget_lower(Call& call) {
  return push_outcome(call, scope_at(call, 1).lower_cap(dollars_at(call, 2, "usd")));
}

int internal_budget_keep(Call& call) {
  return push_outcome(call, scope_at(call, 1).reserve_for_report(dollars_at(call, 2, "usd")));
}

int internal_budget_spending(Call& call) {
  Json list = Json::array();
  for (const Spending& sums : call.vm.model_service().scope(0).spending()) {
    list.push_back({{"scope", sums.scope},
                    {"model", sums.call.model},
                    {"purpose", sums.call.purpose},
                    {"calls", sums.calls},
                    {"refunded", sums.refunded},
                    {"usd", usd(sums.spent)},
                    {"assumed_usd", usd(sums.assumed)},
                    {"overruns", sums.overruns}});
  }
  return push_result(call.L, list);
}

/// shared_spending(since_day): lines of the book that all processes share, or nil, err.
int internal_shared_spending(Call& call) {
  const std::string since(string_at(call, 1, "since_day"));
  const auto book = call.vm.model_service().book();
  const auto job = [book, since]() -> Result<Json> {
    Json list = Json::array();
    if (!book) return list;
    const auto ledger = book->open();
    if (!ledger) return ledger.error();
    const auto rows = (*ledger)->spending(since);
    if (!rows) return rows.error();
    for (const SharedSpending& row : *rows) {
      list.push_back({{"day", row.day},
                      {"suite", row.suite},
                      {"run", row.run},
                      {"model", row.sums.call.model},
                      {"purpose", row.sums.call.purpose},
                      {"calls", row.sums.calls},
                      {"usd", usd(row.sums.spent)},
                      {"assumed_usd", usd(row.sums.assumed)},
                      {"held_usd", usd(row.held)}});
    }
    return list;
  };
  return on_pool<Json>(call, job);
}

}  // namespace

void add_budget(lua_State* L) {
  add_functions(L, "internal_waits", "qa.budget.", {{"shared_spending", bound<internal_shared_spending>}});
  add_functions(L, "internal", "qa.budget.",
                {{"budget_state", bound<internal_budget_state>},
                 {"budget_child", bound<internal_budget_child>},
                 {"budget_lower", bound<internal_budget_lower>},
                 {"budget_keep", bound<internal_budget_keep>},
                 {"budget_spending", bound<internal_budget_spending>}});
}

}  // namespace qa::lua
