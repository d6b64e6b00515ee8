// The JSON result of every verb has the envelope that cli/program/result.h describes. Each verb
// runs on inputs that are just large enough for it.
#include <fovea/io/mesh_io.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "actions/videos.h"
#include "cli/mesh/shapes.h"
#include "cli/people/scene.h"
#include "cli/program/command.h"
#include "cli/program/program.h"
#include "cli/scenes/places.h"
#include "emd/track_scene.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// How often each key stands in the outermost object: a parser keeps only the last of two.
std::map<std::string, int> outer_keys(const std::string& text) {
  std::map<std::string, int> keys;
  const auto count = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1) ++keys[value.get<std::string>()];
    return true;
  };
  EXPECT_TRUE(json::parse(text, count).is_object());
  return keys;
}

// The verbs that the tests below run.
const std::set<std::string>& verbs_here() {
  static const std::set<std::string> kVerbs{"ops gradient",
                                            "ops blur",
                                            "ops histogram",
                                            "ops pyramid",
                                            "ops resize",
                                            "ops convolve",
                                            "ops integral",
                                            "people detect",
                                            "people show",
                                            "people eval",
                                            "people train",
                                            "flow scene",
                                            "flow lk",
                                            "flow bm",
                                            "flow show",
                                            "flow eval",
                                            "emd distance",
                                            "emd map",
                                            "emd track",
                                            "emd scene",
                                            "scenes train",
                                            "scenes words",
                                            "scenes eval",
                                            "scenes classify",
                                            "mesh info",
                                            "mesh segment",
                                            "mesh eval",
                                            "mesh distances",
                                            "actions train",
                                            "actions points",
                                            "actions match",
                                            "actions eval",
                                            "actions recognize",
                                            "scenes filters",
                                            "scenes sample",
                                            "scenes dictionary",
                                            "scenes features",
                                            "scenes classifier",
                                            "people scene",
                                            "people track",
                                            "people eval-tracks",
                                            "people study",
                                            "people eval-kernel",
                                            "scenes info",
                                            "mesh arcs",
                                            "actions classify",
                                            "actions eval-stream",
                                            "flow stereo",
                                            "flow segment",
                                            "actions distances",
                                            "people mine",
                                            "scenes assign"};
  return kVerbs;
}

class Envelope : public testing::Test {
 protected:
  void expect_envelope(Words words) {
    const std::string command = words[0] + " " + words[1];
    words.insert(words.end(), {"--json", "--quiet", "--seed", "7"});
    const Ended ended = run_here(words);
    ASSERT_EQ(ended.status, kDone) << command << ": " << ended.err;
    // recognize prints one line per action; its result is the last.
    const std::string text = words[1] == "recognize"
                                 ? ended.out.substr(ended.out.rfind('\n', ended.out.size() - 2) + 1)
                                 : ended.out;
    const std::map<std::string, int> keys = outer_keys(text);
    for (const auto& [key, times] : keys) EXPECT_EQ(times, 1) << command << ": " << key;
    for (const char* key : {"fovea", "command", "device", "seed", "options", "seconds"})
      ASSERT_TRUE(keys.contains(key)) << command << ": " << key;
    const json result = json::parse(text);
    EXPECT_EQ(result["command"], command);
    EXPECT_EQ(result["device"], "cpu") << command;
    EXPECT_EQ(result["seed"], 7) << command;
    EXPECT_EQ(result["options"]["seed"], 7) << command;
    EXPECT_GE(result["seconds"].get<double>(), 0) << command;
    EXPECT_TRUE(verbs_here().contains(command)) << command;
  }

  test::TempFolder folder_;
};

TEST_F(Envelope, Operations) {
  const std::string image = folder_ / "a.png";
  write_ramp(image, 8);
  for (const char* verb : {"gradient", "blur", "histogram", "pyramid"})
    expect_envelope({"ops", verb, image, "-o", folder_ / verb + "/"});
  expect_envelope({"ops", "resize", image, "-o", folder_ / "r.png", "--scale", "0.5"});
  expect_envelope({"ops", "convolve", image, "-o", folder_ / "c.png", "--laplacian", "1"});
  expect_envelope({"ops", "integral", image, "-o", folder_ / "i.npy"});
}

