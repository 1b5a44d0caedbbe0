#pragma once
// Endpoint: where a model answers and how it is spoken to. Plain data. The key is read from the environment by the host
// when a call is sent; it never becomes part of this.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qa {

enum class DialectKind { openai_chat, openai_responses, anthropic_messages };

/// How a request proves whose it is.
enum class KeyHeader { none, bearer, api_key, x_api_key };

struct Endpoint {
  std::string name;  ///< Of the preset or the user's own; prices and model facts are looked up by it.
  DialectKind dialect = DialectKind::openai_chat;
  std::string base_url;  ///< Without a slash at its end.
  std::string path;      ///< Instead of the dialect's own, for Azure's deployments; may hold a query.
  std::string model;
  std::string key_env;  ///< Name of the environment variable; "" for servers that ask for none.
  KeyHeader key_header = KeyHeader::bearer;
  std::string version;  ///< anthropic-version.
  std::vector<std::pair<std::string, std::string>> headers;
  bool free = false;  ///< Costs nothing: a server of one's own.
  std::string price;  ///< JSON object text of a row of prices, or "".
};

/// "openai-chat", "openai-responses", "anthropic-messages"; nullopt for other words.
std::optional<DialectKind> dialect_named(std::string_view word);
std::string_view dialect_name(DialectKind kind);

}  // namespace qa
