#include <fovea/io/image_io.h>
#include <fovea/io/npy.h>
#include <fovea/ops/shortest_paths.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"
#include "mesh/shapes.h"

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
    EXPECT_THAT(json::parse(ended.out)["storage"].get<std::string>(),
                testing::Not(testing::IsEmpty()));
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

TEST(MeshDistances, AreLengthsInTheUnitOfTheMesh) {
  const test::TempFolder folder;
  for (const double radius : {1.0, 50.0}) {
    io::TriangleMesh sphere = test::sphere(3);
    for (auto& vertex : sphere.vertices)
      for (float& number : vertex) number *= static_cast<float>(radius);
    io::write_mesh(folder / "sphere.off", sphere);
    const Ended ended = run_here({"mesh", "distances", folder / "sphere.off", "--from", "0",
                                  "--alpha", "1", "-o", folder / "far.csv", "--json"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    // Half around the sphere, by steps over triangles that are a little longer than the arc.
    const double farthest = json::parse(ended.out)["greatest"].get<double>() / radius;
    EXPECT_GT(farthest, 3.1);
    EXPECT_LT(farthest, 3.9);
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
  expect({"-o", folder / "x.csv"}, "between all faces are written as .npy");
  expect({"-o", folder / "x.npy", "--nearest"}, "--nearest needs the faces");
  expect({"--which", folder / "w.npy", "--from", "1"}, "give --nearest too");
  expect({"--picture", folder / "x.png", "--from", "1,2"}, "one distance per face");
  expect({"-o", folder / "x.npy", "--from", "1", "--cutoff", "-1"}, "cutoff");
  expect({"-o", folder / "x.npy", "--costs-else", "1"}, "give --costs FILE too");
}

TEST(MeshDistances, SeveralSourcesAndTheNearestOfThem) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"mesh", "distances", folder / "bell.off", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kDone) << ended.err;
  };
  run({"--from", "7,100", "-o", folder / "rows.npy"});
  const io::NdArray rows = io::read_array(folder / "rows.npy");
  ASSERT_EQ(rows.shape, (std::vector<std::size_t>{2, 192}));
  test::save(folder / "from.txt", "7\n100\n");
  run({"--from-file", folder / "from.txt", "--nearest", "-o", folder / "near.npy", "--which",
       folder / "which.npy", "--picture", folder / "near.png", "--picture-width", "64"});
  const io::NdArray near = io::read_array(folder / "near.npy");
  const io::NdArray which = io::read_array(folder / "which.npy");
  for (std::size_t f = 0; f < 192; ++f) {
    const float a = rows.as<float>()[f], b = rows.as<float>()[192 + f];
    EXPECT_FLOAT_EQ(near.as<float>()[f], std::min(a, b));
    if (std::abs(a - b) > 1e-4F) {
      EXPECT_EQ(which.as<std::int32_t>()[f], a < b ? 7 : 100);
    }
  }
  run({"--from", "7,100", "--nearest", "-o", folder / "near.csv"});
  EXPECT_THAT(test::load(folder / "near.csv"), HasSubstr("face,distance,nearest\r\n0,"));
  run({"--from", "7,100", "-o", folder / "rows.csv"});
  EXPECT_THAT(test::load(folder / "rows.csv"), HasSubstr("face,distance_7,distance_100\r\n"));
  run({"--from", "7,100", "--nearest", "-o", folder / "near.ply", "--ascii"});
  EXPECT_THAT(test::load(folder / "near.ply"),
              HasSubstr("property int label\nproperty float distance\nend_header"));
}

TEST(MeshDistances, InputsAreKeptAndFacesNamedOnce) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(4, 6));
  test::save(folder / "from.csv", "0\n5\n");
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"mesh", "distances", folder / "bell.off", "--quiet"});
    return run_here(more);
  };
  EXPECT_EQ(run({"--from-file", folder / "from.csv", "-o", folder / "from.csv"}).status, kUsage);
  EXPECT_EQ(test::load(folder / "from.csv"), "0\n5\n");
  const Ended twice = run({"--from", "5,0,5", "-o", folder / "d.csv"});
  EXPECT_EQ(twice.status, kUsage);
  EXPECT_THAT(twice.err, testing::HasSubstr("face 5 is named twice"));
}

TEST(MeshDistances, BeyondTheCutOffNothingIsReached) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"mesh",   "distances", folder / "bell.off",
                                   "--from", "7",         "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(run_here(words).out);
  };
  const json all = run({"-o", folder / "all.npy"});
  const json some = run({"-o", folder / "some.npy", "--cutoff", "3"});
  EXPECT_EQ(all["unreachable"], 0);
  EXPECT_GT(some["unreachable"], 0);
  EXPECT_LE(some["greatest"].get<double>(), 3);
  const io::NdArray whole = io::read_array(folder / "all.npy");
  const io::NdArray near = io::read_array(folder / "some.npy");
  for (std::size_t f = 0; f < 192; ++f)
    EXPECT_EQ(near.as<float>()[f], whole.as<float>()[f] <= 3 ? whole.as<float>()[f] : kUnreachable);
}

TEST(MeshDistances, AGpuGivesTheSameBits) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const std::vector<std::string> small{"mesh", "distances",      folder / "bell.off",
                                       "-o",   folder / "d.npy", "--json"};
  if (const Ended ended = run_on_gpu(small); ended.status == kNoDevice) GTEST_SKIP() << ended.err;
  const auto bytes_of = [&](const std::vector<std::string>& more, bool on_gpu) {
    std::vector<std::string> words = small;
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = on_gpu ? run_on_gpu(words) : run_here(words);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(json::parse(ended.out)["storage"] == "host", !on_gpu);
    const io::NdArray found = io::read_array(folder / "d.npy");
    const auto values = found.as<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  using Words = std::vector<std::string>;
  for (const Words& more : {Words{"--engine", "floyd-warshall"}, Words{"--from", "3"},
                            Words{"--from", "3,90,4", "--cutoff", "2"},
                            Words{"--from", "0,100", "--nearest", "--alpha", "1"}})
    EXPECT_EQ(bytes_of(more, true), bytes_of(more, false)) << more[1];
}

TEST(MeshDistances, CostsMayBeNamedOrComeFromAFile) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  for (const char* cost : {"angle", "diameter", "random-walk"}) {
    ASSERT_EQ(run_here({"mesh", "distances", folder / "bell.off", "--from", "7", "--cost", cost,
                        "-o", folder / "named.npy", "--quiet"})
                  .status,
              kDone);
    ASSERT_EQ(run_here({"mesh", "arcs", folder / "bell.off", "--cost", cost, "-o",
                        folder / "bell.csv", "--quiet"})
                  .status,
              kDone);
    ASSERT_EQ(run_here({"mesh", "distances", folder / "bell.off", "--from", "7", "--costs",
                        folder / "{}.csv", "-o", folder / "own.npy", "--quiet"})
                  .status,
              kDone);
    const io::NdArray named = io::read_array(folder / "named.npy");
    const io::NdArray own = io::read_array(folder / "own.npy");
    for (std::size_t f = 0; f < 192; ++f)
      EXPECT_EQ(named.as<float>()[f], own.as<float>()[f]) << cost;
  }
}

}  // namespace
}  // namespace fovea::cli