TEST_F(Envelope, People) {
  for (const char* name : {"crops", "scenes"}) std::filesystem::create_directory(folder_ / name);
  const std::string model = folder_ / "model.safetensors";
  likeness().write(model);
  Image<std::uint8_t> crop = street(80, 144), scene = street(160, 170);
  Random random(1);
  for (int y = 0; y < scene.height(); ++y)
    for (int x = 0; x < scene.width(); ++x)
      scene.at(x, y) = static_cast<std::uint8_t>(60 + random.below(60));
  draw_someone(crop.view(), 8, 8);
  for (const char* name : {"crops/a.png", "crops/b.png", "crops/c.png"})
    io::write_image(folder_ / name, crop.view());
  for (const char* name : {"scenes/a.png", "scenes/b.png", "scenes/c.png"})
    io::write_image(folder_ / name, scene.view());
  expect_envelope({"people", "detect", folder_ / "scenes/a.png", "--model", model});
  expect_envelope({"people", "show", folder_ / "scenes/a.png", "-o", folder_ / "glyphs.png"});
  expect_envelope({"people", "scene", "-o", folder_ / "crowd", "--video", "video.y4m", "--size",
                   "160x120", "--frames", "5", "--people", "2"});
  expect_envelope(
      {"people", "track", folder_ / "crowd/video.y4m", "--detections", folder_ / "crowd/det.txt"});
  expect_envelope(
      {"people", "eval-tracks", folder_ / "crowd/gt.txt", "--truth", folder_ / "crowd/gt.txt"});
  expect_envelope({"people", "eval", "--model", model, "--crops", folder_ / "crops", "--negatives",
                   folder_ / "scenes"});
  expect_envelope({"people", "train", "--positives", folder_ / "crops", "--negatives",
                   folder_ / "scenes", "-o", folder_ / "m.safetensors", "--linear-enlarge", "1",
                   "--linear-ratio", "1.3", "--linear-random-windows", "8"});
  ASSERT_EQ(run_here({"people", "train", "--positives", folder_ / "crops", "--negatives",
                      folder_ / "scenes", "-o", folder_ / "n.safetensors", "--linear-enlarge", "1",
                      "--linear-ratio", "1.3", "--mined", folder_ / "mined", "--quiet"})
                .status,
            kMoreToDo);
  expect_envelope(
      {"people", "mine", folder_ / "scenes", "--search", folder_ / "mined/search.safetensors"});
  expect_envelope({"people", "study", "--positives", folder_ / "crops", "--negatives",
                   folder_ / "scenes", "--test-positives", folder_ / "crops", "--test-negatives",
                   folder_ / "scenes", "--vary", "gamma", "--linear-rounds", "0", "-o",
                   folder_ / "study"});
  expect_envelope({"people", "eval-kernel", "--positives", folder_ / "crops", "--negatives",
                   folder_ / "scenes", "--crops", folder_ / "crops", "--scenes", folder_ / "scenes",
                   "--random-windows", "4", "--hard-windows", "10", "--gammas", "0.03", "--costs",
                   "1"});
}

TEST_F(Envelope, Flow) {
  const std::string pair = folder_ / "pair";
  expect_envelope({"flow", "scene", "-o", pair, "--size", "64x48"});
  for (const char* verb : {"lk", "bm"})
    expect_envelope(
        {"flow", verb, pair + "/frame10.png", pair + "/frame11.png", "-o", folder_ / "ab.flo"});
  expect_envelope({"flow", "lk", pair + "/frame10.png", pair + "/frame11.png",
                   pair + "/frame10.png", "-o", folder_ / "fields"});
  expect_envelope({"flow", "show", folder_ / "ab.flo", "--truth", pair + "/flow10.flo"});
  expect_envelope({"flow", "eval", pair});
  expect_envelope(
      {"flow", "segment", pair + "/frame10.png", pair + "/frame11.png", "-o", folder_ / "l.png"});
  expect_envelope({"flow", "scene", "--stereo", "-o", pair, "--size", "64x48", "--nearest", "10"});
  expect_envelope({"flow", "stereo", pair + "/left.png", pair + "/right.png", "-o",
                   folder_ / "d.pfm", "--max-disparity", "15"});
}

TEST_F(Envelope, Emd) {
  test::save(folder_ / "p.json", R"({"ground": "l1", "problems": [{"p": [1, 0], "q": [0, 1]}]})");
  expect_envelope({"emd", "distance", "--problems", folder_ / "p.json"});
  const emd::Square square{{20, 20, 20, 24}, {200, 40, 40}, {40, 60, 200}};
  std::filesystem::create_directory(folder_ / "img");
  for (const char* name : {"img/0.png", "img/1.png"})
    io::write_image(folder_ / name, emd::track_scene(60, 60, 1, {square}).view());
  expect_envelope(
      {"emd", "map", folder_ / "img/0.png", "--target", "20,20,8,8", "-o", folder_ / "map.tif"});
  expect_envelope({"emd", "track", folder_ / "img", "--target", "20,20,20,24"});
  expect_envelope({"emd", "scene", "--size", "48x48", "--drawn-bands", "6", "--frames", "1", "-o",
                   folder_ / "cubes"});
}

