#include "actions/train/match_plan.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace fovea::actions {
namespace {

// The limit of matches for reject levels; if there would be more, clips are drawn at random.
constexpr std::int64_t kMostMatches = 4'000'000;
constexpr std::uint64_t kRejectSequence = 2;

void check_every_class(const Corpus& corpus, const std::vector<Prototype>& prototypes,
                       const TrainOptions& options) {
  for (std::size_t label = 0; label < corpus.classes.size(); ++label)
    if (std::ranges::none_of(prototypes, [&](const Prototype& prototype) {
          return prototype.label == static_cast<std::int32_t>(label);
        }))
      throw InvalidArgument(fmt::format(
          "train: no clip of class {} has points in {} frames; lower the detector's threshold or "
          "the number of nodes",
          corpus.classes[label], (options.cut.nodes + 1) / 2));
}

}  // namespace

MatchPlan plan_matches(const Corpus& corpus, const ClipTask& task) {
  const std::vector<int> all = first_numbers(corpus.clips.size());
  std::vector<Prototype> prototypes = cut_clips(task, all);
  check_every_class(corpus, prototypes, task.options);
  if (task.options.selection == Selection::kFloating) {
    SelectionParts parts =
        selection_parts(all, subject_numbers(corpus), task.options.validation, task.exec.seed);
    std::vector<Prototype> candidates = selection_candidates(task, parts);
    return {std::move(candidates), std::move(parts.validation)};
  }
  std::vector<int> clips =
      calibration_clips(corpus.clips.size(), prototypes.size(), task.exec.seed);
  return {std::move(prototypes), std::move(clips)};
}

std::vector<int> calibration_clips(std::size_t count, std::size_t prototypes, std::uint64_t seed) {
  std::vector<int> clips = first_numbers(count);
  const std::int64_t most =
      std::max<std::int64_t>(kMostMatches / static_cast<std::int64_t>(prototypes), 1);
  if (static_cast<std::int64_t>(clips.size()) > most) {
    Random random(seed, kRejectSequence);
    shuffle(clips, random);
    clips.resize(static_cast<std::size_t>(most));
    std::ranges::sort(clips);
  }
  return clips;
}

std::vector<int> first_numbers(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::int32_t> labels_of(const Corpus& corpus) {
  std::vector<std::int32_t> labels;
  labels.reserve(corpus.clips.size());
  for (const Clip& clip : corpus.clips) labels.push_back(clip.label);
  return labels;
}

TrainOptions with_learned_scale(const ClipSource& clips, const TrainOptions& options) {
  TrainOptions result = options;
  if (result.features.scale == 0)
    result.features.scale =
        choose_scale(clips, first_numbers(static_cast<std::size_t>(clips.size())),
                     options.scene_points, options.features, options.exec.seed);
  return result;
}

}  // namespace fovea::actions
