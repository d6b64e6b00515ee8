// Covers: match_plan
#include <fovea/actions/distances.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "actions/train/match_plan.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

TrainOptions small_options() {
  TrainOptions options;
  options.cut.nodes = 6;
  options.cut.step = 6;
  return options;
}

struct PackedCorpus {
  explicit PackedCorpus(int classes = 2, int subjects = 3) : set(classes, subjects, 14) {
    for (const PointSet& points : set.points) packed.add(points);
  }
  SyntheticCorpus set;
  PackedClips packed{};
};

TrainDistances measured(const PackedCorpus& clips, const TrainOptions& options,
                        const std::vector<std::vector<int>>& parts) {
  TrainDistances result{distance_options(options), hash_of_clips(clips.set.corpus, clips.packed),
                        std::vector<ClipDistances>(clips.set.points.size())};
  for (const std::vector<int>& part : parts)
    measure_distances(clips.set.corpus, clips.packed, part, options,
                      [&](int clip, ClipDistances distances) {
                        result.clips[static_cast<std::size_t>(clip)] = std::move(distances);
                      });
  return result;
}

std::string bytes_of(const Model& model) {
  const test::TempFolder folder;
  model.write(folder / "m.safetensors");
  return test::load(folder / "m.safetensors");
}

TEST(TrainDistances, GiveTheModelThatTrainingGivesWithoutThem) {
  const PackedCorpus clips;
  for (const Selection selection : {Selection::kAll, Selection::kFloating}) {
    TrainOptions options = small_options();
    options.selection = selection;
    const std::string alone = bytes_of(train(clips.set.corpus, clips.packed, options));
    const TrainDistances distances = measured(clips, options, {{3, 5}, {0, 1, 2}, {4}});
    EXPECT_EQ(bytes_of(train(clips.set.corpus, clips.packed, distances, options)), alone);
    const test::TempFolder folder;
    distances.write(folder / "d.safetensors");
    const TrainDistances again = TrainDistances::read(folder / "d.safetensors");
    EXPECT_EQ(bytes_of(train(clips.set.corpus, clips.packed, again, options)), alone);
  }
}

TEST(TrainDistances, HaveOneColumnPerPrototypeAndOneNumberPerClass) {
  const PackedCorpus clips;
  const TrainDistances distances = measured(clips, small_options(), {{2}});
  // 14 frames with a point each: chains from frames 0 and 6, as they are and mirrored.
  EXPECT_EQ(distances.clips[2].matching.size(), 4U * 6U);
  EXPECT_EQ(distances.clips[2].singles.size(), 2U);
  EXPECT_EQ(distances.clips[2].votes.size(), 2U);
  EXPECT_EQ(distances.clips[2].votes[0] + distances.clips[2].votes[1], 14);
  EXPECT_TRUE(distances.clips[0].matching.empty());
}

TEST(TrainDistances, OfOtherClipsOrOptionsAreRefused) {
  const PackedCorpus clips, others(3, 2);
  const TrainOptions options = small_options();
  TrainDistances distances = measured(clips, options, {{0, 1, 2, 3, 4, 5}});
  TrainOptions nodes = options;
  nodes.cut.nodes = 8;
  EXPECT_THAT(message_of([&] { train(clips.set.corpus, clips.packed, distances, nodes); }),
              HasSubstr("measured with \"nodes\": 6, but training has \"nodes\": 8"));
  EXPECT_THAT(message_of([&] { train(others.set.corpus, others.packed, distances, options); }),
              HasSubstr("other clips, points or labels"));
  distances.clips[1].matching.pop_back();
  EXPECT_THAT(message_of([&] { train(clips.set.corpus, clips.packed, distances, options); }),
              HasSubstr("clip 1 has 23 distances"));
  distances.clips[1].singles.clear();
  EXPECT_THAT(message_of([&] { train(clips.set.corpus, clips.packed, distances, options); }),
              HasSubstr("distances to 0 classes"));
  EXPECT_THROW(measure_distances(clips.set.corpus, clips.packed, std::vector{1, 0}, options, {}),
               InvalidArgument);
}

TEST(MatchPlan, DrawsClipsWhereThereWouldBeTooManyMatches) {
  EXPECT_EQ(calibration_clips(5, 1000, 1), first_numbers(5));
  const std::vector<int> some = calibration_clips(100, 400'000, 1);
  EXPECT_EQ(some.size(), 10U);
  EXPECT_TRUE(std::ranges::is_sorted(some));
}

}  // namespace
}  // namespace fovea::actions
