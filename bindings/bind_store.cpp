// qa.internal.store_get store_put store_delete store_list, base64 and from_base64. What a script sees of them is
// scripts/qa/memory/store.lua.

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "bindings/args.h"
#include "bindings/await.h"
#include "bindings/bindings.h"
#include "bindings/convert.h"
#include "bindings/vm_state.h"
#include "host/base64.h"
#include "host/store/record_store.h"

namespace qa::lua {

/// The store of a Vm, opened on the pool when it is first used. The error of an earlier try is not kept: the user may
/// have done what it said.
class LazyStore {
 public:
  explicit LazyStore(std::string folder) : folder_(std::move(folder)) {}

  Result<std::shared_ptr<RecordStore>> open() {
    const std::lock_guard lock(mutex_);
    if (store_) return store_;
    if (folder_.empty()) {
      return Error{ErrorKind::store_error, "there is no state folder to keep a store in: give one with --state", "",
                   ""};
    }
    auto opened = RecordStore::open(folder_ + "/memory.sqlite");
    if (!opened) return opened.error();
    store_ = std::move(*opened);
    return store_;
  }

 private:
  std::string folder_;
  std::mutex mutex_;
  std::shared_ptr<RecordStore> store_;
};

namespace {

std::shared_ptr<LazyStore> lazy_store(Call& call) {
  if (!call.vm.store) call.vm.store = std::make_shared<LazyStore>(call.vm.options.models.state);
  return call.vm.store;
}

/// Runs `work` with the open store on the pool.
template <class T, class Work, class Push = PushResult>
int with_store(Call& call, Work work, Push push = {}) {
  auto job = [lazy = lazy_store(call), work = std::move(work)]() -> Result<T> {
    const auto store = lazy->open();
    if (!store) return store.error();
    return work(**store);
  };
  return on_pool<T>(call, std::move(job), push);
}

std::string name_at(Call& call, int index, const char* what) {
  const std::string_view name = string_at(call, index, what);
  if (name.size() > RecordStore::kLongestName) {
    throw Misuse(std::string(what) + " is longer than " + std::to_string(RecordStore::kLongestName) + " bytes");
  }
  return std::string(name);
}

struct Decoded {
  std::string key;
  Json value;
  std::int64_t revision = 0;
};

Result<Decoded> decoded(const StoredRecord& record) {
  Json value = Json::parse(record.value, nullptr, false);
  if (value.is_discarded()) {
    return Error{ErrorKind::store_error, "the record '" + record.key + "' of the store is no JSON; delete it", "", ""};
  }
  return Decoded{record.key, std::move(value), record.revision};
}

/// store_get(namespace, key): value and revision; nil and 0 where there is none.
int internal_store_get(Call& call) {
  const std::string space = name_at(call, 1, "namespace"), key = name_at(call, 2, "key");
  using Found = std::optional<Decoded>;
  const auto push = [](lua_State* L, Found& found) {
    push_result(L, found ? found->value : Json());
    lua_pushnumber(L, found ? static_cast<lua_Number>(found->revision) : 0);
    return 2;
  };
  const auto read = [space, key](RecordStore& store) -> Result<Found> {
    const auto record = store.get(space, key);
    if (!record) return record.error();
    if (!*record) return Found();
    auto value = decoded(**record);
    if (!value) return value.error();
    return Found(std::move(*value));
  };
  return with_store<Found>(call, read, push);
}

/// store_put(namespace, key, value, replaces?): the new revision; false when the record has another revision now.
int internal_store_put(Call& call) {
  const std::string space = name_at(call, 1, "namespace"), key = name_at(call, 2, "key");
  const std::string value = dump_json(to_json(call.L, 3));
  std::optional<std::int64_t> replaces;
  if (!lua_isnoneornil(call.L, 4)) {
    constexpr double kMost = 9'007'199'254'740'992;  // 2^53
    replaces = static_cast<std::int64_t>(number_at(call, 4, "revision", 0, kMost));
  }
  if (value.size() > RecordStore::kLargestValue) {
    throw Misuse("the value is " + std::to_string(value.size()) + " bytes of JSON; at most " +
                 std::to_string(RecordStore::kLargestValue) + " fit a record");
  }
  using Revision = std::optional<std::int64_t>;
  const auto put = [space, key, value, replaces](RecordStore& store) { return store.put(space, key, value, replaces); };
  return with_store<Revision>(call, put, [](lua_State* L, Revision& revision) {
    return revision ? push_result(L, static_cast<double>(*revision)) : push_result(L, false);
  });
}

/// store_delete(namespace, key): was it there?
int internal_store_delete(Call& call) {
  const std::string space = name_at(call, 1, "namespace"), key = name_at(call, 2, "key");
  return with_store<bool>(call, [space, key](RecordStore& store) { return store.erase(space, key); });
}

/// store_list(namespace, prefix, after, limit): {{key, value, revision}...} in the order of their bytes.
int internal_store_list(Call& call) {
  const std::string space = name_at(call, 1, "namespace"), prefix = name_at(call, 2, "prefix"),
                    after = name_at(call, 3, "after");
  const int limit = integer_at(call, 4, "limit", 1, 1000);
  return with_store<Json>(call, [space, prefix, after, limit](RecordStore& store) -> Result<Json> {
    const auto records = store.list(space, prefix, after, limit);
    if (!records) return records.error();
    Json list = Json::array();
    for (const StoredRecord& record : *records) {
      auto item = decoded(record);
      if (!item) return item.error();
      list.push_back({{"key", item->key}, {"value", std::move(item->value)}, {"revision", item->revision}});
    }
    return list;
  });
}

int internal_base64(Call& call) { return push_result(call.L, encode_base64(string_at(call, 1, "bytes"))); }

/// from_base64(text): the bytes, or nil where it is none.
int internal_from_base64(Call& call) { return push_result(call.L, decode_base64(string_at(call, 1, "text"))); }

}  // namespace

void add_store(lua_State* L) {
  add_functions(L, "internal_waits", "qa.store.",
                {{"store_get", bound<internal_store_get>},
                 {"store_put", bound<internal_store_put>},
                 {"store_delete", bound<internal_store_delete>},
                 {"store_list", bound<internal_store_list>}});
  add_functions(L, "internal", "qa.store.",
                {{"base64", bound<internal_base64>}, {"from_base64", bound<internal_from_base64>}});
}

}  // namespace qa::lua
