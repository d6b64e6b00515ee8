// A request and its response as the parts of the view see them, without the types of a server.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fovea::view {

// Path and query of a request, decoded.
struct Target {
  std::string path;  // "/inputs/a1/thumbnail"
  std::map<std::string, std::string, std::less<>> query{};
};
// Nothing where the text is no path that the view could have: it does not begin with a slash, has a
// part "." or "..", a backslash, a control character or a % that is not followed by two digits.
std::optional<Target> parse_target(std::string_view text);

// The parts of a path between its slashes.
std::vector<std::string_view> path_parts(std::string_view path);

struct Request {
  std::string method{};  // "GET"
  Target target{};
  std::string host{};  // these are header fields, empty where a request has none
  std::string origin{};
  std::string cookie{};
  std::string fetch_site{};  // Sec-Fetch-Site: "same-origin" where a page asks its own address
  std::string peer{};        // address of the other side
  bool upgrade = false;      // asks for a WebSocket
  std::string body{};

  // The value of a query's key; empty where it has none.
  std::string_view asked(std::string_view key) const;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  bool lasting = false;  // a browser may keep it: the same path never has another content
  std::string reason{};  // why the request was refused, for the log; empty where it was not
};

Response json_response(std::string json);
// {"error": reason} with this status; goes to the log.
Response refusal(int status, std::string reason);
// The same for what goes wrong in a request that was allowed; does not go to the log.
Response failure(int status, const std::string& reason);

// What listens at the other end of a WebSocket. It is destroyed when the WebSocket closes.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void message(std::string_view text) = 0;
  // Whether what is sent to it is bytes, such as pictures, and not text.
  virtual bool sends_bytes() const { return false; }
};
// Sends a message to a WebSocket from any thread; after the last one the WebSocket closes.
using Send = std::function<void(std::string message, bool last)>;

// What answers requests. Several threads may call it at the same time.
class Service {
 public:
  virtual ~Service() = default;
  // Whether the request comes from someone who has a session. Others make room where too many
  // connections are open.
  virtual bool known(const Request& request) const = 0;
  // Looks at a request before its body is read: refuses it, or says how many bytes the body may
  // have.
  virtual std::variant<Response, std::size_t> admit(const Request& request) = 0;
  virtual Response respond(const Request& request) = 0;
  // Opens a WebSocket; null where there is nothing to listen to.
  virtual std::unique_ptr<Listener> listen(const Request& request, Send send) = 0;
};

}  // namespace fovea::view
