// Decides what kind of video a path means, and which of its frames are returned.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>

#include "core/words.h"
#include "io/text/extension.h"
#include "io/video/live_source.h"
#include "io/video/pipe_stream.h"
#include "io/video/video_source.h"
#include "io/video/y4m.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

FilePointer not_owned(std::FILE* stream) {
  return {stream, [](std::FILE*) { return 0; }};
}

FilePointer open_file(const std::string& path) {
  FilePointer file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return file;
}

bool begins_as_y4m(std::FILE* file) {
  std::array<char, kY4mMagic.size()> first{};
  const std::size_t got = std::fread(first.data(), 1, first.size(), file);
  std::rewind(file);
  return got == first.size() && std::string_view(first.data(), first.size()) == kY4mMagic;
}

std::unique_ptr<VideoSource> open_source(const std::string& source,
                                         const VideoReadOptions& options) {
  if (source == "-") {
    struct stat input {};
    const bool file = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
    return std::make_unique<Y4mSource>(
        file ? not_owned(stdin) : pipe_stream(STDIN_FILENO, options.stop), "standard input",
        options);
  }
  if (is_live_source(source)) {
    if (options.files_only)
      throw IoError(
          fmt::format("{}: is a camera or stream; these are read only where they are "
                      "given as the input itself",
                      fovea::detail::shown(source_name(source))));
    return std::make_unique<LiveSource>(source, options, open_ffmpeg);
  }
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  const bool file = fs::exists(status) && !fs::is_directory(status);
  if (!file || has_extension(source, image_files()))
    return open_images(expand_inputs(std::array{source}, image_files()), options,
                       image_decoder(options.max_pixels));
  // A pipe cannot be read twice to recognize its format, so it must be y4m.
  if (!fs::is_regular_file(status))
    return std::make_unique<Y4mSource>(open_pipe(source, options.stop), source, options);
  FilePointer stream = open_file(source);
  if (begins_as_y4m(stream.get()))
    return std::make_unique<Y4mSource>(std::move(stream), source, options);
  stream.reset();
  return open_ffmpeg(source, options);
}

// The image turned clockwise by 90, 180 or 270 degrees.
template <class T>
void turn_into(ImageView<const T> from, int degrees, Image<T>& to) {
  const bool lying = degrees != 180;
  fit(to, lying ? from.height : from.width, lying ? from.width : from.height, from.channels);
  for (int y = 0; y < from.height; ++y) {
    for (int x = 0; x < from.width; ++x) {
      const int right = from.width - 1 - x, below = from.height - 1 - y;
      const int to_x = degrees == 90 ? below : degrees == 180 ? right : y;
      const int to_y = degrees == 90 ? x : degrees == 180 ? below : right;
      std::copy_n(&from.at(x, y), from.channels, &to.at(to_x, to_y));
    }
  }
}

// Whether a path is a pipe or a device, such as /dev/fd/63 of a shell's >(program).
bool is_stream(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

std::unique_ptr<VideoTarget> create_target(const std::string& path,
                                           const VideoWriteOptions& options) {
  std::error_code error;
  const std::string extension = extension_of(path);
  const bool numbered = path.find('%') != path.npos;
  const bool is_new = extension.empty() && !numbered && path != "-" && !fs::exists(path, error);
  if (path.ends_with('/') || fs::is_directory(path, error) || is_new) {
    fs::create_directories(path, error);
    if (error) throw WriteError(fmt::format("{}: cannot create: {}", path, error.message()));
    return create_images((fs::path(path) / "%06d.png").string(), image_encoder());
  }
  if (numbered) return create_images(path, image_encoder());
  if (path == "-" || extension == ".y4m") return create_y4m(path, options);
  for (const char* known : {".mp4", ".m4v", ".mov", ".avi", ".mkv"}) {
    if (extension == known) return create_ffmpeg(path, options);
  }
  if (is_stream(path)) return create_y4m(path, options);
  throw InvalidArgument(fmt::format(
      "{}: cannot write video: the name ends in '{}'; expected .mp4 .m4v .mov .avi .mkv .y4m, a "
      "folder, or a name with %06d for images",
      path, extension));
}

constexpr std::array kColors = {Choice{"rgb", static_cast<int>(VideoColor::kRgb)},
                                Choice{"gray", static_cast<int>(VideoColor::kGray)}};
constexpr std::array kMatrices = {Choice{"auto", static_cast<int>(YuvMatrix::kAuto)},
                                  Choice{"bt601", static_cast<int>(YuvMatrix::kBt601)},
                                  Choice{"bt709", static_cast<int>(YuvMatrix::kBt709)},
                                  Choice{"bt2020", static_cast<int>(YuvMatrix::kBt2020)}};
constexpr std::array kRanges = {Choice{"auto", static_cast<int>(YuvRange::kAuto)},
                                Choice{"limited", static_cast<int>(YuvRange::kLimited)},
                                Choice{"full", static_cast<int>(YuvRange::kFull)}};
constexpr std::array kHardware = {Choice{"none", static_cast<int>(HardwareDecoding::kNone)},
                                  Choice{"auto", static_cast<int>(HardwareDecoding::kAuto)},
                                  Choice{"cuda", static_cast<int>(HardwareDecoding::kCuda)},
                                  Choice{"vaapi", static_cast<int>(HardwareDecoding::kVaapi)}};
constexpr std::array kLiveFrames = {Choice{"auto", static_cast<int>(LiveFrames::kAuto)},
                                    Choice{"newest", static_cast<int>(LiveFrames::kNewest)},
                                    Choice{"all", static_cast<int>(LiveFrames::kAll)}};
constexpr std::array kSamplings = {Choice{"420", static_cast<int>(ChromaSampling::k420)},
                                   Choice{"444", static_cast<int>(ChromaSampling::k444)}};
constexpr double kMostFrames = 2147483647;

}  // namespace

