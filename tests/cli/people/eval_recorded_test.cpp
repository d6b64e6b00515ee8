// Evaluations in shards give the report of a single run.
#include <fovea/cluster/manifest.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
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

// Seven images with a person each, some of them at places where nobody is drawn; two without.
class PeopleEvalShards : public testing::Test {
 protected:
  PeopleEvalShards() {
    for (const char* name : {"images", "scenes"}) fs::create_directory(folder_ / name);
    likeness().write(folder_ / "a.safetensors");
    two_stages(1).write(folder_ / "b.safetensors");
    json coco{{"images", json::array()},
              {"annotations", json::array()},
              {"categories", {{{"id", 1}, {"name", "person"}}}}};
    for (int i = 0; i < 7; ++i) {
      Image<std::uint8_t> image = street(90 + 2 * i, 150);
      draw_someone(image.view(), 2 * i, 10);
      const std::string name = std::to_string(i) + ".png";
      io::write_image(folder_ / "images/" + name, image.view());
      coco["images"].push_back(
          {{"id", i}, {"file_name", name}, {"width", 90 + 2 * i}, {"height", 150}});
      coco["annotations"].push_back({{"id", i},
                                     {"image_id", i},
                                     {"category_id", 1},
                                     {"bbox", {2 * i + (i % 3 == 1 ? 40 : 11), 22, 42, 104}}});
    }
    for (int i = 0; i < 2; ++i)
      io::write_image(folder_ / ("scenes/" + std::to_string(i) + ".png"), street(80, 140).view());
    test::save(folder_ / "boxes.json", coco.dump());
  }

  Words words(const Words& more = {}) const {
    Words words{"people",
                "eval",
                "--model",
                "one=" + (folder_ / "a.safetensors") + ",two=" + (folder_ / "b.safetensors"),
                "--images",
                folder_ / "images",
                "--annotations",
                folder_ / "boxes.json",
                "--negatives",
                folder_ / "scenes",
                "--draws",
                "20",
                "--ratio",
                "1.2",
                "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string manifest(int index) const { return folder_ / (std::to_string(index) + ".manifest"); }

  // Runs so many shards, merges and forgets them.
  Ended in_shards(const Words& words, int count) const {
    Words merge{"merge", "--trust"};
    for (int i = 0; i < count; ++i) {
      Words shard = words;
      shard.insert(shard.end(),
                   {"--shard", std::to_string(i) + "/" + std::to_string(count), "--manifest",
                    manifest(i), "--threads", std::to_string(1 + (i + count) % 2)});
      const Ended ended = run_here(shard);
      EXPECT_TRUE(ended.status == kDone || (count == 1 && ended.status == kMoreToDo)) << ended.err;
      if (count > 1) {
        EXPECT_EQ(ended.out, "");
      }
      merge.push_back(manifest(i));
    }
    const Ended merged = run_here(merge);
    for (int i = 0; i < count; ++i) fs::remove(manifest(i));
    return merged;
  }

  std::map<std::string, std::string> report() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "report"))
      if (entry.is_regular_file())
        files[entry.path().filename().string()] = test::load(entry.path());
    fs::remove_all(folder_ / "report");
    return files;
  }

  test::TempFolder folder_;
};

TEST_F(PeopleEvalShards, PrintAndWriteWhatOneRunDoes) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  for (const Words& form : {Words{}, Words{"--json"}}) {
    Words all = words({"--threshold", "-0.6", "-o", folder_ / "report"});
    all.insert(all.end(), form.begin(), form.end());
    Words recorded = all;
    recorded.insert(recorded.end(), {"--manifest", manifest(0)});
    const Ended whole = run_here(recorded);
    ASSERT_EQ(whole.status, kDone) << whole.err;
    fs::remove(manifest(0));
    const auto files = report();
    EXPECT_GE(files.size(), 5U);
    for (const int count : {1, 2, 3, 7}) {
      const Ended merged = in_shards(all, count);
      ASSERT_EQ(merged.status, kDone) << merged.err;
      EXPECT_EQ(merged.out, whole.out) << count << " shards";
      EXPECT_EQ(report(), files) << count << " shards";
    }
    // Without a manifest there are times as well.
    const Ended plain = run_here(all);
    EXPECT_EQ(report(), files);
    if (form.empty()) continue;
    json a = json::parse(plain.out), b = json::parse(whole.out);
    a.erase("seconds");
    for (json& model : a["models"]) model.erase("search_seconds");
    EXPECT_EQ(a, b);
  }
}

