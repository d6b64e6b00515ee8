#include "io/video/y4m.h"

#include <fovea/core/error.h>
#include <fovea/io/sink.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/json_text.h"

namespace fovea::io {
namespace {

constexpr int kMostSide = 1 << 16;
constexpr std::size_t kMostHeader = 1024, kMostFrameHeader = 256;
constexpr std::size_t kFirstRead = 1 << 20;

std::string quoted_text(std::string_view text) {
  return fovea::detail::json_quote(text.substr(0, std::min<std::size_t>(text.size(), 60)));
}

std::int64_t parse_whole(std::string_view text, std::int64_t most) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most
             ? value
             : -1;
}

struct Tag {
  std::string_view name;  // without the p10 that deeper samples append
  bool mono, alpha;
  int shift_x, shift_y;
  ChromaSiting siting;
};
constexpr Tag kTags[] = {{"420jpeg", false, false, 1, 1, ChromaSiting::kCenter},
                         {"420paldv", false, false, 1, 1, ChromaSiting::kTopLeft},
                         {"420mpeg2", false, false, 1, 1, ChromaSiting::kLeft},
                         {"420", false, false, 1, 1, ChromaSiting::kLeft},
                         {"422", false, false, 1, 0, ChromaSiting::kLeft},
                         {"444alpha", false, true, 0, 0, ChromaSiting::kLeft},
                         {"444", false, false, 0, 0, ChromaSiting::kLeft},
                         {"411", false, false, 2, 0, ChromaSiting::kLeft},
                         {"mono", true, false, 0, 0, ChromaSiting::kLeft}};

// Parses a chroma format such as "420jpeg", "422p10" or "mono12".
bool parse_chroma(std::string_view text, Y4mHeader& header) {
  for (const Tag& tag : kTags) {
    if (!text.starts_with(tag.name)) continue;
    std::string_view depth = text.substr(tag.name.size());
    int bits = 8;
    if (!depth.empty()) {
      if (!tag.mono && !depth.starts_with('p')) continue;
      if (!tag.mono) depth.remove_prefix(1);
      bits = static_cast<int>(parse_whole(depth, 16));
      if (bits < 9 || tag.alpha) continue;
    }
    header.format.mono = tag.mono;
    header.format.shift_x = tag.shift_x;
    header.format.shift_y = tag.shift_y;
    header.format.siting = tag.siting;
    header.format.bits = bits;
    header.format.full_range = tag.mono;
    header.alpha = tag.alpha;
    return true;
  }
  return false;
}

bool parse_rate(std::string_view text, Rational& rate) {
  const auto colon = text.find(':');
  if (colon == text.npos) return false;
  const std::int64_t numerator = parse_whole(text.substr(0, colon), INT32_MAX);
  const std::int64_t denominator = parse_whole(text.substr(colon + 1), INT32_MAX);
  if (numerator < 0 || denominator < 0) return false;
  // 0:0 means an unknown rate.
  if (numerator > 0 && denominator > 0) rate = {numerator, denominator};
  return true;
}

// Reads up to the line's end; false where the stream ends before its first byte.
bool read_line(std::FILE* stream, std::size_t most, std::string& line, bool& ended) {
  line.clear();
  ended = false;
  for (int c = 0; line.size() <= most && (c = std::getc(stream)) != EOF;) {
    if (c == '\n') {
      ended = true;
      return true;
    }
    line += static_cast<char>(c);
  }
  return !line.empty();
}

void throw_if_unreadable(std::FILE* stream, const std::string& name) {
  if (std::ferror(stream) == 0) return;
  if (errno == ECANCELED) throw Cancelled(fmt::format("{}: stopped on request", name));
  throw IoError(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
}

[[noreturn]] void throw_truncated(const std::string& name, std::int64_t frame, std::uint64_t have,
                                  std::uint64_t bytes) {
  throw_broken(name, frame, fmt::format("truncated: {} of its {} bytes are there", have, bytes));
}

// The planes of a frame, one behind the other.
struct Y4mPicture final : StoredPicture {
  YuvFormat format;
  VideoColor color = VideoColor::kRgb;
  double seconds = 0;
  std::int64_t index = 0;
  std::shared_ptr<const Y4mFile> file;  // null where the data is here already
  std::uint64_t place = 0, bytes = 0;   // of the frame in the file
  mutable std::vector<std::uint8_t> data;

  void decode(Frame& frame, bool deep) const override {
    if (file) file->read(index, place, bytes, data);
    if (deep) convert(frame.deep_image);
    else convert(frame.image);
  }
  double time_seconds() const override { return seconds; }

 private:
  template <class T>
  void convert(Image<T>& image) const {
    const auto size = static_cast<std::ptrdiff_t>(format.sample_bytes());
    const std::ptrdiff_t luma_stride = format.width * size;
    const std::ptrdiff_t chroma_stride = format.chroma_width() * size;
    YuvPlanes planes = {{data.data()}, {luma_stride, chroma_stride, chroma_stride}};
    if (!format.mono) {
      planes.data[1] = data.data() + luma_stride * format.height;
      planes.data[2] = planes.data[1] + chroma_stride * format.chroma_height();
    }
    fit(image, format.width, format.height, color == VideoColor::kRgb ? 3 : 1);
    from_yuv(format, planes, image.view());
  }
};

constexpr std::string_view kFrameLine = "FRAME\n";

class Y4mTarget final : public VideoTarget {
 public:
  Y4mTarget(const std::string& path, const VideoWriteOptions& options)
      : path_(path), options_(options), sink_(path) {}

  void write(ImageView<const std::uint8_t> frame) override {
    if (data_.empty()) begin(frame);
    to_yuv(frame, format_, planes_);
    sink_.write({reinterpret_cast<const char*>(data_.data()), data_.size()});
  }
  void write(ImageView<const std::uint16_t>) override {
    throw InvalidArgument(path_ + ": y4m has 8 bits; give 8-bit frames or write .mkv or images");
  }
  void finish() override { sink_.commit(); }

 private:
  void begin(ImageView<const std::uint8_t> frame) {
    const bool subsampled = options_.chroma == ChromaSampling::k420;
    format_ = {.width = frame.width,
               .height = frame.height,
               .mono = frame.channels == 1,
               .shift_x = subsampled ? 1 : 0,
               .shift_y = subsampled ? 1 : 0,
               .siting = ChromaSiting::kCenter,
               .full_range = frame.channels == 1 || options_.range == YuvRange::kFull};
    const std::size_t luma =
        static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height);
    const std::size_t chroma = format_.mono ? 0
                                            : static_cast<std::size_t>(format_.chroma_width()) *
                                                  static_cast<std::size_t>(format_.chroma_height());
    data_.resize(kFrameLine.size() + luma + 2 * chroma);
    std::uint8_t* planes = std::copy(kFrameLine.begin(), kFrameLine.end(), data_.data());
    planes_ = {{planes, planes + luma, planes + luma + chroma},
               {frame.width, format_.chroma_width(), format_.chroma_width()}};
    const Rational rate = frame_rate(options_.frame_rate);
    sink_.write(fmt::format("{} W{} H{} F{}:{} Ip A1:1 C{} XCOLORRANGE={}\n", kY4mMagic,
                            frame.width, frame.height, rate.numerator, rate.denominator,
                            format_.mono ? "mono"
                            : subsampled ? "420jpeg"
                                         : "444",
                            format_.full_range ? "FULL" : "LIMITED"));
  }

  std::string path_;
  VideoWriteOptions options_;
  FileSink sink_;
  YuvFormat format_;
  std::vector<std::uint8_t> data_;  // the frame's line and its planes, written in one piece
  MutableYuvPlanes planes_;
};

}  // namespace

