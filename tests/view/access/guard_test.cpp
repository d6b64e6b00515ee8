#include "view/access/guard.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace fovea::view {
namespace {

using testing::HasSubstr;

const std::string kToken(64, 'a');

Request request_to(const std::string& method, const std::string& path) {
  return {.method = method,
          .target = {path},
          .host = "127.0.0.1:8000",
          .origin = method == "POST" ? "http://127.0.0.1:8000" : ""};
}

class GuardTest : public testing::Test {
 protected:
  GuardTest() : guard_({.token = kToken}) { guard_.set_port(8000); }

  int status(const Request& request) const {
    const auto refused = guard_.check(request);
    return refused ? refused->status : 200;
  }
  std::string cookie() {
    Request request = request_to("POST", "/session");
    request.body = kToken;
    const Response response = guard_.open_session(request);
    EXPECT_EQ(response.status, 200);
    const std::string& text = response.headers.at(0).second;
    EXPECT_THAT(text, HasSubstr("; HttpOnly; SameSite=Strict"));
    return text.substr(0, text.find(';'));
  }

  Guard guard_;
};

TEST_F(GuardTest, LetsThePageInWithoutASession) {
  EXPECT_EQ(status(request_to("GET", "/")), 200);
  EXPECT_EQ(status(request_to("GET", "/page/app.js")), 200);
  EXPECT_EQ(status(request_to("POST", "/session")), 200);
}

TEST_F(GuardTest, AsksForASessionEverywhereElse) {
  for (const char* path : {"/systems", "/inputs", "/results/1", "/jobs/1", "/session"})
    EXPECT_EQ(status(request_to("GET", path)), 401) << path;
  EXPECT_EQ(status(request_to("POST", "/run")), 401);
  EXPECT_EQ(status(request_to("POST", "/")), 401);
  EXPECT_EQ(status(request_to("DELETE", "/inputs")), 405);
}

TEST_F(GuardTest, TakesTheCookieOfTheToken) {
  Request request = request_to("GET", "/inputs");
  request.cookie = "other=1; " + cookie() + "; fovea_9=x";
  EXPECT_EQ(status(request), 200);
  EXPECT_THAT(request.cookie, HasSubstr("fovea_8000="));
  request.cookie.replace(request.cookie.find("fovea_8000="), 11, "fovea_8001=");
  EXPECT_EQ(status(request), 401) << "a cookie of another port";
  request.cookie = "fovea_8000=" + kToken;
  EXPECT_EQ(status(request), 401) << "the token itself is no cookie";
  request.cookie = "fovea_8000=";
  EXPECT_EQ(status(request), 401);
}

TEST_F(GuardTest, RefusesAWrongToken) {
  Request request = request_to("POST", "/session");
  for (const std::string& token : {std::string(), kToken + "a", std::string(64, 'b')}) {
    request.body = token;
    EXPECT_EQ(guard_.open_session(request).status, 401);
  }
}

TEST_F(GuardTest, RefusesForeignHosts) {
  Request request = request_to("GET", "/");
  for (const char* host : {"127.0.0.1", "localhost:9", "LOCALHOST", "[::1]:80"}) {
    request.host = host;
    EXPECT_EQ(status(request), 200) << host;
  }
  for (const char* host :
       {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1",
        "[::2]", "[::1", "127.0.0.1:80:80", "localhost:80a", "0.0.0.0", "[::1]evil.example",
        "[::1]:80:80", "::1", "localhost.", "user@localhost", "127.1", "2130706433", "localhost ",
        "localhost:123456"}) {
    request.host = host;
    EXPECT_EQ(status(request), 403) << host;
  }
}

TEST_F(GuardTest, RefusesForeignPages) {
  Request post = request_to("POST", "/session");
  for (const char* origin : {"", "null", "http://evil.example", "https://127.0.0.1:8001",
                             "http://127.0.0.1:8001", "http://localhost:8000",
                             "https://localhost:8000", "ftp://127.0.0.1:8000", "127.0.0.1:8000"}) {
    post.origin = origin;
    EXPECT_EQ(status(post), 403) << origin;
  }
  Request socket = request_to("GET", "/jobs/1");
  socket.upgrade = true;
  socket.cookie = cookie();
  EXPECT_EQ(status(socket), 403) << "a WebSocket must say where it comes from";
  socket.origin = "http://127.0.0.1:8000";
  EXPECT_EQ(status(socket), 200);
}

TEST_F(GuardTest, TakesThePageThatAProxyGivesByHttps) {
  Request post = request_to("POST", "/session");
  post.origin = "https://127.0.0.1:8000";
  EXPECT_EQ(status(post), 200);
  Request socket = request_to("GET", "/jobs/1");
  socket.upgrade = true;
  socket.cookie = cookie();
  socket.origin = post.origin;
  EXPECT_EQ(status(socket), 200);
}

TEST_F(GuardTest, ForgetsTheOldestSessions) {
  Request request = request_to("GET", "/inputs");
  request.cookie = cookie();
  for (int i = 0; i < 64; ++i) cookie();
  EXPECT_EQ(status(request), 401);
}

TEST(GuardOfAHost, KnowsItsNamesAndAddresses) {
  const Guard guard({.token = kToken, .hosts = {"desk"}, .addresses = true});
  Request request = request_to("GET", "/");
  for (const char* host : {"desk:80", "DESK", "192.168.0.7:80", "[fe80::1]", "localhost",
                           "[2001:DB8::7]:8000", "[::ffff:10.0.0.1]", "[::1]"}) {
    request.host = host;
    EXPECT_FALSE(guard.check(request)) << host;
  }
  for (const char* host :
       {"evil.example", "desk.evil.example", "[evil.example]", "[]", "[::1]x", "[fe80::1",
        "fe80::1", "192.168.0", "192.168.0.7.evil.example", "192.168.0.256", "2130706433", ""}) {
    request.host = host;
    EXPECT_TRUE(guard.check(request)) << host;
  }
}

TEST(GuardOfAHost, WantsThePageOfTheSameAddress) {
  const Guard guard({.token = kToken, .hosts = {"desk"}, .addresses = true});
  Request post = request_to("POST", "/session");
  post.host = "[fe80::1]:8000";
  post.origin = "http://[fe80::1]:8000";
  EXPECT_FALSE(guard.check(post));
  post.origin = "http://desk:8000";
  EXPECT_TRUE(guard.check(post)) << "another name of this machine is another origin";
}

// A view that a page of http://localhost:8888 may embed, and a proxy at https://hub.example give.
class GuardOfAnEmbeddedPage : public testing::Test {
 protected:
  GuardOfAnEmbeddedPage()
      : guard_({.token = kToken, .embedding = {"http://localhost:8888", "https://hub.example"}}) {
    guard_.set_port(8000);
    Request request = request_to("POST", "/session");
    request.body = kToken;
    for (const auto& [name, value] : guard_.open_session(request).headers) {
      EXPECT_EQ(name, "Set-Cookie");
      cookies_.push_back(value);
    }
  }
  int status(const Request& request) const {
    const auto refused = guard_.check(request);
    return refused ? refused->status : 200;
  }

