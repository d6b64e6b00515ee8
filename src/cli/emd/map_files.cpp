// Maps as files: float TIFFs, one, a folder of them or pages of one, and pictures or a video of
// them. Pages are held until the end, a folder's files are not.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/emd/map.h"

namespace fovea::cli {
namespace fs = std::filesystem;

MapFiles::MapFiles(const MapRequest& request, bool single, double frame_rate)
    : request_(request), single_(single) {
  if (!request.picture.empty() && !single)
    video_.emplace(request.picture, io::VideoWriteOptions{.frame_rate = frame_rate});
}

void MapFiles::add(ImageView<const float> map) {
  if (!request_.picture.empty()) draw(map);
  if (!request_.output.empty()) {
    if (single_) {
      io::write_image(request_.output, map);
    } else if (one_file()) {
      pages_.push_back(clone(map));
    } else {
      if (frames_ == 0) make_folder();
      io::write_image((fs::path(request_.output) / fmt::format("{:06}.tif", frames_)).string(),
                      map);
    }
  }
  ++frames_;
}

void MapFiles::finish() {
  if (frames_ == 0) return;
  if (video_) video_->finish();
  if (pages_.empty()) return;
  std::vector<io::AnyView> views;
  for (const Image<float>& page : pages_) views.emplace_back(page.view());
  io::write_pages(request_.output, views);
}

bool MapFiles::one_file() const {
  const std::string extension = fs::path(request_.output).extension().string();
  return extension == ".tif" || extension == ".tiff";
}

void MapFiles::make_folder() const {
  std::error_code error;
  fs::create_directories(request_.output, error);
  if (error)
    throw WriteError(
        fmt::format("{}: cannot make the folder: {}", request_.output, error.message()));
}

// One range for all frames, the first one's; near is bright.
void MapFiles::draw(ImageView<const float> map) {
  if (!colors_) {
    const report::ValueRange range = report::value_range(map);
    colors_ = report::ColorMapOptions{.automatic = false, .low = range.high, .high = range.low};
  }
  const Image<std::uint8_t> picture = report::apply_color_map(map, *colors_);
  if (video_) video_->write(picture);
  else io::write_image(request_.picture, picture.view());
}

}  // namespace fovea::cli
