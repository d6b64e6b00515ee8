// Trainings whose negatives are searched in shards give the model of a single command.
#include <fovea/core/random.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

// Crops with someone in the middle, and scenes of noise.
class PeopleMine : public testing::Test {
 protected:
  PeopleMine() {
    for (const char* name : {"crops", "scenes"}) fs::create_directory(folder_ / name);
    for (int i = 0; i < 6; ++i) {
      Image<std::uint8_t> crop = street(68, 132);
      draw_someone(crop.view(), 2, 2);
      write("crops/" + std::to_string(i) + ".png", std::move(crop), i);
    }
    for (int i = 0; i < 8; ++i)
      write("scenes/" + std::to_string(i) + ".png", street(100 + 2 * i, 140), 100 + i);
  }

  void write(const std::string& name, Image<std::uint8_t> image, int index) const {
    Random random(3, static_cast<std::uint64_t>(index));
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        image.at(x, y) = static_cast<std::uint8_t>(image.at(x, y) - 30 + random.below(60));
    io::write_image(folder_ / name, image.view());
  }

  Words train(const std::string& kind, const std::string& output, const Words& more = {}) const {
    Words words{"people",      "train",           "--kind",      kind,
                "--positives", folder_ / "crops", "--negatives", folder_ / "scenes",
                "-o",          folder_ / output,  "--quiet"};
    const Words options =
        kind == "cascade" ? Words{"--cascade-stages",    "2",   "--cascade-blocks-per-round", "4",
                                  "--cascade-negatives", "40",  "--cascade-enlarge",          "1",
                                  "--cascade-ratio",     "1.3", "--cascade-ranking-windows",  "30"}
        : kind == "hog"   ? Words{"--linear-enlarge",        "1", "--linear-ratio",        "1.3",
                                "--linear-random-windows", "3", "--linear-hard-windows", "30"}
                          : Words{"--" + kind + "-trees",
                                "64",
                                "--" + kind + "-enlarge",
                                "1",
                                "--" + kind + "-negatives-per-round",
                                "20",
                                "--" + kind + "-most-negatives",
                                "30",
                                "--" + kind + "-ratio",
                                "1.3",
                                "--" + kind + "-feature-share",
                                "0.02"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Words mine(const Words& more) const {
    Words words{"people", "mine", folder_ / "scenes", "--search", search(), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Words shard(int index, int count, const Words& more = {}) const {
    Words words = mine({"--shard", std::to_string(index) + "/" + std::to_string(count),
                        "--manifest", manifest(index), "--threads", std::to_string(1 + index % 2)});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string search() const { return folder_ / "r/search.safetensors"; }
  std::string manifest(int index) const {
    return folder_ / ("r/" + std::to_string(index) + ".manifest");
  }

  // Merges the manifests of so many shards and removes them.
  Ended merge(int count) const {
    Words words{"merge", "--trust"};
    for (int i = 0; i < count; ++i) words.push_back(manifest(i));
    const Ended ended = run_here(words);
    for (int i = 0; i < count; ++i) fs::remove(manifest(i));
    return ended;
  }

  test::TempFolder folder_;
};

class EveryPeopleMine : public PeopleMine, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryPeopleMine,
                         testing::Values("hog", "cascade", "channels", "filtered"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(EveryPeopleMine, GivesTheModelOfOneCommandInAnyNumberOfShards) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  ASSERT_EQ(run_here(train(GetParam(), "whole.safetensors")).status, kDone);
  const Words words = train(GetParam(), "m.safetensors", {"--mined", folder_ / "r", "--json"});
  Ended ended = run_here(words);
  int searches = 0;
  for (; ended.status == kMoreToDo && searches < 20; ++searches, ended = run_here(words)) {
    const json asked = json::parse(ended.out);
    EXPECT_EQ(asked["search"], search());
    EXPECT_FALSE(asked["finished"]);
    const std::string mined = asked["mined"];
    const Ended whole = run_here(mine({"--threads", "2", "--manifest", manifest(0)}));
    ASSERT_EQ(whole.status, kDone) << whole.err;
    fs::remove(manifest(0));
    const std::string bytes = test::load(mined);
    for (const int count : {1, 2, 3, 7}) {
      fs::remove(mined);
      for (int i = 0; i < count; ++i) {
        const Ended part = run_here(shard(i, count));
        ASSERT_EQ(part.status, kDone) << part.err;
        EXPECT_EQ(fs::exists(mined), count == 1);
      }
      const Ended merged = merge(count);
      ASSERT_EQ(merged.status, kDone) << merged.err;
      EXPECT_EQ(merged.out, whole.out);
      EXPECT_EQ(test::load(mined), bytes) << count << " shards";
    }
  }
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_GE(searches, 1);
  EXPECT_EQ(test::load(folder_ / "m.safetensors"), test::load(folder_ / "whole.safetensors"));
  EXPECT_FALSE(fs::exists(search()));
  EXPECT_FALSE(fs::exists(folder_ / "m.safetensors.checkpoint"));
}

TEST_F(PeopleMine, AKilledShardGoesOn) {
  const Words words = train("hog", "m.safetensors", {"--mined", folder_ / "r", "--json"});
  const std::string mined = json::parse(run_here(words).out)["mined"];
  ASSERT_EQ(run_here(mine({})).status, kDone);
  const std::string bytes = test::load(mined);
  fs::remove(mined);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run_here(shard(i, 2)).status, kDone);
  // Of the second shard, a line and a half are left.
  const std::string lines = test::load(manifest(1));
  const std::size_t second = lines.find('\n', lines.find('\n') + 1) + 1;
  test::save(manifest(1), lines.substr(0, second + 30));
  const Ended early = run_here({"merge", "--trust", manifest(0), manifest(1)});
  EXPECT_EQ(early.status, kBadInput);
  EXPECT_THAT(early.err, HasSubstr("no result yet"));
  EXPECT_EQ(run_here(shard(1, 2, {"--resume"}), fired()).status, kInterrupted);
  const Ended rest = run_here(shard(1, 2, {"--resume"}));
  ASSERT_EQ(rest.status, kDone) << rest.err;
  ASSERT_EQ(merge(2).status, kDone);
  EXPECT_EQ(test::load(mined), bytes);
}

TEST_F(PeopleMine, AShardWhoseImagesAllFailEndsAsOneWithSome) {
  ASSERT_EQ(run_here(train("hog", "m.safetensors", {"--mined", folder_ / "r"})).status, kMoreToDo);
  for (const auto& scene : fs::directory_iterator(folder_ / "scenes"))
    test::save(scene.path(), "no image");
  EXPECT_EQ(run_here(shard(0, 2)).status, kSomeFailed);
  const Ended whole = run_here(mine({}));
  EXPECT_EQ(whole.status, kBadInput);
  EXPECT_THAT(whole.err, HasSubstr("a training needs the windows of all images"));
}

TEST_F(PeopleMine, ShardsOfAnEarlierSearchAreNotMerged) {
  ASSERT_EQ(run_here(train("hog", "m.safetensors", {"--mined", folder_ / "r"})).status, kMoreToDo);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run_here(shard(i, 2)).status, kDone);
  ASSERT_EQ(run_here(train("channels", "c.safetensors", {"--mined", folder_ / "r"})).status,
            kMoreToDo);
  const Ended merged = merge(2);
  EXPECT_EQ(merged.status, kUsage);
  EXPECT_THAT(merged.err, HasSubstr(search() + ": not as when the shards ran: the hash of"));
  EXPECT_EQ(merged.out, "");
}

TEST_F(PeopleMine, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Words& words, int status, const char* text) {
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(text));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  expect({"people", "mine", folder_ / "scenes"}, kUsage, "needs --search FILE");
  expect(mine({}), kBadInput, "search.safetensors");
  ASSERT_EQ(run_here(train("hog", "m.safetensors", {"--mined", folder_ / "r"})).status, kMoreToDo);
  expect(mine({"-o", folder_ / "x.bin"}), kUsage, "ends in .safetensors");
  expect({"people", "mine", folder_ / "crops", "--search", search()}, kUsage,
         "the training has 8 negatives, but here are 6 images");
  ASSERT_EQ(run_here(shard(0, 2)).status, kDone);
  // Another search is another job.
  ASSERT_EQ(run_here(train("channels", "c.safetensors", {"--mined", folder_ / "r"})).status,
            kMoreToDo);
  expect(shard(0, 2, {"--resume"}), kUsage, "0.manifest");
  // Another image.
  write("scenes/3.png", street(106, 140), 9);
  const Ended ended = run_here(mine({}));
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, HasSubstr("3.png: is not the image that the training has"));
  EXPECT_THAT(ended.err, HasSubstr("is not written"));
}

}  // namespace
}  // namespace fovea::cli
