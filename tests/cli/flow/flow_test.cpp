#include "cli/flow/flow.h"

#include <gtest/gtest.h>

#include <array>

namespace fovea::cli {
namespace {

TEST(FlowVerbs, AFieldIsMadeOfInterleavedVectors) {
  const std::array<float, 4> vectors{1, 2, 3, 4};
  const io::FlowField field = field_of(vectors.data(), {2, 1});
  EXPECT_EQ(field.u.at(0, 0), 1);
  EXPECT_EQ(field.v.at(0, 0), 2);
  EXPECT_EQ(field.u.at(1, 0), 3);
  EXPECT_EQ(field.v.at(1, 0), 4);
  EXPECT_EQ(field.known.at(1, 0), 255);
}

}  // namespace
}  // namespace fovea::cli