std::uint64_t Y4mHeader::frame_bytes() const {
  const auto area = [](int width, int height) {
    return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  };
  const std::uint64_t luma = area(format.width, format.height);
  const std::uint64_t chroma =
      format.mono ? 0 : 2 * area(format.chroma_width(), format.chroma_height());
  return (luma + chroma + (alpha ? luma : 0)) * static_cast<std::uint64_t>(format.sample_bytes());
}

Y4mHeader parse_y4m_header(std::string_view line, const std::string& name) {
  const auto refuse = [&](const std::string& cause) {
    throw FormatError(fmt::format("{}: y4m header: {}", name, cause));
  };
  Y4mHeader header;
  if (!line.starts_with(kY4mMagic) ||
      (line.size() > kY4mMagic.size() && line[kY4mMagic.size()] != ' '))
    throw FormatError(fmt::format("{}: not a y4m stream: it begins with {}, not with {}", name,
                                  quoted_text(line), kY4mMagic));
  std::size_t at = kY4mMagic.size();
  while (at < line.size()) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    const auto end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at), value = word.substr(1);
    at = end;
    if (word[0] == 'W' || word[0] == 'H') {
      const std::int64_t side = parse_whole(value, kMostSide);
      if (side < 1)
        refuse(fmt::format("{} is {}; expected 1 to {}", word[0] == 'W' ? "width" : "height",
                           quoted_text(value), kMostSide));
      (word[0] == 'W' ? header.format.width : header.format.height) = static_cast<int>(side);
    } else if (word[0] == 'F' && !parse_rate(value, header.rate)) {
      refuse(fmt::format("frame rate is {}; expected a fraction such as 30000:1001",
                         quoted_text(value)));
    } else if (word[0] == 'C' && !parse_chroma(value, header)) {
      refuse(
          fmt::format("color space {} is not supported; expected 420, 422, 444, 411 or mono, "
                      "of 8 to 16 bits",
                      quoted_text(value)));
    }
  }
  if (header.format.width == 0 || header.format.height == 0) refuse("width or height is missing");
  // This comes after the C tag, which sets a default, whatever their order in the line.
  if (line.find(" XCOLORRANGE=FULL") != line.npos) header.format.full_range = true;
  if (line.find(" XCOLORRANGE=LIMITED") != line.npos) header.format.full_range = false;
  return header;
}

