#include "io/text/address.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <gmock/gmock.h>

#include "support/messages.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Address, PasswordsAreMasked) {
  EXPECT_EQ(source_name("rtsp://host:554/door"), "rtsp://host:554/door");
  EXPECT_EQ(source_name("rtsp://me:secret@host:554/door"), "rtsp://***@host:554/door");
  EXPECT_EQ(source_name("http://host/live?user=me&pwd=secret#x"), "http://host/live?***");
  // Passwords that are not escaped as they should be.
  for (const char* password : {"se/cret", "se?cret", "se#cret", "se@cret", "se cret"})
    EXPECT_EQ(source_name(std::string("http://me:") + password + "@host/a"), "http://***@host/a");
  EXPECT_EQ(source_name("me@host.png"), "me@host.png");
  EXPECT_EQ(source_name("what?.png"), "what?.png");
  EXPECT_THAT(unknown_protocol("ftp://me:secret@host/a"),
              AllOf(HasSubstr("ftp://***@host/a"), HasSubstr("rtsp://"), Not(HasSubstr("secret"))));
}

TEST(Address, LiveSourcesAreKnownByTheirForm) {
  for (const char* live : {"camera:0", "camera:x", "rtsp://a", "HTTP://a", "tcp://a:1", "ftp://a"})
    EXPECT_TRUE(is_live_source(live)) << live;
  for (const char* file : {"a.mp4", "-", "./camera:0", "a://", "/dev/null", "my file://a"})
    EXPECT_EQ(is_live_source(file), file == std::string("a://")) << file;
  EXPECT_EQ(protocol_of("RTSP://a"), "rtsp");
  EXPECT_EQ(find_protocol("file"), nullptr);
  EXPECT_EQ(find_protocol("concat"), nullptr);
}

TEST(Address, CamerasHaveNumbers) {
  EXPECT_EQ(camera_device("camera:0"), "/dev/video0");
  EXPECT_EQ(camera_device("camera:012"), "/dev/video12");
  EXPECT_EQ(camera_device("a.mp4"), "");
  EXPECT_EQ(camera_device("/dev/null"), "");
  for (const char* wrong : {"camera:", "camera:x", "camera:-1", "camera:0x1", "camera:1000"})
    EXPECT_THAT(message_of<InvalidArgument>([&] { camera_device(wrong); }),
                AllOf(HasSubstr(wrong), HasSubstr("such as camera:0")));
}

}  // namespace
}  // namespace fovea::io
