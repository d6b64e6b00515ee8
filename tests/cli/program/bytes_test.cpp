#include "cli/program/bytes.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(ParseBytes, TakesBytesOrAUnit) {
  EXPECT_EQ(parse_bytes("memory", ""), 0U);
  EXPECT_EQ(parse_bytes("memory", "4096"), 4096U);
  EXPECT_EQ(parse_bytes("memory", "512K"), 512U << 10U);
  EXPECT_EQ(parse_bytes("memory", "512M"), 512U << 20U);
  EXPECT_EQ(parse_bytes("memory", "512MiB"), 512U << 20U);
  EXPECT_EQ(parse_bytes("memory", "512MB"), 512U << 20U);
  EXPECT_EQ(parse_bytes("memory", "1.5G"), 3ULL << 29U);
  EXPECT_EQ(parse_bytes("memory", "2T"), 2ULL << 40U);
  for (const char* text :
       {"M", "x", "-1", "0", "512m", "5 M", "5MM", "nan", "inf", "1e30", "99999999T"})
    EXPECT_THAT(message_of<InvalidArgument>([&] { parse_bytes("memory", text); }),
                HasSubstr(std::string("--memory is '") + text + "'; expected bytes such as 512M"))
        << text;
}

}  // namespace
}  // namespace fovea::cli
