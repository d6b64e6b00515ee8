// Points in the format of STIP-2.0. Its files contain neither the size of the video nor the
// confidence of points: the size is computed from the normalized coordinates, and files that Fovea
// writes contain both in comments.
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/inputs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/parallel.h"
#include "io/text/source.h"

namespace fovea::actions {
namespace {

constexpr std::string_view kVideoWord = "# fovea video ";
constexpr std::string_view kConfidenceWord = "# confidence ";
constexpr std::string_view kDetectorWord = "# fovea detector ";
constexpr std::string_view kVotesWord = "# fovea votes ";
constexpr std::string_view kOptionsWord = "# fovea options ";
constexpr std::size_t kMostOptions = 2000;  // letters
constexpr std::string_view kHeadWord = "# point-type ";
constexpr std::size_t kSniffedBytes = 4096;
constexpr int kFields = 9;  // before the descriptor
constexpr int kType = 5;    // the number that STIP-2.0 uses for corners of several scales
constexpr double kLargest = 1e9;
constexpr std::int64_t kMostFrames = 10'000'000;       // of a file: 4 days at 25 per second
constexpr std::int64_t kMostFramesUnstated = 100'000;  // where nothing says how long a video is
constexpr std::size_t kPiecePoints = 16;               // 25 kB of text with descriptors
constexpr std::size_t kGroupPieces = 256;              // 6 MB
constexpr std::size_t kLongestNumber = 24;  // letters of a float and its blank: 16 at most

struct Line {
  SpaceTimePoint point;
  std::vector<float> descriptor;
};

class PointsReader {
 public:
  explicit PointsReader(const io::Source& source) : source_(source) {}

  PointSet read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++number_;
      line(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return finish();
  }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    source_.fail(fmt::format("line {}: {}", number_, cause));
  }

  // Reads the next number of a line and removes it and the blanks before it from `rest`.
  std::optional<double> number(std::string_view& rest) const {
    const std::size_t begin = rest.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
        std::abs(value) > kLargest)
      fail(fmt::format("\"{}\", expected a number from {:g} to {:g}", word.substr(0, 40), -kLargest,
                       kLargest));
    rest.remove_prefix(word.size());
    return value;
  }

  void line(std::string_view text) {
    if (text.starts_with('#')) return comment(text);
    std::vector<double> values;
    while (const auto value = number(text)) {
      values.push_back(*value);
      if (values.size() > kFields + kDescriptorSize) break;
    }
    if (values.empty()) return;
    if (values.size() != kFields && values.size() != kFields + kDescriptorSize)
      fail(fmt::format("{}{} numbers, expected {} or, with HoG and HoF, {}",
                       values.size() > kFields + kDescriptorSize ? "more than " : "",
                       std::min<std::size_t>(values.size(), kFields + kDescriptorSize), kFields,
                       kFields + kDescriptorSize));
    if (!lines_.empty() && (values.size() > kFields) == lines_.back().descriptor.empty())
      fail("some points have descriptors and some do not, expected all or none");
    put(values);
  }

  void put(const std::vector<double>& values) {
    const double y = values[4], x = values[5], t = values[6];
    if (t < 0 || t != std::floor(t) || t >= kMostFrames)
      fail(fmt::format("frame {:.17g}, expected 0, 1, ... to {}", t, kMostFrames - 1));
    if (x < 0 || y < 0) fail(fmt::format("a point at ({:g}, {:g}), expected 0 or more", x, y));
    if (values[7] <= 0 || values[8] <= 0)
      fail(fmt::format("scales {:g} and {:g}, expected more than 0", values[7], values[8]));
    Line one;
    one.point = {static_cast<float>(x),         static_cast<float>(y),
                 static_cast<std::int32_t>(t),  static_cast<float>(values[7]),
                 static_cast<float>(values[8]), confidence_};
    confidence_ = 1;
    for (std::size_t i = kFields; i < values.size(); ++i)
      one.descriptor.push_back(static_cast<float>(values[i]));
    lines_.push_back(std::move(one));
    if (set_.size.width == 0) extent(set_.size.width, x, values[2]);
    if (set_.size.height == 0) extent(set_.size.height, y, values[1]);
    if (set_.frames == 0) extent(set_.frames, t, values[3]);
  }
  // Computes an extent from a coordinate that is normalized as (x - 1) / extent.
  template <class Int>
  void extent(Int& to, double coordinate, double normalized) const {
    const double value = std::round((coordinate - 1) / normalized);
    if (value >= coordinate + 1 && value <= kLargest) to = static_cast<Int>(value);
  }

