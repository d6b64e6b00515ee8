#include "cli/emd/track_frames.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/emd/frames.h"
#include "cli/emd/track.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kCubesPerSecond = 25;
constexpr std::uint64_t kBytesPerSample = 6;  // as stored in 16 bits, and as a float

// What a folder is searched for: cubes where it has any, because a picture beside them shows them,
// or else images.
io::InputKind frames_in(const std::string& input) {
  std::error_code ignored;
  if (!fs::is_directory(input, ignored)) return frame_files();
  return holds_cubes(input) ? cube_files() : io::image_files();
}

// The 2nd and 98th of a hundred parts of the values, so that a few bright pixels do not count.
emd::LevelRange usual_range(ImageView<const float> band) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(band.width) * static_cast<std::size_t>(band.height));
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x)
      if (std::isfinite(band.at(x, y))) values.push_back(band.at(x, y));
  if (values.empty()) return {0, 1};
  const auto at = [&](std::size_t percent) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * percent / 100);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  const float low = at(2), high = at(98);
  return {low, high > low ? high : low + 1};
}

std::uint8_t level_of(float value, const emd::LevelRange& range) {
  const float share = (value - range.low) / (range.high - range.low) * 255;
  return static_cast<std::uint8_t>(share >= 255 ? 255 : share >= 0 ? share : 0);
}

}  // namespace

TrackFrames::TrackFrames(const TrackRequest& request, const Context& context)
    : read_{.variable = request.variable,
            .most_bytes = context.most_bytes,
            .max_pixels = context.max_pixels} {
  const std::string& input = context.address_of(context.inputs[0]);
  if (!request.bands.empty()) choice_ = parse_band_choice(request.bands);
  const io::VideoReadOptions options = track_options(request, context);
  next_ = options.start;
  end_ = options.count > 0 ? options.start + options.count : 0;
  if (options.seconds > 0) {
    const auto most =
        options.start + static_cast<std::int64_t>(std::ceil(options.seconds * kCubesPerSecond));
    end_ = end_ > 0 ? std::min(end_, most) : most;
  }
  if (!request.header.empty()) {
    raw_.emplace(input, request.header, read_, context.exec.stop);
    std::vector<std::byte> passed;
    for (std::int64_t i = 0; i < next_ && raw_->fetch(passed); ++i) {
    }
    return;
  }
  if (!is_video_input(input)) open_files(input);
  if (files_.empty() || !emd::is_band_file(files_.front()))
    video_ = open_video(context, context.inputs[0], options);
}

// A file that is neither an image nor a cube by its name is left to the reader of videos, which
// recognizes y4m and refuses the rest.
void TrackFrames::open_files(const std::string& input) {
  std::error_code ignored;
  const bool named = io::has_extension(input, frames_in(input));
  if (fs::is_regular_file(input, ignored) && !named) {
    const fs::path header = fs::path(input).replace_extension(".hdr");
    if (!fs::exists(header, ignored) && !fs::exists(input + ".hdr", ignored)) return;
  }
  files_ = io::expand_inputs(std::span(&input, 1), frames_in(input));
}

bool TrackFrames::fetch(StoredTrackFrame& stored) {
  if (video_) {
    if (!video_->fetch(stored.video)) return false;
    stored.number = stored.video.frame();
    check_colors(stored.number);
    return true;
  }
  if (end_ > 0 && next_ >= end_) return false;
  stored.number = next_;
  if (raw_) {
    if (!raw_->fetch(stored.raw)) return false;
  } else {
    if (next_ >= static_cast<std::int64_t>(files_.size())) return false;
    stored.file = files_[static_cast<std::size_t>(next_)];
  }
  ++next_;
  return true;
}

// Images are converted to RGB one by one, so that bands of a later one would be dropped.
void TrackFrames::check_colors(std::int64_t number) const {
  if (number < 0 || number >= static_cast<std::int64_t>(files_.size())) return;
  const std::string& file = files_[static_cast<std::size_t>(number)];
  if (!emd::is_band_file(file)) return;
  throw FormatError(fmt::format(
      "{}: has more than gray or RGB of 8 bits, as the first frame has; all must have the same",
      file));
}

void TrackFrames::decode_colors(const StoredTrackFrame& stored, io::Frame& frame) const {
  stored.video.decode(frame);
}

void TrackFrames::decode_bands(const StoredTrackFrame& stored, emd::BandFrame& frame) const {
  if (video_) {
    io::Frame pixels;
    stored.video.decode(pixels);
    frame = emd::bands_of(pixels.image.view(), fmt::format("frame {}", stored.number));
  } else if (raw_) {
    frame = {io::to_float(raw_->decode(stored.raw)), fmt::format("cube {}", stored.number), 0};
  } else {
    frame = emd::read_bands(stored.file, read_);
  }
  if (choice_) choose_bands(*choice_, frame);
}

io::FrameWorkers TrackFrames::plan(const Exec& exec) const {
  return video_ ? io::plan_frame_workers(exec, *video_, 1)
                : io::plan_frame_workers(exec, expected_frames(), 1);
}

std::int64_t TrackFrames::expected_frames() const {
  if (video_) return std::max<std::int64_t>(0, video_->expected_frames());
  std::int64_t all = raw_ ? raw_->expected_cubes() : static_cast<std::int64_t>(files_.size());
  if (end_ > 0) all = all > 0 ? std::min(all, end_) : end_;
  return std::max<std::int64_t>(0, all - next_);
}

std::uint64_t TrackFrames::frame_bytes(const StoredTrackFrame& stored) const {
  if (video_) return (choice_ ? kBytesPerSample : 1) * video_->frame_bytes();
  if (raw_) return kBytesPerSample * raw_->cube_bytes();
  // The header of a cube is small; its samples lie beside it.
  std::uint64_t bytes = std::max(file_bytes(stored.file), image_bytes(stored.file));
  fs::path samples(stored.file);
  if (samples.extension() == ".hdr") {
    for (const char* extension : {"", ".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip"})
      bytes = std::max(bytes, file_bytes(samples.replace_extension(extension).string()));
  }
  return kBytesPerSample * bytes;
}

double TrackFrames::frame_rate() const {
  return video_ ? video_->info().rate.value() : kCubesPerSecond;
}

void BandPicture::draw(const emd::BandFrame& frame, Image<std::uint8_t>& picture) {
  const int count = frame.bands.count(), channels = count < 3 ? 1 : 3;
  const auto band_of = [&](int c) { return channels == 1 ? 0 : (count - 1) * (2 - c) / 2; };
  if (ranges_.empty())
    for (int c = 0; c < channels; ++c)
      ranges_.push_back(usual_range(frame.bands.plane(band_of(c))));
  if (picture.width() != frame.bands.width() || picture.height() != frame.bands.height() ||
      picture.channels() != channels)
    picture = Image<std::uint8_t>(frame.bands.width(), frame.bands.height(), channels);
  for (int c = 0; c < channels; ++c) {
    const ImageView<const float> band = frame.bands.plane(band_of(c));
    for (int y = 0; y < band.height; ++y)
      for (int x = 0; x < band.width; ++x)
        picture.at(x, y, c) = level_of(band.at(x, y), ranges_[static_cast<std::size_t>(c)]);
  }
}

}  // namespace fovea::cli
