#include "cli/jobs/trust.h"

#include <fovea/cluster/manifest.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "cli/scenes/distributed_kmeans.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using testing::HasSubstr;

constexpr unsigned kStranger = 54321;

// Works in a folder of its own, as a merge does.
class Trust : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::create_directory(folder_ / "here");
    fs::current_path(folder_ / "here");
  }
  void TearDown() override { fs::current_path(before_); }
  // Whether this user may give files away.
  static bool give_away(const std::string& path) {
    return chown(path.c_str(), kStranger, static_cast<gid_t>(-1)) == 0;
  }
  // Two manifests of a job that would write its table to `csv`.
  void run_shards(const std::string& csv) {
    fs::create_directory("in");
    for (const char* name : {"in/a.png", "in/b.png"}) io::write_image(name, street(96, 160).view());
    for (const char* shard : {"0", "1"})
      ASSERT_EQ(
          run_here({"people", "detect", "in", "--model", "hog", "--csv", csv, "-q", "--shard",
                    std::string(shard) + "/2", "--manifest", std::string(shard) + ".manifest"})
              .status,
          kDone);
  }
  static Ended merge(std::vector<std::string> more) {
    more.insert(more.begin(), {"merge", "0.manifest", "1.manifest"});
    return run_here(more);
  }

  test::TempFolder folder_;
  fs::path before_{};
};

TEST_F(Trust, OutputsLieBelowTheCurrentFolder) {
  fs::create_directories("sub/deep");
  fs::create_directory_symlink("..", "up");
  fs::create_symlink(folder_ / "elsewhere.csv", "link.csv");
  for (const std::string& path :
       {std::string("a.csv"), std::string("sub/deep/a.csv"), std::string("new/a.csv"),
        std::string("sub/../a.csv"), std::string("out/{}.png"), folder_ / "here/a.csv"})
    EXPECT_NO_THROW(require_below_here("--csv", path)) << path;
  for (const std::string& path :
       {std::string("../a.csv"), std::string("/tmp/a.csv"), folder_ / "a.csv",
        std::string("sub/../../a.csv"), std::string("up/a.csv"), std::string("link.csv")})
    EXPECT_THAT(message_of<InvalidArgument>([&] { require_below_here("--csv", path); }),
                test::says("--csv " + path, "does not lie below", "--trust"));
  for (const char* path : {".bashrc", "sub/.ssh/authorized_keys"})
    EXPECT_THAT(message_of<InvalidArgument>([&] { require_below_here("-o", path); }),
                test::says(path, "hidden", "--trust"));
}

TEST_F(Trust, WhatBelongsToAnotherUserIsRefused) {
  test::save("mine", "x");
  EXPECT_NO_THROW(require_own("mine", "--trust"));
  EXPECT_NO_THROW(require_own("none", "--trust"));
  test::save("theirs", "x");
  if (!give_away("theirs")) GTEST_SKIP() << "only the administrator gives files away";
  EXPECT_THAT(message_of<InvalidArgument>([] { require_own("theirs", "--trust"); }),
              test::says("theirs", std::to_string(kStranger), "--trust"));
  fs::create_symlink("theirs", "link");
  EXPECT_THROW(require_own("link", "--trust"), InvalidArgument);
  EXPECT_THROW(require_own_folder(".", "--trust"), InvalidArgument);
}

TEST_F(Trust, AMergeWritesNowhereElse) {
  run_shards("../all.csv");
  const Ended refused = merge({});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, test::says("--csv ../all.csv", "-o", "--trust"));
  EXPECT_FALSE(fs::exists("../all.csv"));
  EXPECT_EQ(merge({"-o", "all.csv"}).status, kDone);
  EXPECT_TRUE(fs::exists("all.csv"));
  EXPECT_EQ(merge({"-o", folder_ / "given.csv"}).status, kDone);
  EXPECT_EQ(merge({"--trust"}).status, kDone);
  EXPECT_EQ(test::load("../all.csv"), test::load("all.csv"));
}

TEST_F(Trust, AMergeTakesNoStrangersManifest) {
  run_shards("all.csv");
  if (!give_away("1.manifest")) GTEST_SKIP() << "only the administrator gives files away";
  const Ended refused = merge({});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, test::says("1.manifest: belongs to another user", "--trust"));
  EXPECT_FALSE(fs::exists("all.csv"));
  EXPECT_EQ(merge({"--trust"}).status, kDone);
}

TEST_F(Trust, RoundsOfStrangersAreRefused) {
  fs::create_directory("rounds");
  test::save("rounds/request-0-0000000000000000.safetensors", "x");
  if (!give_away("rounds/request-0-0000000000000000.safetensors"))
    GTEST_SKIP() << "only the administrator gives files away";
  const Exec exec;
  EXPECT_THAT(message_of<InvalidArgument>([&] { RoundFolder({.folder = "rounds"}, exec); }),
              test::says("request-0", "belongs to another user", "--trust"));
  EXPECT_NO_THROW(RoundFolder({.folder = "rounds", .trust = true}, exec));
  test::save("0.manifest", "x");
  ASSERT_TRUE(give_away("0.manifest"));
  EXPECT_THAT(message_of<InvalidArgument>([] { open_samples("0.manifest", {}); }),
              HasSubstr("0.manifest: belongs to another user"));
  const Ended ended = run_here({"scenes", "assign", "0.manifest", "--rounds", "other"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("0.manifest: belongs to another user"));
}

// A manifest of 300 bytes must neither take memory nor time for the units that it claims.
TEST_F(Trust, UnitsThatAreOnlyClaimedCostNothing) {
  for (const std::uint64_t units : {std::uint64_t{500'000'000}, ~std::uint64_t{0} >> 1U}) {
    fs::remove("0.manifest");
    {
      cluster::ManifestWriter writer(
          "0.manifest", {.job = {"0.2.0", "x86-64", "people detect", "{}", 0, 0, units},
                         .shard = {0, 1},
                         .words = {"people", "detect", "in", "--csv", "a.csv"}});
      writer.add({.unit = units - 1, .input = "a.png"});
    }
    const cluster::Manifest manifest("0.manifest");
    EXPECT_EQ(manifest.done(), 1U);
    EXPECT_EQ(manifest.record(units - 1).input, "a.png");
    EXPECT_FALSE(manifest.status(7));
    const Ended ended = run_here({"merge", "0.manifest"});
    EXPECT_NE(ended.status, kDone);
    EXPECT_LT(ended.err.size(), 1000U);
  }
}

TEST_F(Trust, ShardsThatAreOnlyClaimedCostNothing) {
  {
    const cluster::ManifestWriter writer(
        "0.manifest", {.job = {"0.2.0", "x86-64", "people detect", "{}", 0, 0, 10},
                       .shard = {0, 1'000'000},
                       .words = {"people", "detect", "in", "--csv", "a.csv"}});
  }
  const Ended ended = run_here({"merge", "0.manifest"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, test::says("1/1000000", "and 999994 more"));
}

}  // namespace
}  // namespace fovea::cli
