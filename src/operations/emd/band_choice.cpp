#include "operations/emd/band_choice.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "core/words.h"

namespace fovea::operations {
namespace {

constexpr int kMostBand = 999999;

[[noreturn]] void refuse_bands(const std::string& words) {
  throw InvalidArgument(fmt::format(
      "--bands is '{}'; expected numbers from 0 and ranges, such as 0,5,10-19, or mean or all",
      detail::shown(words)));
}

int band_number(std::string_view text, const std::string& words) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < 0 || value > kMostBand) refuse_bands(words);
  return value;
}

Stack<float> mean_of(const Stack<float>& bands) {
  Stack<float> mean(bands.width(), bands.height(), 1);
  for (int y = 0; y < bands.height(); ++y)
    for (int x = 0; x < bands.width(); ++x) {
      double sum = 0;
      int measured = 0;
      for (int b = 0; b < bands.count(); ++b) {
        const float sample = bands.plane(b).at(x, y);
        if (!std::isfinite(sample)) continue;
        sum += static_cast<double>(sample);
        ++measured;
      }
      mean.plane(0).at(x, y) = measured > 0 ? static_cast<float>(sum / measured)
                                            : std::numeric_limits<float>::quiet_NaN();
    }
  return mean;
}

}  // namespace

BandChoice parse_band_choice(const std::string& words) {
  BandChoice choice;
  if (words.empty() || words == "all") return choice;
  if (words == "mean") {
    choice.mean = true;
    return choice;
  }
  for (const std::string_view part : detail::split(words, ',')) {
    const auto dash = part.find('-');
    const int first = band_number(part.substr(0, dash), words);
    const int last = dash == part.npos ? first : band_number(part.substr(dash + 1), words);
    if (last < first) refuse_bands(words);
    for (int band = first; band <= last; ++band) choice.bands.push_back(band);
  }
  return choice;
}

void choose_bands(const BandChoice& choice, emd::BandFrame& frame) {
  if (choice.mean || !choice.bands.empty()) frame.samples = {};  // they are those of all bands
  if (choice.mean) frame.bands = mean_of(frame.bands);
  if (choice.bands.empty()) return;
  const Stack<float>& from = frame.bands;
  Stack<float> chosen(from.width(), from.height(), static_cast<int>(choice.bands.size()));
  for (std::size_t i = 0; i < choice.bands.size(); ++i) {
    if (choice.bands[i] >= from.count())
      throw InvalidArgument(fmt::format("--bands names band {}, but {} has bands 0 to {}",
                                        choice.bands[i], frame.name, from.count() - 1));
    copy(from.plane(choice.bands[i]), chosen.plane(static_cast<int>(i)));
  }
  frame.bands = std::move(chosen);
}

}  // namespace fovea::operations
