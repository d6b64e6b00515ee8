// Reads and writes boxes as MOT challenge text.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/mot.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "core/words.h"
#include "io/text/source.h"

namespace fovea::people {
namespace {

constexpr std::size_t kMotLeastNumbers = 6;
constexpr std::size_t kMotMostNumbers = 16;
constexpr std::uint64_t kMotMostBytes = std::uint64_t{1} << 30U;
constexpr double kMotMostFrames = 1e9;
constexpr double kMotMostIds = 2e9;
constexpr double kMotFarthest = 1e9;  // pixels

struct MotNumbers {
  std::array<double, kMotMostNumbers> numbers{};
  std::size_t count = 0;
  bool sound = true;  // nothing but numbers, and not too many

  double at(std::size_t index, double otherwise) const {
    return index < count ? numbers[index] : otherwise;
  }
};

MotNumbers mot_numbers(std::string_view text) {
  MotNumbers line;
  const auto is_gap = [](char c) { return c == ',' || c == ';' || c == '\t' || c == ' '; };
  for (std::size_t at = 0; at < text.size();) {
    if (is_gap(text[at])) {
      ++at;
      continue;
    }
    double value = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    at += static_cast<std::size_t>(end - begin);
    if (error != std::errc{} || line.count == kMotMostNumbers ||
        (at < text.size() && !is_gap(text[at]))) {
      line.sound = false;
      return line;
    }
    line.numbers[line.count++] = value;
  }
  return line;
}

bool whole_from(double value, double least, double greatest) {
  return value >= least && value <= greatest && value == std::floor(value);
}

// What is wrong with a line, in words that say what was expected; empty where nothing is.
std::string_view mot_fault(const MotNumbers& line, const MotReadOptions& options) {
  if (!line.sound || line.count < kMotLeastNumbers)
    return "frame, id, x, y, width and height, and at most ten more numbers";
  if (!whole_from(line.numbers[0], 1, kMotMostFrames)) return "a whole frame from 1 on";
  if (options.identities && !whole_from(line.numbers[1], 0, kMotMostIds))
    return "a whole id from 0 on as its second number";
  for (std::size_t i = 2; i < 6; ++i)
    if (!(std::abs(line.numbers[i]) <= kMotFarthest)) return "a box of finite numbers";
  if (!(line.numbers[4] > 0) || !(line.numbers[5] > 0))
    return "a box with width and height above 0";
  if (!std::isfinite(line.at(6, 1))) return "a finite confidence";
  return {};
}

MotBox mot_box(const MotNumbers& line, const MotReadOptions& options) {
  const auto& n = line.numbers;
  const double label = line.at(7, -1), visibility = line.at(8, -1);
  return {.frame = static_cast<std::int64_t>(n[0]) - 1,
          .id = options.identities ? static_cast<int>(n[1]) : -1,
          .box = {n[2] - options.origin, n[3] - options.origin, n[4], n[5]},
          .score = line.at(6, 1),
          .label = whole_from(label, 0, 1e6) ? static_cast<int>(label) : -1,
          .visibility = visibility >= 0 && visibility <= 1 ? visibility : -1};
}

}  // namespace

void describe(OptionVisitor& visit, MotReadOptions& options) {
  visit("origin", options.origin, "coordinate of the first pixel in MOT files: 1, or 0", 0, 1);
  visit("identities", options.identities, "read the identities of the boxes",
        {.off_help = "take every box as a detection without an identity"});
  visit("pedestrians", options.pedestrians, "leave out boxes of other classes than 1",
        {.off_help = "take boxes of all classes"});
}

std::vector<MotBox> parse_mot(std::span<const std::byte> data, const std::string& name,
                              const MotReadOptions& options) {
  check_options(options);
  const std::string_view all(reinterpret_cast<const char*>(data.data()), data.size());
  std::vector<MotBox> boxes;
  std::map<std::pair<std::int64_t, int>, std::int64_t> lines;  // where a frame has an id
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    std::string_view text = all.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    const MotNumbers line = mot_numbers(text);
    if (line.sound && line.count == 0) continue;
    if (const std::string_view expected = mot_fault(line, options); !expected.empty())
      throw FormatError(fmt::format("{}: line {} is '{}'; expected {}", name, number,
                                    fovea::detail::shown(text, 60), expected));
    const MotBox box = mot_box(line, options);
    if (options.identities) {
      const auto [at, fresh] = lines.try_emplace({box.frame, box.id}, number);
      if (!fresh)
        throw FormatError(fmt::format("{}: lines {} and {} both have id {} in frame {}", name,
                                      at->second, number, box.id, box.frame + 1));
    }
    if (options.pedestrians && box.label >= 0 && box.label != 1) continue;
    boxes.push_back(box);
  }
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const MotBox& a, const MotBox& b) { return a.frame < b.frame; });
  return boxes;
}

std::vector<MotBox> read_mot(const std::string& path, const MotReadOptions& options) {
  const io::Source source(path);
  if (source.size() > kMotMostBytes)
    throw FormatError(fmt::format("{}: is larger than {} MiB; this can be no file of boxes", path,
                                  kMotMostBytes >> 20U));
  std::vector<std::byte> data(source.size());
  data.resize(source.read_at(0, data));
  return parse_mot(data, path, options);
}

std::string mot_line(const MotBox& box) {
  const std::string tail = box.label < 0 && box.visibility < 0
                               ? "-1,-1,-1"
                               : fmt::format("{},{:.4g}", box.label, box.visibility);
  return fmt::format("{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.4f},{}\n", box.frame + 1, box.id,
                     box.box.x + 1, box.box.y + 1, box.box.width, box.box.height, box.score, tail);
}

}  // namespace fovea::people
