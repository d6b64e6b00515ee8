#include "operations/mesh/own_costs.h"

#include <gtest/gtest.h>

namespace fovea::operations {
namespace {

TEST(OwnCosts, TheNameOfTheMeshMayStandInThatOfTheFile) {
  EXPECT_EQ(costs_file_of({.file = "costs/{}.csv"}, "meshes/ant.off"), "costs/ant.csv");
  EXPECT_EQ(costs_file_of({.file = "{}/{}.csv"}, "a.b.off"), "a.b/a.b.csv");
  EXPECT_EQ(costs_file_of({.file = "one.csv"}, "ant.off"), "one.csv");
}

}  // namespace
}  // namespace fovea::operations
