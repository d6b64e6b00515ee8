// Images, cubes and video as bands of floats.
#include "cli/emd/frames.h"

#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace fovea::cli {
namespace fs = std::filesystem;

namespace {

// The files that are frames. A folder with cubes in it stands for these, and images beside them are
// no frames.
std::vector<std::string> files_of(const std::vector<std::string>& inputs, bool folder_is_cube) {
  if (inputs.size() != 1) return io::expand_inputs(inputs, operations::frame_files());
  std::error_code ignored;
  if (!fs::is_directory(inputs[0], ignored)) return inputs;
  if (holds_cubes(inputs[0])) return io::expand_inputs(inputs, operations::cube_files());
  return folder_is_cube ? inputs : io::expand_inputs(inputs, io::image_files());
}

}  // namespace

BandFrames::BandFrames(const std::vector<std::string>& inputs, bool folder_is_cube,
                       const io::CubeReadOptions& options, const io::VideoReadOptions& video)
    : options_(options) {
  if (inputs.size() == 1 && operations::is_video_input(inputs[0])) {
    video_ = std::make_unique<io::VideoReader>(inputs[0], video);
    return;
  }
  files_ = files_of(inputs, folder_is_cube);
  first_ = std::min(static_cast<std::size_t>(video.start), files_.size());
  files_.erase(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(first_));
  std::size_t most = files_.size();
  if (video.count > 0) most = std::min(most, static_cast<std::size_t>(video.count));
  if (video.seconds > 0)
    most = std::min(most, static_cast<std::size_t>(std::ceil(video.seconds * video.frame_rate)));
  files_.resize(most);
}
BandFrames::~BandFrames() = default;

bool BandFrames::fetch(StoredBands& stored) {
  if (video_) return video_->fetch(stored.video);
  if (next_ >= files_.size()) return false;
  stored.number = static_cast<std::int64_t>(first_ + next_);
  stored.file = files_[next_++];
  return true;
}
void BandFrames::decode(const StoredBands& stored, BandFrame& frame) const {
  if (!video_) {
    frame = emd::read_bands(stored.file, options_);
    return;
  }
  io::Frame pixels;
  stored.video.decode(pixels);
  frame = emd::bands_of(pixels.image.view(), fmt::format("frame {}", pixels.frame));
}
bool BandFrames::next(BandFrame& frame) {
  StoredBands stored;
  if (!fetch(stored)) return false;
  decode(stored, frame);
  return true;
}
std::int64_t BandFrames::number_of(const StoredBands& stored) const {
  return video_ ? stored.video.frame() : stored.number;
}
io::FrameWorkers BandFrames::plan(const Exec& exec) const {
  return video_ ? io::plan_frame_workers(exec, *video_, 1)
                : io::plan_frame_workers(exec, expected_frames(), 1);
}
bool BandFrames::single() const { return !video_ && files_.size() == 1; }
std::int64_t BandFrames::expected_frames() const {
  return video_ ? std::max<std::int64_t>(0, video_->expected_frames())
                : static_cast<std::int64_t>(files_.size());
}
std::uint64_t BandFrames::frame_bytes(const StoredBands& stored) const {
  constexpr std::uint64_t kFloats = 6;  // samples become floats, and there is a map of floats
  if (video_) return kFloats * video_->frame_bytes();
  return kFloats * operations::sample_bytes(stored.file);
}
double BandFrames::frame_rate() const {
  constexpr double kFilesPerSecond = 25;
  return video_ ? video_->info().rate.value() : kFilesPerSecond;
}

}  // namespace fovea::cli
