#include <fovea/core/random.h>
#include <fovea/people/detector.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

void add_noise(Image<std::uint8_t>& image, std::uint64_t index) {
  Random random(3, index);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.at(x, y) = static_cast<std::uint8_t>(image.at(x, y) - 30 + random.below(60));
}

// Asks for a stop as soon as the messages hold some words.
class StopsAt final : public Sink {
 public:
  explicit StopsAt(std::string words) : words_(std::move(words)) {}
  void write(std::string_view more) override {
    text_ += more;
    if (text_.find(words_) != std::string::npos) stop.request_stop();
  }
  std::stop_source stop;

 private:
  std::string words_;
  std::string text_;
};

// Crops of 80x144 with someone in the middle, and scenes of noise.
class PeopleTrain : public testing::Test {
 protected:
  PeopleTrain() {
    for (const char* name : {"crops", "scenes"}) std::filesystem::create_directory(folder_ / name);
    for (int i = 0; i < 12; ++i) {
      Image<std::uint8_t> crop = street(80, 144);
      draw_someone(crop.view(), 8, 8);
      add_noise(crop, static_cast<std::uint64_t>(i));
      io::write_image(folder_ / "crops/" + std::to_string(i) + ".png", crop.view());
    }
    for (int i = 0; i < 3; ++i) {
      Image<std::uint8_t> scene = street(160, 170);
      add_noise(scene, static_cast<std::uint64_t>(100 + i));
      io::write_image(folder_ / "scenes/" + std::to_string(i) + ".png", scene.view());
    }
  }

  std::vector<std::string> words(const std::string& kind, const std::string& output,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{
        "people",          "train",       "--kind",           kind, "--positives",
        folder_ / "crops", "--negatives", folder_ / "scenes", "-o", folder_ / output};
    if (kind == "cascade")
      args.insert(args.end(), {"--cascade-stages", "2", "--cascade-blocks-per-round", "5",
                               "--cascade-negatives", "60", "--cascade-enlarge", "1",
                               "--cascade-ratio", "1.3", "--cascade-ranking-windows", "40"});
    else if (kind == "channels")
      args.insert(args.end(), {"--channels-trees", "64", "--channels-negatives-per-round", "40",
                               "--channels-most-negatives", "60", "--channels-enlarge", "1",
                               "--channels-ratio", "1.3"});
    else if (kind == "filtered")
      args.insert(args.end(), {"--filtered-trees", "64", "--filtered-negatives-per-round", "40",
                               "--filtered-most-negatives", "60", "--filtered-enlarge", "1",
                               "--filtered-ratio", "1.3", "--filtered-feature-share", "0.02"});
    else
      args.insert(args.end(), {"--linear-enlarge", "1", "--linear-ratio", "1.3",
                               "--linear-random-windows", "8", "--linear-hard-windows", "100"});
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }

  test::TempFolder folder_;
};

