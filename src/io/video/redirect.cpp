#include "io/video/redirect.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <memory>

#include "core/words.h"
#include "io/text/address.h"

namespace fovea::io {
namespace {

constexpr std::size_t kMostHead = std::size_t{16} << 10U;
constexpr int kLookMilliseconds = 50;

struct Parts {
  std::string host{}, port{}, path{};
};

// Of PROTOCOL://user@host:port/path?query#fragment.
Parts parts_of(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == url.npos) return {};
  url.remove_prefix(begin + 3);
  url = url.substr(0, url.find('#'));
  const auto slash = std::min(url.find_first_of("/?"), url.size());
  Parts parts{.path = std::string(url.substr(slash))};
  if (!parts.path.starts_with('/')) parts.path.insert(0, "/");
  std::string_view place = url.substr(0, slash);
  if (const auto at = place.rfind('@'); at != place.npos) place.remove_prefix(at + 1);
  const bool wide = place.starts_with('[');
  const auto colon = wide ? place.find(':', place.find(']')) : place.find(':');
  std::string_view host = place.substr(0, colon);
  if (wide) host = host.substr(1, host.find(']') - 1);
  parts.host = host;
  if (colon != place.npos) parts.port = place.substr(colon + 1);
  return parts;
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses addresses_of(const std::string& host, const std::string& port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status =
      getaddrinfo(host.c_str(), port.empty() ? nullptr : port.c_str(), &wanted, &found);
  return {status == 0 ? found : nullptr, freeaddrinfo};
}

NetworkScope scope_of_4(std::uint32_t address) {
  const auto in = [&](std::uint32_t network, unsigned bits) {
    return address >> (32 - bits) == network >> (32 - bits);
  };
  if (in(0x7f000000, 8) || in(0, 8)) return NetworkScope::kThisMachine;
  const bool near = in(0x0a000000, 8) || in(0xac100000, 12) || in(0xc0a80000, 16) ||
                    in(0xa9fe0000, 16) || in(0x64400000, 10);
  return near ? NetworkScope::kPrivateNetwork : NetworkScope::kPublic;
}

NetworkScope scope_of_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in narrow{};
    std::memcpy(&narrow, &address, sizeof narrow);
    return scope_of_4(ntohl(narrow.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return NetworkScope::kPublic;
  sockaddr_in6 wide{};
  std::memcpy(&wide, &address, sizeof wide);
  const in6_addr& bytes = wide.sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&bytes) || IN6_IS_ADDR_V4COMPAT(&bytes)) {
    std::uint32_t last = 0;
    std::memcpy(&last, bytes.s6_addr + 12, sizeof last);
    if (IN6_IS_ADDR_V4MAPPED(&bytes) || ntohl(last) > 1) return scope_of_4(ntohl(last));
  }
  if (IN6_IS_ADDR_LOOPBACK(&bytes) || IN6_IS_ADDR_UNSPECIFIED(&bytes))
    return NetworkScope::kThisMachine;
  const bool unique_local = (bytes.s6_addr[0] & 0xfeU) == 0xfcU;
  return unique_local || IN6_IS_ADDR_LINKLOCAL(&bytes) ? NetworkScope::kPrivateNetwork
                                                       : NetworkScope::kPublic;
}

class OpenSocket {
 public:
  explicit OpenSocket(const addrinfo& to)
      : socket_(::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    if (socket_ >= 0) static_cast<void>(::connect(socket_, to.ai_addr, to.ai_addrlen));
  }
  ~OpenSocket() {
    if (socket_ >= 0) ::close(socket_);
  }
  OpenSocket(const OpenSocket&) = delete;
  OpenSocket& operator=(const OpenSocket&) = delete;

