// A server on this machine, for tests of streams: it does to each connection what the test says.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace fovea::test {

// One connection, whose other side may leave at any time.
class Connection {
 public:
  Connection(int socket, std::stop_token stop) : socket_(socket), stop_(std::move(stop)) {}

  // Whether all was sent.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      if (!wait_for(POLLOUT)) return false;
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Reads the head of a request, up to its blank line.
  std::string request() const {
    std::string head;
    char letter = 0;
    while (head.find("\r\n\r\n") == head.npos && wait_for(POLLIN) &&
           ::recv(socket_, &letter, 1, 0) == 1)
      head += letter;
    return head;
  }
  // The next bytes, which are fewer where the other side leaves before.
  std::string receive(std::size_t bytes) const {
    std::string got;
    char byte = 0;
    while (got.size() < bytes && wait_for(POLLIN) && ::recv(socket_, &byte, 1, 0) == 1) got += byte;
    return got;
  }
  // Whether something has come that was not read yet, or the other side has left.
  bool has_news() const {
    pollfd wanted{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&wanted, 1, 0) > 0;
  }
  // Whether the other side has closed, also where something that it sent before was not read.
  bool is_left() const {
    pollfd wanted{.fd = socket_, .events = POLLRDHUP, .revents = 0};
    return ::poll(&wanted, 1, 0) > 0;
  }
  // Sends nothing until the other side leaves.
  void stay_silent() const {
    char byte = 0;
    while (wait_for(POLLIN) && ::recv(socket_, &byte, 1, 0) > 0) {
    }
  }
  // The pace of a source. Returns at once when the server ends.
  void pause(std::chrono::milliseconds time) const {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop_, time, [] { return false; });
  }
  bool ended() const { return stop_.stop_requested(); }

 private:
  bool wait_for(short event) const {
    while (!stop_.stop_requested()) {
      pollfd wanted{.fd = socket_, .events = event, .revents = 0};
      if (::poll(&wanted, 1, 10) > 0) return true;
    }
    return false;
  }

  int socket_;
  std::stop_token stop_;
};

// Serves each connection by a thread of its own until it is destroyed.
class Server {
 public:
  explicit Server(std::function<void(const Connection&)> serve) : serve_(std::move(serve)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no server on this machine");
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
  }
  ~Server() {
    thread_ = {};
    ::close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string tcp() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  std::string rtsp(const std::string& path) const {
    return "rtsp://127.0.0.1:" + std::to_string(port_) + path;
  }
  std::string http(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void accept_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd coming{.fd = listener_, .events = POLLIN, .revents = 0};
      if (::poll(&coming, 1, 10) <= 0) continue;
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) continue;
      ++connections_;
      served_.emplace_back([this, socket](const std::stop_token& end) {
        serve_(Connection(socket, end));
        ::close(socket);
      });
    }
    served_.clear();  // each is told to stop, and waited for
  }

  std::function<void(const Connection&)> serve_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::list<std::jthread> served_{};
  std::jthread thread_;
};

// An answer to a request. Without its length, it may be endless.
inline std::string http_answer(std::string_view body, const std::string& type, bool with_length) {
  std::string answer = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nConnection: close\r\n";
  if (with_length) answer += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return answer + "\r\n" + std::string(body);
}

// Frames of gray y4m, each of its number's brightness.
inline std::string y4m_header(int width, int height) {
  return "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) +
         " F25:1 Cmono XCOLORRANGE=FULL\n";
}
inline std::string y4m_frame(int width, int height, int number) {
  return "FRAME\n" + std::string(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                                 static_cast<char>(number));
}
inline std::string y4m_video(int width, int height, int frames) {
  std::string video = y4m_header(width, height);
  for (int i = 0; i < frames; ++i) video += y4m_frame(width, height, i);
  return video;
}

}  // namespace fovea::test