TEST_F(Envelope, Scenes) {
  write_places(folder_ / "places", 3);
  const std::string model = folder_ / "m.safetensors", image = folder_ / "places/lying/1.png";
  expect_envelope(quick({"scenes", "train", folder_ / "places", "-o", model, "--neighbors", "1"}));
  expect_envelope({"scenes", "classify", image, "--model", model});
  expect_envelope({"scenes", "words", image, "--model", model, "-o", folder_ / "words.png"});
  expect_envelope(
      quick({"scenes", "eval", folder_ / "places", "--splits", "1", "--neighbors", "1"}));
  const std::string places = folder_ / "places", samples = folder_ / "samples.npy";
  const std::string words = folder_ / "words.safetensors", table = folder_ / "features.npy";
  expect_envelope({"scenes", "info", folder_ / "places"});
  expect_envelope({"scenes", "filters", image, "-o", folder_ / "responses.npy"});
  expect_envelope({"scenes", "sample", places, "-o", samples});
  expect_envelope({"scenes", "dictionary", samples, "-o", words, "--dictionary", "12"});
  const std::string shard = folder_ / "shard.manifest", rounds = folder_ / "rounds";
  ASSERT_EQ(run_here({"scenes", "sample", places, "-o", folder_ / "0.npy", "--manifest", shard,
                      "--shard", "0/1", "--quiet"})
                .status,
            kDone);
  ASSERT_EQ(run_here({"scenes", "dictionary", shard, "-o", words, "--dictionary", "12", "--rounds",
                      rounds, "--quiet"})
                .status,
            kMoreToDo);
  expect_envelope({"scenes", "assign", shard, "--rounds", rounds});
  expect_envelope({"scenes", "features", places, "--dictionary", words, "-o", table, "--labels",
                   folder_ / "labels.csv"});
  expect_envelope({"scenes", "classifier", table, "--labels", folder_ / "labels.csv",
                   "--dictionary", words, "-o", model, "--neighbors", "1"});
}

TEST_F(Envelope, Mesh) {
  const io::TriangleMesh mesh = dumbbell(8, 12);
  std::filesystem::create_directory(folder_ / "off");
  std::filesystem::create_directory(folder_ / "seg");
  const std::string path = folder_ / "off/1.off";
  io::write_mesh(path, mesh);
  std::vector<std::int32_t> halves(mesh.faces.size(), 0);
  std::fill(halves.begin(), halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2), 1);
  io::write_labels(folder_ / "seg/1.seg", halves);
  expect_envelope({"mesh", "info", path});
  expect_envelope({"mesh", "arcs", path, "-o", folder_ / "arcs.csv"});
  expect_envelope({"mesh", "segment", path, "-k", "2", "--seg", folder_ / "parts.seg"});
  expect_envelope({"mesh", "distances", path, "--from", "0", "-o", folder_ / "d.npy"});
  expect_envelope({"mesh", "eval", "--meshes", folder_ / "off", "--segmentations", folder_ / "seg",
                   "--no-people"});
}

TEST_F(Envelope, Actions) {
  actions::write_swing_folder(folder_ / "clips", 2);
  const std::string clips = folder_ / "clips", model = folder_ / "m.safetensors";
  const std::string video = clips + "/up/s0_swing.y4m";
  const auto small = [](Words words) {
    words.insert(words.end(),
                 {"--nodes", "6", "--step", "6", "--harris-levels", "1", "--harris-scales", "1"});
    return words;
  };
  expect_envelope(small({"actions", "train", clips, "-o", model}));
  expect_envelope(small({"actions", "distances", clips, "-o", folder_ / "d.safetensors"}));
  expect_envelope({"actions", "points", video, "--harris-levels", "1", "--harris-scales", "1"});
  expect_envelope({"actions", "recognize", video, "--model", model});
  expect_envelope({"actions", "classify", video, "--model", model});
  expect_envelope(
      small({"actions", "match", video, clips + "/up/s1_swing.y4m", "-o", folder_ / "m.png"}));
  expect_envelope(small({"actions", "eval", clips, "--protocol", "split", "--test-subjects", "s1",
                         "--no-choose", "--no-baselines"}));
  expect_envelope({"actions", "eval-stream", clips, "--model", model, "--subjects", "s1", "--gap",
                   "4", "--rejects", "1"});
}

TEST_F(Envelope, NoVerbIsLeftOut) {
  for (const Command& command : commands()) {
    if (!command.computes || command.system == "view") continue;
    EXPECT_TRUE(verbs_here().contains(command.name())) << command.name();
  }
}

}  // namespace
}  // namespace fovea::cli
