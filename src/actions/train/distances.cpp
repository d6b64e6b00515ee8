// Measures the distances that a training begins with, some clips at a time, and keeps them in
// files.
#include <fovea/actions/distances.h>
#include <fovea/actions/evaluate.h>
#include <fovea/cluster/hash.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/version.h>
#include <fovea/io/model_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "actions/evaluate/fold_singles.h"
#include "actions/train/calibration.h"
#include "actions/train/match_plan.h"
#include "core/architecture.h"

namespace fovea::actions {
namespace {

constexpr const char* kDistancesSchema = "actions.distances";
constexpr int kDistancesVersion = 1;
constexpr std::size_t kMeasuredAtOnce = 64;  // clips

// The member of a JSON object in which the text at `from` stands.
std::string member_at(const std::string& json, std::size_t from) {
  const std::size_t comma = json.rfind(", \"", from);
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 2;
  const std::size_t end = std::min(json.find(", \"", std::max(begin, from)), json.size());
  return json.substr(begin, end - begin);
}

template <class Number>
void add_numbers(cluster::Hasher& hasher, std::span<const Number> numbers) {
  hasher.add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

void add_word(cluster::Hasher& hasher, const std::string& word) {
  hasher.add(word);
  hasher.add(std::string_view("\0", 1));
}

class DistanceMeasurer {
 public:
  DistanceMeasurer(const Corpus& corpus, const PackedClips& points, const TrainOptions& options)
      : clips_(points),
        options_(with_learned_scale(clips_, options)),
        labels_(labels_of(corpus)),
        classes_(static_cast<int>(corpus.classes.size())),
        plan_(plan_matches(corpus, task())) {
    if (kept_points(options_) < 0 || corpus.subjects().size() < 2) return;
    jobs_.emplace(corpus, leave_one_subject_out(corpus), false);
    places_ = test_places(*jobs_, clips_.size());
  }

  std::vector<ClipDistances> measure(std::span<const int> which) const {
    std::vector<ClipDistances> result(which.size());
    add_matching(which, result);
    if (jobs_) add_singles(which, result);
    return result;
  }

 private:
  ClipTask task() const { return {clips_, labels_, options_, options_.exec}; }

  void add_matching(std::span<const int> which, std::vector<ClipDistances>& result) const {
    std::vector<Prototype> some;
    std::vector<std::size_t> owner;
    for (const Prototype& prototype : plan_.prototypes) {
      const auto at = std::ranges::lower_bound(which, prototype.clip);
      if (at == which.end() || *at != prototype.clip) continue;
      some.push_back(prototype);
      owner.push_back(static_cast<std::size_t>(at - which.begin()));
    }
    const Image<float> table = clip_table(task(), some, plan_.clips);
    for (int y = 0; y < table.height(); ++y)
      for (std::size_t x = 0; x < some.size(); ++x)
        result[owner[x]].matching.push_back(table.at(static_cast<int>(x), y));
  }

  void add_singles(std::span<const int> which, std::vector<ClipDistances>& result) const {
    std::vector<bool> only(static_cast<std::size_t>(clips_.size()), false);
    for (const int clip : which) only[static_cast<std::size_t>(clip)] = true;
    FoldSingles singles(*jobs_, classes_);
    singles.find({clips_, *jobs_, kept_points(options_), options_.exec, &only});
    for (std::size_t i = 0; i < which.size(); ++i)
      for (const TestPlace& place : places_[static_cast<std::size_t>(which[i])]) {
        const auto distances = singles.distances(place.job, place.tested);
        const auto votes = singles.votes(place.job, place.tested);
        result[i].singles.assign(distances.begin(), distances.end());
        result[i].votes.assign(votes.begin(), votes.end());
      }
  }

  ClipSource clips_;
  TrainOptions options_;
  std::vector<std::int32_t> labels_;
  int classes_;
  MatchPlan plan_;
  std::optional<FoldJobs> jobs_{};  // none where single descriptors are not compared
  std::vector<std::vector<TestPlace>> places_{};
};

}  // namespace

std::string distance_options(const TrainOptions& options) {
  TrainOptions own = options;
  const TrainOptions usual;
  own.reject_share = usual.reject_share;
  own.clip_reject_share = usual.clip_reject_share;
  own.prototypes = usual.prototypes;
  return fmt::format(
      "{{\"fovea\": \"{}\", \"architecture\": \"{}\", \"seed\": {}, \"options\": {}}}",
      FOVEA_VERSION, detail::kArchitecture, options.exec.seed, options_json(own));
}

std::uint64_t hash_of_clips(const Corpus& corpus, const PackedClips& points) {
  check_corpus(corpus, points.size(), "hash_of_clips");
  cluster::Hasher hasher;
  for (const std::string& name : corpus.classes) add_word(hasher, name);
  for (int i = 0; i < points.size(); ++i) {
    const Clip& clip = corpus.clips[static_cast<std::size_t>(i)];
    add_word(hasher, clip.subject);
    add_numbers(hasher, std::span<const std::int32_t>(&clip.label, 1));
    add_numbers(hasher, points.points(i));
    const PointSet unpacked = points.unpacked(i);
    for (int y = 0; y < unpacked.descriptors.height(); ++y)
      add_numbers(hasher,
                  std::span<const float>(unpacked.descriptors.row(y),
                                         static_cast<std::size_t>(unpacked.descriptors.width())));
    add_numbers(hasher, std::span<const std::int64_t>(&unpacked.frames, 1));
  }
  return hasher.result();
}

void measure_distances(const Corpus& corpus, const PackedClips& points, std::span<const int> which,
                       const TrainOptions& options, const ClipMeasured& measured) {
  check_options(options);
  check_cut(options.cut);
  check_corpus(corpus, points.size(), "measure_distances");
  for (std::size_t i = 0; i < which.size(); ++i)
    if (which[i] < 0 || which[i] >= points.size() || (i > 0 && which[i] <= which[i - 1]))
      throw InvalidArgument(
          fmt::format("measure_distances: clip {} of {} is named out of order, or is not there",
                      which[i], points.size()));
  if (which.empty()) return;
  const DistanceMeasurer measurer(corpus, points, options);
  for (std::size_t first = 0; first < which.size(); first += kMeasuredAtOnce) {
    const auto some = which.subspan(first, std::min(kMeasuredAtOnce, which.size() - first));
    std::vector<ClipDistances> distances = measurer.measure(some);
    for (std::size_t i = 0; i < some.size(); ++i) measured(some[i], std::move(distances[i]));
  }
}

void TrainDistances::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(kDistancesSchema, kDistancesVersion);
  file.set_metadata("options", options);
  file.set_metadata("clips", fmt::format("{:016x}", clips_hash));
  std::vector<std::int64_t> counts;
  std::vector<float> matching;
  std::vector<double> singles;
  std::vector<std::int32_t> votes;
  counts.reserve(clips.size());
  for (const ClipDistances& clip : clips) {
    counts.push_back(static_cast<std::int64_t>(clip.matching.size()));
    matching.insert(matching.end(), clip.matching.begin(), clip.matching.end());
    singles.insert(singles.end(), clip.singles.begin(), clip.singles.end());
    votes.insert(votes.end(), clip.votes.begin(), clip.votes.end());
  }
  const auto rows = std::ssize(clips);
  file.add("counts", {rows}, counts);
  file.add("matching", {std::ssize(matching)}, matching);
  if (!singles.empty()) {
    file.add("singles", {rows, std::ssize(singles) / rows}, singles);
    file.add("votes", {rows, std::ssize(votes) / rows}, votes);
  }
  file.write(path);
}

TrainDistances TrainDistances::read(const std::string& path) {
  const io::ModelFile file = io::ModelFile::read(path);
  file.require_schema(kDistancesSchema, kDistancesVersion);
  TrainDistances result;
  const auto fact = [&](const char* name) {
    const auto at = file.metadata().find(name);
    if (at == file.metadata().end())
      throw ModelError(fmt::format("{}: does not say of which {} it is", path, name));
    return at->second;
  };
  result.options = fact("options");
  const std::string hash = fact("clips");
  result.clips_hash = std::strtoull(hash.c_str(), nullptr, 16);
  const auto counts = file.tensor<std::int64_t>("counts", {io::kAnySize});
  auto matching = file.tensor<float>("matching", {io::kAnySize});
  const auto rows = std::ssize(counts);
  std::span<const double> singles;
  std::span<const std::int32_t> votes;
  if (file.has("singles")) {
    singles = file.tensor<double>("singles", {rows, io::kAnySize});
    votes = file.tensor<std::int32_t>("votes", file.shape("singles"));
  }
  const std::size_t classes = counts.empty() ? 0 : singles.size() / counts.size();
  result.clips.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 || static_cast<std::uint64_t>(counts[i]) > matching.size())
      throw ModelError(fmt::format("{}: clip {} claims {} distances of {} that are left", path, i,
                                   counts[i], matching.size()));
    ClipDistances& clip = result.clips.emplace_back();
    const auto own = matching.first(static_cast<std::size_t>(counts[i]));
    matching = matching.subspan(own.size());
    clip.matching.assign(own.begin(), own.end());
    const auto some = singles.subspan(i * classes, classes);
    clip.singles.assign(some.begin(), some.end());
    const auto own_votes = votes.subspan(i * classes, classes);
    clip.votes.assign(own_votes.begin(), own_votes.end());
  }
  return result;
}