  bool wait_for(short event, const std::function<bool()>& over) const {
    while (socket_ >= 0 && !over()) {
      pollfd waited{.fd = socket_, .events = event, .revents = 0};
      if (::poll(&waited, 1, kLookMilliseconds) > 0) return (waited.revents & event) != 0;
    }
    return false;
  }
  bool send(std::string_view text, const std::function<bool()>& over) const {
    while (!text.empty()) {
      if (!wait_for(POLLOUT, over)) return false;
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // The head of an answer, or what came of it.
  std::string head(const std::function<bool()>& over) const {
    std::string text;
    std::array<char, 1024> piece{};
    while (text.find("\r\n\r\n") == text.npos && text.size() < kMostHead &&
           wait_for(POLLIN, over)) {
      const ssize_t got = ::recv(socket_, piece.data(), piece.size(), 0);
      if (got <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text.substr(0, text.find("\r\n\r\n"));
  }

 private:
  int socket_;
};

// The value of Location in the head of a redirect.
std::optional<std::string> location_in(std::string_view head) {
  constexpr std::array<std::string_view, 5> kRedirects{"301", "302", "303", "307", "308"};
  const auto space = head.find(' ');
  if (!head.starts_with("HTTP/") || space == head.npos) return {};
  if (std::ranges::find(kRedirects, head.substr(space + 1, 3)) == kRedirects.end()) return {};
  for (const std::string_view line : fovea::detail::split(head, '\n')) {
    constexpr std::string_view kName = "location:";
    const bool same = line.size() > kName.size() &&
                      std::equal(kName.begin(), kName.end(), line.begin(), [](char a, char b) {
                        return a == std::tolower(static_cast<unsigned char>(b));
                      });
    if (!same) continue;
    std::string_view value = line.substr(kName.size());
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t\r") + 1);
    const bool plain =
        std::ranges::all_of(value, [](unsigned char c) { return c > ' ' && c < 0x7f; });
    if (!value.empty() && plain) return std::string(value);
  }
  return {};
}

}  // namespace

std::string host_of(std::string_view url) { return parts_of(url).host; }

NetworkScope scope_of(const std::string& host) {
  NetworkScope nearest = NetworkScope::kPublic;
  const Addresses all = addresses_of(host, "");
  for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next)
    nearest = std::max(nearest, scope_of_address(*each->ai_addr));
  return nearest;
}

void require_follows(const std::string& given, const std::string& target) {
  using fovea::detail::shown;
  if (protocol_of(target) != protocol_of(given))
    throw IoError(fmt::format("{}: leads to {}, which has another protocol; give that address",
                              shown(source_name(given), 300), shown(source_name(target))));
  if (scope_of(host_of(target)) > scope_of(host_of(given)))
    throw IoError(fmt::format(
        "{}: leads to {} on this machine or its network, which a server outside may not choose; "
        "give that address if it is meant",
        shown(source_name(given), 300), shown(source_name(target))));
}

std::string resolved_location(const std::string& url, std::string_view location) {
  if (is_address(location)) return std::string(location);
  const auto begin = url.find("://") + 3;
  if (location.starts_with("//")) return url.substr(0, begin - 2) + std::string(location);
  const auto slash = std::min(url.find_first_of("/?#", begin), url.size());
  if (location.starts_with('/')) return url.substr(0, slash) + std::string(location);
  const auto query = std::min(url.find_first_of("?#", begin), url.size());
  const auto last = url.rfind('/', query == 0 ? 0 : query - 1);
  const std::string folder =
      last >= slash && last != url.npos ? url.substr(0, last + 1) : url.substr(0, slash) + "/";
  return folder + std::string(location);
}

std::optional<std::string> redirect_of(const std::string& url, const std::function<bool()>& over) {
  const Parts parts = parts_of(url);
  const Addresses all = addresses_of(parts.host, parts.port.empty() ? "80" : parts.port);
  const bool wide = parts.host.find(':') != std::string::npos;
  const std::string request = fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}{}{}{}{}\r\nAccept: */*\r\nConnection: close\r\n\r\n", parts.path,
      wide ? "[" : "", parts.host, wide ? "]" : "", parts.port.empty() ? "" : ":", parts.port);
  for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
    const OpenSocket socket(*each);
    if (!socket.send(request, over)) continue;
    const std::optional<std::string> location = location_in(socket.head(over));
    return location ? std::optional(resolved_location(url, *location)) : std::nullopt;
  }
  return {};
}

}  // namespace fovea::io