std::span<const Choice> choices(VideoColor) { return kColors; }
std::span<const Choice> choices(YuvMatrix) { return kMatrices; }
std::span<const Choice> choices(YuvRange) { return kRanges; }
std::span<const Choice> choices(HardwareDecoding) { return kHardware; }
std::span<const Choice> choices(LiveFrames) { return kLiveFrames; }
std::span<const Choice> choices(ChromaSampling) { return kSamplings; }

void describe(OptionVisitor& visit, VideoReadOptions& options) {
  visit("color", options.color, "channels of the frames: rgb, or gray as images have it");
  visit("deep", options.deep, "16-bit frames instead of 8-bit ones");
  visit("start", options.start, "index of the first frame, from 0", 0, kMostFrames);
  visit("count", options.count, "frames to read at most; 0 reads all", 0, kMostFrames);
  visit("seconds", options.seconds,
        "seconds to read at most, by the source's own time; 0 reads all", 0, 1e9);
  visit("step", options.step, "read every step-th frame", 1, kMostFrames);
  visit("frame-rate", options.frame_rate, "frames per second of image sequences", 0.001, 100000);
  visit("matrix", options.matrix,
        "how luma and chroma make RGB, where the file does not say right");
  visit("range", options.range, "range of luma, where the file does not say right");
  visit("orientation", options.orientation,
        "apply turns the frames of video files upright as they say; ignore takes them as stored");
  visit("decoder-threads", options.threads, "threads of the decoder; 0 lets it choose", 0, 64);
  visit("hardware", options.hardware,
        "hardware that decodes video files; without it the processor does, as with none");
  visit("max-pixels", options.max_pixels,
        "refuse frames of more pixels before memory is taken for them; 0 is no limit", 0, 0x1p62);
  visit("live", options.live,
        "frames of cameras and streams: newest drops those that come while others are worked on, "
        "all keeps them; auto is newest, and all for recordings");
  visit("timeout", options.timeout_seconds,
        "seconds that a camera or stream may send nothing before it counts as broken", 0.01, 1e6);
}

void describe(OptionVisitor& visit, VideoWriteOptions& options) {
  visit("frame-rate", options.frame_rate, "frames per second", 0.001, 100000);
  visit("quality", options.quality, "of lossy codecs; 100 is the best and largest", 1, 100);
  visit("chroma", options.chroma, "chroma samples of y4m: a quarter of them, or all");
  visit("range", options.range, "range of luma in y4m; auto is limited");
}

Rational frame_rate(double frames_a_second) {
  const double whole = std::round(frames_a_second);
  if (std::abs(frames_a_second - whole) < 1e-6 && whole > 0)
    return {static_cast<std::int64_t>(whole), 1};
  const double film = std::round(frames_a_second * 1.001);
  // Common abbreviations of such rates are 29.97, 59.94 and 23.976.
  if (film > 0 && std::abs(frames_a_second - film / 1.001) < 5e-3 * film / 30)
    return {static_cast<std::int64_t>(film) * 1000, 1001};
  const auto thousandths = std::max<std::int64_t>(1, std::llround(frames_a_second * 1000));
  const std::int64_t common = std::gcd(thousandths, std::int64_t{1000});
  return {thousandths / common, 1000 / common};
}

