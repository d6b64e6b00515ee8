// A server that listens, and peers that do not behave.
#include "view/server.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <sys/resource.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "support/messages.h"
#include "support/sanitized.h"
#include "support/waiting.h"
#include "view/access/guard.h"
#include "view/client.h"

namespace fovea::view {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kServedToken(64, 'c');

// Echoes bodies and messages.
class Echo final : public Service {
 public:
  explicit Echo(GuardOptions options = {.token = kServedToken}) : guard(std::move(options)) {}
  bool known(const Request& request) const override { return guard.has_session(request); }
  std::variant<Response, std::size_t> admit(const Request& request) override {
    if (auto refused = guard.check(request)) return *refused;
    return std::size_t{1000};
  }
  Response respond(const Request& request) override {
    if (request.target.path == "/session") return guard.open_session(request);
    if (request.target.path == "/page/error") throw InvalidArgument("a message");
    return {.type = "text/plain",
            .body = request.target.path,
            .lasting = request.target.path == "/page/lasting"};
  }
  std::unique_ptr<Listener> listen(const Request& request, Send send) override {
    struct Ear final : Listener {
      Send send;
      void message(std::string_view text) override {
        send("heard " + std::string(text), text == "last");
      }
    };
    if (request.target.path != "/jobs/1") return nullptr;
    auto ear = std::make_unique<Ear>();
    ear->send = std::move(send);
    ear->send("begin", false);
    return ear;
  }
  Guard guard;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest()
      : server_({.connections = 4, .head_bytes = 2000}, echo_, [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          log_.push_back(line);
        }) {
    echo_->guard.set_port(server_.port());
    server_.start();
  }

  std::vector<std::string> log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  std::string cookie() { return session_at(server_.port()); }
  std::string session_at(int port) {
    Client client(port);
    const std::string answer = client.ask("POST", "/session", "", kServedToken);
    const std::size_t from = answer.find("Set-Cookie: ") + 12;
    return "Cookie: " + answer.substr(from, answer.find(';', from) - from) + "\r\n";
  }
  std::string upgrade(const Client& client, const std::string& target) {
    return client.head(
        "GET", target,
        cookie() +
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  }
  // Whether the server still answers.
  void expect_alive() {
    EXPECT_THAT(Client(server_.port()).ask("GET", "/page/x"), HasSubstr("/page/x"));
  }

  std::mutex mutex_{};
  std::vector<std::string> log_{};
  std::shared_ptr<Echo> echo_ = std::make_shared<Echo>();
  Server server_;
};

TEST_F(ServerTest, AnswersOneRequestAfterTheOther) {
  Client client(server_.port());
  client.send(client.head("GET", "/page/one"));
  EXPECT_THAT(client.receive("/page/one"), StartsWith("HTTP/1.1 200 OK\r\n"));
  client.send(client.head("GET", "/page/two"));
  const std::string answer = client.receive("/page/two");
  EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_THAT(log(), testing::IsEmpty());
}

TEST_F(ServerTest, SetsBothCookiesOfAPageThatMayBeEmbedded) {
  const std::vector<std::string> embedding{"http://localhost:8888"};
  const auto echo =
      std::make_shared<Echo>(GuardOptions{.token = kServedToken, .embedding = embedding});
  Server server({.embedding = embedding}, echo, [](const std::string&) {});
  echo->guard.set_port(server.port());
  server.start();
  const std::string answer = Client(server.port()).ask("POST", "/session", "", kServedToken);
  EXPECT_THAT(answer, HasSubstr("; frame-ancestors http://localhost:8888\r\n"));
  EXPECT_THAT(answer, HasSubstr("SameSite=Strict\r\n"));
  const std::size_t from = answer.find("fovea_" + std::to_string(server.port()) + "_embedded=");
  ASSERT_NE(from, answer.npos) << answer;
  const std::string cookie =
      "Cookie: " + answer.substr(from, answer.find(';', from) - from) + "\r\n";
  EXPECT_THAT(
      Client(server.port()).ask("GET", "/inputs", cookie + "Sec-Fetch-Site: same-origin\r\n"),
      HasSubstr("/inputs"));
}

TEST_F(ServerTest, SaysWhatABrowserMayKeep) {
  EXPECT_THAT(Client(server_.port()).ask("GET", "/page/lasting"),
              HasSubstr("\r\nCache-Control: private, max-age=600\r\n"));
  EXPECT_THAT(Client(server_.port()).ask("GET", "/page/x"),
              HasSubstr("\r\nCache-Control: no-store\r\n"));
  EXPECT_THAT(Client(server_.port()).ask("GET", "/inputs"),
              HasSubstr("\r\nCache-Control: no-store\r\n"))
      << "refusals are not kept";
}

TEST_F(ServerTest, ListensAtAddressesOfIpv6) {
  std::optional<Server> server;
  try {
    server.emplace(ServerOptions{.address = "::1"}, echo_, [](const std::string&) {});
  } catch (const IoError& error) {
    GTEST_SKIP() << error.what();
  }
  server->start();
  EXPECT_THAT(Client(server->port(), AF_INET6).ask("GET", "/page/x"), HasSubstr("/page/x"));
  Client client(server->port(), AF_INET6);
  client.send("GET / HTTP/1.1\r\nHost: [::2]\r\n\r\n");
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 403 "));
}

// Time of the CPU that this process has taken, in seconds.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_F(ServerTest, WaitsWhereNoMoreFilesCanBeOpened) {
  FOVEA_SKIP_WHERE_SANITIZED("a sanitizer opens pipes of its own");
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  const int next = dup(0);  // the number that a new file would get
  close(next);
  // The client takes it, so that nothing is left for the server's end of the connection.
  const rlimit none{static_cast<rlim_t>(next) + 1, most.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Client client(server_.port());
  client.send(client.head("GET", "/page/later"));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const double used = cpu_seconds() - before;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &most), 0);
  EXPECT_LT(used, 0.2) << "the server does not try all the time";
  EXPECT_THAT(client.receive("/page/later"), HasSubstr("/page/later"));
}

