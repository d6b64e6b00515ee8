#include "view/picture.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <gtest/gtest.h>

#include "support/images.h"
#include "view/lru_cache.h"
#include "view/picture_cache.h"

namespace fovea::view {
namespace {

Image<std::uint8_t> read_back(const std::string& png) {
  return io::to_bytes(io::read_image(std::as_bytes(std::span(png)), "tile"));
}

TEST(Picture, HasATileForEveryPixel) {
  Random random(1);
  const Picture picture(test::random_image<std::uint8_t>(random, 600, 300, 3));
  ASSERT_EQ(picture.levels(), 3);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) {
      const Image<std::uint8_t> tile = read_back(picture.tile(0, x, y));
      ASSERT_EQ(tile.width(), x < 2 ? 256 : 600 - 512);
      ASSERT_EQ(tile.height(), y < 1 ? 256 : 300 - 256);
      for (int j = 0; j < tile.height(); j += 7)
        for (int i = 0; i < tile.width(); i += 7)
          ASSERT_EQ(tile.at(i, j, 1), picture.pixels().at(256 * x + i, 256 * y + j, 1));
    }
}

TEST(Picture, HasSmallerLevels) {
  Random random(2);
  const Picture picture(test::random_image<std::uint8_t>(random, 601, 33));
  const Image<std::uint8_t> last = read_back(picture.tile(2, 0, 0));
  EXPECT_EQ(last.width(), 151);
  EXPECT_EQ(last.height(), 9);
  EXPECT_EQ(read_back(picture.tile(1, 1, 0)).width(), 301 - 256);
}

TEST(Picture, RefusesTilesThatAreNotThere) {
  const Picture picture(Image<std::uint8_t>(300, 300));
  EXPECT_THROW(picture.tile(0, 2, 0), InvalidArgument);
  EXPECT_THROW(picture.tile(0, 0, -1), InvalidArgument);
  EXPECT_THROW(picture.tile(9, 0, 0), InvalidArgument);
  EXPECT_THROW(picture.tile(-1, 0, 0), InvalidArgument);
}

TEST(Picture, HasAThumbnail) {
  Random random(3);
  const Picture picture(test::random_image<std::uint8_t>(random, 1000, 500, 3));
  const Image<std::uint8_t> small = read_back(picture.thumbnail(100));
  EXPECT_EQ(small.width(), 100);
  EXPECT_EQ(small.height(), 50);
  const Picture tiny(test::random_image<std::uint8_t>(random, 5, 3));
  EXPECT_EQ(read_back(tiny.thumbnail(100)).width(), 5) << "is never enlarged";
}

TEST(LruCache, ForgetsWhatWasUsedLongAgo) {
  LruCache<int> kept(10);
  kept.keep("a", 1, 4);
  kept.keep("b", 2, 4);
  EXPECT_EQ(kept.find("a"), 1);
  kept.keep("c", 3, 4);
  EXPECT_EQ(kept.find("b"), std::nullopt);
  EXPECT_EQ(kept.find("a"), 1);
  kept.keep("d", 4, 100);
  EXPECT_EQ(kept.find("d"), 4) << "the last one is kept whatever its size";
  EXPECT_EQ(kept.find("a"), std::nullopt);
}

TEST(PictureCache, FindsWhatSomebodyHolds) {
  PictureCache cache(1);
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::make_shared<const Picture>(Image<std::uint8_t>(4, 4));
  };
  std::shared_ptr<const Picture> held = cache.get("a", make);
  for (int i = 0; i < 200; ++i) cache.get(std::to_string(i), make);
  EXPECT_EQ(cache.get("a", make), held);
  EXPECT_EQ(made, 201);
  EXPECT_EQ(cache.find("7"), nullptr);
  held.reset();
  EXPECT_NE(cache.find("a"), nullptr) << "it was used last";
  cache.get("b", make);
  EXPECT_EQ(cache.find("a"), nullptr);
}

TEST(LruCache, MakesAValueOnce) {
  LruCache<int> kept(1);
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(kept.get("a", make), 1);
  EXPECT_EQ(kept.get("a", make), 1);
  EXPECT_EQ(kept.get("b", make), 2);
  EXPECT_EQ(kept.get("a", make), 3) << "it was forgotten";
}

}  // namespace
}  // namespace fovea::view
