#include "view/http.h"

#include <algorithm>

#include "core/json_text.h"
#include "core/words.h"

namespace fovea::view {
namespace {

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

// Nothing where a % is not followed by two digits, or where control characters stand in the text.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char letter = text[i];
    if (letter == '%') {
      if (i + 2 >= text.size()) return {};
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return {};
      letter = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) return {};
    result += letter;
  }
  return result;
}

}  // namespace

std::vector<std::string_view> path_parts(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return detail::split(path, '/');
}

std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/') || text.size() > 4096) return {};
  const std::size_t mark = text.find('?');
  const std::optional<std::string> path = decoded(text.substr(0, mark));
  if (!path || path->find('\\') != path->npos) return {};
  for (const std::string_view part : path_parts(*path))
    if (part == "." || part == "..") return {};
  Target target{*path};
  if (mark == text.npos) return target;
  for (const std::string_view pair : detail::split(text.substr(mark + 1), '&')) {
    const std::size_t equals = pair.find('=');
    const std::optional<std::string> key = decoded(pair.substr(0, equals));
    const std::optional<std::string> value =
        decoded(equals == pair.npos ? std::string_view() : pair.substr(equals + 1));
    if (!key || !value) return {};
    target.query[*key] = *value;
  }
  return target;
}

std::string_view Request::asked(std::string_view key) const {
  const auto found = target.query.find(key);
  return found == target.query.end() ? std::string_view() : found->second;
}

Response json_response(std::string json) { return {.body = std::move(json)}; }

Response failure(int status, const std::string& reason) {
  return {.status = status, .body = "{\"error\": " + detail::json_quote(reason) + "}"};
}

Response refusal(int status, std::string reason) {
  Response response = failure(status, reason);
  response.reason = std::move(reason);
  return response;
}

}  // namespace fovea::view
