#include "bench/actions/actions_cameras.h"

#include <gmock/gmock.h>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

// Measuring takes seconds; what is asked for wrongly is known before.
TEST(ActionsCameras, WhatCannotBeMeasuredIsNamed) {
  const Ended both = run_here({"bench", "actions", "--cameras", "--csv", "--markdown"});
  EXPECT_EQ(both.status, kUsage);
  const Ended filtered = run_here({"bench", "actions", "--cameras", "--filter", "160"});
  EXPECT_EQ(filtered.status, kUsage);
  EXPECT_THAT(filtered.err, HasSubstr("leave --filter"));
}

TEST(ActionsCameras, StopsAsAsked) {
  EXPECT_EQ(run_here({"bench", "actions", "--cameras", "--device", "cpu"}, fired()).status,
            kInterrupted);
}

}  // namespace
}  // namespace fovea::cli
