// Evaluates KTH's split on drawn points: the clips carry the names of a sequence file, each with as
// many frames as it says, and no video is needed. It shows the protocol (prototypes of training
// people, selected and chosen on validation people) and how much memory it takes.
//   fovea_kth_split 00sequences.txt [paper|own|quick] [points per frame] [most frames per clip]
// paper: the paper's options; own: Fovea's recipes and the simpler methods; quick: the same recipes
// with a window of 3 frames, one prototype per clip and few single descriptors, which holds the
// same tables and takes a fraction of the time. Without a file, a small set of the same form is
// drawn.
#include <fovea/actions/evaluate.h>
#include <fovea/core/random.h>
#include <sys/resource.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace fovea;

namespace {

// Points on a path and with descriptors that depend on the action, and noise that depends on the
// person. Some frames have no point, as in real video.
actions::PointSet drawn_points(const actions::Clip& clip, int number, double per_frame) {
  actions::PointSet set;
  set.size = {160, 120};
  set.frames = clip.frames > 0 ? clip.frames : 60;
  Random kind(static_cast<std::uint64_t>(clip.label), 1),
      noise(static_cast<std::uint64_t>(number), 2);
  std::array<float, actions::kDescriptorSize> base{};
  for (float& bin : base) bin = kind.uniform(0, 0.3F);
  for (std::int32_t frame = 0; frame < set.frames; ++frame) {
    const auto count = static_cast<int>(std::lround(2 * per_frame * noise.uniform()));
    for (int i = 0; i < count; ++i) {
      const double phase = 0.3 * frame * (1 + clip.label);
      set.points.push_back({static_cast<float>(80 + 40 * std::sin(phase)) + noise.uniform(-5, 5),
                            static_cast<float>(60 + 30 * std::cos(phase)) + noise.uniform(-5, 5),
                            frame, 4, 2, static_cast<float>(count - i)});
    }
  }
  set.descriptors = Image<float>(actions::kDescriptorSize, static_cast<int>(set.points.size()));
  for (int y = 0; y < set.descriptors.height(); ++y)
    for (int x = 0; x < actions::kDescriptorSize; ++x)
      set.descriptors.at(x, y) = base[static_cast<std::size_t>(x)] + noise.uniform(0, 0.1F);
  return set;
}

// Five people with one clip per action: two to train on, one to choose by, two to test.
actions::KthSequences small_set() {
  actions::KthSequences set;
  set.corpus.classes = {"boxing", "jogging", "walking"};
  for (int person = 0; person < 5; ++person)
    for (std::int32_t label = 0; label < 3; ++label) {
      (person < 2   ? set.train
       : person < 3 ? set.validation
                    : set.test)
          .push_back(static_cast<std::int32_t>(set.corpus.clips.size()));
      set.corpus.clips.push_back({.path = {},
                                  .label = label,
                                  .subject = fmt::format("person{:02}", person + 1),
                                  .scenario = "d1",
                                  .frames = 40});
    }
  return set;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 2 ? argv[2] : "own";
  const bool paper = how == "paper", quick = how == "quick";
  const double per_frame = argc > 3 ? std::atof(argv[3]) : 2;
  const int most_frames = argc > 4 ? std::atoi(argv[4]) : 0;
  actions::KthSequences set = argc > 1 ? actions::read_kth(argv[1], "videos", true) : small_set();
  if (most_frames > 0)
    for (actions::Clip& clip : set.corpus.clips) clip.frames = std::min(clip.frames, most_frames);
  actions::PackedClips points;
  std::size_t count = 0;
  for (int i = 0; i < static_cast<int>(set.corpus.clips.size()); ++i) {
    points.add(drawn_points(set.corpus.clips[static_cast<std::size_t>(i)], i, per_frame));
    count += points.points(i).size();
  }
  actions::TrainOptions options = paper ? actions::paper_options() : actions::TrainOptions{};
  if (quick) {
    options.match.window = 3;
    options.cut.step = 1000;
    options.fusion_points = 20;
  }
  const std::vector<actions::Fold> folds{{"split", set.train, set.test, set.validation}};
  const std::vector<actions::Recipe> one{{"paper", options}};
  const actions::EvaluateReport report =
      actions::evaluate(set.corpus, points, folds, paper ? one : actions::default_recipes(options),
                        {.baselines = !paper && !quick});
  fmt::print("{} clips with {} points: {} to train, {} to choose by, {} to test\n",
             set.corpus.clips.size(), count, set.train.size(), set.validation.size(),
             set.test.size());
  fmt::print("{}: {} of {} correct\n", report.chosen[0], report.matching.correct,
             report.matching.tested);
  for (const actions::MethodReport& method : report.baselines)
    fmt::print("{}: {} of {} correct\n", method.method, method.correct, method.tested);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("greatest memory: {} MB\n", usage.ru_maxrss / 1024);
  return 0;
}