Y4mSource::Y4mSource(FilePointer stream, std::string name, const VideoReadOptions& options)
    : stream_(std::move(stream)), name_(std::move(name)), color_(options.color) {
  std::string line;
  bool ended = false;
  const bool any = read_line(stream_.get(), kMostHeader, line, ended);
  throw_if_unreadable(stream_.get(), name_);
  if (!any) throw FormatError(name_ + ": is empty; expected a y4m stream");
  if (!ended && line.starts_with(kY4mMagic))
    throw FormatError(fmt::format(
        "{}: y4m header: {}", name_,
        line.size() > kMostHeader ? "its line does not end" : "the stream ends within it"));
  header_ = parse_y4m_header(line, name_);
  check_frame_size(name_, {header_.format.width, header_.format.height}, options);
  if (options.matrix != YuvMatrix::kAuto) header_.format.matrix = options.matrix;
  if (options.range != YuvRange::kAuto)
    header_.format.full_range = options.range == YuvRange::kFull;
  info_.size = {header_.format.width, header_.format.height};
  info_.rate = header_.rate;
  info_.bits = header_.format.bits;
  info_.format = "y4m";
  info_.codec = "rawvideo";
  info_.frame_count = open_file();
}

Y4mFile::Y4mFile(std::FILE* stream, std::string name)
    : descriptor_(fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)), name_(std::move(name)) {
  if (descriptor_ < 0)
    throw IoError(fmt::format("{}: cannot open: {}", name_, std::strerror(errno)));
}
Y4mFile::~Y4mFile() { close(descriptor_); }

std::uint64_t Y4mFile::bytes() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0)
    throw IoError(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
  return static_cast<std::uint64_t>(status.st_size);
}

