#include "view/access/origin.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/messages.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;

TEST(Origins, AreWrittenAsBrowsersDo) {
  EXPECT_EQ(parse_origin("http://localhost:8888"), "http://localhost:8888");
  EXPECT_EQ(parse_origin("HTTPS://Hub.Example.org"), "https://hub.example.org");
  EXPECT_EQ(parse_origin("http://desk:80"), "http://desk");
  EXPECT_EQ(parse_origin("https://desk:443"), "https://desk");
  EXPECT_EQ(parse_origin("https://desk:80"), "https://desk:80");
  EXPECT_EQ(parse_origin("http://127.0.0.1:8889"), "http://127.0.0.1:8889");
}

TEST(Origins, AreNoOtherTexts) {
  for (const char* text : {"",
                           "localhost",
                           "localhost:8888",
                           "//localhost",
                           "http://",
                           "http://:80",
                           "http://a/",
                           "http://a:8888/lab",
                           "http://a:",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:x",
                           "http://a:80:80",
                           "http://ann@a",
                           "http://*",
                           "http://*.a",
                           "http://a b",
                           "http://a;b",
                           "http://a'",
                           "http://a,b",
                           "http://m\xc3\xbcller",
                           "ftp://a",
                           "file:///a",
                           "null",
                           "*",
                           "http:/a",
                           "http://a\r\nX: 1"}) {
    const std::string message = test::message_of<InvalidArgument>([&] { parse_origin(text); });
    EXPECT_THAT(message, HasSubstr("this is no origin of pages")) << text;
    EXPECT_EQ(message.find('\n'), message.npos) << text;
  }
}

TEST(Origins, AreNotThoseThatBrowsersLetEmbedNothing) {
  EXPECT_THAT(test::message_of<InvalidArgument>([] { parse_origin("http://[::1]:8888"); }),
              HasSubstr("IPv6"));
}

TEST(Origins, HaveAHost) {
  EXPECT_EQ(host_of_origin("http://desk:8888"), "desk:8888");
  EXPECT_EQ(host_of_origin("https://hub.example"), "hub.example");
}

}  // namespace
}  // namespace fovea::view
