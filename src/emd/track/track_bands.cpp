// A palette over bands. Samples are laid out as an image of one row, so that the labels of frames
// and the assignment of k-means are the same code. 3000 samples of 200 bands, 16 colors and at
// most 25 rounds take a few tenths of a second, once per target.
#include "emd/track/track_bands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "emd/track/backend.h"
#include "emd/track/track_bands_math.h"

namespace fovea::emd {
namespace {

constexpr int kBandRounds = 25;
constexpr double kShareOfTarget = 0.6;
constexpr double kNormalMedian = 0.6745;  // median of the absolute value of a normal variable
constexpr double kLeastSignal = 0.05;     // share of a band's variance that always counts as signal

void draw_from(StackView<const float> frame, const Rect<int>& box, int first, int count,
               Random& random, BandSamples& samples) {
  for (int i = 0; i < count; ++i) {
    const int x = box.x + static_cast<int>(random.below(static_cast<std::uint32_t>(box.width)));
    const int y = box.y + static_cast<int>(random.below(static_cast<std::uint32_t>(box.height)));
    const int beside = x + 1 < frame.width ? x + 1 : std::max(0, x - 1);
    for (int b = 0; b < frame.count; ++b) {
      samples.pixels.plane(b).at(first + i, 0) = frame.plane(b).at(x, y);
      samples.neighbors.plane(b).at(first + i, 0) = frame.plane(b).at(beside, y);
    }
  }
}

Stack<float> copy_of_samples(const Stack<float>& from) {
  Stack<float> to(from.width(), from.height(), from.count());
  copy(from.view(), to.view());
  return to;
}

// Divides every sample by the root mean square of its pixel.
void keep_shape(Stack<float>& pixels) {
  for (int x = 0; x < pixels.width(); ++x) {
    float squares = 0;
    int measured = 0;
    for (int b = 0; b < pixels.count(); ++b) {
      const float sample = pixels.plane(b).at(x, 0);
      if (!is_measured(sample)) continue;
      squares += sample * sample;
      ++measured;
    }
    const float inverse = inverse_brightness(squares, measured);
    for (int b = 0; b < pixels.count(); ++b) pixels.plane(b).at(x, 0) *= inverse;
  }
}

struct BandStatistics {
  double mean = 0;
  double variance = 0;
  double noise = 0;  // variance of the noise, no more than `variance`
};

// Noise shows in the differences between neighbors; their median ignores the borders of things.
BandStatistics statistics_of(const float* values, const float* beside, int count) {
  BandStatistics result;
  double sum = 0, squares = 0;
  std::int64_t measured = 0;
  std::vector<float> steps;
  steps.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (!is_measured(values[i])) continue;
    sum += static_cast<double>(values[i]);
    ++measured;
    const float step = std::abs(values[i] - beside[i]);
    if (is_measured(step)) steps.push_back(step);
  }
  if (measured == 0) return result;
  result.mean = sum / static_cast<double>(measured);
  for (int i = 0; i < count; ++i) {
    if (!is_measured(values[i])) continue;
    const double away = static_cast<double>(values[i]) - result.mean;
    squares += away * away;
  }
  result.variance = squares / static_cast<double>(measured);
  if (!steps.empty()) {
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    const double deviation = static_cast<double>(*middle) / kNormalMedian;
    result.noise = std::min(result.variance, deviation * deviation / 2);
  }
  return result;
}

// Each band gets the weight of its signal's share of the variance; all weights together are 1.
void scale_bands(const Stack<float>& pixels, const Stack<float>& neighbors, BandTable& table) {
  const auto bands = static_cast<std::size_t>(table.bands);
  std::vector<BandStatistics> statistics(bands);
  std::vector<double> weights(bands, 0.0);
  for (int b = 0; b < table.bands; ++b) {
    const auto i = static_cast<std::size_t>(b);
    statistics[i] =
        statistics_of(pixels.plane(b).row(0), neighbors.plane(b).row(0), pixels.width());
    const double variance = statistics[i].variance;
    if (variance > 0) weights[i] = std::max(kLeastSignal, 1 - statistics[i].noise / variance);
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  table.offset.resize(bands);
  table.scale.resize(bands);
  for (std::size_t i = 0; i < bands; ++i) {
    const auto& [mean, variance, noise] = statistics[i];
    table.offset[i] = static_cast<float>(mean);
    const auto scale =
        static_cast<float>(weights[i] > 0 ? std::sqrt(weights[i] / total / variance) : 0.0);
    // Samples of which all are the same have one color, whatever the scale is.
    table.scale[i] = total > 0 && is_measured(scale) ? scale : total > 0 ? 0.0F : 1.0F;
  }
}

// Scaled samples as an image; what is not measured stays NaN. Shape has been kept before.
Stack<float> scaled_points(const Stack<float>& pixels, const BandTable& table) {
  Stack<float> result(pixels.width(), 1, pixels.count());
  for (int b = 0; b < pixels.count(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    for (int x = 0; x < pixels.width(); ++x)
      result.plane(b).at(x, 0) =
          scaled_sample(pixels.plane(b).at(x, 0), 1, table.offset[i], table.scale[i]);
  }
  return result;
}

// Squared distance over the bands that both measured.
double distance_over_bands(const Stack<float>& samples, int a, int b) {
  double sum = 0;
  for (int band = 0; band < samples.count(); ++band) {
    const float* const row = samples.plane(band).row(0);
    const float step = row[a] - row[b];
    if (is_measured(step)) sum += static_cast<double>(step) * static_cast<double>(step);
  }
  return sum;
}

// Samples that at least one band with a scale measured.
std::vector<int> measured_samples(const Stack<float>& pixels, const BandTable& table) {
  std::vector<int> found;
  found.reserve(static_cast<std::size_t>(pixels.width()));
  for (int x = 0; x < pixels.width(); ++x) {
    for (int b = 0; b < pixels.count(); ++b) {
      if (!(table.scale[static_cast<std::size_t>(b)] > 0)) continue;
      if (!is_measured(pixels.plane(b).at(x, 0))) continue;
      found.push_back(x);
      break;
    }
  }
  return found;
}

// k-means++ over the measured samples; returns which of them are the first colors.
std::vector<int> first_centers(const Stack<float>& samples, const std::vector<int>& measured,
                               int count, Random& random) {
  std::vector<int> centers{measured[random.below(static_cast<std::uint32_t>(measured.size()))]};
  std::vector<double> least(measured.size(), std::numeric_limits<double>::max());
  while (static_cast<int>(centers.size()) < count) {
    double total = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      least[i] = std::min(least[i], distance_over_bands(samples, measured[i], centers.back()));
      total += least[i];
    }
    if (!(total > 0)) break;  // every sample is a center already
    double left = static_cast<double>(random.uniform()) * total;
    int chosen = measured.front();
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (!(least[i] > 0)) continue;
      chosen = measured[i];
      left -= least[i];
      if (left < 0) break;
    }
    centers.push_back(chosen);
  }
  return centers;
}

// Moves each color to the mean of its samples, band by band over what was measured; a band that
// none of them measured keeps its value. Returns whether a color moved.
bool move_centers(const Stack<float>& samples, ImageView<const std::uint8_t> labels,
                  BandTable& table) {
  const auto colors = static_cast<std::size_t>(table.colors);
  bool moved = false;
  for (int b = 0; b < table.bands; ++b) {
    std::vector<double> sums(colors, 0.0), counts(colors, 0.0);
    const float* const row = samples.plane(b).row(0);
    for (int x = 0; x < samples.width(); ++x) {
      const std::uint8_t label = labels.at(x, 0);
      if (label == kNoLabel || !is_measured(row[x])) continue;
      sums[label] += static_cast<double>(row[x]);
      counts[label] += 1;
    }
    for (std::size_t k = 0; k < colors; ++k) {
      if (!(counts[k] > 0)) continue;
      float& center = table.centers[static_cast<std::size_t>(b) * colors + k];
      const auto mean = static_cast<float>(sums[k] / counts[k]);
      moved = moved || mean != center;
      center = mean;
    }
  }
  return moved;
}

double color_distance(const BandTable& table, int a, int b) {
  double sum = 0;
  for (int band = 0; band < table.bands; ++band) {
    const double step =
        static_cast<double>(table.center(band, a)) - static_cast<double>(table.center(band, b));
    sum += step * step;
  }
  return std::sqrt(sum);
}

}  // namespace