TEST_F(PeopleEvalShards, LowerScoresAreAskedForUntilTheyReachAFalsePositivePerImage) {
  people::Model strict = likeness();
  strict.threshold += 1;
  strict.write(folder_ / "a.safetensors");
  const Ended plain = run_here(words({"--json"}));
  ASSERT_EQ(plain.status, kDone) << plain.err;
  std::string lower = "0";
  Ended merged;
  int turns = 0;
  for (;; ++turns) {
    merged = in_shards(words({"--json", "--lower", lower}), 2);
    if (merged.status != kMoreToDo) break;
    const json asked = json::parse(merged.out);
    EXPECT_EQ(asked["finished"], false);
    EXPECT_FALSE(asked["unfinished"].empty());
    lower.clear();
    for (const json& level : asked["lower"])
      lower += (lower.empty() ? "" : ",") + std::to_string(level.get<int>());
    EXPECT_THAT(merged.err, HasSubstr("with --lower " + lower));
    ASSERT_LT(turns, 4);
  }
  ASSERT_EQ(merged.status, kDone) << merged.err;
  EXPECT_GE(turns, 1);
  json a = json::parse(plain.out), b = json::parse(merged.out);
  for (json* result : {&a, &b}) {
    result->erase("seconds");
    (*result)["options"].erase("lower");
    for (json& model : (*result)["models"]) model.erase("search_seconds");
  }
  EXPECT_EQ(a["models"][0], b["models"][0]);
}

TEST_F(PeopleEvalShards, RefusesWhatCannotBeDivided) {
  const Ended crops =
      run_here({"people", "eval", "--model", folder_ / "a.safetensors", "--crops",
                folder_ / "images", "--negatives", folder_ / "scenes", "--shard", "0/2"});
  EXPECT_EQ(crops.status, kUsage);
  EXPECT_THAT(crops.err, HasSubstr("go with --images"));
  const Ended many = run_here(words({"--lower", "1,2,3"}));
  EXPECT_EQ(many.status, kUsage);
  EXPECT_THAT(many.err, HasSubstr("--lower has 3 numbers, expected one or 2"));
  EXPECT_EQ(run_here(words({"--lower", "4"})).status, kUsage);
}

TEST_F(PeopleEvalShards, AnImageThatCannotBeReadEndsTheShardAndItGoesOnLater) {
  const std::string good = test::load(folder_ / "images/6.png");
  const Words second = words(
                  {"--threshold", "-0.6", "--shard", "1/2", "--resume", "--manifest", manifest(1)}),
              first = words(
                  {"--threshold", "-0.6", "--shard", "0/2", "--resume", "--manifest", manifest(0)});
  test::save(folder_ / "images/6.png", "no picture");
  EXPECT_EQ(run_here(first).status, kDone);
  const Ended damaged = run_here(second);
  EXPECT_EQ(damaged.status, kBadInput);
  EXPECT_THAT(damaged.err, HasSubstr("images/6.png"));
  {
    const cluster::Manifest left(manifest(1));  // the others are recorded
    EXPECT_EQ(left.failed(), 1U);
    EXPECT_EQ(left.done() + 1, cluster::units_of(left.shard(), left.job().units).size());
  }
  EXPECT_EQ(run_here({"merge", "--trust", manifest(0), manifest(1)}).status, kBadInput);
  test::save(folder_ / "images/6.png", good);
  ASSERT_EQ(run_here(second).status, kDone);
  const Ended merged = run_here({"merge", "--trust", manifest(0), manifest(1)});
  EXPECT_EQ(merged.status, kDone) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("two: log-average miss rate"));
}

TEST_F(PeopleEvalShards, OtherAnnotationsAreNotMerged) {
  Words merge{"merge", "--trust"};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(run_here(words({"--threshold", "-0.6", "--shard", std::to_string(i) + "/2",
                              "--manifest", manifest(i)}))
                  .status,
              kDone);
    merge.push_back(manifest(i));
  }
  const std::string good = test::load(folder_ / "boxes.json");
  json coco = json::parse(good);
  coco["annotations"].erase(0);
  test::save(folder_ / "boxes.json", coco.dump());
  const Ended other = run_here(merge);
  EXPECT_EQ(other.status, kUsage);
  EXPECT_THAT(other.err, HasSubstr("boxes.json: not as when the shards ran"));
  test::save(folder_ / "boxes.json", good);
  EXPECT_EQ(run_here(merge).status, kDone);
}

}  // namespace
}  // namespace fovea::cli
