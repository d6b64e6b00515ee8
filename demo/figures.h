// What the figures of several sections have in common.
#pragma once
#include <fovea/core/image.h>
#include <fovea/report/explanation.h>
#include <fovea/report/page.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::cli {

// Pictures with their titles, if any, so many per row; 0 is all in one row.
Image<std::uint8_t> sheet(const std::vector<Image<std::uint8_t>>& pictures, int columns = 0,
                          const std::vector<std::string>& titles = {});

// A picture of the answer to why, below it what it says, and the command that asks.
report::Figure why_figure(ImageView<const std::uint8_t> picture, const report::Explanation& why,
                          std::string command);

// Writes the frames of a video as pictures: 00.png, 01.png and on.
void write_frames(const std::string& folder, const std::vector<Image<std::uint8_t>>& frames);

}  // namespace fovea::cli
