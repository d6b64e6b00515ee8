#include "view/access/origin.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/words.h"
#include "view/number.h"

namespace fovea::view {
namespace {

constexpr std::string_view kBetween = "://";

bool is_host(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
           std::string_view(".-_").find(letter) != std::string_view::npos;
  });
}

// The origin that the text is once it is in small letters; nothing where it is none.
std::optional<std::string> plain_origin(std::string_view text) {
  const std::size_t between = text.find(kBetween);
  const std::string_view scheme = text.substr(0, between);
  if (between == text.npos || (scheme != "http" && scheme != "https")) return {};
  const std::string_view rest = text.substr(between + kBetween.size());
  const std::size_t colon = rest.find(':');
  const std::string_view name = rest.substr(0, colon);
  if (!is_host(name)) return {};
  std::string origin = fmt::format("{}{}{}", scheme, kBetween, name);
  if (colon == rest.npos) return origin;
  const std::optional<int> port = number_of<int>(rest.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return {};
  if (*port != (scheme == "http" ? 80 : 443)) origin += fmt::format(":{}", *port);
  return origin;
}

}  // namespace

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& letter : small)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return small;
}

std::string parse_origin(std::string_view text) {
  const std::string small = in_small_letters(text);
  if (std::optional<std::string> origin = plain_origin(small)) return *std::move(origin);
  if (small.find("://[") != small.npos)
    throw InvalidArgument(fmt::format(
        "--allow-embedding {}: browsers let no page of an address of IPv6 embed others; open that "
        "page by the name of its machine, and give this name",
        detail::shown(text)));
  throw InvalidArgument(
      fmt::format("--allow-embedding {}: this is no origin of pages; expected http or https, the "
                  "host and, where the address has one, the port, such as http://localhost:8888",
                  detail::shown(text)));
}

std::string_view host_of_origin(std::string_view origin) {
  return origin.substr(origin.find(kBetween) + kBetween.size());
}

}  // namespace fovea::view
