#include <fovea/io/image_io.h>
#include <fovea/io/npy.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(MeshDistances, OneRowEqualsThatOfAll) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"mesh", "distances", folder / "bell.off", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_here(words);
  };
  for (const char* engine : {"auto", "dijkstra", "floyd-warshall", "partitioned"}) {
    const Ended ended = run({"-o", folder / "all.npy", "--engine", engine});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(json::parse(ended.out)["unreachable"], 0);
    const io::NdArray all = io::read_array(folder / "all.npy");
    ASSERT_EQ(all.shape, (std::vector<std::size_t>{192, 192})) << engine;
    ASSERT_EQ(run({"-o", folder / "one.npy", "--from", "7"}).status, kDone);
    const io::NdArray one = io::read_array(folder / "one.npy");
    ASSERT_EQ(one.shape, (std::vector<std::size_t>{192}));
    for (std::size_t f = 0; f < 192; ++f) {
      EXPECT_NEAR(one.as<float>()[f], all.as<float>()[7 * 192 + f], 1e-3) << engine;
      EXPECT_FLOAT_EQ(all.as<float>()[f * 192 + 7], all.as<float>()[7 * 192 + f]) << engine;
    }
  }
}

TEST(MeshDistances, ArePicturesOfOneFace) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const Ended ended =
      run_here({"mesh", "distances", folder / "bell.off", "--from", "3", "--picture",
                folder / "far.png", "--picture-width", "64", "--picture-height", "200", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_GT(io::read_image(folder / "far.png").width(), 2 * 64);  // two views and a bar
}

TEST(MeshDistances, BadInputIsOneLineWithItsStatus) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const auto expect = [&](std::vector<std::string> more, const char* words) {
    std::vector<std::string> all{"mesh", "distances", folder / "bell.off", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = run_here(all);
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  expect({}, "-o FILE.npy");
  expect({"-o", folder / "x.txt"}, ".npy");
  expect({"-o", folder / "x.npy", "--from", "192"}, "faces 0 to 191");
  expect({"-o", folder / "x.npy", "--picture", folder / "x.png"}, "--from FACE");
}

}  // namespace
}  // namespace fovea::cli
