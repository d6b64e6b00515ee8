#include "actions/fuse/words.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "actions/infinity.h"
#include "actions/match/features.h"

namespace fovea::actions {
namespace {

constexpr int kWords = 400;
constexpr std::size_t kWordSamples = 20000;
constexpr int kWordIterations = 30;
constexpr std::uint64_t kWordSequence = 3;
constexpr std::size_t kDrawsAtOnce = 4096;  // that shuffled_start() holds

// A descriptor of a clip or of its mirror image.
struct WordPlace {
  std::int32_t clip;
  std::int32_t row;
  bool turned;
};

std::vector<WordPlace> drawn_places(const ClipSource& clips, std::span<const int> which,
                                    std::uint64_t seed) {
  // All descriptors are numbered: clip by clip, and those of its mirror image after its own.
  std::vector<std::size_t> ends;
  ends.reserve(which.size());
  std::size_t all = 0;
  for (const int clip : which) {
    all += 2 * static_cast<std::size_t>(clips.points(clip, 0));
    ends.push_back(all);
  }
  std::vector<WordPlace> places;
  places.reserve(std::min(all, kWordSamples));
  for (const std::size_t number : shuffled_start(all, kWordSamples, Random(seed, kWordSequence))) {
    const auto at = static_cast<std::size_t>(std::ranges::upper_bound(ends, number) - ends.begin());
    const std::size_t first = at == 0 ? 0 : ends[at - 1], points = (ends[at] - first) / 2;
    const bool turned = number - first >= points;
    places.push_back(
        {which[at], static_cast<std::int32_t>(number - first - (turned ? points : 0)), turned});
  }
  return places;
}

// Clips are opened one after the other, but samples keep the order in which they were drawn.
Image<float> rows_at(const ClipSource& clips, std::span<const WordPlace> places) {
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int i) {
    const WordPlace& place = places[static_cast<std::size_t>(i)];
    return std::tuple(place.clip, place.turned, place.row);
  });
  Image<float> samples(kDescriptorSize, static_cast<int>(places.size())), own;
  const WordPlace* held = nullptr;
  for (const int i : order) {
    const WordPlace& place = places[static_cast<std::size_t>(i)];
    if (held == nullptr || held->clip != place.clip || held->turned != place.turned) {
      PointSet room;
      own = word_rows(clips.get(place.clip, room), place.turned);
    }
    held = &place;
    std::copy_n(own.row(place.row), kDescriptorSize, samples.row(i));
  }
  return samples;
}

}  // namespace

// shuffle() exchanges the last item of ever fewer with one of them that is drawn. The items that
// are first in the end are followed back to where they were, against the order of the draws, which
// are made again some at a time.
std::vector<std::size_t> shuffled_start(std::size_t count, std::size_t most, Random random) {
  const std::size_t kept = std::min(count, most), steps = count - kept;
  std::vector<Random> starts;
  for (std::size_t step = 0; step < steps; ++step) {
    if (step % kDrawsAtOnce == 0) starts.push_back(random);
    random.below(static_cast<std::uint32_t>(count - step));
  }
  std::vector<std::size_t> numbers(kept);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::unordered_map<std::size_t, std::size_t> items;  // by their places at a step
  items.reserve(kept);
  for (const std::size_t item : numbers) items.emplace(item, item);
  std::vector<std::uint32_t> draws;
  for (std::size_t block = starts.size(); block-- > 0;) {
    const std::size_t first = block * kDrawsAtOnce;
    draws.clear();
    for (std::size_t step = first; step < std::min(first + kDrawsAtOnce, steps); ++step)
      draws.push_back(starts[block].below(static_cast<std::uint32_t>(count - step)));
    for (std::size_t i = draws.size(); i-- > 0;) {
      auto found = items.extract(draws[i]);
      if (found.empty()) continue;
      found.key() = count - (first + i) - 1;
      items.insert(std::move(found));
    }
  }
  for (const auto& [place, item] : items) numbers[item] = place;
  shuffle(numbers, random);
  return numbers;
}

Image<float> word_rows(const PointSet& points, bool turned) {
  const FeatureOptions plain{.appearance = Appearance::kHogHof, .square_root = false, .scale = 1};
  Image<float> rows = turned ? make_nodes(mirrored(points), 0, plain).features
                             : make_nodes(points, 0, plain).features;
  round_to_file(rows);
  return rows;
}

