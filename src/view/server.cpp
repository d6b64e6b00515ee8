// The only file that includes Boost.Beast. One thread does all that concerns the network, so that
// connections need no locks; a few others answer requests.
#include "view/server.h"

#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <limits>
#include <list>
#include <optional>
#include <thread>

#include "core/words.h"
#include "view/access/guard.h"

namespace fovea::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = asio::ip::tcp;

constexpr std::size_t kMostWaiting = 64;  // messages that a WebSocket has not taken yet

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

class Connection;

// What connections share.
struct Shared {
  ServerOptions options;
  std::shared_ptr<Service> service;
  Log log;
  asio::thread_pool& workers;
  std::atomic<int> open = 0;
  std::list<std::weak_ptr<Connection>> connections{};  // but for WebSockets
  std::uint64_t clock = 0;                             // of what connections wait for

  void log_refused(const std::string& what, const std::string& peer, const std::string& reason) {
    log(fmt::format("refused {} from {}: {}", what, peer, reason));
  }
};

// Counts a connection as long as it lives.
class Counted {
 public:
  explicit Counted(Shared& shared) : shared_(&shared) { ++shared_->open; }
  ~Counted() {
    if (shared_ != nullptr) --shared_->open;
  }
  Counted(Counted&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Counted& operator=(Counted&&) = delete;

 private:
  Shared* shared_;
};

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

using Parser = http::request_parser<http::string_body>;

// The head of a request as the service sees it; nothing where it is malformed.
std::optional<Request> request_of(const http::request<http::string_body>& head) {
  const std::optional<Target> target = parse_target(text_of(head.target()));
  if (!target || head.count(http::field::host) != 1 || head.count(http::field::origin) > 1)
    return {};
  return Request{.method = text_of(head.method_string()),
                 .target = *target,
                 .host = text_of(head[http::field::host]),
                 .origin = text_of(head[http::field::origin]),
                 .cookie = text_of(head[http::field::cookie]),
                 .fetch_site = text_of(head["Sec-Fetch-Site"]),
                 .upgrade = websocket::is_upgrade(head)};
}

void limit_head(Parser& parser, const ServerOptions& options) {
  parser.header_limit(static_cast<std::uint32_t>(options.head_bytes));
  // The limit is set once the service has seen the head. Beast 1.74 takes "no limit" for 0 here.
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
}

// A WebSocket on which messages wait for each other.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(beast::tcp_stream stream, Shared& shared, Counted counted)
      : executor_(stream.get_executor()),
        stream_(std::move(stream)),
        shared_(shared),
        counted_(std::move(counted)) {}

  void accept(http::request<http::string_body> head, Request request) {
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = milliseconds(shared_.options.head_seconds);
    timeout.idle_timeout = milliseconds(shared_.options.idle_seconds);
    timeout.keep_alive_pings = true;
    stream_->set_option(timeout);
    stream_->read_message_max(4096);
    head_ = std::move(head);
    stream_->async_accept(
        head_, [self = shared_from_this(), request = std::move(request)](beast::error_code error) {
          if (!error) self->begin(request);
        });
  }