Model train(const Corpus& corpus, const PackedClips& points, const TrainDistances& distances,
            const TrainOptions& options) {
  check_options(options);
  if (const std::string own = distance_options(options); own != distances.options) {
    const auto place =
        static_cast<std::size_t>(std::ranges::mismatch(own, distances.options).in1 - own.begin());
    throw InvalidArgument(fmt::format(
        "train: the distances were measured with {}, but training has {}; measure them again",
        member_at(distances.options, place), member_at(own, place)));
  }
  check_corpus(corpus, points.size(), "train");
  if (distances.clips.size() != corpus.clips.size() ||
      distances.clips_hash != hash_of_clips(corpus, points))
    throw InvalidArgument(fmt::format(
        "train: the distances are those of {} other clips, points or labels than the {} here; "
        "measure them again",
        distances.clips.size(), corpus.clips.size()));
  const bool compares = kept_points(options) >= 0 && corpus.subjects().size() > 1;
  for (const ClipDistances& clip : distances.clips)
    if (compares && (clip.singles.size() != corpus.classes.size() ||
                     clip.votes.size() != corpus.classes.size()))
      throw InvalidArgument(
          fmt::format("train: a clip has distances to {} classes by single descriptors; expected "
                      "{}",
                      clip.singles.size(), corpus.classes.size()));
  return train_clips(corpus, points, options, &distances);
}

}  // namespace fovea::actions