void check_frame_size(const std::string& path, Extent size, const VideoReadOptions& options) {
  const auto pixels =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  if (options.max_pixels > 0 && pixels > options.max_pixels)
    throw FormatError(
        fmt::format("{}: has frames of {}x{}, which are {} pixels and more than the {} allowed; "
                    "raise max_pixels (--max-pixels) if the file can be trusted",
                    path, size.width, size.height, pixels, options.max_pixels));
}

void throw_broken(const std::string& path, std::int64_t frame, const std::string& cause) {
  throw FormatError(fmt::format("{}: frame {}: {}", path, frame, cause));
}

struct StoredFrame::Impl {
  std::unique_ptr<StoredPicture> picture;
  std::int64_t index = -1;
  int turn = 0;  // degrees, clockwise
  bool deep = false, fetched = false;
  mutable Frame lying;  // as it is stored, where it is turned

  void decode(Frame& frame) const {
    picture->decode(turn != 0 ? lying : frame, deep);
    frame.seconds = picture->time_seconds();
    frame.frame = index;
    if (turn != 0 && deep)
      turn_into(ImageView<const std::uint16_t>(lying.deep_image), turn, frame.deep_image);
    if (turn != 0 && !deep)
      turn_into(ImageView<const std::uint8_t>(lying.image), turn, frame.image);
    if (deep) frame.image = {};
    else frame.deep_image = {};
  }
};

StoredFrame::StoredFrame() : impl_(std::make_unique<Impl>()) {}
StoredFrame::~StoredFrame() = default;
StoredFrame::StoredFrame(StoredFrame&&) noexcept = default;
StoredFrame& StoredFrame::operator=(StoredFrame&&) noexcept = default;

void StoredFrame::decode(Frame& frame) const {
  if (!impl_ || !impl_->fetched)
    throw InvalidArgument("StoredFrame::decode: nothing was fetched; call VideoReader::fetch");
  impl_->decode(frame);
}

std::int64_t StoredFrame::frame() const { return impl_ && impl_->fetched ? impl_->index : -1; }
double StoredFrame::seconds() const {
  return impl_ && impl_->fetched ? impl_->picture->time_seconds() : 0;
}

struct VideoReader::Impl {
  VideoReadOptions options;
  std::unique_ptr<VideoSource> source;
  VideoInfo info;
  std::int64_t index = -1;  // the number of the source's current frame
  std::int64_t given = 0;
  std::optional<double> first_seconds;  // of the first frame that was given
  std::atomic<std::int64_t> dropped = 0;
  bool over = false;
  StoredFrame stored;  // of next()

  Impl(std::unique_ptr<VideoSource> opened, const VideoReadOptions& asked)
      : options(asked), source(std::move(opened)), info(source->info()) {
    if (turn() == 90 || turn() == 270) std::swap(info.size.width, info.size.height);
  }

  int turn() const {
    return options.orientation == Orientation::kApply ? info.rotation_degrees : 0;
  }

  bool fetch(StoredFrame::Impl& to) {
    to.fetched = false;
    if (over || (options.count > 0 && given == options.count)) return false;
    over = true;  // reset if this frame succeeds
    const std::int64_t wanted = given == 0 ? options.start : index + options.step;
    while (index < wanted) {
      if (!source->advance()) return false;
      index += 1 + source->passed_over();
      dropped += source->passed_over();
    }
    source->store(to.picture);
    const double seconds = to.picture->time_seconds();
    if (!first_seconds) first_seconds = seconds;
    if (options.seconds > 0 && seconds - *first_seconds >= options.seconds) return false;
    to.index = index;
    to.turn = turn();
    to.deep = options.deep;
    to.fetched = true;
    ++given;
    over = false;
    return true;
  }
};

VideoReader::VideoReader(const std::string& source, const VideoReadOptions& options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(open_source(source, options), options);
}
VideoReader::VideoReader(const std::vector<std::string>& images, const VideoReadOptions& options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(open_images(images, options, image_decoder(options.max_pixels)),
                                 options);
}
VideoReader::VideoReader(std::FILE* stream, const std::string& name,
                         const VideoReadOptions& options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(std::make_unique<Y4mSource>(not_owned(stream), name, options),
                                 options);
}
VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