BandSamples draw_band_samples(const std::vector<BandSource>& sources, int count, Random& random) {
  const int bands = sources.front().target_frame.count;
  const int all = count * static_cast<int>(sources.size());
  BandSamples samples{Stack<float>(all, 1, bands), Stack<float>(all, 1, bands)};
  int first = 0;
  for (const BandSource& source : sources) {
    const auto from_target = static_cast<int>(count * kShareOfTarget);
    draw_from(source.target_frame, source.target, first, from_target, random, samples);
    draw_from(source.surround_frame, source.surround, first + from_target, count - from_target,
              random, samples);
    first += count;
  }
  return samples;
}

BandTable learn_bands(const BandSamples& samples, const BandPaletteOptions& options) {
  Stack<float> pixels = copy_of_samples(samples.pixels),
               neighbors = copy_of_samples(samples.neighbors);
  if (options.shape) {
    keep_shape(pixels);
    keep_shape(neighbors);
  }
  BandTable table;
  table.bands = pixels.count();
  scale_bands(pixels, neighbors, table);
  const Stack<float> points = scaled_points(pixels, table);
  const std::vector<int> measured = measured_samples(points, table);
  if (measured.empty()) return table;

  Random random(options.seed);
  const std::vector<int> first = first_centers(points, measured, options.colors, random);
  table.colors = static_cast<int>(first.size());
  table.centers.resize(static_cast<std::size_t>(table.bands) * first.size());
  for (int b = 0; b < table.bands; ++b)
    for (std::size_t k = 0; k < first.size(); ++k) {
      const float value = points.plane(b).at(first[k], 0);
      table.centers[static_cast<std::size_t>(b) * first.size() + k] =
          is_measured(value) ? value : 0.0F;  // 0 is the mean of all samples
    }
  // Points are scaled already: k-means labels them as they are.
  BandTable plain = table;
  for (std::size_t b = 0; b < table.scale.size(); ++b) {
    plain.offset[b] = 0;
    plain.scale[b] = table.scale[b] > 0 ? 1.0F : 0.0F;
  }
  Exec exec = options.exec;
  exec.device = Device::cpu();
  exec.stream = nullptr;
  Image<std::uint8_t> labels(points.width(), 1);
  for (int round = 0; round < kBandRounds; ++round) {
    cpu::label_bands(points, plain, labels, exec);
    if (!move_centers(points, labels, plain)) break;
  }
  table.centers = plain.centers;
  table.shape = options.shape;
  return table;
}

GroundDistance band_distance(const BandTable& table, std::optional<double> tau) {
  std::vector<double> distances;
  distances.reserve(static_cast<std::size_t>(table.colors) *
                    static_cast<std::size_t>(table.colors));
  double sum = 0;
  for (int a = 0; a < table.colors; ++a)
    for (int b = 0; b < table.colors; ++b) {
      distances.push_back(color_distance(table, a, b));
      sum += distances.back();
    }
  const double pairs = static_cast<double>(table.colors) * (table.colors - 1);
  const double most = tau ? *tau : sum > 0 ? sum / pairs : 1.0;
  for (double& distance : distances) distance = std::ceil(std::min(distance, most) / most * 1000);
  return {table.colors, table.colors, distances};
}

}  // namespace fovea::emd