TEST_F(ServerTest, TurnsErrorsIntoAnswers) {
  const std::string answer = Client(server_.port()).ask("GET", "/page/error");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 422 "));
  EXPECT_THAT(answer, HasSubstr(R"({"error": "a message"})"));
}

TEST_F(ServerTest, RefusesForeignHostsAndPages) {
  Client host(server_.port());
  host.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_THAT(host.receive(), StartsWith("HTTP/1.1 403 "));
  Client none(server_.port());
  none.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(none.receive(), StartsWith("HTTP/1.1 400 "));
  Client two(server_.port());
  two.send("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
  EXPECT_THAT(two.receive(), StartsWith("HTTP/1.1 400 "));
  Client page(server_.port());
  page.send("POST /session HTTP/1.1\r\nHost: " + page.host() +
            "\r\nOrigin: http://evil.example\r\nContent-Length: 64\r\n\r\n" + kServedToken);
  EXPECT_THAT(page.receive(), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(log(), Contains("refused GET / from 127.0.0.1: the host 'evil.example' is not this "
                              "machine's"));
  EXPECT_EQ(log().size(), 4U);
}

TEST_F(ServerTest, RefusesWhoHasNoSession) {
  EXPECT_THAT(Client(server_.port()).ask("GET", "/inputs"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Client(server_.port()).ask("POST", "/session", "", std::string(64, 'x')),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Client(server_.port()).ask("GET", "/inputs", cookie()), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(log().size(), 2U);
}

TEST_F(ServerTest, RefusesPathsThatLeaveTheirPlace) {
  for (const char* path : {"/page/../../etc/passwd", "/page/%2e%2e/x", "/page/%5c", "/%00"})
    EXPECT_THAT(Client(server_.port()).ask("GET", path), StartsWith("HTTP/1.1 400 ")) << path;
}

TEST_F(ServerTest, RefusesHugeBodiesBeforeTheyCome) {
  Client stated(server_.port());
  stated.send(stated.head("POST", "/session", "Content-Length: 99999999999999\r\n"));
  EXPECT_THAT(stated.receive(), StartsWith("HTTP/1.1 413 "));
  Client chunked(server_.port());
  chunked.send(chunked.head("POST", "/session", "Transfer-Encoding: chunked\r\n") + "7d0\r\n" +
               std::string(2000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_THAT(chunked.receive(), StartsWith("HTTP/1.1 413 "));
  Client foreign(server_.port());
  foreign.send("POST /run HTTP/1.1\r\nHost: " + foreign.host() + "\r\nOrigin: http://" +
               foreign.host() + "\r\nContent-Length: 900\r\n\r\n");
  EXPECT_THAT(foreign.receive(), StartsWith("HTTP/1.1 401 ")) << "no body is awaited";
}

TEST_F(ServerTest, RefusesLongHeadsAndWhatIsNoHttp) {
  Client head(server_.port());
  head.send(head.head("GET", "/", "X: " + std::string(5000, 'x') + "\r\n"));
  EXPECT_THAT(head.receive(), StartsWith("HTTP/1.1 431 "));
  for (const char* bytes :
       {"\x16\x03\x01\x02\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nA b: c\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"}) {
    Client client(server_.port());
    client.send(bytes);
    EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 400 ")) << bytes;
  }
  expect_alive();
}

TEST_F(ServerTest, ClosesSlowAndIdlePeers) {
  std::mutex mutex;
  std::vector<std::string> lines;
  Server impatient({.head_seconds = 2, .body_seconds = 2}, echo_, [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  });
  impatient.start();
  Client idle(impatient.port()), slow(impatient.port()), body(impatient.port());
  slow.send("GET / HTTP/1.1\r\nHo");
  body.send(body.head("POST", "/session", "Content-Length: 64\r\n") + "c");
  for (Client* client : {&idle, &slow, &body}) {
    client->receive();
    EXPECT_TRUE(client->closed());
  }
  EXPECT_THAT(Client(impatient.port()).ask("GET", "/page/x"), HasSubstr("/page/x"));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(lines, Contains(HasSubstr("its head took too long")));
}

// Slow connections of a session, be they its own, do not lock it out.
TEST_F(ServerTest, ClosesTheConnectionThatHasWaitedLongest) {
  const std::string session = cookie();
  {
    Client a(server_.port()), b(server_.port()), c(server_.port()), d(server_.port());
    for (Client* client : {&a, &b, &c, &d}) {
      client->send(client->head("GET", "/page/x", session));
      client->receive("/page/x");
    }
    a.send("GET / HTTP/1.1\r\nHo");  // is as slow as one that sends nothing
    for (int i = 0; i < 20; ++i)
      EXPECT_THAT(Client(server_.port()).ask("GET", "/inputs", session),
                  StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(log(), Contains(HasSubstr("too many are open, and it has waited longest")));
    a.receive();
    EXPECT_TRUE(a.closed());
  }
  std::string answer;  // comes once the server has seen the others go
  test::eventually([&] {
    answer = Client(server_.port()).ask("GET", "/page/x");
    return !answer.empty();
  });
  EXPECT_THAT(answer, HasSubstr("/page/x"));
}

TEST_F(ServerTest, ClosesTheOldestStrangerWhereTooManyAreOpen) {
  const std::string session = cookie();
  Client owner(server_.port());
  owner.send(owner.head("GET", "/page/owner", session));
  owner.receive("/page/owner");
  Client oldest(server_.port()), second(server_.port()), third(server_.port());
  oldest.send(oldest.head("POST", "/session", "Content-Length: 64\r\n") + "c");
  EXPECT_THAT(Client(server_.port()).ask("GET", "/inputs", session), StartsWith("HTTP/1.1 200 "));
  oldest.receive();
  EXPECT_TRUE(oldest.closed());
  owner.send(owner.head("GET", "/page/again", session));
  EXPECT_THAT(owner.receive("/page/again"), HasSubstr("/page/again"));
  EXPECT_THAT(log(), Contains(HasSubstr("too many are open, and it has no session")));
}

// A masked frame of a client, of fewer than 126 bytes.
std::string frame(unsigned char first, const std::string& text) {
  std::string bytes{static_cast<char>(first), static_cast<char>(0x80 | text.size()), 0, 0, 0, 0};
  return bytes + text;
}

TEST_F(ServerTest, SpeaksThroughWebSockets) {
  Client client(server_.port());
  client.send(upgrade(client, "/jobs/1"));
  EXPECT_THAT(client.receive("begin"), StartsWith("HTTP/1.1 101 "));
  client.send(frame(0x81, "word"));
  EXPECT_THAT(client.receive("heard word"), HasSubstr("heard word"));
  client.send(frame(0x81, "last"));
  client.receive("heard last");
  client.send(frame(0x88, ""));
  client.receive();
  EXPECT_TRUE(client.closed());
}

TEST_F(ServerTest, RefusesForeignWebSockets) {
  Client client(server_.port());
  std::string request = upgrade(client, "/jobs/1");
  const std::string origin = "Origin: http://" + client.host();
  request.replace(request.find(origin), origin.size(), "Origin: http://evil.example");
  client.send(request);
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 403 "));
}

TEST_F(ServerTest, ClosesMalformedWebSockets) {
  const std::string unmasked("\x81\x04word", 6);
  const std::string reserved = frame(0xf1, "word"), unknown = frame(0x8b, "word");
  const std::string huge("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14);
  const std::string control = frame(0x09, "ping in parts"), text = frame(0x81, "\xff\xfe");
  for (const std::string& bytes : {unmasked, reserved, unknown, huge, control, text}) {
    Client client(server_.port());
    client.send(upgrade(client, "/jobs/1"));
    client.receive("begin");
    client.send(bytes);
    client.send(frame(0x88, ""));
    client.receive();
    EXPECT_TRUE(client.closed());
  }
  expect_alive();
}

// Peers that do not say that they have heard the end of a WebSocket. One of them has begun a
// message before, and breaks the protocol in the rest of it.
TEST_F(ServerTest, LetsGoOfPeersThatDoNotAnswerItsEnd) {
  constexpr int kMost = 3;
  Server impatient({.connections = kMost, .close_seconds = 0.5}, echo_, [](const std::string&) {});
  echo_->guard.set_port(impatient.port());
  impatient.start();
  const std::string upgrade =
      session_at(impatient.port()) +
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const std::string said_end("\x88\x02\x03\xe8", 4);
  const std::string text = frame(0x81, std::string(40, 'x') + "\xff" + std::string(40, 'x'));
  const std::vector<std::string> answers{text, "", frame(0xf1, "word"), frame(0x81, "word")};
  for (int i = 0; i < 2 * kMost; ++i)
    for (const std::string& answer : answers) {
      const std::size_t begun = answer == text ? 20 : 0;
      std::string heard;  // once the server has let go of the others
      while (heard.find(said_end) == heard.npos) {
        Client client(impatient.port());
        client.send(client.head("GET", "/jobs/1", upgrade));
        client.receive("begin");
        client.send(frame(0x81, "last") + answer.substr(0, begun));
        heard = client.receive(said_end);
        client.send(answer.substr(begun));
        client.receive();
        ASSERT_TRUE(client.closed());
      }
    }
}

TEST(Server, SaysWhyItCannotListen) {
  const auto echo = std::make_shared<Echo>();
  const Server first({}, echo, [](const std::string&) {});
  EXPECT_THAT(test::message_of<IoError>(
                  [&] { Server({.port = first.port()}, echo, [](const std::string&) {}); }),
              HasSubstr("choose another --port"));
}

}  // namespace
}  // namespace fovea::view
