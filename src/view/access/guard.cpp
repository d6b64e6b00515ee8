#include "view/access/guard.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "core/words.h"
#include "view/access/origin.h"

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
  return in_small_letters(host.substr(0, colon));
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

// Whether a page of ours has sent the request: browsers say so of each that may carry a cookie
// across sites, but for WebSockets, which say where they come from.
bool sent_by_our_page(const Request& request) {
  return request.fetch_site == "same-origin" || from_our_page(request);
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
  for (std::string& host : options_.hosts) host = in_small_letters(host);
}

bool Guard::our_host(const std::string& host) const {
  const std::string name = host_name(host);
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  if (options_.addresses && is_numeric_address(name)) return true;
  if (std::ranges::find(options_.embedding, in_small_letters(host), host_of_origin) !=
      options_.embedding.end())
    return true;
  return !name.empty() && std::ranges::find(options_.hosts, name) != options_.hosts.end();
}

bool Guard::has_session(const Request& request) const {
  const std::string own = fmt::format("fovea_{}=", port_),
                    embedded = fmt::format("fovea_{}_embedded=", port_);
  for (std::string_view pair : detail::split(request.cookie, ';')) {
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(own) && knows(&Secrets::own, pair.substr(own.size()))) return true;
    if (pair.starts_with(embedded) && sent_by_our_page(request) &&
        knows(&Secrets::embedded, pair.substr(embedded.size())))
      return true;
  }
  return false;
}

bool Guard::knows(std::string Secrets::*which, std::string_view secret) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      sessions_, [&](const Secrets& session) { return same_secret(session.*which, secret); });
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
  if (needs_session(request) && !has_session(request))
    return refusal(401, "it has no session; open the address that fovea view has printed");
  return {};
}

Response Guard::open_session(const Request& request) {
  if (!same_secret(request.body, options_.token))
    return refusal(401, "its token is wrong; open the address that fovea view has printed");
  const Secrets secrets{.own = random_token(), .embedded = random_token()};
  {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(secrets);
    if (sessions_.size() > kMostSessions) sessions_.pop_front();
  }
  Response response = json_response("{}");
  response.headers.emplace_back(
      "Set-Cookie",
      fmt::format("fovea_{}={}; Path=/; HttpOnly; SameSite=Strict", port_, secrets.own));
  if (!options_.embedding.empty())
    response.headers.emplace_back(
        "Set-Cookie",
        fmt::format("fovea_{}_embedded={}; Path=/; HttpOnly; SameSite=None; Secure; Partitioned",
                    port_, secrets.embedded));
  return response;
}

std::vector<std::pair<std::string, std::string>> guard_headers(
    const Response& response, const std::vector<std::string>& embedding) {
  return {{"Content-Security-Policy",
           fmt::format("default-src 'none'; script-src 'self'; style-src 'self'; "
                       "img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors {}",
                       embedding.empty() ? "'none'" : fmt::to_string(fmt::join(embedding, " ")))},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Referrer-Policy", "no-referrer"},
          {"X-Content-Type-Options", "nosniff"},
          {"Cache-Control", response.lasting ? "private, max-age=600" : "no-store"}};
}

}  // namespace fovea::view
