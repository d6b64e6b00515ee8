// A peer of the view's server that sends bytes as they are, well-formed or not.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace fovea::view {

class Client {
 public:
  // Connects to a port of the loopback device, by one of its two addresses.
  explicit Client(int port, int family = AF_INET)
      : socket_(::socket(family, SOCK_STREAM, 0)),
        host_((family == AF_INET ? "127.0.0.1:" : "[::1]:") + std::to_string(port)) {
    sockaddr_in old{};
    old.sin_family = AF_INET;
    old.sin_port = htons(static_cast<std::uint16_t>(port));
    old.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 wide{};
    wide.sin6_family = AF_INET6;
    wide.sin6_port = old.sin_port;
    wide.sin6_addr = in6addr_loopback;
    const bool connected =
        family == AF_INET
            ? connect(socket_, reinterpret_cast<const sockaddr*>(&old), sizeof old) == 0
            : connect(socket_, reinterpret_cast<const sockaddr*>(&wide), sizeof wide) == 0;
    if (!connected) throw std::runtime_error("cannot connect");
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server has closed
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // What comes until `enough` is in it, the server closes, or a minute passes.
  std::string receive(std::string_view enough = "\1") {
    char piece[4096];
    while (text_.find(enough) == text_.npos) {
      pollfd wait{socket_, POLLIN, 0};
      if (poll(&wait, 1, 60000) != 1) break;
      const ssize_t got = recv(socket_, piece, sizeof piece, 0);
      if (got <= 0) {
        closed_ = true;
        break;
      }
      text_.append(piece, static_cast<std::size_t>(got));
    }
    return text_;
  }
  bool closed() const { return closed_; }
  // Says that nothing more will be sent.
  void finish() const { shutdown(socket_, SHUT_WR); }

  const std::string& host() const { return host_; }
  // The head of a request of the page itself.
  std::string head(const std::string& method, const std::string& target,
                   const std::string& more = "") const {
    return method + " " + target + " HTTP/1.1\r\nHost: " + host() + "\r\nOrigin: http://" + host() +
           "\r\n" + more + "\r\n";
  }
  // A whole exchange, after which the server closes.
  std::string ask(const std::string& method, const std::string& target,
                  const std::string& more = "", const std::string& body = "") {
    std::string length;
    if (method == "POST") length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    send(head(method, target, more + length + "Connection: close\r\n") + body);
    return receive();
  }

 private:
  int socket_;
  std::string host_;
  std::string text_{};
  bool closed_ = false;
};

}  // namespace fovea::view
