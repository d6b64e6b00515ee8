#include <fovea/emd/show.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace fovea::emd {
namespace {

Image<std::uint8_t> drawn(const Track& track) {
  Image<std::uint8_t> image(64, 64, 3);
  for (int y = 0; y < 64; ++y) std::fill_n(image.row(y), image.view().row_elements(), 0);
  draw_tracks(image, std::array{track});
  return image;
}

// The brightest sample on the left edge of the box, away from its label.
int edge(const Image<std::uint8_t>& image) {
  int brightest = 0;
  for (int x = 18; x <= 22; ++x)
    for (int c = 0; c < 3; ++c) brightest = std::max<int>(brightest, image.at(x, 50, c));
  return brightest;
}

TEST(EmdShow, ATrackHasABoxThatIsFainterWhereItIsLost) {
  Track track{.id = 1, .box = {20, 20, 30, 36}, .score = 1, .confidence = 0.8, .lost = false};
  const int seen = edge(drawn(track));
  track.lost = true;
  const int lost = edge(drawn(track));
  EXPECT_GT(seen, lost);
  EXPECT_GT(lost, 0);
  EXPECT_EQ(drawn(track).at(35, 40), 0);  // the inside stays as it was
}

}  // namespace
}  // namespace fovea::emd