bool VideoReader::next(Frame& frame) {
  if (!fetch(impl_->stored)) return false;
  impl_->over = true;  // unless this frame succeeds
  impl_->stored.decode(frame);
  impl_->over = false;
  return true;
}

bool VideoReader::fetch(StoredFrame& stored) {
  if (!stored.impl_) stored = StoredFrame();
  return impl_->fetch(*stored.impl_);
}

std::uint64_t VideoReader::frame_bytes() const {
  const VideoReadOptions& options = impl_->options;
  const auto pixels = static_cast<std::uint64_t>(impl_->info.size.width) *
                      static_cast<std::uint64_t>(impl_->info.size.height);
  const std::uint64_t decoded =
      pixels * (options.color == VideoColor::kRgb ? 3 : 1) * (options.deep ? 2 : 1);
  return impl_->source->stored_bytes() + (impl_->turn() != 0 ? 2 : 1) * decoded;
}

std::vector<std::string> VideoReader::notes() const { return impl_->source->notes(); }

const VideoInfo& VideoReader::info() const { return impl_->info; }
std::int64_t VideoReader::dropped() const { return impl_->dropped; }
bool VideoReader::drops_frames() const { return impl_->source->drops_frames(); }

std::int64_t VideoReader::expected_frames() const {
  const VideoReadOptions& options = impl_->options;
  if (impl_->info.frame_count < 0 || options.seconds > 0) return -1;
  const auto from_start = std::max<std::int64_t>(0, impl_->info.frame_count - options.start);
  const std::int64_t frames = (from_start + options.step - 1) / options.step;
  return options.count > 0 ? std::min<std::int64_t>(frames, options.count) : frames;
}

struct VideoWriter::Impl {
  std::string path;
  std::unique_ptr<VideoTarget> target;  // null after a failure
  int width = 0, height = 0, channels = 0, bits = 0;
  bool finished = false;

  void require_target() const {
    if (!target)
      throw WriteError(path +
                       ": cannot go on: writing it failed before, and what there was of it "
                       "is removed; begin anew");
  }

  // A frame that the target rejects with InvalidArgument leaves the target as it was. After any
  // other failure the target cannot be used, and is removed together with its unfinished file.
  template <class Use>
  void with_target(Use use) {
    try {
      use(*target);
    } catch (const InvalidArgument&) {
      throw;
    } catch (...) {
      target.reset();
      throw;
    }
  }

  template <class T>
  void write(ImageView<const T> frame) {
    if (finished) throw InvalidArgument(path + ": cannot take a frame after finish()");
    require_target();
    if (frame.empty() || (frame.channels != 1 && frame.channels != 3))
      throw InvalidArgument(fmt::format("{}: a frame is {}; expected pixels of 1 or 3 channels",
                                        path, fovea::detail::shape_text(frame)));
    const int frame_bits = 8 * static_cast<int>(sizeof(T));
    const bool first = bits == 0;
    if (!first && (frame.width != width || frame.height != height || frame.channels != channels ||
                   frame_bits != bits))
      throw InvalidArgument(fmt::format(
          "{}: a frame is {} of {} bits, but the video began with {}x{}x{} of {} bits", path,
          fovea::detail::shape_text(frame), frame_bits, width, height, channels, bits));
    Image<T> host;
    if (frame.memory == Memory::kCuda) {
      host = clone(frame);
      frame = host.view();
    }
    with_target([&](VideoTarget& to) { to.write(frame); });
    if (first)
      width = frame.width, height = frame.height, channels = frame.channels, bits = frame_bits;
  }
};

VideoWriter::VideoWriter(const std::string& path, const VideoWriteOptions& options) {
  check_options(options);
  impl_ = std::make_unique<Impl>(Impl{path, create_target(path, options)});
}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::write(ImageView<const std::uint8_t> frame) { impl_->write(frame); }
void VideoWriter::write(ImageView<const std::uint16_t> frame) { impl_->write(frame); }

void VideoWriter::finish() {
  if (impl_->finished) return;
  impl_->require_target();
  if (impl_->bits == 0)
    throw InvalidArgument(impl_->path + ": cannot finish a video without a frame");
  impl_->with_target([](VideoTarget& target) { target.finish(); });
  impl_->finished = true;
}

}  // namespace fovea::io
