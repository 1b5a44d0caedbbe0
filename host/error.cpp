#include "host/error.h"

namespace qa {

std::string_view kind_name(ErrorKind kind) {
#define QA_ERROR_KIND(name) #name,
  static constexpr std::string_view kNames[] = {QA_ERROR_KINDS(QA_ERROR_KIND)};
#undef QA_ERROR_KIND
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_loss(ErrorKind kind) {
  return kind == ErrorKind::browser_lost || kind == ErrorKind::deadline || kind == ErrorKind::cancelled;
}

}  // namespace qa