void Y4mFile::read(std::int64_t frame, std::uint64_t place, std::uint64_t bytes,
                   std::vector<std::uint8_t>& data) const {
  data.resize(static_cast<std::size_t>(bytes));
  std::size_t have = 0;
  while (have < data.size()) {
    const ssize_t got = pread(descriptor_, data.data() + have, data.size() - have,
                              static_cast<off_t>(place + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
    if (got == 0) throw_truncated(name_, frame, have, data.size());
    have += static_cast<std::size_t>(got);
  }
}

// Frames are read from a file at their places where it has one at least. Some file systems report
// no length, so that such files are read in order. The count is known where the rest of the file is
// a whole number of frames with plain headers.
std::int64_t Y4mSource::open_file() {
  struct stat status {};
  const int descriptor = fileno(stream_.get());
  const auto here = std::ftell(stream_.get());
  if (descriptor < 0 || here < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return -1;
  const std::int64_t rest = status.st_size - here;
  const auto one = static_cast<std::int64_t>(header_.frame_bytes() + kFrameLine.size());
  if (rest >= one) {
    file_ = std::make_shared<Y4mFile>(stream_.get(), name_);
    file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  }
  return rest >= 0 && rest % one == 0 ? rest / one : -1;
}

bool Y4mSource::advance() {
  ++index_;
  if (!read_frame_header()) return false;
  if (file_) pass_frame_data();
  else read_frame_data();
  return true;
}

bool Y4mSource::read_frame_header() {
  std::string line;
  bool ended = false;
  const bool any = read_line(stream_.get(), kMostFrameHeader, line, ended);
  throw_if_unreadable(stream_.get(), name_);
  if (!any && !ended) return false;
  const bool frame = line == "FRAME" || line.starts_with("FRAME ");
  if (!ended && line.size() <= kMostFrameHeader)
    throw_broken(name_, index_, "the stream ends within the frame's header");
  if (!frame || !ended)
    throw_broken(name_, index_, fmt::format("expected a line FRAME, found {}", quoted_text(line)));
  return true;
}

// In growing steps, so that a header's claim alone never takes memory; in one where a frame of this
// size was there before.
void Y4mSource::read_frame_data() {
  const auto bytes = static_cast<std::size_t>(header_.frame_bytes());
  if (data_.size() > bytes || index_ > 0) data_.resize(bytes);
  std::size_t have = 0;
  while (have < bytes) {
    const std::size_t room = std::max({data_.size(), kFirstRead, 2 * have});
    if (data_.size() < std::min(bytes, room)) data_.resize(std::min(bytes, room));
    const std::size_t got = std::fread(data_.data() + have, 1, data_.size() - have, stream_.get());
    if (got == 0) break;
    have += got;
  }
  throw_if_unreadable(stream_.get(), name_);
  if (have < bytes) throw_truncated(name_, index_, have, bytes);
}

void Y4mSource::pass_frame_data() {
  const std::uint64_t bytes = header_.frame_bytes();
  const auto here = std::ftell(stream_.get());
  if (here < 0) throw IoError(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
  place_ = static_cast<std::uint64_t>(here);
  if (place_ + bytes > file_bytes_) file_bytes_ = file_->bytes();
  if (place_ + bytes > file_bytes_)
    throw_truncated(name_, index_, file_bytes_ - std::min(place_, file_bytes_), bytes);
  if (std::fseek(stream_.get(), static_cast<long>(place_ + bytes), SEEK_SET) != 0)
    throw IoError(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
}

void Y4mSource::store(std::unique_ptr<StoredPicture>& picture) {
  auto& stored = picture_as<Y4mPicture>(picture);
  stored.format = header_.format;
  stored.color = color_;
  stored.seconds = static_cast<double>(index_) / header_.rate.value();
  stored.index = index_;
  stored.file = file_;
  stored.place = place_;
  stored.bytes = header_.frame_bytes();
  if (!file_) std::swap(stored.data, data_);
}

std::unique_ptr<VideoTarget> create_y4m(const std::string& path, const VideoWriteOptions& options) {
  return std::make_unique<Y4mTarget>(path, options);
}

}  // namespace fovea::io
