#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/image_set.h>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(ImageSet, FilesAreReadAsRgb) {
  const test::TempFolder folder;
  Random random(2);
  const auto gray = test::random_image<std::uint8_t>(random, 5, 3);
  const auto rgba = test::random_image<std::uint8_t>(random, 5, 3, 4);
  const auto deep = test::random_image<std::uint16_t>(random, 5, 3, 3);
  write_image(folder / "gray.png", gray);
  write_image(folder / "rgba.png", rgba);
  write_image(folder / "deep.png", deep);
  const ImageFileSet set({folder / "gray.png", folder / "rgba.png", folder / "deep.png"});
  ASSERT_EQ(set.count(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(set.read(i).channels(), 3);
  EXPECT_EQ(set.read(0).at(2, 1, 0), gray.at(2, 1));
  EXPECT_EQ(set.read(0).at(2, 1, 2), gray.at(2, 1));
  EXPECT_EQ(set.read(1).at(2, 1, 1), rgba.at(2, 1, 1));
}

TEST(ImageSet, ImagesHaveNamesForMessages) {
  struct Blank final : ImageSet {
    int count() const override { return 9; }
    Image<std::uint8_t> read(int) const override { return Image<std::uint8_t>(1, 1); }
  };
  EXPECT_EQ(Blank().name(3), "image 3");
  EXPECT_EQ(ImageFileSet({"a.png", "b.png"}).name(1), "b.png");
}

TEST(ImageSet, FilesThatAreNotThereAreNamed) {
  const ImageFileSet set({"/nowhere/person.png"});
  EXPECT_THAT(message_of<IoError>([&] { set.read(0); }), HasSubstr("/nowhere/person.png"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { set.read(1); }), HasSubstr("image 1"));
}

}  // namespace
}  // namespace fovea::io