  void comment(std::string_view text) {
    if (text.starts_with(kConfidenceWord)) {
      text.remove_prefix(kConfidenceWord.size());
      const auto value = number(text);
      if (!value) fail("no confidence, expected a number");
      confidence_ = static_cast<float>(*value);
    } else if (text.starts_with(kVideoWord)) {
      text.remove_prefix(kVideoWord.size());
      std::array<double, 4> values{};
      for (double& value : values) {
        const auto given = number(text);
        if (!given || *given < 0)
          fail("expected width, height, frames and frame rate of the video");
        value = *given;
      }
      set_.size = {static_cast<int>(values[0]), static_cast<int>(values[1])};
      set_.frames = static_cast<std::int64_t>(values[2]);
      stated_frames_ = set_.frames > 0;
      if (values[3] > 0) set_.frame_rate = values[3];
    } else if (text.starts_with(kDetectorWord)) {
      text.remove_prefix(kDetectorWord.size());
      read_word(text, set_.detector);
    } else if (text.starts_with(kVotesWord)) {
      text.remove_prefix(kVotesWord.size());
      read_word(text, set_.votes);
    } else if (text.starts_with(kOptionsWord)) {
      text.remove_prefix(kOptionsWord.size());
      text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
      if (text.size() > kMostOptions) fail("options without end");
      set_.found_with = text;
    }
  }
  template <class Kind>
  static void read_word(std::string_view text, std::optional<Kind>& to) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r"));
    for (const Choice& choice : choices(Kind{}))
      if (choice.word == word) to = static_cast<Kind>(choice.value);
  }

  PointSet finish() {
    // In files, the points of a frame are sorted by confidence, or have no confidence: a stable
    // sort keeps their order.
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Line& a, const Line& b) { return a.point.frame < b.point.frame; });
    if (!lines_.empty() && !lines_[0].descriptor.empty())
      set_.descriptors = Image<float>(kDescriptorSize, static_cast<int>(lines_.size()));
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      set_.points.push_back(lines_[i].point);
      if (!set_.descriptors.empty())
        std::copy(lines_[i].descriptor.begin(), lines_[i].descriptor.end(),
                  set_.descriptors.row(static_cast<int>(i)));
    }
    complete_extent();
    return std::move(set_);
  }

  // Sets what neither comments nor normalized coordinates have told, from the points themselves.
  void complete_extent() {
    if (set_.points.empty()) return;
    float right = 0, bottom = 0;
    for (const SpaceTimePoint& point : set_.points) {
      right = std::max(right, point.x);
      bottom = std::max(bottom, point.y);
    }
    const std::int64_t frames = std::int64_t{set_.points.back().frame} + 1;
    if (stated_frames_ && set_.frames < frames)
      source_.fail(
          fmt::format("a point in frame {}, but the video has {} frames", frames - 1, set_.frames));
    if (set_.frames == 0 && frames > kMostFramesUnstated)
      source_.fail(fmt::format(
          "a point in frame {}, and nothing says how long the video is; expected frames below {}, "
          "or a comment '{}WIDTH HEIGHT FRAMES RATE'",
          frames - 1, kMostFramesUnstated, kVideoWord));
    set_.frames = std::max(set_.frames, frames);
    if (set_.size.width == 0) set_.size.width = static_cast<int>(right) + 1;
    if (set_.size.height == 0) set_.size.height = static_cast<int>(bottom) + 1;
  }

  const io::Source& source_;
  std::int64_t number_ = 0;
  float confidence_ = 1;
  bool stated_frames_ = false;  // by a comment
  std::vector<Line> lines_;
  PointSet set_;
};

// Whether most of the numbers that a point has are numbers: in a damaged line not all of them are.
bool looks_like_point(std::string_view line) {
  int words = 0, numbers = 0;
  for (std::size_t begin; words < kFields; ++words) {
    begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size()) ++numbers;
  }
  return 2 * numbers > words;
}

// Returns 0 if the extent is not known.
double normalized(double coordinate, double extent) {
  return extent > 0 ? (coordinate - 1) / extent : 0;
}

// Appends the line of a point and its confidence; no descriptor where `descriptor` is null.
void append_point(std::string& text, const SpaceTimePoint& p, const float* descriptor,
                  const PointVideo& video) {
  fmt::format_to(
      std::back_inserter(text), "{}{}\n{} {:.7g} {:.7g} {:.7g} {} {} {} {} {}", kConfidenceWord,
      p.confidence, kType, normalized(p.y, video.size.height), normalized(p.x, video.size.width),
      normalized(p.frame, static_cast<double>(video.frames)), p.y, p.x, p.frame, p.sigma2, p.tau2);
  if (descriptor != nullptr) {
    // This is nearly all of the text. A format that is compiled takes half the time.
    std::array<char, kDescriptorSize * kLongestNumber> numbers;
    char* at = numbers.data();
    for (const float value : std::span(descriptor, kDescriptorSize))
      at = fmt::format_to(at, FMT_COMPILE(" {}"), value);
    text.append(numbers.data(), at);
  }
  text += '\n';
}

