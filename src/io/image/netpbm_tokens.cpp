#include "io/image/netpbm_tokens.h"

#include <fmt/format.h>

namespace fovea::io {

std::uint32_t NetpbmTokens::number(const char* what, std::uint32_t most) {
  int c = skip_space();
  if (c < '0' || c > '9') fail(what, c);
  std::uint64_t value = 0;
  for (; c >= '0' && c <= '9'; c = cursor_.get()) {
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    if (value > most) cursor_.source().fail(fmt::format("has a {} above {}", what, most));
  }
  if (c == '#') skip_line();
  else if (c != -1 && !is_space(c)) fail(what, c);
  return static_cast<std::uint32_t>(value);
}

std::string NetpbmTokens::word() {
  constexpr std::size_t kLongest = 64;
  std::string text;
  for (int c = skip_space(); c != -1 && !is_space(c) && text.size() < kLongest; c = cursor_.get())
    text += static_cast<char>(c);
  return text;
}

bool NetpbmTokens::bit() {
  const int c = skip_space();
  if (c != '0' && c != '1') fail("bit", c);
  return c == '1';
}

std::string NetpbmTokens::line() {
  constexpr std::size_t kLongest = 1000;
  std::string text;
  for (int c = cursor_.get(); c != '\n'; c = cursor_.get()) {
    if (c == -1 || text.size() > kLongest) fail("header line", c);
    text += static_cast<char>(c);
  }
  return text.starts_with('#') ? line() : text;
}

int NetpbmTokens::skip_space() {
  int c = cursor_.get();
  while (is_space(c) || c == '#') {
    if (c == '#') skip_line();
    c = cursor_.get();
  }
  return c;
}

void NetpbmTokens::skip_line() {
  for (int c = '#'; c != '\n' && c != '\r' && c != -1;) c = cursor_.get();
}

void NetpbmTokens::fail(const char* what, int c) const {
  if (c == -1) cursor_.source().fail(fmt::format("is truncated: it ends before its {}", what));
  cursor_.source().fail(
      fmt::format("is damaged: a {} was expected before byte {}", what, cursor_.position()));
}

}  // namespace fovea::io