class EveryPeopleTrain : public PeopleTrain, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryPeopleTrain,
                         testing::Values("hog", "hog-cells", "hog-integral", "cascade", "channels",
                                         "filtered"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryPeopleTrain, WritesAModelThatFindsItsPeople) {
  if (GetParam() == std::string("filtered"))
    FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Ended ended = run_here(words(GetParam(), "m.safetensors", {"--json", "--threads", "1"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["kind"], GetParam());
  EXPECT_EQ(report["device"], to_string(resolve({})));
  EXPECT_EQ(report["crops"], 12);
  EXPECT_EQ(report["negatives"], 3);
  EXPECT_EQ(report["model"], folder_ / "m.safetensors");
  EXPECT_FALSE(report["facts"].empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors.checkpoint"));

  people::Detector detector(folder_ / "m.safetensors", {.exec = {.device = Device::cpu()}});
  Image<std::uint8_t> crop = street(80, 144), empty = street(80, 144);
  draw_someone(crop.view(), 8, 8);
  add_noise(crop, 0);  // one of those learned from
  add_noise(empty, 201);
  EXPECT_GT(detector.score(crop), detector.score(empty));
  EXPECT_GE(detector.score(crop), detector.model().threshold);

  ASSERT_EQ(run_here(words(GetParam(), "two.safetensors", {"--threads", "2", "--quiet"})).status,
            kDone);
  EXPECT_EQ(test::load(folder_ / "m.safetensors"), test::load(folder_ / "two.safetensors"));
}

TEST_F(PeopleTrain, AStoppedTrainingContinues) {
  ASSERT_EQ(run_here(words("channels", "whole.safetensors")).status, kDone);
  TextSink out;
  StopsAt err("round 2 of");
  EXPECT_EQ(run(words("channels", "m.safetensors", {"--progress", "json"}),
                {.out = out, .err = err, .stop = err.stop.get_token()}),
            kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
  ASSERT_TRUE(std::filesystem::exists(folder_ / "m.safetensors.checkpoint"));

  const Ended other = run_here(words("channels", "m.safetensors", {"--seed", "77"}));
  EXPECT_EQ(other.status, kUsage);
  EXPECT_THAT(other.err, HasSubstr("other options (seed 1234 then, 77 now)"));
  const Ended rest = run_here(words("channels", "m.safetensors"));
  ASSERT_EQ(rest.status, kDone) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("continuing from " + (folder_ / "m.safetensors.checkpoint")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors.checkpoint"));
  EXPECT_EQ(test::load(folder_ / "m.safetensors"), test::load(folder_ / "whole.safetensors"));
}

TEST_F(PeopleTrain, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](std::vector<std::string> args, int status, const char* words) {
    args.emplace_back("--quiet");
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  expect({"people", "train"}, kUsage, "needs -o MODEL");
  expect(words("hog", "model.bin"), kUsage, "ends in .safetensors");
  expect({"people", "train", "-o", "x.safetensors"}, kUsage, "needs --positives FOLDER");
  expect({"people", "train", "-o", "x.safetensors", "--positives", folder_ / "crops"}, kUsage,
         "needs --negatives FOLDER");
  expect(words("zebra", "m.safetensors"), kUsage, "zebra");
  expect(words("hog", "m.safetensors", {"--device", "cuda:99"}), kNoDevice, "cuda:99");
  expect(words("cascade", "m.safetensors", {"--cascade-stride", "129"}), kUsage, "stride");
  std::vector<std::string> args = words("hog", "m.safetensors");
  args[5] = folder_ / "none";
  expect(args, kBadInput, "none");
  std::filesystem::create_directory(folder_ / "empty");
  args[5] = folder_ / "empty";
  expect(args, kBadInput, "empty");
  io::write_image(folder_ / "crops/small.png", street(40, 40).view());
  for (const char* kind : {"hog", "cascade", "channels", "filtered"})
    expect(words(kind, "m.safetensors"), kUsage, "64x128");
  test::save(folder_ / "crops/small.png", "no picture");
  for (const char* kind : {"hog", "cascade", "channels", "filtered"})
    expect(words(kind, "m.safetensors"), kBadInput, "small.png");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
}

TEST_F(PeopleTrain, OptionsBesideAPresetCountAndTheFactsSaySo) {
  const Ended run =
      run_here(words("cascade", "c.safetensors", {"--preset", "thesis", "--json", "--quiet"}));
  ASSERT_EQ(run.status, kDone) << run.err;
  const json facts = json::parse(run.out).at("facts");
  EXPECT_THAT(facts.at("preset").get<std::string>(),
              HasSubstr("thesis with stages 2, blocks-per-round 5, negatives 60, ratio 1.3"));
  EXPECT_THAT(facts.at("training").get<std::string>(), HasSubstr("\"color\": false"));
  const Ended wrong = run_here(words("hog", "h.safetensors", {"--preset", "thesis"}));
  EXPECT_EQ(wrong.status, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("kind cascade"));
}

}  // namespace
}  // namespace fovea::cli
