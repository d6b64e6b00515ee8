// Decides who may use the view. A page of another site must not reach it through the browser of its
// user, not even by a name that leads to this machine (DNS rebinding), and neither may another user
// of this machine. So a request must name a host that is ours, come from a page of ours where it
// changes anything, and carry a cookie that only the bearer of the token has got.
#pragma once
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/http.h"

namespace fovea::view {

// 256 bits from the system's generator, as 64 hexadecimal digits.
std::string random_token();
// Whether two texts are equal, in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

struct GuardOptions {
  std::string token{};
  std::vector<std::string> hosts{};  // names besides those of the loopback device
  bool addresses = false;            // whether a host may be any numeric address
  // Origins whose pages may embed the view, as parse_origin() writes them. One of them may also be
  // a proxy that gives the view at its own address.
  std::vector<std::string> embedding{};
};

class Guard {
 public:
  explicit Guard(GuardOptions options);

  // Names the cookie by the port, because cookies ignore ports. Called once, before any request.
  void set_port(int port) { port_ = port; }
  // Why the request is refused, or nothing.
  std::optional<Response> check(const Request& request) const;
  // Whether a request has the cookie of a session.
  bool has_session(const Request& request) const;
  // The answer to POST /session, whose body is the token: sets the cookie.
  Response open_session(const Request& request);

 private:
  // Browsers send a page that is embedded by one of another site only cookies that may cross sites.
  // So it gets one of its own, which counts in requests of our page alone and which pages of other
  // sites do not share.
  struct Secrets {
    std::string own, embedded;
  };
  bool our_host(const std::string& host) const;
  bool knows(std::string Secrets::*which, std::string_view secret) const;

  GuardOptions options_;
  int port_ = 0;
  mutable std::mutex mutex_{};
  std::deque<Secrets> sessions_{};  // of the cookies; the oldest are dropped
};

// Headers of every response: what a page may load, which origins may embed it, and that nobody else
// may use or keep it.
std::vector<std::pair<std::string, std::string>> guard_headers(
    const Response& response, const std::vector<std::string>& embedding = {});

}  // namespace fovea::view
