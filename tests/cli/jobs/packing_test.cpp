#include "cli/jobs/packing.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

namespace fovea::cli {
namespace {

TEST(Packing, GivesBackWhatItGot) {
  const std::string bytes = Packer().number(-3).text(std::string("a\0b", 3)).number(0.5F).bytes();
  Unpacker in(bytes);
  EXPECT_EQ(in.number<int>(), -3);
  EXPECT_EQ(in.text(), std::string("a\0b", 3));
  EXPECT_EQ(in.number<float>(), 0.5F);
  EXPECT_TRUE(in.at_end());
}

TEST(Packing, NamesMissingBytes) {
  const std::string bytes = Packer().text("four").bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Unpacker in(std::string_view(bytes).substr(0, length));
    EXPECT_THROW(in.text(), FormatError) << length;
  }
}

}  // namespace
}  // namespace fovea::cli