 private:
  void begin(const Request& request) {
    listener_ =
        shared_.service->listen(request, [weak = weak_from_this()](std::string message, bool last) {
          const std::shared_ptr<Socket> self = weak.lock();
          if (!self) return;
          asio::post(self->executor_, [self, message = std::move(message), last]() mutable {
            self->send(std::move(message), last);
          });
        });
    if (!listener_) return close();
    stream_->binary(listener_->sends_bytes());
    read();
  }
  void read() {
    if (!stream_) return;  // after hang_up()
    stream_->async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return self->end();
      if (self->listener_) self->listener_->message(beast::buffers_to_string(self->buffer_.data()));
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }
  // A client that takes nothing and goes on asking is let go.
  void send(std::string message, bool last) {
    if (last_) return;
    if (waiting_.size() >= kMostWaiting) return beast::get_lowest_layer(*stream_).close();
    last_ = last;
    waiting_.push_back(std::move(message));
    if (waiting_.size() == 1) write();
  }
  void write() {
    if (!stream_) return;
    stream_->async_write(asio::buffer(waiting_.front()),
                         [self = shared_from_this()](beast::error_code error, std::size_t) {
                           if (error) return self->end();
                           self->waiting_.pop_front();
                           if (!self->waiting_.empty()) return self->write();
                           if (self->last_) self->close();
                         });
  }
  // Says that this is the end, and waits for the peer to say so, too. Reading goes on meanwhile.
  void close() {
    last_ = true;
    stream_->async_close(websocket::close_code::normal,
                         [self = shared_from_this()](beast::error_code) {
                           self->patience_.cancel();
                           self->end();
                         });
    patience_.expires_after(milliseconds(shared_.options.close_seconds));
    patience_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->hang_up();
    });
  }
  // Where a message was half read and the rest breaks the protocol, Beast's reading waits for its
  // closing to let go of the right to write, and its closing for the reading to let go of the right
  // to read. Neither waits for the network, so that closing the connection ends everything but
  // these two. They, and with them this object, go with the stream that holds them.
  void hang_up() {
    beast::get_lowest_layer(*stream_).close();
    patience_.expires_after(std::chrono::milliseconds(100));  // in which everything else ends
    patience_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (error) return;
      self->end();
      self->stream_.reset();
    });
  }
  void end() { listener_.reset(); }

  beast::tcp_stream::executor_type executor_;  // for other threads, which do not touch the stream
  std::optional<websocket::stream<beast::tcp_stream>> stream_;
  asio::steady_timer patience_{executor_};
  Shared& shared_;
  Counted counted_;
  http::request<http::string_body> head_{};
  beast::flat_buffer buffer_{4096};
  std::unique_ptr<Listener> listener_{};
  std::deque<std::string> waiting_{};
  bool last_ = false;
};

