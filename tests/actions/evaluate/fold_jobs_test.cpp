#include "actions/evaluate/fold_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(FoldJobs, GroupsAreSubjectsAndClassesWhereSubjectsAreLeftOut) {
  const SyntheticCorpus set(2, 3, 4);  // clips 0 1 2 of one class, 3 4 5 of the other
  const FoldJobs jobs(set.corpus, leave_one_subject_out(set.corpus), true);
  EXPECT_EQ(jobs.groups(), 6);
  ASSERT_THAT(jobs.inner(1), SizeIs(2));
  const FoldJob& inner = jobs.jobs()[static_cast<std::size_t>(jobs.inner(1)[0])];
  EXPECT_THAT(inner.test, ElementsAre(0, 3));
  EXPECT_THAT(inner.train, ElementsAre(2, 5));
  const auto labels = jobs.labels(jobs.inner(1)[0]);
  EXPECT_EQ(labels[static_cast<std::size_t>(jobs.group_of(5))], 1);
  EXPECT_EQ(labels[static_cast<std::size_t>(jobs.group_of(0))], -1);
}

TEST(FoldJobs, ASplitHasAGroupPerClassAndChoosesByItsValidationClips) {
  const SyntheticCorpus set(2, 4, 4);
  const std::vector<Fold> folds{{"split", {0, 1, 4, 5}, {3, 7}, {2, 6}}};
  const FoldJobs jobs(set.corpus, folds, true);
  EXPECT_EQ(jobs.groups(), 2);
  EXPECT_EQ(jobs.group_of(0), jobs.group_of(1));
  EXPECT_EQ(jobs.group_of(2), -1);
  EXPECT_TRUE(jobs.is_tested(2));
  EXPECT_FALSE(jobs.is_tested(0));
  ASSERT_THAT(jobs.inner(0), SizeIs(1));
  EXPECT_THAT(jobs.jobs()[1].test, ElementsAre(2, 6));
  EXPECT_THAT(FoldJobs(set.corpus, folds, false).inner(0), IsEmpty());
}

}  // namespace
}  // namespace fovea::actions
