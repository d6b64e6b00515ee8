// Maps as files: one file, a folder of files or the pages of one TIFF, and pictures or a video of
// them. Each map is written when it is ready, so that memory does not grow with the number of
// frames.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/emd/map.h"
#include "cli/program/files.h"

namespace fovea::cli {
namespace fs = std::filesystem;
namespace {

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return ending;
}

bool is_tiff(const std::string& path) {
  return ending_of(path) == ".tif" || ending_of(path) == ".tiff";
}

bool names_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || ending_of(path).empty() || fs::is_directory(path, ignored);
}

void check_output(const std::string& path, bool single) {
  if (path == "-")
    throw InvalidArgument("-o - : a map cannot be written to standard output; name a .tif file");
  const bool floats = ending_of(path) == ".npy" || ending_of(path) == ".pfm";
  if (path.empty() || names_folder(path) || is_tiff(path) || (single && floats)) return;
  throw InvalidArgument(
      single ? fmt::format("-o {}: a map holds fractional distances; name a file that ends in "
                           ".tif, .tiff, .npy or .pfm. For an image to look at use --picture",
                           path)
             : fmt::format("-o {}: maps of several frames go to one file that ends in .tif or "
                           ".tiff, with one page per frame, or to a folder. For a video to look at "
                           "use --picture",
                           path));
}

}  // namespace

MapFiles::MapFiles(const MapRequest& request, const BandFrames& frames, const Exec& exec)
    : request_(request),
      exec_(exec),
      folder_(names_folder(request.output)),
      single_(frames.single()),
      expected_frames_(frames.expected_frames()) {
  check_output(request.output, single_);
  if (!request.picture.empty() && !single_)
    video_.emplace(request.picture, io::VideoWriteOptions{.frame_rate = frames.frame_rate()});
}

void MapFiles::add(ImageView<const float> map) {
  if (!request_.picture.empty()) draw(map);
  if (!request_.output.empty()) {
    if (folder_) {
      if (frames_ == 0) make_folder(request_.output);
      io::write_image((fs::path(request_.output) / fmt::format("{:06}.tif", frames_)).string(),
                      map);
    } else if (single_) {
      io::write_image(request_.output, map);
    } else {
      add_page(map);
    }
  }
  ++frames_;
}

void MapFiles::finish() {
  if (frames_ == 0) return;
  if (video_) video_->finish();
  if (pages_) pages_->finish();
}

void MapFiles::add_page(ImageView<const float> map) {
  if (!pages_) {
    const auto bytes = static_cast<std::uint64_t>(map.width) *
                       static_cast<std::uint64_t>(map.height) * sizeof(float);
    // The lowest compression level takes half the time of the usual one and makes files of maps
    // about a tenth larger.
    pages_.emplace(request_.output, io::ImageWriteOptions{.level = 1},
                   bytes * static_cast<std::uint64_t>(expected_frames_), exec_);
  }
  pages_->write(map);
}

// All frames share the range of colors of the first one; small distances are bright.
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
