#include "io/video/redirect.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/messages.h"
#include "support/server.h"

namespace fovea::io {
namespace {

using test::message_of;

TEST(Redirect, HostsAndTheirScopes) {
  EXPECT_EQ(host_of("http://user:a@b@camera.example:81/x@y?z"), "camera.example");
  EXPECT_EQ(host_of("http://[::1]:81/"), "::1");
  EXPECT_EQ(host_of("http://10.0.0.1"), "10.0.0.1");
  for (const char* here :
       {"127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "localhost", "::ffff:127.0.0.1"})
    EXPECT_EQ(scope_of(here), NetworkScope::kThisMachine) << here;
  for (const char* near : {"10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1",
                           "100.64.0.1", "fe80::1", "fd00::1", "::ffff:10.0.0.1"})
    EXPECT_EQ(scope_of(near), NetworkScope::kPrivateNetwork) << near;
  for (const char* far : {"8.8.8.8", "172.32.0.1", "11.0.0.1", "2001:db8::1"})
    EXPECT_EQ(scope_of(far), NetworkScope::kPublic) << far;
}

TEST(Redirect, LeadsToNothingNearerThanWhatTheUserGave) {
  const auto refusal = [](const char* given, const char* target) {
    return message_of<IoError>([&] { require_follows(given, target); });
  };
  EXPECT_EQ(refusal("http://8.8.8.8/a", "http://9.9.9.9/b"), "");
  EXPECT_EQ(refusal("http://10.0.0.1/a", "http://8.8.8.8/b"), "");
  EXPECT_EQ(refusal("http://10.0.0.1/a", "http://192.168.0.1:8080/b"), "");
  EXPECT_EQ(refusal("http://127.0.0.1:1/a", "http://127.0.0.1:2/b"), "");
  EXPECT_THAT(refusal("http://8.8.8.8/a", "http://127.0.0.1:631/b"),
              test::says("http://8.8.8.8/a", "http://127.0.0.1:631/b", "this machine"));
  EXPECT_NE(refusal("http://8.8.8.8/a", "http://192.168.0.1/b"), "");
  EXPECT_NE(refusal("http://192.168.0.1/a", "http://[::1]/b"), "");
  EXPECT_THAT(refusal("http://8.8.8.8/a", "file:///etc/passwd"), test::says("another protocol"));
  EXPECT_THAT(refusal("http://8.8.8.8/a", "https://8.8.8.8/"), test::says("another protocol"));
}

TEST(Redirect, LocationsAreResolved) {
  const std::string url = "http://h:81/a/b?c/d";
  EXPECT_EQ(resolved_location(url, "http://x/y"), "http://x/y");
  EXPECT_EQ(resolved_location(url, "//x/y"), "http://x/y");
  EXPECT_EQ(resolved_location(url, "/y"), "http://h:81/y");
  EXPECT_EQ(resolved_location(url, "y"), "http://h:81/a/y");
  EXPECT_EQ(resolved_location("http://h", "y"), "http://h/y");
}

TEST(Redirect, IsFoundInTheAnswer) {
  const auto never = [] { return false; };
  const auto answered = [&](const std::string& head) {
    const test::Server server([&](const test::Connection& to) {
      EXPECT_THAT(to.request(), testing::StartsWith("GET /a HTTP/1.1\r\nHost: 127.0.0.1:"));
      to.send(head);
    });
    return redirect_of(server.http("/a"), never);
  };
  EXPECT_EQ(answered("HTTP/1.1 302 Found\r\nX: y\r\nLOCATION:  http://x/y \r\n\r\n"), "http://x/y");
  EXPECT_EQ(answered("HTTP/1.1 200 OK\r\nLocation: http://x/y\r\n\r\n"), std::nullopt);
  EXPECT_EQ(answered("HTTP/1.1 301 Moved\r\n\r\n"), std::nullopt);
  EXPECT_EQ(answered("HTTP/1.1 301 Moved\r\nLocation: http://x/\x01\r\n\r\n"), std::nullopt);
  EXPECT_EQ(answered(""), std::nullopt);
  EXPECT_EQ(redirect_of("http://127.0.0.1:1/", [] { return true; }), std::nullopt);
}

}  // namespace
}  // namespace fovea::io