// A connection that carries one request after the other.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), shared_(shared), counted_(shared), opened_(++shared.clock) {
    beast::error_code ignored;
    peer_ = stream_.socket().remote_endpoint(ignored).address().to_string();
  }

  void read_head() {
    begin(Waits::kForHead);
    parser_.emplace();
    limit_head(*parser_, shared_.options);
    stream_.expires_after(milliseconds(shared_.options.head_seconds));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              self->on_head(error);
                            });
  }

  // How readily it makes room for another, and since when: one without a session before one whose
  // peer asks for nothing, and that before one whose peer is slow. Nothing where it is worked for.
  std::optional<std::pair<int, std::uint64_t>> dispensable() const {
    if (!known_) return std::pair{0, opened_};
    if (waits_ == Waits::kForUs) return {};
    return std::pair{waits_ == Waits::kForHead ? 1 : 2, since_};
  }
  // What is under way ends with an error.
  void drop() {
    shared_.log_refused("a connection", peer_,
                        known_ ? "too many are open, and it has waited longest"
                               : "too many are open, and it has no session");
    beast::error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  // What the next step depends on: the peer, who sends a head or a body or takes a response, or us.
  enum class Waits : unsigned char { kForHead, kForPeer, kForUs };
  void begin(Waits waits) {
    waits_ = waits;
    since_ = ++shared_.clock;
  }

  // Ends silently where the peer has gone or waits; says what is wrong with a malformed head.
  void on_head(beast::error_code error) {
    if (error == http::error::end_of_stream || error == asio::error::operation_aborted)
      return close();
    if (error == beast::error::timeout) {
      if (parser_->got_some() || buffer_.size() > 0)
        shared_.log_refused("a slow request", peer_, "its head took too long");
      return close();
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return refuse("a request", refusal(431, "its head is too long"));
    if (error.category() == http::make_error_code(http::error::bad_target).category())
      return refuse("a request", refusal(400, "it is not HTTP (" + error.message() + ")"));
    if (error) return close();
    std::optional<Request> request = request_of(parser_->get());
    if (!request) return refuse("a request", refusal(400, "its path or its host is malformed"));
    request->peer = peer_;
    const auto admitted = shared_.service->admit(*request);
    if (const auto* refused = std::get_if<Response>(&admitted))
      return refuse(name_of(*request), *refused);
    known_ = known_ || shared_.service->known(*request);
    if (request->upgrade) return upgrade(*request);
    read_body(*request, std::get<std::size_t>(admitted));
  }

  void upgrade(Request request) {
    stream_.expires_never();
    std::make_shared<Socket>(std::move(stream_), shared_, std::move(counted_))
        ->accept(parser_->release(), std::move(request));
  }

  void read_body(Request request, std::size_t most) {
    const auto length = parser_->content_length();
    if (length && *length > most)
      return refuse(name_of(request),
                    refusal(413, fmt::format("its body has {} bytes; at most {} are allowed",
                                             *length, most)));
    begin(Waits::kForPeer);
    parser_->body_limit(most);
    // What is not longer than a head, as a token, has the time of a head.
    const bool small = most <= shared_.options.head_bytes;
    stream_.expires_after(
        milliseconds(small ? shared_.options.head_seconds : shared_.options.body_seconds));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this(), request = std::move(request)](
                         beast::error_code error, std::size_t) mutable {
                       self->on_body(error, std::move(request));
                     });
  }

  void on_body(beast::error_code error, Request request) {
    if (error == http::error::body_limit)
      return refuse(name_of(request), refusal(413, "its body is too long"));
    if (error) return close();
    keep_ = parser_->keep_alive();
    request.body = std::move(parser_->get().body());
    begin(Waits::kForUs);
    stream_.expires_never();
    asio::post(shared_.workers, [self = shared_from_this(), request = std::move(request)] {
      Response response = self->answer(request);
      asio::post(self->stream_.get_executor(), [self, response = std::move(response)]() mutable {
        self->write(std::move(response));
      });
    });
  }

  // What a worker does. A refusal is logged, and an error becomes an answer.
  Response answer(const Request& request) {
    try {
      Response response = shared_.service->respond(request);
      if (!response.reason.empty()) shared_.log_refused(name_of(request), peer_, response.reason);
      return response;
    } catch (const Error& error) {
      return failure(422, error.what());
    } catch (const std::exception& error) {
      return failure(500, fault_text(error));
    }
  }

  void refuse(const std::string& what, Response response) {
    shared_.log_refused(what, peer_, response.reason);
    keep_ = false;
    write(std::move(response));
  }

  void write(Response response) {
    begin(Waits::kForPeer);
    auto message = std::make_shared<http::response<http::string_body>>();
    message->version(11);
    message->result(static_cast<unsigned>(response.status));
    message->set(http::field::content_type, response.type);
    for (const auto& [name, value] : guard_headers(response, shared_.options.embedding))
      message->set(name, value);
    for (const auto& [name, value] : response.headers) message->insert(name, value);
    message->body() = std::move(response.body);
    message->keep_alive(keep_);
    message->prepare_payload();
    stream_.expires_after(milliseconds(shared_.options.answer_seconds));
    http::async_write(stream_, *message,
                      [self = shared_from_this(), message](beast::error_code error, std::size_t) {
                        if (error || !self->keep_) return self->close();
                        self->read_head();
                      });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  }

  static std::string name_of(const Request& request) {
    return request.method + " " + detail::shown(request.target.path);
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  Counted counted_;
  std::string peer_;
  beast::flat_buffer buffer_{1 << 20};
  std::optional<Parser> parser_{};
  bool keep_ = false;
  bool known_ = false;  // has sent a request with a session
  Waits waits_ = Waits::kForHead;
  std::uint64_t opened_;
  std::uint64_t since_ = 0;
};

}  // namespace

