#include "view/guard.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/words.h"

namespace fovea::view {
namespace {

constexpr std::size_t kMostSessions = 64;

// The name of a Host header without its port; "[::1]:80" gives "[::1]".
std::string host_name(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == host.npos) return {};
  const std::size_t colon = host.find(':', bracket);
  const std::string_view port = colon == host.npos ? "" : host.substr(colon + 1);
  if (port.size() > 5 || !std::all_of(port.begin(), port.end(),
                                      [](char letter) { return letter >= '0' && letter <= '9'; }))
    return {};
  std::string name(host.substr(0, colon));
  for (char& letter : name)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

// A numeric address cannot be made to lead elsewhere, as a name can.
bool is_numeric_address(const std::string& name) {
  in6_addr bytes{};
  if (!name.starts_with('[')) return inet_pton(AF_INET, name.c_str(), &bytes) == 1;
  return name.ends_with(']') &&
         inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), &bytes) == 1;
}

// Whether a request comes from a page of the address that it goes to. By https it does so through a
// proxy, which passes the host on.
bool from_our_page(const Request& request) {
  return request.origin == "http://" + request.host || request.origin == "https://" + request.host;
}

bool needs_session(const Request& request) {
  const std::string& path = request.target.path;
  if (request.method == "GET" && !request.upgrade)
    return path != "/" && path != "/favicon.ico" && !path.starts_with("/page/");
  return path != "/session";
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system has no random numbers for a token");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  return different == 0;
}

Guard::Guard(GuardOptions options) : options_(std::move(options)) {
  for (std::string& host : options_.hosts)
    for (char& letter : host)
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool Guard::our_host(const std::string& host) const {
  const std::string name = host_name(host);
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  if (options_.addresses && is_numeric_address(name)) return true;
  return !name.empty() && std::ranges::find(options_.hosts, name) != options_.hosts.end();
}

bool Guard::has_session(const std::string& cookie) const {
  const std::string name = fmt::format("fovea_{}=", port_);
  for (std::string_view pair : detail::split(cookie, ';')) {
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (!pair.starts_with(name)) continue;
    const std::string_view secret = pair.substr(name.size());
    const std::lock_guard lock(mutex_);
    for (const std::string& session : sessions_)
      if (same_secret(session, secret)) return true;
  }
  return false;
}

std::optional<Response> Guard::check(const Request& request) const {
  if (!our_host(request.host))
    return refusal(403,
                   fmt::format("the host '{}' is not this machine's", detail::shown(request.host)));
  if (request.method != "GET" && request.method != "POST")
    return refusal(405, "only GET and POST are allowed");
  const bool changes = request.method == "POST" || request.upgrade;
  if (changes && !from_our_page(request))
    return refusal(
        403, request.origin.empty()
                 ? std::string("the request does not say which page it comes from")
                 : fmt::format("it comes from a page of '{}'", detail::shown(request.origin)));
  if (needs_session(request) && !has_session(request.cookie))
    return refusal(401, "it has no session; open the address that fovea view has printed");
  return {};
}

Response Guard::open_session(const Request& request) {
  if (!same_secret(request.body, options_.token))
    return refusal(401, "its token is wrong; open the address that fovea view has printed");
  const std::string secret = random_token();
  {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(secret);
    if (sessions_.size() > kMostSessions) sessions_.pop_front();
  }
  Response response = json_response("{}");
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("fovea_{}={}; Path=/; HttpOnly; SameSite=Strict", port_, secret));
  return response;
}

std::vector<std::pair<std::string, std::string>> guard_headers(const Response& response) {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Referrer-Policy", "no-referrer"},
          {"X-Content-Type-Options", "nosniff"},
          {"Cache-Control", response.lasting ? "private, max-age=600" : "no-store"}};
}

}  // namespace fovea::view