  Guard guard_;
  std::vector<std::string> cookies_{};
};

TEST_F(GuardOfAnEmbeddedPage, HasACookieOfItsOwnThatCrossesSites) {
  ASSERT_EQ(cookies_.size(), 2U);
  EXPECT_THAT(cookies_[0], HasSubstr("; HttpOnly; SameSite=Strict"));
  EXPECT_THAT(cookies_[1], HasSubstr("; HttpOnly; SameSite=None; Secure; Partitioned"));
  EXPECT_THAT(cookies_[1], testing::StartsWith("fovea_8000_embedded="));
}

TEST_F(GuardOfAnEmbeddedPage, TakesThatCookieFromItsOwnPagesOnly) {
  Request request = request_to("GET", "/inputs");
  request.cookie = cookies_.at(1).substr(0, cookies_.at(1).find(';'));
  for (const char* site : {"", "none", "cross-site", "same-site"}) {
    request.fetch_site = site;
    EXPECT_EQ(status(request), 401) << site;
  }
  request.fetch_site = "same-origin";
  EXPECT_EQ(status(request), 200);
  Request socket = request_to("GET", "/jobs/1");
  socket.upgrade = true;
  socket.cookie = request.cookie;
  socket.origin = "http://127.0.0.1:8000";
  EXPECT_EQ(status(socket), 200);
  socket.origin = "http://localhost:8888";
  EXPECT_EQ(status(socket), 403) << "the page around is not the view's";
  request.cookie = "fovea_8000" + request.cookie.substr(request.cookie.find('='));
  EXPECT_EQ(status(request), 401) << "one cookie is not the other";
}

TEST_F(GuardOfAnEmbeddedPage, TakesTheHostOfAProxyThatMayEmbedIt) {
  Request request = request_to("POST", "/session");
  request.host = "Hub.example";
  request.origin = "https://Hub.example";
  EXPECT_EQ(status(request), 200);
  for (const char* host : {"hub.example:444", "a.hub.example", "hub.example.evil", ""}) {
    request.host = host;
    request.origin = std::string("https://") + host;
    EXPECT_EQ(status(request), 403) << host;
  }
  request.host = "127.0.0.1:8000";
  request.origin = "https://hub.example";
  EXPECT_EQ(status(request), 403) << "another page of the proxy";
}

TEST(Secrets, AreRandomAndCompared) {
  EXPECT_EQ(random_token().size(), 64U);
  EXPECT_NE(random_token(), random_token());
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
}

TEST(GuardHeaders, AllowOnlyThePageItself) {
  const auto headers = guard_headers({});
  const auto find = [&](const std::string& name) {
    return std::ranges::find(headers, name, &std::pair<std::string, std::string>::first)->second;
  };
  EXPECT_THAT(find("Content-Security-Policy"), testing::StartsWith("default-src 'none'; "));
  EXPECT_THAT(find("Content-Security-Policy"), testing::Not(HasSubstr("unsafe")));
  EXPECT_THAT(find("Content-Security-Policy"), testing::EndsWith("; frame-ancestors 'none'"));
  EXPECT_EQ(find("Cache-Control"), "no-store");
  EXPECT_EQ(find("X-Content-Type-Options"), "nosniff");
}

TEST(GuardHeaders, NameTheOriginsThatMayEmbedThePage) {
  const auto headers = guard_headers({}, {"http://localhost:8888", "https://hub.example"});
  EXPECT_THAT(headers[0].second,
              testing::EndsWith("; frame-ancestors http://localhost:8888 https://hub.example"));
  for (std::size_t i = 1; i < headers.size(); ++i) EXPECT_EQ(headers[i], guard_headers({})[i]);
}

TEST(GuardHeaders, LetBrowsersKeepOnlyWhatNeverChanges) {
  const auto kept = [](bool lasting) {
    const auto headers = guard_headers({.lasting = lasting});
    return std::ranges::find(headers, "Cache-Control", &std::pair<std::string, std::string>::first)
        ->second;
  };
  EXPECT_EQ(kept(true), "private, max-age=600");
  EXPECT_EQ(kept(false), "no-store");
}

}  // namespace
}  // namespace fovea::view