std::optional<Request> parse_request(std::string_view bytes, const ServerOptions& options) {
  Parser parser;
  limit_head(parser, options);
  while (!bytes.empty() && !parser.is_done()) {
    beast::error_code error;
    const std::size_t used = parser.put(asio::buffer(bytes), error);
    if (error || used == 0) return {};
    bytes.remove_prefix(used);
  }
  if (!parser.is_header_done()) return {};
  std::optional<Request> request = request_of(parser.get());
  if (request) request->body = std::move(parser.get().body());
  return request;
}

struct Server::Impl {
  asio::thread_pool workers;
  Shared shared;
  asio::io_context network{1};  // goes before what its connections refer to
  Tcp::acceptor acceptor{network};
  asio::steady_timer pause{network};
  std::thread thread{};

  Impl(const ServerOptions& options, std::shared_ptr<Service> service, Log log)
      : workers(static_cast<std::size_t>(options.threads)),
        shared{options, std::move(service), std::move(log), workers} {
    try {
      const Tcp::endpoint end(asio::ip::make_address(options.address),
                              static_cast<unsigned short>(options.port));
      acceptor.open(end.protocol());
      acceptor.set_option(asio::socket_base::reuse_address(true));
      acceptor.bind(end);
      acceptor.listen();
    } catch (const boost::system::system_error& error) {
      throw IoError(fmt::format("cannot listen at {}, port {}: {}; choose another --port",
                                options.address, options.port, error.code().message()));
    }
  }

  // What a connection throws, as for want of memory, ends that connection and no other.
  void run() {
    while (true) {
      try {
        network.run();
        return;
      } catch (const std::exception& error) {
        shared.log(fmt::format("a connection failed: {}", fault_text(error)));
      }
    }
  }

  void accept() {
    acceptor.async_accept([this](beast::error_code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      accept();
      take(std::move(socket));
    });
  }

  // An error such as too many open files lasts: trying again at once would take a whole core.
  void accept_later() {
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](beast::error_code error) {
      if (!error) accept();
    });
  }

  // Closes the connection that is needed least; false where all are worked for.
  bool make_room() {
    std::shared_ptr<Connection> least;
    std::optional<std::pair<int, std::uint64_t>> rank;
    for (const std::weak_ptr<Connection>& each : shared.connections) {
      const std::shared_ptr<Connection> open = each.lock();
      const auto its = open ? open->dispensable() : std::nullopt;
      if (its && (!rank || *its < *rank)) least = open, rank = its;
    }
    std::erase_if(shared.connections, [&](const std::weak_ptr<Connection>& each) {
      return each.expired() || each.lock() == least;
    });
    if (least) least->drop();
    return least != nullptr;
  }

  void take(Tcp::socket socket) {
    beast::error_code ignored;
    if (shared.open >= shared.options.connections && !make_room()) {
      const std::string peer = socket.remote_endpoint(ignored).address().to_string();
      return shared.log_refused("a connection", peer, "too many are open");
    }
    socket.set_option(Tcp::no_delay(true), ignored);
    const auto connection = std::make_shared<Connection>(std::move(socket), shared);
    std::erase_if(shared.connections,
                  [](const std::weak_ptr<Connection>& each) { return each.expired(); });
    shared.connections.push_back(connection);
    connection->read_head();
  }
};

Server::Server(const ServerOptions& options, std::shared_ptr<Service> service, Log log)
    : impl_(std::make_unique<Impl>(options, std::move(service), std::move(log))) {}

Server::~Server() {
  impl_->network.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
  impl_->workers.join();
}

int Server::port() const { return impl_->acceptor.local_endpoint().port(); }

void Server::start() {
  impl_->accept();
  impl_->thread = std::thread([this] { impl_->run(); });
}

}  // namespace fovea::view
