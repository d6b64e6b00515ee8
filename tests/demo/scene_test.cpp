#include <gtest/gtest.h>

#include "demo/demo.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

TEST(DemoScene, IsTheSameEveryTime) {
  const Image<std::uint8_t> scene = demo_scene();
  EXPECT_EQ(scene.channels(), 3);
  EXPECT_TRUE(test::images_equal(scene, demo_scene()));
}

}  // namespace
}  // namespace fovea::cli
