#include <fovea/people/show_tracks.h>
#include <gtest/gtest.h>

namespace fovea::people {
namespace {

Image<std::uint8_t> black() {
  Image<std::uint8_t> image(120, 100, 3);
  for (int y = 0; y < image.height(); ++y) std::fill_n(image.row(y), 360, std::uint8_t{0});
  return image;
}

int lit(const Image<std::uint8_t>& image, int x, int y, int width, int height) {
  int count = 0;
  for (int j = y; j < y + height; ++j)
    for (int i = x; i < x + width; ++i)
      count += image.at(i, j, 0) + image.at(i, j, 1) + image.at(i, j, 2) > 30 ? 1 : 0;
  return count;
}

TEST(ShowTracks, DrawsBoxesAndTheWayBehind) {
  TrackPainter with(20), without(0);
  Image<std::uint8_t> trailed, plain;
  for (int i = 0; i < 10; ++i) {
    const Track track{.id = 3, .box = {static_cast<float>(10 + 6 * i), 30, 20, 40}};
    trailed = black();
    plain = black();
    with.draw(trailed, std::span(&track, 1));
    without.draw(plain, std::span(&track, 1));
  }
  EXPECT_GT(lit(trailed, 64, 30, 20, 40), 50);  // the box of the last frame
  EXPECT_GT(lit(trailed, 24, 66, 35, 8), 60);   // where the feet have been
  EXPECT_EQ(lit(plain, 24, 66, 35, 8), 0);
  // The way of someone who is gone ends.
  for (int i = 0; i < 30; ++i) {
    trailed = black();
    with.draw(trailed, {});
  }
  EXPECT_EQ(lit(trailed, 0, 0, 120, 100), 0);
}

}  // namespace
}  // namespace fovea::people
