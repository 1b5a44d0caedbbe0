#include "host/trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "host/files.h"
#include "host/folder.h"
#include "host/sha256.h"

namespace qa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostFiles = 2000;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;
constexpr const char* kRecordFile = "trust.json";
constexpr const char* kOwnState = "the state folder lies in it, and whoever writes the folder could write its trust";

Error refused(const std::string& path, const std::string& why) { return {ErrorKind::io_error, path + ": " + why}; }

/// Is something there, be it a link that leads nowhere?
bool is_there(const fs::path& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

std::vector<std::string> names_in(const std::string& folder, const std::string& share) {
  std::vector<std::string> names;
  for (const std::string& name : project_names()) {
    std::error_code failed;
    const fs::path path = fs::path(folder) / name;
    if (is_there(path) && !fs::equivalent(path, fs::path(share) / name, failed)) names.push_back(name);
  }
  return names;
}

/// Reads what a project may hold, and counts it.
class Reader {
 public:
  Reader(std::string folder, Project& into) : folder_(std::move(folder)), into_(into) { into_.hashes.emplace(); }

  Result<Unit> read(const std::string& name) {
    // What lies above scripts/commands must not be a link either.
    for (auto slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
      const std::string above = folder_ + "/" + name.substr(0, slash);
      std::error_code failed;
      if (fs::is_symlink(above, failed)) return refused(above, kLink);
    }
    return add(name);
  }

 private:
  static constexpr const char* kLink = "is a link, which is not followed here: put the file itself in its place";

  Result<Unit> add(const std::string& name) {
    const std::string path = folder_ + "/" + name;
    if (++count_ > kMostFiles) return refused(folder_, fmt::format("has more than {} project files", kMostFiles));
    // A named pipe must not hold up the run.
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return errno == ELOOP ? refused(path, kLink) : io_failure("cannot read " + path, errno);
    struct stat found {};
    if (::fstat(file.get(), &found) != 0) return io_failure("cannot read " + path, errno);
    if (S_ISDIR(found.st_mode)) return add_folder(name);
    if (!S_ISREG(found.st_mode)) return refused(path, "is neither a file nor a folder");
    return add_file(name, file.get());
  }

  Result<Unit> add_folder(const std::string& name) {
    std::error_code failed;
    std::vector<std::string> inner;
    for (fs::directory_iterator entry(folder_ + "/" + name, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      inner.push_back(name + "/" + entry->path().filename().string());
      if (inner.size() > kMostFiles) return refused(folder_, fmt::format("has more than {} project files", kMostFiles));
    }
    if (failed) return io_failure("cannot read the folder " + folder_ + "/" + name, failed.value());
    for (const std::string& one : inner) {
      QA_TRY(add(one));
    }
    return Unit{};
  }

  Result<Unit> add_file(const std::string& name, int file) {
    const auto bytes = read_all(file, kMostBytes - bytes_);
    if (!bytes) return io_failure("cannot read " + folder_ + "/" + name, errno);
    if (bytes->size() > kMostBytes - bytes_) return refused(folder_, "has more than 32 MiB of project files");
    bytes_ += bytes->size();
    (*into_.hashes)[name] = sha256_hex(*bytes);
    return Unit{};
  }

  std::string folder_;
  Project& into_;
  std::size_t count_ = 0, bytes_ = 0;
};

/// The project of a folder with the hashes of its files.
Result<Project> read_project(const std::string& folder, const std::string& share) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return refused(folder, "no such folder");
  Project project;
  project.folder = folder;
  project.names = names_in(folder, share);
  Reader reader(folder, project);
  for (const std::string& name : project.names) {
    QA_TRY(reader.read(name));
  }
  return project;
}

/// The path of a folder without links and dots; of one that is gone as far as that goes.
std::string identity(const std::string& folder) {
  std::error_code failed;
  std::string path = fs::weakly_canonical(fs::absolute(folder, failed), failed).string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

Result<Json> read_records(const std::string& state) {
  const std::string path = state + "/" + kRecordFile;
  if (!is_there(path)) return Json::object();
  const auto text = QA_TRY(read_file(path));
  Json all = Json::parse(text, nullptr, false);
  const bool is_list =
      all.is_object() && std::all_of(all.begin(), all.end(), [](const Json& one) { return one.is_string(); });
  if (!is_list) return refused(path, "is no list of trusted folders; remove it and trust them again");
  return all;
}

/// Changes the list of trusted folders, while no other process does.
Result<Unit> change_records(const std::string& state, const std::function<void(Json&)>& change) {
  const auto folder = QA_TRY(Folder::open(state, true));
  const auto lock = QA_TRY(folder.lock("trust.lock"));
  auto all = QA_TRY(read_records(state));
  change(all);
  return folder.write(kRecordFile, all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// The working folder as it is recorded; without a folder, and `why`, when it is not.
Project recorded_here(const std::string& state, const std::string& share, std::string& why) {
  const std::string here = identity(".");
  const auto records = read_records(state);
  if (!records) why = records.error().message;
  if (!records || !records->contains(here)) return {};
  if (lies_in(identity(state), here)) {
    why = kOwnState;
    return {};
  }
  auto read = read_project(".", share);
  if (!read) why = read.error().message;
  if (!read) return {};
  if (project_digest(*read) == records->at(here).get<std::string>()) return std::move(*read);
  why = "it changed since it was trusted";
  return {};
}

std::string sentence_of(const std::vector<std::string>& names, const std::string& why) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "./" : ", ./") + name;
  return fmt::format(
      "not used: {}: the folder is not trusted{}; read them, then `qa-host trust`, or --trust . for one run", list,
      why.empty() ? "" : " (" + why + ")");
}

}  // namespace

const std::vector<std::string>& project_names() {
  static const std::vector<std::string> names{"qa-host.lua", "strategies", "scripts/commands"};
  return names;
}

std::string Project::path_of(std::string_view name) const {
  const bool is_used = !folder.empty() && std::find(names.begin(), names.end(), name) != names.end();
  return is_used ? folder + "/" + std::string(name) : "";
}

std::string Project::refusal(std::string_view path, std::string_view bytes) const {
  if (!hashes || folder.empty() || !path.starts_with(folder + "/")) return "";
  const std::string name(path.substr(folder.size() + 1));
  if (std::none_of(names.begin(), names.end(), [&](const std::string& one) { return lies_in(name, one); })) return "";
  const auto known = hashes->find(name);
  if (known != hashes->end() && known->second == sha256_hex(bytes)) return "";
  return std::string(path) + (known == hashes->end() ? ": was not there" : ": is not as it was") +
         " when its folder was trusted; read it, then `qa-host trust`";
}

Result<Project> open_project(const std::string& folder, const std::string& share) {
  auto project = read_project(folder, share);
  if (project) project->hashes.reset();
  return project;
}

Result<TrustDecision> decide_trust(const std::string& named, const std::string& state, const std::string& share) {
  TrustDecision decision;
  std::string why;
  const auto here = names_in(".", share);
  if (!named.empty()) {
    decision.project = QA_TRY(open_project(named, share));
    if (identity(named) == identity(".")) return decision;
  } else if (!here.empty()) {
    decision.project = recorded_here(state, share, why);
    if (!decision.project.folder.empty()) return decision;
  }
  if (!here.empty()) decision.left_out = sentence_of(here, why);
  return decision;
}

std::string project_digest(const Project& project) {
  std::string all;
  if (project.hashes) {
    for (const auto& [name, hash] : *project.hashes) (all += name + '\0') += hash + '\n';
  }
  return sha256_hex(all);
}

Result<Project> record_trust(const std::string& state, const std::string& folder, const std::string& share) {
  auto project = QA_TRY(read_project(folder, share));
  if (lies_in(identity(state), identity(folder))) return refused(folder, kOwnState);
  if (project.names.empty()) return refused(folder, "has no qa-host.lua, strategies or scripts/commands to trust");
  QA_TRY(change_records(state, [&](Json& all) { all[identity(folder)] = project_digest(project); }));
  return project;
}

Result<std::vector<TrustRecord>> trust_records(const std::string& state) {
  const auto all = QA_TRY(read_records(state));
  std::vector<TrustRecord> records;
  for (const auto& [folder, digest] : all.items()) records.push_back({folder, digest.get<std::string>()});
  return records;
}

Result<bool> revoke_trust(const std::string& state, const std::string& folder) {
  const auto known = QA_TRY(read_records(state));
  if (!known.contains(identity(folder))) return false;
  QA_TRY(change_records(state, [&](Json& all) { all.erase(identity(folder)); }));
  return true;
}

}  // namespace qa
