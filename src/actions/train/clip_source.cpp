#include "actions/train/clip_source.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "actions/match/features.h"
#include "io/image/half.h"

namespace fovea::actions {
namespace {

constexpr double kUsualDistance = 3.76;
constexpr std::size_t kSampledPairs = 20000;

// A point of one of the clips, by numbers.
struct Sample {
  int clip = 0;
  int point = 0;
};

// Copies the features of the sampled points, clip by clip, into the rows of an image.
Image<float> features_of(const ClipSource& clips, std::span<const Sample> samples, int most,
                         const FeatureOptions& options) {
  std::vector<int> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::ranges::stable_sort(order, {},
                           [&](int i) { return samples[static_cast<std::size_t>(i)].clip; });
  Image<float> rows(feature_size(options.appearance), static_cast<int>(samples.size()));
  Nodes nodes;
  int held = -1;
  for (const int i : order) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    if (sample.clip != held) {
      PointSet room;
      nodes = make_nodes(clips.get(sample.clip, room), most, options);
      held = sample.clip;
    }
    std::copy_n(nodes.features.row(sample.point), rows.width(), rows.row(i));
  }
  return rows;
}

double row_distance(ImageView<const float> rows, int a, int b) {
  double sum = 0;
  for (int i = 0; i < rows.width; ++i) {
    const double difference = static_cast<double>(rows.at(i, a)) - rows.at(i, b);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

}  // namespace

void PackedClips::add(const PointSet& points) {
  clips_.emplace_back();
  set(size() - 1, points);
}

void PackedClips::set(int number, const PointSet& clip) {
  const auto count = static_cast<int>(clip.points.size());
  if (count > 0 &&
      (clip.descriptors.height() != count || clip.descriptors.width() != kDescriptorSize))
    throw InvalidArgument(fmt::format(
        "{} points with {} descriptors of {} numbers; expected one of {} numbers per point", count,
        clip.descriptors.height(), clip.descriptors.width(), kDescriptorSize));
  Packed packed{clip.size,   clip.frames, clip.frame_rate, clip.detector, clip.votes,
                clip.points, {}};
  packed.descriptors.reserve(clip.points.size() * kDescriptorSize);
  for (int y = 0; y < count; ++y)
    for (int x = 0; x < kDescriptorSize; ++x)
      packed.descriptors.push_back(io::float_to_half(clip.descriptors.at(x, y)));
  clips_.at(static_cast<std::size_t>(number)) = std::move(packed);
}

void PackedClips::keep(std::span<const std::int32_t> places) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clips_.size() && i < places.size(); ++i)
    if (places[i] >= 0) std::swap(clips_[kept++], clips_[i]);
  clips_.resize(kept);
}

PointSet PackedClips::unpacked(int clip) const {
  const Packed& packed = clips_.at(static_cast<std::size_t>(clip));
  PointSet result;
  result.size = packed.size;
  result.frames = packed.frames;
  result.frame_rate = packed.frame_rate;
  result.detector = packed.detector;
  result.votes = packed.votes;
  result.points = packed.points;
  if (packed.points.empty()) return result;
  result.descriptors = Image<float>(kDescriptorSize, static_cast<int>(packed.points.size()));
  auto from = packed.descriptors.begin();
  for (int y = 0; y < result.descriptors.height(); ++y)
    for (int x = 0; x < kDescriptorSize; ++x)
      result.descriptors.at(x, y) = io::half_to_float(*from++);
  return result;
}

int ClipSource::points(int clip, int most) const {
  int count = 0, of_frame = 0;
  const std::span<const SpaceTimePoint> all = places(clip);
  for (std::size_t i = 0; i < all.size(); ++i) {
    of_frame = i > 0 && all[i].frame == all[i - 1].frame ? of_frame + 1 : 0;
    count += most == 0 || of_frame < most ? 1 : 0;
  }
  return count;
}

double choose_scale(const ClipSource& clips, std::span<const int> which, int most,
                    const FeatureOptions& options, std::uint64_t seed) {
  FeatureOptions plain = options;
  plain.scale = 1;
  struct Count {
    int clip, points;
  };
  std::vector<Count> counts;
  for (const int clip : which)
    if (const int points = clips.points(clip, most); points > 0) counts.push_back({clip, points});
  if (counts.size() < 2) return 1;
  Random random(seed);
  const auto draw = [&](std::size_t count) {
    return random.below(static_cast<std::uint32_t>(count));
  };
  std::vector<Sample> samples;
  samples.reserve(2 * kSampledPairs);
  for (std::size_t i = 0; i < kSampledPairs; ++i) {
    const auto first = draw(counts.size());
    const auto second = (first + 1 + draw(counts.size() - 1)) % counts.size();
    for (const Count& count : std::array{counts[first], counts[second]})
      samples.push_back(
          {count.clip, static_cast<int>(draw(static_cast<std::size_t>(count.points)))});
  }
  const Image<float> rows = features_of(clips, samples, most, plain);
  std::vector<double> distances;
  distances.reserve(kSampledPairs);
  for (int i = 0; i < rows.height(); i += 2) distances.push_back(row_distance(rows, i, i + 1));
  const auto middle = distances.begin() + kSampledPairs / 2;
  std::ranges::nth_element(distances, middle);
  if (!(*middle > 0)) return 1;
  const double scale = kUsualDistance / *middle;
  const double digit = std::pow(10.0, std::floor(std::log10(scale)) - 1);
  return std::round(scale / digit) * digit;
}

double learn_scale(std::span<const PointSet> clips, int most, const FeatureOptions& options,
                   std::uint64_t seed) {
  std::vector<int> all(clips.size());
  std::iota(all.begin(), all.end(), 0);
  return choose_scale(ClipSource(clips), all, most, options, seed);
}

PointSet salient_of(const ClipSource& clips, int clip, int most) {
  PointSet room;
  PointSet result = most_salient(clips.get(clip, room), most);
  round_to_file(result.descriptors);
  return result;
}

}  // namespace fovea::actions