PointVideo video_of(const PointSet& set) {
  return {set.size,     set.frames, set.frame_rate, !set.descriptors.empty(),
          set.detector, set.votes,  set.found_with};
}

// Formats some points into `text`, whose memory is used again.
void make_piece(const PointSet& set, std::size_t piece, std::string& text) {
  text.clear();
  const PointVideo video = video_of(set);
  const std::size_t end = std::min((piece + 1) * kPiecePoints, set.points.size());
  for (std::size_t i = piece * kPiecePoints; i < end; ++i)
    append_point(text, set.points[i],
                 video.descriptors ? set.descriptors.row(static_cast<int>(i)) : nullptr, video);
}

template <class Kind>
std::string comment_of(std::string_view head, std::optional<Kind> kind) {
  if (!kind) return {};
  for (const Choice& choice : choices(*kind))
    if (choice.value == static_cast<int>(*kind)) return fmt::format("{}{}\n", head, choice.word);
  return {};
}

std::string video_comment(const PointVideo& video, std::int64_t frames) {
  return fmt::format("{}{} {} {} {}\n", kVideoWord, video.size.width, video.size.height, frames,
                     video.frame_rate);
}

}  // namespace

PointSet read_points(const std::string& path) {
  const io::Source source(path);
  std::string text(static_cast<std::size_t>(source.size()), '\0');
  text.resize(source.read_at(0, std::as_writable_bytes(std::span(text))));
  return PointsReader(source).read(text);
}
PointSet read_points(std::span<const std::byte> text, const std::string& name) {
  return PointsReader(io::Source(text, name))
      .read({reinterpret_cast<const char*>(text.data()), text.size()});
}

bool is_points_file(const std::string& path) {
  if (!io::has_extension(path, {"points file", {"txt", "stip"}})) return false;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string text(kSniffedBytes, '\0');
  const io::Source source(path);
  text.resize(source.read_at(0, std::as_writable_bytes(std::span(text))));
  std::string_view rest = text;
  bool known_comment = false;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    if (line[begin] != '#') return known_comment || looks_like_point(line);
    known_comment = known_comment || line.starts_with(kHeadWord) || line.starts_with(kVideoWord);
  }
  return known_comment;
}

std::string points_text(const PointSet& set, const Exec& exec) {
  std::string text;
  write_points(io::string_sink(text), set, exec);
  return text;
}

std::string points_head(const PointVideo& video) {
  return fmt::format("# point-type y-norm x-norm t-norm y x t sigma2 tau2{}\n",
                     video.descriptors ? " dscr-hog(72) dscr-hof(90)" : "") +
         video_comment(video, video.frames) + comment_of(kDetectorWord, video.detector) +
         comment_of(kVotesWord, video.votes) +
         (video.found_with.empty() ? "" : fmt::format("{}{}\n", kOptionsWord, video.found_with));
}

void append_points(std::string& text, const FramePoints& frame, const PointVideo& video) {
  const auto rows = video.descriptors ? static_cast<int>(frame.points.size()) : 0;
  if (frame.descriptors.height() != rows)
    throw InvalidArgument(fmt::format("points: frame {} has {} descriptors, expected {}",
                                      frame.frame, frame.descriptors.height(), rows));
  for (std::size_t i = 0; i < frame.points.size(); ++i)
    append_point(text, frame.points[i],
                 video.descriptors ? frame.descriptors.row(static_cast<int>(i)) : nullptr, video);
}

std::string points_foot(const PointVideo& video, std::int64_t frames) {
  return frames == video.frames ? std::string() : video_comment(video, frames);
}

// Pieces of one group are made by all threads while the group before it is written.
void write_points(const io::Sink& sink, const PointSet& set, const Exec& exec) {
  sink(points_head(video_of(set)));
  const std::size_t pieces = (set.points.size() + kPiecePoints - 1) / kPiecePoints;
  std::vector<std::string> made, written;
  for (std::size_t first = 0; first < pieces + kGroupPieces; first += kGroupPieces) {
    made.resize(first < pieces ? std::min(kGroupPieces, pieces - first) : 0);
    const auto steps = static_cast<std::int64_t>(made.size()) + 1;
    parallel_for(exec, steps, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t step = begin; step < end; ++step) {
        if (step == 0) {
          for (const std::string& text : written) sink(text);
        } else {
          const auto piece = static_cast<std::size_t>(step - 1);
          make_piece(set, first + piece, made[piece]);
        }
      }
    });
    made.swap(written);
  }
}

}  // namespace fovea::actions
