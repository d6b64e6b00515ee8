#include "demo/figures.h"

#include <fovea/io/image_io.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <filesystem>

namespace fovea::cli {

Image<std::uint8_t> sheet(const std::vector<Image<std::uint8_t>>& pictures, int columns,
                          const std::vector<std::string>& titles) {
  std::vector<report::Tile> tiles;
  tiles.reserve(pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i)
    tiles.push_back({pictures[i].view(), i < titles.size() ? titles[i] : std::string()});
  return report::montage(tiles,
                         {.columns = columns > 0 ? columns : static_cast<int>(tiles.size())});
}

report::Figure why_figure(ImageView<const std::uint8_t> picture, const report::Explanation& why,
                          std::string command) {
  return report::Figure::picture(picture, {why.title + ". " + why.summary, std::move(command)});
}

void write_frames(const std::string& folder, const std::vector<Image<std::uint8_t>>& frames) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < frames.size(); ++i)
    io::write_image(fmt::format("{}/{:02}.png", folder, i), frames[i].view());
}

}  // namespace fovea::cli