Image<float> learn_words(const ClipSource& clips, std::span<const int> which, const Exec& exec) {
  const std::vector<WordPlace> places = drawn_places(clips, which, exec.seed);
  if (places.empty()) return Image<float>(kDescriptorSize, 0);
  const Image<float> samples = rows_at(clips, places);
  Exec quiet = exec;
  quiet.progress = {};
  return kmeans(samples, {.clusters = std::min(kWords, samples.height()),
                          .max_iterations = kWordIterations,
                          .exec = quiet})
      .centers;
}

void count_words(NearestCenter& words, const Image<float>& rows, float* histogram) {
  std::fill_n(histogram, words.centers(), 0.0F);
  if (rows.height() == 0) return;
  for (const std::int32_t word : words.find(rows)) histogram[word] += 1;
  for (int i = 0; i < words.centers(); ++i) histogram[i] /= static_cast<float>(rows.height());
}

WordHistograms::WordHistograms(const ClipSource& clips, std::span<const int> which,
                               ImageView<const float> words, const Exec& exec)
    : first_(static_cast<std::size_t>(clips.size()), -1) {
  int count = 0;
  for (const int clip : which) {
    int& first = first_[static_cast<std::size_t>(clip)];
    if (first >= 0 || clips.points(clip, 0) == 0) continue;
    first = count;
    count += 2;
  }
  rows_ = Image<float>(words.height, count);
  Exec quiet = exec;
  quiet.progress = {};
  NearestCenter counter(words, quiet);
  for (int clip = 0; clip < clips.size(); ++clip) {
    if (!has(clip)) continue;
    throw_if_stopped(exec);
    PointSet room;
    const PointSet& points = clips.get(clip, room);
    for (const bool turned : {false, true})
      count_words(counter, word_rows(points, turned),
                  rows_.row(first_[static_cast<std::size_t>(clip)] + (turned ? 1 : 0)));
  }
}

std::optional<WordClassifier> train_words(const WordHistograms& histograms,
                                          std::span<const int> train,
                                          std::span<const std::int32_t> labels, const Exec& exec) {
  std::set<std::int32_t> known;
  std::vector<int> clips;
  for (const int clip : train) {
    if (!histograms.has(clip)) continue;
    clips.push_back(clip);
    known.insert(labels[static_cast<std::size_t>(clip)]);
  }
  if (known.size() < 2) return {};
  WordClassifier result;
  result.classes.assign(known.begin(), known.end());
  Image<float> rows(histograms.words(), static_cast<int>(2 * clips.size()));
  std::vector<std::int32_t> own;
  own.reserve(2 * clips.size());
  for (const bool turned : {false, true})
    for (const int clip : clips) {
      std::ranges::copy(histograms.of(clip, turned), rows.row(static_cast<int>(own.size())));
      own.push_back(static_cast<std::int32_t>(
          std::ranges::lower_bound(result.classes, labels[static_cast<std::size_t>(clip)]) -
          result.classes.begin()));
    }
  scenes::TrainClassifierOptions options{.classifier = scenes::ClassifierKind::kSvm, .folds = 0};
  options.exec = exec;
  options.exec.progress = {};
  result.svm =
      scenes::train_classifier(rows, own, static_cast<int>(result.classes.size()), options);
  return result;
}

std::vector<std::vector<double>> word_margins(const WordClassifier& classifier,
                                              ImageView<const float> rows, int classes,
                                              const Exec& exec) {
  std::vector<std::vector<double>> result(
      static_cast<std::size_t>(rows.height),
      std::vector<double>(static_cast<std::size_t>(classes), -kInfinity<double>));
  if (rows.height == 0) return result;
  const Image<float> margins = classifier.svm.scores(rows, exec);
  for (int y = 0; y < margins.height(); ++y)
    for (int x = 0; x < margins.width(); ++x)
      result[static_cast<std::size_t>(y)]
            [static_cast<std::size_t>(classifier.classes[static_cast<std::size_t>(x)])] =
                static_cast<double>(margins.at(x, y));
  return result;
}

}  // namespace fovea::actions
