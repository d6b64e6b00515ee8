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
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)), port_(port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
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
  // What comes until `enough` is in it, the server closes, or five seconds pass.
  std::string receive(std::string_view enough = "\1") {
    char piece[4096];
    while (text_.find(enough) == text_.npos) {
      pollfd wait{socket_, POLLIN, 0};
      if (poll(&wait, 1, 5000) != 1) break;
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

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
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
  int port_;
  std::string text_{};
  bool closed_ = false;
};

}  // namespace fovea::view
