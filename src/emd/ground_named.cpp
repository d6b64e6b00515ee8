// Ground distances as the program names them: a word, or a file of costs.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/emd/ground.h>
#include <fovea/io/npy.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/text/json_reader.h"

namespace fovea::emd {
namespace {

// Enough for 4096 x 4096 numbers with many digits.
constexpr std::size_t kMostBytes = std::size_t{512} << 20;

struct Costs {
  std::size_t rows = 0;
  std::vector<double> values{};
};

GroundDistance made_of(const std::string& path, const Costs& costs, int bins) {
  const std::size_t columns = costs.rows == 0 ? 0 : costs.values.size() / costs.rows;
  if (costs.rows == 0 || columns == 0 || costs.rows * columns != costs.values.size())
    throw FormatError(fmt::format(
        "{}: holds no table of costs; expected rows with the same number of costs each", path));
  const auto wanted = static_cast<std::size_t>(bins);
  if (bins > 0 && (costs.rows != wanted || columns != wanted))
    throw InvalidArgument(fmt::format("{}: is a table of {}x{} costs, expected {}x{}", path,
                                      costs.rows, columns, bins, bins));
  constexpr std::size_t kMost = GroundDistance::kMostTableBins;
  if (costs.rows > kMost || columns > kMost)
    throw FormatError(fmt::format("{0}: is a table of {1}x{2} costs, expected at most {3}x{3}",
                                  path, costs.rows, columns, kMost));
  try {
    return {static_cast<int>(costs.rows), static_cast<int>(columns), costs.values};
  } catch (const InvalidArgument& error) {
    throw FormatError(fmt::format("{}: {}", path, error.what()));
  }
}

std::string read_text(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::string text;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (std::size_t got = kPiece; got == kPiece && text.size() <= kMostBytes;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    got = std::fread(text.data() + before, 1, kPiece, file.get());
    text.resize(before + got);
  }
  if (std::ferror(file.get()) != 0)
    throw IoError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  if (text.size() > kMostBytes)
    throw FormatError(
        fmt::format("{0}: is larger than {1} MiB; a table of at most {2}x{2} costs was expected",
                    path, kMostBytes >> 20, GroundDistance::kMostTableBins));
  return text;
}

Costs read_json(const std::string& path) {
  Costs costs;
  try {
    for (const auto& row : io::parse_json(read_text(path), path)) {
      const auto values = row.get<std::vector<double>>();
      if (costs.rows > 0 && values.size() * costs.rows != costs.values.size()) return {};
      costs.values.insert(costs.values.end(), values.begin(), values.end());
      ++costs.rows;
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return costs;
}

Costs read_npy(const std::string& path) {
  const io::NdArray array = io::read_array(path);
  if (array.shape.size() != 2) return {};
  return {array.shape[0], array.numbers()};
}

// Numbers separated by commas, semicolons or spaces, one row per line; # starts a comment.
Costs read_numbers(const std::string& path) {
  const std::string text = read_text(path);
  Costs costs;
  std::size_t line = 1, in_row = 0, first_row = 0;
  const auto end_row = [&] {
    if (in_row == 0) return;
    if (costs.rows == 0) first_row = in_row;
    if (in_row != first_row)
      throw FormatError(fmt::format("{}: line {} holds {} costs, but the first row {}", path, line,
                                    in_row, first_row));
    ++costs.rows;
    in_row = 0;
  };
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    if (*at == '#') {
      while (at < end && *at != '\n') ++at;
    } else if (*at == '\n') {
      end_row();
      ++line;
      ++at;
    } else if (std::strchr(" \t\r,;", *at) != nullptr) {
      ++at;
    } else {
      double value = 0;
      const auto [rest, error] = std::from_chars(at + (*at == '+' ? 1 : 0), end, value);
      if (error != std::errc{})
        throw FormatError(
            fmt::format("{}: line {} holds something that is not a number", path, line));
      costs.values.push_back(value);
      ++in_row;
      at = rest;
    }
  }
  end_row();
  return costs;
}

// Returns the number behind "threshold:".
std::optional<double> threshold_of(std::string_view name) {
  constexpr std::string_view kPrefix = "threshold:";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  double value = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc{} || rest != name.data() + name.size() || !(value > 0) || value > 1e12)
    throw InvalidArgument(fmt::format(
        "ground distance threshold:{}: expected a positive number, such as threshold:3", name));
  return value;
}

}  // namespace

std::vector<std::string_view> ground_words() {
  return {"l1",       "l2",        "squared",   "threshold:3", "circular",
          "discrete", "cityblock", "manhattan", "euclidean",   "sqeuclidean"};
}

GroundDistance GroundDistance::named(std::string_view name, int bins) {
  if (name == "cityblock" || name == "manhattan") name = "l1";  // as SciPy and POT call them
  if (name == "euclidean") name = "l2";
  if (name == "sqeuclidean") name = "squared";
  const auto threshold = threshold_of(name);
  const bool known = threshold || name == "l1" || name == "l2" || name == "squared" ||
                     name == "circular" || name == "discrete";
  if (known && bins < 1)
    throw InvalidArgument(
        fmt::format("ground distance {}: {} bins, expected at least 1", name, bins));
  if (threshold) return thresholded(bins, *threshold);
  if (name == "l1") return l1(bins);
  if (name == "l2") return l2(bins);
  if (name == "squared") return squared(bins);
  if (name == "circular") return circular(bins);
  if (name == "discrete") return discrete(bins);
  const std::string path(name);
  const bool is_path =
      name.find('.') != std::string_view::npos || name.find('/') != std::string_view::npos;
  if (!is_path)
    throw InvalidArgument(fmt::format(
        "ground distance '{}' is not known; expected l1 (also cityblock or manhattan), l2 or "
        "euclidean, squared or sqeuclidean, threshold:T, circular, discrete or a file (.json, "
        ".npy, .csv, .txt)",
        name));
  if (name.ends_with(".json")) return made_of(path, read_json(path), bins);
  if (name.ends_with(".npy")) return made_of(path, read_npy(path), bins);
  return made_of(path, read_numbers(path), bins);
}

}  // namespace fovea::emd
