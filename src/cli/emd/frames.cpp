// Images, cubes and video as bands of floats. Samples keep their values: the first frame alone
// decides what a level is, so that later frames are treated alike.
#include "cli/emd/frames.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "cli/program/files.h"
#include "cli/program/image_input.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

bool is_video(const std::string& path) {
  return path == "-" || io::has_extension(path, io::video_files());
}

Stack<float> planes_of(ImageView<const std::uint8_t> image) {
  Stack<float> planes(image.width, image.height, image.channels);
  for (int c = 0; c < image.channels; ++c)
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        planes.plane(c).at(x, y) = static_cast<float>(image.at(x, y, c));
  return planes;
}

}  // namespace

BandFrame read_bands(const std::string& path, const io::CubeReadOptions& options) {
  io::Cube cube = io::read_cube(path, options);
  const double white = cube.type() == io::SampleType::kUint8 ? 255 : 0;
  return {io::to_float(std::move(cube)), path, white};
}

BandFrames::BandFrames(const std::vector<std::string>& inputs, bool folder_is_cube,
                       const io::CubeReadOptions& options, const io::VideoReadOptions& video)
    : options_(options) {
  if (inputs.size() == 1 && is_video(inputs[0])) {
    video_ = std::make_unique<io::VideoReader>(inputs[0], video);
    return;
  }
  std::error_code ignored;
  const bool cube =
      inputs.size() == 1 && (!std::filesystem::is_directory(inputs[0], ignored) || folder_is_cube);
  files_ = cube ? inputs : io::expand_inputs(inputs, io::image_files());
}
BandFrames::~BandFrames() = default;

bool BandFrames::fetch(StoredBands& stored) {
  if (video_) return video_->fetch(stored.video);
  if (next_ == files_.size()) return false;
  stored.file = files_[next_++];
  return true;
}
void BandFrames::decode(const StoredBands& stored, BandFrame& frame) const {
  if (!video_) {
    frame = read_bands(stored.file, options_);
    return;
  }
  io::Frame pixels;
  stored.video.decode(pixels);
  frame = {planes_of(pixels.image), fmt::format("frame {}", pixels.frame), 255};
}
bool BandFrames::next(BandFrame& frame) {
  StoredBands stored;
  if (!fetch(stored)) return false;
  decode(stored, frame);
  return true;
}
bool BandFrames::single() const { return !video_ && files_.size() == 1; }
std::int64_t BandFrames::expected_frames() const {
  return video_ ? std::max<std::int64_t>(0, video_->expected_frames())
                : static_cast<std::int64_t>(files_.size());
}
std::uint64_t BandFrames::frame_bytes(const StoredBands& stored) const {
  constexpr std::uint64_t kFloats = 6;  // samples become floats, and there is a map of floats
  if (video_) return kFloats * video_->frame_bytes();
  // The header of a cube is small; its samples lie beside it.
  std::uint64_t bytes = file_bytes(stored.file);
  const fs::path path(stored.file);
  std::error_code ignored;
  if (path.extension() == ".hdr")
    for (const auto& entry : fs::directory_iterator(
             path.parent_path().empty() ? fs::path(".") : path.parent_path(), ignored))
      if (entry.path().stem() == path.stem())
        bytes = std::max(bytes, file_bytes(entry.path().string()));
  return kFloats * std::max(bytes, image_bytes(stored.file));
}
double BandFrames::frame_rate() const {
  constexpr double kFilesPerSecond = 25;
  return video_ ? video_->info().rate.value() : kFilesPerSecond;
}

Image<float> gray_band(const BandFrame& frame, std::optional<int> band) {
  const int count = frame.bands.count(), width = frame.bands.width(), height = frame.bands.height();
  if (band && *band >= count)
    throw InvalidArgument(
        fmt::format("--band is {}, but {} has bands 0 to {}", *band, frame.name, count - 1));
  if (band) return clone(frame.bands.plane(*band));
  if (count == 1) return clone(frame.bands.plane(0));
  if (count != 3)
    throw InvalidArgument(fmt::format(
        "{} has {} bands; choose one with --band, or use --signature bands", frame.name, count));
  Image<float> gray(width, height);
  const auto red = frame.bands.plane(0), green = frame.bands.plane(1), blue = frame.bands.plane(2);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      gray.at(x, y) = 0.299F * red.at(x, y) + 0.587F * green.at(x, y) + 0.114F * blue.at(x, y);
  return gray;
}

LevelRange level_range(ImageView<const float> band, const BandFrame& frame,
                       const std::array<double, 2>& asked) {
  if (asked[0] != asked[1]) return {static_cast<float>(asked[0]), static_cast<float>(asked[1])};
  if (frame.white > 0) return {0, static_cast<float>(frame.white) + 1};
  LevelRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x) {
      if (!std::isfinite(band.at(x, y))) continue;
      range.low = std::min(range.low, band.at(x, y));
      range.high = std::max(range.high, band.at(x, y));
    }
  if (range.low > range.high)
    throw FormatError(fmt::format("{}: all values of its band are NaN or infinite", frame.name));
  if (range.low == range.high) range.high = range.low + std::max(1.0F, std::abs(range.low));
  return range;
}

}  // namespace fovea::cli
