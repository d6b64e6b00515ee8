// Evaluations that are divided into shards give the bytes of one run.
// Covers: units
#include <fovea/io/flow_io.h>
#include <fovea/io/mesh_io.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "actions/videos.h"
#include "cli/flow/scene.h"
#include "cli/jobs/divided.h"
#include "cli/mesh/shapes.h"
#include "cli/scenes/places.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class Evaluations : public Divided {
 protected:
  void SetUp() override {
    FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  }
  void write_pairs(int count) const {
    for (int i = 0; i < count; ++i) {
      const std::string folder = folder_ / ("set/s" + std::to_string(i));
      std::filesystem::create_directories(folder);
      const FlowScene scene = flow_scene(64, 48, {}, 5 * i);
      io::write_image(folder + "/frame10.png", scene.first);
      io::write_image(folder + "/frame11.png", scene.second);
      io::write_flow(folder + "/flow10.flo", {scene.u, scene.v});
    }
  }
};

TEST_F(Evaluations, Flow) {
  write_pairs(3);
  for (const char* how : {"--json", "--quiet"})
    expect_equal({"flow", "eval", folder_ / "set", "-o", out() + "/page", "--sheet", "2", how});
}

TEST_F(Evaluations, Meshes) {
  std::filesystem::create_directories(folder_ / "off");
  std::filesystem::create_directories(folder_ / "seg");
  for (int i = 0; i < 3; ++i) {
    const io::TriangleMesh mesh = dumbbell(6 + i, 10);
    std::vector<std::int32_t> halves(mesh.faces.size(), 0);
    std::fill(halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2), halves.end(), 1);
    const std::string name = std::to_string(20 + i);
    io::write_mesh(folder_ / ("off/" + name + ".off"), mesh);
    io::write_labels(folder_ / ("seg/" + name + "_0.seg"), halves);
    std::fill_n(halves.begin(), halves.size() / 3, 1);
    io::write_labels(folder_ / ("seg/" + name + "_1.seg"), halves);
  }
  for (const char* how : {"--json", "--people"})
    expect_equal({"mesh", "eval", "--meshes", folder_ / "off", "--segmentations", folder_ / "seg",
                  "--csv", out() + "/errors.csv", how});
}

TEST_F(Evaluations, ScenesBySplits) {
  write_places(folder_ / "places", 4);
  test::save(folder_ / "places/lying/broken.png", "no image");
  const Words words =
      quick({"scenes", "eval", folder_ / "places", "--splits", "3", "--share", "0.5",
             "--classifier", "knn", "--neighbors", "1", "-o", out() + "/page"});
  expect_equal(joined(words, {"--json"}), kSomeFailed);
  expect_equal(joined(words, {"--dictionary-from", "split"}), kSomeFailed);
}

TEST_F(Evaluations, ScenesBySweepsTablesAndModels) {
  write_places(folder_ / "places", 4);
  const std::string places = folder_ / "places", model = folder_ / "m.safetensors";
  expect_equal(quick({"scenes", "eval", places, "--splits", "2", "--classifier", "knn",
                      "--neighbors", "1", "--sweep-samples", "20,30", "-o", out() + "/sweep"}));
  ASSERT_EQ(run_here(quick({"scenes", "train", places, "-o", model, "--classifier", "knn",
                            "--neighbors", "1"}))
                .status,
            kDone);
  ASSERT_EQ(run_here({"scenes", "features", places, "--dictionary", model, "-o", folder_ / "f.npy",
                      "--labels", folder_ / "l.csv"})
                .status,
            kDone);
  expect_equal({"scenes", "eval", folder_ / "f.npy", "--labels", folder_ / "l.csv", "--splits", "4",
                "--classifier", "knn", "--neighbors", "1", "--json"});
  test::save(folder_ / "places/lying/broken.png", "no image");
  expect_equal({"scenes", "eval", places, "--model", model, "-o", out() + "/page"}, kSomeFailed);
}

TEST_F(Evaluations, Actions) {
  const std::string clips = write_clips(4, 3, 14);
  const Words words{"actions", "eval", clips, "--nodes", "6", "--step", "6", "-o", out() + "/page"};
  expect_equal(joined(words, {"--no-choose", "--no-baselines", "--windows", "4,8", "--draws", "1",
                              "--unknown", "--json"}));
}

TEST_F(Evaluations, ActionsWithChoiceBaselinesAndABrokenClip) {
  const std::string clips = write_clips(2, 3, 12);
  test::save(folder_ / "clip1.txt", "no points");
  expect_equal({"actions", "eval", clips, "--nodes", "6", "--step", "6"}, kSomeFailed);
  expect_equal({"actions", "eval", clips, "--nodes", "6", "--step", "6", "--test-subjects", "s2",
                "--no-choose", "--no-late-fusion", "--no-baselines"},
               kSomeFailed);
}

TEST_F(Evaluations, Streams) {
  actions::write_swing_folder(folder_ / "clips", 3);
  const std::string clips = folder_ / "clips", model = folder_ / "m.safetensors";
  const Words small{"--nodes",         "6", "--step",          "12", "--harris-levels", "1",
                    "--harris-scales", "1", "--no-late-fusion"};
  ASSERT_EQ(run_here(joined({"actions", "train", clips, "-o", model}, small)).status, kDone);
  const Words words{"actions", "eval-stream", clips, "--gap", "2", "--rejects", "1"};
  expect_equal(joined(words, {"--model", model, "--subjects", "s2,s0", "--json"}));
}

TEST_F(Evaluations, AResumedOneLooksAtAllFilesOfAUnit) {
  write_pairs(3);
  const Words words{"flow", "eval", folder_ / "set", "--manifest", folder_ / "m.manifest"};
  const Ended whole = run_here(words);
  ASSERT_EQ(whole.status, kDone) << whole.err;
  const auto lines = [&] { return std::ranges::count(test::load(folder_ / "m.manifest"), '\n'); };
  const auto before = lines();
  EXPECT_EQ(run_here(joined(words, {"--resume"})).out, whole.out);
  EXPECT_EQ(lines(), before);
  std::filesystem::copy(folder_ / "set/s0/frame10.png", folder_ / "set/s1/frame10.png",
                        std::filesystem::copy_options::overwrite_existing);
  const Ended again = run_here(joined(words, {"--resume"}));
  EXPECT_EQ(again.status, kDone) << again.err;
  EXPECT_NE(again.out, whole.out);
  EXPECT_EQ(lines(), before + 1);  // one pair was measured again
}

TEST_F(Evaluations, AShardEndsWithWhatCannotBeRead) {
  write_pairs(3);
  test::save(folder_ / "set/s1/frame11.png", "no image");
  const Words words{"flow", "eval", folder_ / "set", "--quiet", "--manifest", manifest(1)};
  const Ended shard = run_here(joined(words, {"--shard", "1/3"}));
  EXPECT_EQ(shard.status, kBadInput);
  EXPECT_THAT(shard.err, HasSubstr("frame11.png"));
  const Ended rivals = run_here(joined(words, {"--rivals", "--resume"}));
  EXPECT_EQ(rivals.status, kUsage);
  EXPECT_THAT(rivals.err, HasSubstr("--rivals compares times of one run"));
}

TEST_F(Evaluations, TimesAreThoseOfOneRunAlone) {
  write_pairs(1);
  EXPECT_THAT(run_here({"flow", "eval", folder_ / "set"}).out, HasSubstr("seconds"));
  EXPECT_THAT(run_here({"flow", "eval", folder_ / "set", "--manifest", manifest(0)}).out,
              testing::Not(HasSubstr("seconds")));
}

}  // namespace
}  // namespace fovea::cli
