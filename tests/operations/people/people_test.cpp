#include "operations/people/people.h"

#include <gtest/gtest.h>

#include "cli/people/scene.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using operations::in_color;
using operations::people_text;

TEST(People, OneIsAPerson) {
  EXPECT_EQ(people_text(0), "0 people");
  EXPECT_EQ(people_text(1), "1 person");
  EXPECT_EQ(people_text(2), "2 people");
}

TEST(People, AGrayPictureIsTurnedIntoColor) {
  const Image<std::uint8_t> color = in_color(street(8, 9));
  ASSERT_EQ(color.channels(), 3);
  EXPECT_EQ(color.at(3, 4, 2), 90);
  EXPECT_TRUE(test::images_equal(in_color(street(8, 9, 3)), color));
}

TEST(People, AModelIsAWordOrAFile) {
  const test::TempFolder folder;
  likeness().write(folder / "m.safetensors");
  EXPECT_EQ(people::load_model(folder / "m.safetensors")->facts.at("data"), "one drawing");
  // A bare list of numbers, as OpenCV keeps its vectors.
  std::string numbers;
  for (int i = 0; i < 3781; ++i) numbers += i % 2 == 0 ? "0.5 " : "-0.25 ";
  test::save(folder / "vector.txt", numbers);
  const auto imported = people::load_model(folder / "vector.txt");
  EXPECT_EQ(imported->kind, people::Kind::kHog);
  EXPECT_EQ(std::get<people::LinearModel>(imported->classifier).weights.size(), 3780U);
}

}  // namespace
}  // namespace fovea::cli
