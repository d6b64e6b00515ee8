// Compares tracks with the true boxes, and reads and writes boxes as text.
#include <fovea/core/error.h>
#include <fovea/emd/track.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>

namespace fovea::emd {
namespace {

constexpr double kNearPixels = 20;
constexpr int kThresholds = 21;
constexpr std::int64_t kMostFrames = 10'000'000;
constexpr int kUsualOrigin = 1;         // of benchmarks
constexpr std::size_t kMotNumbers = 7;  // or more: frame, id, box (four numbers), confidence

// Reads numbers separated by commas, semicolons, tabs or spaces; nothing if there is anything else.
std::optional<std::vector<double>> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  const auto is_gap = [](char c) { return c == ',' || c == ';' || c == '\t' || c == ' '; };
  for (std::size_t at = 0; at < line.size();) {
    if (is_gap(line[at])) {
      ++at;
      continue;
    }
    double value = 0;
    const char* const begin = line.data() + at;
    const auto [end, error] = std::from_chars(begin, line.data() + line.size(), value);
    if (error != std::errc{}) return std::nullopt;
    at += static_cast<std::size_t>(end - begin);
    if (at < line.size() && !is_gap(line[at])) return std::nullopt;
    numbers.push_back(value);
  }
  return numbers;
}

// What a comment says about the coordinate of the first pixel.
std::optional<int> origin_in(std::string_view comment) {
  if (comment == "# origin 0") return 0;
  if (comment == "# origin 1") return 1;
  return {};
}

Rect<double> box_of(const double* numbers, int origin) {
  const Rect<double> box{numbers[0] - origin, numbers[1] - origin, numbers[2], numbers[3]};
  const bool finite = std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.width) &&
                      std::isfinite(box.height);
  return finite && box.width > 0 && box.height > 0 ? box : Rect<double>{};
}

}  // namespace

double center_distance(const Rect<double>& a, const Rect<double>& b) {
  return std::hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2);
}

TrackReport evaluate_track(std::span<const Rect<double>> track,
                           std::span<const Rect<double>> truth) {
  TrackReport result;
  const std::size_t frames = std::min(track.size(), truth.size());
  std::vector<double> overlaps;
  std::int64_t near = 0, half = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    if (!(truth[i].area() > 0)) continue;
    const double shared = overlap(track[i], truth[i]);
    overlaps.push_back(shared);
    result.mean_overlap += shared;
    half += shared > 0.5 ? 1 : 0;
    const double apart = center_distance(track[i], truth[i]);
    result.mean_center_distance += apart;
    near += apart <= kNearPixels ? 1 : 0;
    result.missed += shared > 0 ? 0 : 1;
  }
  result.frames = static_cast<std::int64_t>(overlaps.size());
  if (overlaps.empty()) return result;
  const auto count = static_cast<double>(overlaps.size());
  result.mean_overlap /= count;
  result.mean_center_distance /= count;
  result.precision_20px = static_cast<double>(near) / count;
  result.success_50 = static_cast<double>(half) / count;
  for (int i = 0; i < kThresholds; ++i) {
    const double least = static_cast<double>(i) / (kThresholds - 1);
    const auto above = std::count_if(overlaps.begin(), overlaps.end(),
                                     [&](double shared) { return shared > least; });
    result.success_area += static_cast<double>(above) / count / kThresholds;
  }
  return result;
}

std::vector<Rect<double>> read_boxes(const std::string& path, std::optional<int> origin, int id) {
  std::ifstream file(path);
  if (!file) throw IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::vector<Rect<double>> boxes;
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.starts_with('#')) {
      if (!origin) origin = origin_in(line);
      continue;
    }
    const auto numbers = numbers_of(line);
    const std::size_t count = numbers ? numbers->size() : 0;
    if (numbers && count == 0) continue;
    if (!origin) origin = kUsualOrigin;
    const auto bad = [&](const char* expected) {
      return FormatError(fmt::format("{}: line {} is '{}'; expected {}", path, number,
                                     line.substr(0, 60), expected));
    };
    if (count == 4) {
      boxes.push_back(box_of(numbers->data(), *origin));
    } else if (count >= kMotNumbers) {
      const double frame = (*numbers)[0];
      if (!(frame >= 1) || !(frame <= kMostFrames) || frame != std::floor(frame))
        throw bad("a frame from 1 on as its first number");
      if ((*numbers)[1] != id) continue;
      const auto at = static_cast<std::size_t>(frame);
      if (boxes.size() < at) boxes.resize(at);
      boxes[at - 1] = box_of(numbers->data() + 2, *origin);
    } else {
      throw bad("x, y, width and height, or a line of MOT challenge's form");
    }
  }
  if (boxes.empty()) throw FormatError(fmt::format("{}: holds no box", path));
  return boxes;
}

std::string mot_line(std::int64_t frame, const Track& track) {
  return fmt::format("{},{},{},{},{},{},{:.4f},-1,-1,-1\n", frame, track.id, track.box.x + 1,
                     track.box.y + 1, track.box.width, track.box.height, track.confidence);
}

}  // namespace fovea::emd
