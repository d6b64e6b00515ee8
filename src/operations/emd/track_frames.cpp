#include "operations/emd/track_frames.h"

#include <fovea/core/error.h>
#include <fovea/emd/track.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "operations/emd/frame_files.h"
#include "operations/emd/track.h"

namespace fovea::operations::of_emd_track {
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

const Image<std::uint8_t>& TrackFrame::pixels() {
  decode();
  return colors_.image;
}

const emd::BandFrame* TrackFrame::bands() {
  decode();
  return frames_.has_bands() ? &bands_ : nullptr;
}

void TrackFrame::decode() {
  std::call_once(decoded_, [this] {
    if (frames_.has_bands()) bands_ = frames_.decode_bands(*this);
    else stored_.decode(colors_);
  });
}

TrackFrames::TrackFrames(const TrackRequest& request, const Plan& plan)
    : input_(plan.inputs[0]),
      read_{.variable = request.variable,
            .most_bytes = plan.most_bytes,
            .max_pixels = plan.max_pixels} {
  if (!request.bands.empty()) choice_ = parse_band_choice(request.bands);
  io::VideoReadOptions options = plan.reading;
  options.start = request.frame;
  if (const int last = request.explained_frame(); last >= 0) {
    const int frames = last - request.frame + 1;
    options.count = options.count > 0 ? std::min(options.count, frames) : frames;
  }
  first_ = next_ = options.start;
  end_ = options.count > 0 ? options.start + options.count : 0;
  if (options.seconds > 0) {
    const auto most =
        options.start + static_cast<std::int64_t>(std::ceil(options.seconds * kCubesPerSecond));
    end_ = end_ > 0 ? std::min(end_, most) : most;
  }
  if (!request.header.empty()) {
    raw_.emplace(input_, request.header, read_, options.stop);
    std::vector<std::byte> passed;
    for (std::int64_t i = 0; i < next_ && raw_->fetch(passed); ++i) {
    }
  } else {
    if (!is_video_input(input_)) open_files();
    if (files_.empty() || !emd::is_band_file(files_.front())) video_ = plan.video(input_, options);
  }
  if (request.rivals && has_bands())
    throw InvalidArgument(
        "--rivals compares trackers of colors, but the frames have bands; leave it out");
}

// A file that is neither an image nor a cube by its name is left to the reader of videos, which
// recognizes y4m and refuses the rest.
void TrackFrames::open_files() {
  std::error_code ignored;
  const bool named = io::has_extension(input_, frames_in(input_));
  if (fs::is_regular_file(input_, ignored) && !named) {
    const fs::path header = fs::path(input_).replace_extension(".hdr");
    if (!fs::exists(header, ignored) && !fs::exists(input_ + ".hdr", ignored)) return;
  }
  files_ = io::expand_inputs(std::span(&input_, 1), frames_in(input_));
}

std::shared_ptr<Frame> TrackFrames::next() {
  auto frame = std::make_shared<TrackFrame>(*this);
  const bool begins = next_ == first_;
  if (fetch(*frame)) return frame;
  if (begins)
    throw InvalidArgument(
        fmt::format("--frame is {}, but {} has no more than {} frames", first_, input_, first_));
  return nullptr;
}

bool TrackFrames::fetch(TrackFrame& frame) {
  const auto files = static_cast<std::int64_t>(files_.size());
  if (video_) {
    if (!video_->fetch(frame.stored_)) return false;
    frame.number_ = frame.stored_.frame();
  } else {
    if (end_ > 0 && next_ >= end_) return false;
    if (raw_ ? !raw_->fetch(frame.raw_) : next_ >= files) return false;
    frame.number_ = next_;
  }
  ++next_;
  frame.place_ = {input_, frame.number_};
  if (frame.number_ < 0 || frame.number_ >= files) return true;
  const std::string& file = files_[static_cast<std::size_t>(frame.number_)];
  // Images are converted to RGB one by one, so that bands of a later one would be dropped.
  if (video_ && emd::is_band_file(file))
    throw FormatError(fmt::format(
        "{}: has more than gray or RGB of 8 bits, as the first frame has; all must have the same",
        file));
  frame.place_ = {file, 0};
  return true;
}

emd::BandFrame TrackFrames::decode_bands(const TrackFrame& from) const {
  emd::BandFrame frame;
  if (video_) {
    io::Frame pixels;
    from.stored_.decode(pixels);
    frame = emd::bands_of(pixels.image.view(), fmt::format("frame {}", from.number_));
  } else if (raw_) {
    frame = {io::to_float(raw_->decode(from.raw_)), fmt::format("cube {}", from.number_), 0};
  } else {
    frame = emd::read_bands(from.place_.first, read_);
  }
  if (choice_) choose_bands(*choice_, frame);
  return frame;
}

std::uint64_t TrackFrames::bytes(const Frame& frame) const {
  if (video_) return (choice_ ? kBytesPerSample : 1) * video_->frame_bytes();
  if (raw_) return kBytesPerSample * raw_->cube_bytes();
  return kBytesPerSample * sample_bytes(static_cast<const TrackFrame&>(frame).place_.first);
}

std::int64_t TrackFrames::expected() const {
  if (video_) return std::max<std::int64_t>(0, video_->expected_frames());
  std::int64_t all = raw_ ? raw_->expected_cubes() : static_cast<std::int64_t>(files_.size());
  if (end_ > 0) all = all > 0 ? std::min(all, end_) : end_;
  return std::max<std::int64_t>(0, all - next_);
}

double TrackFrames::rate() const { return video_ ? video_->info().rate.value() : kCubesPerSecond; }

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

}  // namespace fovea::operations::of_emd_track
