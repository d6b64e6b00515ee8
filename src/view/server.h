// Listens for HTTP requests and WebSockets and gives them to a Service. It limits what a peer can
// take of it: connections, bytes of heads and bodies, and time.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/http.h"

namespace fovea::view {

struct ServerOptions {
  std::string address = "127.0.0.1";  // numeric
  int port = 0;                       // 0: any that is free
  int connections = 128;              // more are closed at once
  int threads = 4;                    // that answer requests
  std::size_t head_bytes = 16 << 10;  // a longer head is refused
  double head_seconds = 15;           // from one response to the end of the next request's head
  double body_seconds = 120;
  double answer_seconds = 60;            // in which a peer must take a response
  double idle_seconds = 60;              // of a WebSocket whose peer does not answer pings
  double close_seconds = 15;             // in which a peer must answer the end of a WebSocket
  std::vector<std::string> embedding{};  // origins whose pages may embed what is answered
};

// Takes one line about each refused request; called by several threads.
using Log = std::function<void(const std::string& line)>;

// A whole request as the server reads it from a peer's bytes, to test how it is read; nothing where
// it is refused before the service sees it.
std::optional<Request> parse_request(std::string_view bytes, const ServerOptions& options = {});

class Server {
 public:
  // Throws IoError where it cannot listen, with the address and the system's reason.
  Server(const ServerOptions& options, std::shared_ptr<Service> service, Log log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  // Begins to answer. Until then connections wait, so that the service can learn the port.
  void start();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::view
