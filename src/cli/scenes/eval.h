// The options and results of fovea scenes eval, and its page.
#pragma once
#include <fovea/report/evaluation.h>
#include <fovea/scenes/evaluate.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/scenes/scenes.h"

namespace fovea::cli {

struct ScenesEvalRequest {
  scenes::SplitOptions split{};
  std::vector<std::string> classes{};
  std::string train{};
  std::string test{};
  std::string model{};
  std::string labels{};
  std::string output{};
  std::vector<std::string> sweep_samples{};
  scenes::EvaluateOptions evaluate{};
};
void describe(OptionVisitor& visit, ScenesEvalRequest& request);

struct ScenesEvalResult {
  std::vector<std::string> classes;
  scenes::EvaluateReport evaluation;
  int images = 0;
  std::vector<std::string> paths{};  // of the images, and their classes; empty for features
  std::vector<std::int32_t> labels{};
};

// What fovea view shows: confused classes, and the images that were classified wrongly most often.
report::Evaluation scenes_evaluation(const ScenesEvalResult& result);

// One report of a sweep: the value that was varied, what it gave, and the range of its accuracy.
struct SweptReport {
  double value = 0;
  Interval range{};
  const scenes::EvaluateReport* report = nullptr;
};
// What fovea view shows of a sweep over the places that words are learned from: the accuracy at
// each value, and the images that are classified wrongly there. Values ascend.
report::Evaluation sweep_evaluation(const scenes::SplitCorpus& task,
                                    const std::vector<SweptReport>& reports);

// Writes the folder: that of every evaluation and, for knn, neighbors.csv.
void write_scenes_evaluation(const std::string& folder, const ScenesEvalResult& result,
                             const Context& context);

// Reports every image that cannot be read once, however many splits find that out.
class FailedImages {
 public:
  explicit FailedImages(SkippedImages& skipped) : skipped_(skipped) {}
  void add(int index, const std::string& why) {
    if (known_.emplace(index, why).second) skipped_.report(index, why);
  }

 private:
  SkippedImages& skipped_;
  std::map<int, std::string> known_{};
};

// Evaluates some splits, which tell what they give as soon as they are done.
struct SplitWork {
  std::string name{};  // of what is evaluated, such as "100 samples"; may be empty
  std::function<void(std::span<const scenes::Split> splits, const scenes::ImageFailure& failed,
                     const scenes::SplitFinished& finished)>
      run{};
};
struct SplitsTask {
  std::vector<SplitWork> works{};  // all of them evaluate all splits
  std::span<const scenes::Split> splits{};
  scenes::DictionaryFrom words = scenes::DictionaryFrom::kAll;
  std::vector<std::string> files{};  // that every split reads
};
// One report per work; nothing where this is a shard of a job. A unit is a split.
std::optional<std::vector<scenes::EvaluateReport>> evaluate_splits(const SplitsTask& task,
                                                                   Context& context,
                                                                   FailedImages& failed);

// Tests a model. A unit is an image. Nothing where this is a shard of a job.
std::optional<scenes::EvaluateReport> evaluate_images(scenes::Classifier& classifier,
                                                      const scenes::Corpus& corpus,
                                                      Context& context, FailedImages& failed);

// What a sweep prints: how well words do that are learned from each number of samples.
struct SweepReport {
  struct Row {
    std::string samples{};  // as the user wrote it
    double accuracy_mean = 0;
    double accuracy_deviation = 0;
    std::array<double, 2> accuracy_range{};
    int failed = 0;
    double seconds = 0;
    std::vector<scenes::WordLearning> kmeans{};
  };
  std::vector<Row> sweep{};
};
void describe(FieldVisitor& visit, SweepReport::Row& row);
void describe(FieldVisitor& visit, SweepReport& report);

// Evaluates every number of samples of the request, prints a table and writes the folder of every
// evaluation, with samples.csv, where the request has one.
void sweep_samples(const ScenesEvalRequest& request, const scenes::SplitCorpus& task,
                   const io::ImageSet& images, Context& context, FailedImages& failed);

}  // namespace fovea::cli
