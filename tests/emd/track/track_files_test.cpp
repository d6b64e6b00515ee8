// Covers: track_files
#include <fovea/emd/track.h>
#include <fovea/io/image_io.h>
#include <gtest/gtest.h>

#include "support/files.h"

namespace fovea::emd {
namespace {

TEST(EmdTrackFiles, CubesAreFilesWithMoreThanColorsOfEightBits) {
  const test::TempFolder folder;
  io::write_image(folder / "rgb.png", Image<std::uint8_t>(8, 8, 3).view());
  io::write_image(folder / "gray.png", Image<std::uint8_t>(8, 8, 1).view());
  io::write_image(folder / "rgba.png", Image<std::uint8_t>(8, 8, 4).view());
  io::write_image(folder / "deep.png", Image<std::uint16_t>(8, 8, 1).view());
  io::write_image(folder / "four.tif", Image<std::uint8_t>(8, 8, 4).view(),
                  {.alpha = io::Alpha::kNone});
  for (const char* name : {"rgb.png", "gray.png", "rgba.png"})
    EXPECT_FALSE(is_band_file(folder / name)) << name;
  for (const char* name : {"deep.png", "four.tif", "any.hdr", "any.mat"})
    EXPECT_TRUE(is_band_file(folder / name)) << name;
}

}  // namespace
}  // namespace fovea::emd
