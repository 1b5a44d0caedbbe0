#include <cstdio>

#include "host/main/commands.h"
#include "host/text.h"
#include "host/trust.h"

namespace qa {
namespace {

constexpr int kError = 3;

int refuse(const Error& error) {
  std::fprintf(stderr, "qa-host: trust: %s\n", terminal_safe(error.message).c_str());
  return kError;
}

int list(const std::string& state) {
  const auto records = trust_records(state);
  if (!records) return refuse(records.error());
  for (const TrustRecord& record : *records) {
    std::printf("%.12s  %s\n", terminal_safe(record.digest).c_str(), terminal_safe(record.folder).c_str());
  }
  if (records->empty()) std::puts("no folder is trusted");
  return 0;
}

int revoke(const std::string& state, const std::string& folder) {
  const auto revoked = revoke_trust(state, folder);
  if (!revoked) return refuse(revoked.error());
  std::printf(*revoked ? "%s: not trusted any more\n" : "%s: was not trusted\n", terminal_safe(folder).c_str());
  return *revoked ? 0 : 1;
}

}  // namespace

int run_trust(const TrustRequest& request, const std::string& state, const std::string& share) {
  if (request.list) return list(state);
  if (request.revoke) return revoke(state, request.folder);
  const auto project = record_trust(state, request.folder, share);
  if (!project) return refuse(project.error());
  for (const auto& [name, hash] : *project->hashes) {
    std::printf("%.12s  %s\n", hash.c_str(), terminal_safe(name).c_str());
  }
  std::printf("trusted as they are now: %zu files of %s\n", project->hashes->size(),
              terminal_safe(request.folder).c_str());
  return 0;
}

}  // namespace qa
