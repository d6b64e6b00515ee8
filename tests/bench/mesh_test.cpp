// Covers: mesh_cut, mesh_segment
#include <gmock/gmock.h>

#include "bench/rows.h"
#include "support/devices.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchMesh, EveryEngineIsMeasured) {
  const std::string names = measured_rows({"mesh", "--divisions", "1,2"});
  EXPECT_THAT(names, HasSubstr("all_distances_dijkstra 80x80; "));
  EXPECT_THAT(names, HasSubstr("all_distances_floyd_warshall 320x320; "));
  EXPECT_THAT(names, HasSubstr("all_distances_partitioned 320x320; "));
  EXPECT_THAT(names, HasSubstr("distances_from_16 320x16; "));
  EXPECT_THAT(names, HasSubstr("distances_from_16_cutoff 80x16; "));
  EXPECT_THAT(names, HasSubstr("nearest_of_16 320x16; "));
  EXPECT_THAT(names, HasSubstr("segment_resistance "));
  EXPECT_THAT(names, HasSubstr("segment_fuzzy "));
  EXPECT_THAT(names, HasSubstr("minimum_cut 320x1; "));
  EXPECT_THAT(names, HasSubstr("minimum_cuts 320x16; "));
  EXPECT_THAT(names, HasSubstr("min_plus_product 256x256 64 taps; "));
  EXPECT_THAT(names, HasSubstr("min_plus_peak "));
}

TEST(BenchMesh, AGpuHasRowsForItsStorages) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Ended ended = run_here({"bench", "mesh", "--divisions", "1,3", "--device", "cuda",
                                "--repeats", "1", "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  for (const char* name :
       {"all_distances_floyd_warshall_half", "all_distances_floyd_warshall_tiles",
        "distance_square_directed_floyd_warshall", "table_directed_floyd_warshall",
        "distances_from_64th", "distances_from_16_cutoff", "nearest_of_16"})
    EXPECT_THAT(ended.out, HasSubstr(name));
}

TEST(BenchMesh, DivisionsAreNumbers) {
  const Ended ended = run_here({"bench", "mesh", "--divisions", "4,x"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("--divisions"));
}

}  // namespace
}  // namespace fovea::cli
