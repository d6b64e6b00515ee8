#include "actions/fuse/fold_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(FoldWords, AFoldHasItsJobsAndTheirClips) {
  const SyntheticCorpus set(2, 3, 6);
  const FoldJobs jobs(set.corpus, leave_one_subject_out(set.corpus), true);
  const WordFold fold = word_fold(jobs, 1);
  EXPECT_THAT(fold.jobs, SizeIs(3));  // the outer one, and one per training subject
  EXPECT_EQ(fold.jobs[0], jobs.outer(1));
  EXPECT_THAT(fold.train, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(fold.clips, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(FoldWords, GivesTheMarginsOfMachinesThatAreTrainedOnTheJob) {
  SyntheticCorpus set(2, 3, 8);
  set.points[4] = PointSet{};  // tested by fold 1, without points
  const ClipSource clips{std::span<const PointSet>(set.points)};
  const std::vector<std::int32_t> labels{0, 0, 0, 1, 1, 1};
  const FoldJobs jobs(set.corpus, leave_one_subject_out(set.corpus), true);
  const WordFold fold = word_fold(jobs, 1);
  const Image<float> words = learn_words(clips, fold.train, {});
  const WordHistograms histograms(clips, fold.clips, words, {});
  FoldWords all(jobs);
  EXPECT_THAT(all.margins(fold.jobs[0], 0), IsEmpty());  // before they are added
  all.add(fold.jobs, histograms, labels, 2, {});
  EXPECT_THAT(all.margins(fold.jobs[0], 1), IsEmpty());
  for (const int job : fold.jobs) {
    const FoldJob& own = jobs.jobs()[static_cast<std::size_t>(job)];
    const auto trained = train_words(histograms, own.train, labels, {});
    Image<float> row(histograms.words(), 1);
    std::ranges::copy(histograms.of(own.test[0], false), row.row(0));
    const auto expected = word_margins(*trained, row, 2, {})[0];
    EXPECT_THAT(all.margins(job, 0), ElementsAre(expected[0], expected[1]));
  }
}

}  // namespace
}  // namespace fovea::actions
