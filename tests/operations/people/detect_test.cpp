#include <fovea/io/model_file.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Someone who walks to the right, 4 pixels per frame.
void write_walk(const std::string& path, int frames) {
  io::VideoWriter writer(path, {.frame_rate = 10});
  for (int i = 0; i < frames; ++i) {
    Image<std::uint8_t> frame = street(160, 176, 3);
    draw_someone(frame.view(), 4 * i % 96, 16);
    writer.write(frame);
  }
  writer.finish();
}

int frames_of(const std::string& video) {
  io::VideoReader reader(video);
  io::Frame frame;
  int count = 0;
  while (reader.next(frame)) ++count;
  return count;
}

// A street with someone at (24, 16), whose person box is some 43x104 in the middle of 64x128.
class PeopleDetect : public testing::Test {
 protected:
  PeopleDetect() {
    likeness().write(model());
    Image<std::uint8_t> image = street(160, 176);
    draw_someone(image.view(), 24, 16);
    io::write_image(folder_ / "a.png", image.view());
  }

  std::string model() const { return folder_ / "model.safetensors"; }
  Ended detect(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"people", "detect", "--model", model(), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run_here(args);
  }
  json detected(std::vector<std::string> more) const {
    more.emplace_back("--json");
    const Ended ended = detect(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return json::parse(ended.out);
  }
  void expect_refusal(const std::vector<std::string>& args, int status, const char* words) const {
    const Ended ended = detect(args);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }

  test::TempFolder folder_;
};

TEST_F(PeopleDetect, JsonReportsBoxesAndCounts) {
  const json report = detected({folder_ / "a.png"});
  EXPECT_EQ(report["command"], "people detect");
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["options"]["model"], model());
  ASSERT_EQ(report["results"].size(), 1U);
  const json& result = report["results"][0];
  EXPECT_EQ(result["width"], 160);
  EXPECT_GT(result["windows"].get<int>(), 100);
  EXPECT_EQ(result["evaluations"].get<int>(), 105 * result["windows"].get<int>());
  ASSERT_EQ(result["people"].size(), 1U);
  const json& person = result["people"][0];
  EXPECT_NEAR(person["box"][0].get<double>(), 24 + (64 - 104 * .41) / 2, 4);
  EXPECT_NEAR(person["box"][1].get<double>(), 16 + 12, 4);
  EXPECT_NEAR(person["box"][3].get<double>(), 104, 6);
  EXPECT_NEAR(person["box"][2].get<double>() / person["box"][3].get<double>(), 0.41, 0.01);
  EXPECT_GT(person["score"].get<double>(), 0.2);
}

TEST_F(PeopleDetect, AFailedInputCountsForNoOther) {
  for (const char* folder : {"x", "y"}) {
    std::filesystem::create_directory(folder_ / folder);
    std::filesystem::copy(folder_ / "a.png", folder_ / (std::string(folder) + "/a.png"));
  }
  write_walk(folder_ / "walk.y4m", 3);
  const auto line_of_walk = [&](const std::vector<std::string>& inputs) {
    std::vector<std::string> words = inputs;
    words.insert(words.end(), {"--yolo", folder_ / "yolo"});
    const std::string out = detect(words).out;
    return out.substr(out.find("walk.y4m"));
  };
  EXPECT_EQ(line_of_walk({folder_ / "x/a.png", folder_ / "y/a.png", folder_ / "walk.y4m"}),
            line_of_walk({folder_ / "walk.y4m"}));
}

TEST_F(PeopleDetect, AnExplanationIsNotRecorded) {
  const Ended ended = detect({folder_ / "a.png", "--explain", "40,60", "--explain-picture",
                              folder_ / "why.png", "--manifest", folder_ / "m"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "why.png"));
}

TEST_F(PeopleDetect, ExplainsAPlaceAsTextJsonAndPicture) {
  const json person = detected({folder_ / "a.png"})["results"][0]["people"][0];
  const Ended ended =
      detect({folder_ / "a.png", "--explain", "56,80", "--explain-picture", folder_ / "why.png"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Why this window counts as a person"));
  EXPECT_GT(io::read_image(folder_ / "why.png").width(), 100);
  const json report = detected({folder_ / "a.png", "--explain", "56,80"});
  EXPECT_NEAR(report["explanation"]["total"].get<double>(), person["score"].get<double>(), 1e-3);
  EXPECT_EQ(report["explanation"]["layers"][0]["values"].size(), 32U);
  const json boxed = detected({folder_ / "a.png", "--explain", "34,28,43,104"});
  EXPECT_EQ(boxed["explanation"]["total"], report["explanation"]["total"]);
  expect_refusal({folder_ / "a.png", "--explain", "5"}, kUsage, "has 1 numbers; expected 2 or 4");
  expect_refusal({folder_ / "a.png", "--explain", "500,3"}, kUsage, "outside of the image");
  expect_refusal({folder_ / "a.png", "--explain", "5,3", "--csv", folder_ / "b.csv"}, kUsage,
                 "--explain writes no results");
  expect_refusal({folder_ / "a.png", "--explain-picture", folder_ / "b.png"}, kUsage,
                 "needs --explain");
  expect_refusal({folder_ / "a.png", folder_ / "a.png", "--explain", "5,3"}, kUsage, "one image");
}

TEST_F(PeopleDetect, WritesPictureAndLists) {
  const Ended ended = detect({folder_ / "a.png", "-o", folder_ / "found.png", "--coco",
                              folder_ / "found.json", "--csv", folder_ / "found.csv"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, (folder_ / "a.png") + ": 1 person, " + (folder_ / "found.png") + "\n");
  const auto picture = io::to_bytes(io::read_image(folder_ / "found.png"));
  ASSERT_EQ(picture.channels(), 3);  // the input is gray, the box is not
  bool colored = false;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      colored = colored || picture.at(x, y, 0) != picture.at(x, y, 2);
  EXPECT_TRUE(colored);
  const json coco = json::parse(test::load(folder_ / "found.json"));
  EXPECT_EQ(coco["info"]["command"], "people detect");
  EXPECT_EQ(coco["info"]["options"]["model"], model());
  EXPECT_EQ(coco["images"].size(), 1U);
  ASSERT_EQ(coco["annotations"].size(), 1U);
  const std::string csv = test::load(folder_ / "found.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
}

TEST_F(PeopleDetect, AListAsOutputIsTheList) {
  ASSERT_EQ(detect({folder_ / "a.png", "-o", folder_ / "x.json"}).status, kDone);
  EXPECT_EQ(json::parse(test::load(folder_ / "x.json"))["annotations"].size(), 1U);
  ASSERT_EQ(detect({folder_ / "a.png", "-o", folder_ / "x.parquet"}).status, kDone);
  EXPECT_TRUE(test::load(folder_ / "x.parquet").starts_with("PAR1"));
  ASSERT_EQ(detect({folder_ / "a.png", "-o", folder_ / "x.csv"}).status, kDone);
  EXPECT_THAT(test::load(folder_ / "x.csv"), testing::StartsWith("input,frame,"));
}

TEST_F(PeopleDetect, AFolderIsSearchedAndFailuresAreNamed) {
  std::filesystem::create_directory(folder_ / "in");
  Image<std::uint8_t> color = street(160, 176, 3);
  draw_someone(color.view(), 40, 8);
  io::write_image(folder_ / "in/color.png", color.view());
  io::write_image(folder_ / "in/empty.png", street(160, 176).view());
  const std::vector<std::string> args{folder_ / "in", "-o", folder_ / "out", "--coco",
                                      folder_ / "all.json"};
  ASSERT_EQ(detect(args).status, kDone);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/color.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/empty.png"));
  const json coco = json::parse(test::load(folder_ / "all.json"));
  EXPECT_EQ(coco["images"].size(), 2U);
  EXPECT_EQ(coco["annotations"].size(), 1U);

  const std::string whole = test::load(folder_ / "in/color.png");
  test::save(folder_ / "in/bad.png", whole.substr(0, whole.size() / 2));
  expect_refusal(args, kSomeFailed, "bad.png");
  EXPECT_EQ(json::parse(test::load(folder_ / "all.json"))["images"].size(), 2U);
}

TEST_F(PeopleDetect, VideoGoesInAndOut) {
  {
    io::VideoWriter writer(folder_ / "walk.y4m", {.frame_rate = 10});
    for (int i = 0; i < 3; ++i) {
      Image<std::uint8_t> frame = street(160, 176, 3);
      if (i > 0) draw_someone(frame.view(), 16 * i, 16);
      writer.write(frame);
    }
    writer.finish();
  }
  const json report =
      detected({folder_ / "walk.y4m", "-o", folder_ / "found.y4m", "--csv", folder_ / "found.csv"});
  const json& frames = report["results"][0]["frames"];
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0]["people"].size(), 0U);
  EXPECT_EQ(frames[1]["people"].size(), 1U);
  EXPECT_EQ(frames[2]["frame"], 2);
  EXPECT_NEAR(frames[2]["time_seconds"].get<double>(), 0.2, 1e-9);
  EXPECT_THAT(test::load(folder_ / "found.csv"), HasSubstr("walk.y4m,2,0.2,"));
  EXPECT_NEAR(io::VideoReader(folder_ / "found.y4m").info().rate.value(), 10, 1e-6);
  EXPECT_EQ(frames_of(folder_ / "found.y4m"), 3);

  const std::string whole = test::load(folder_ / "walk.y4m");
  test::save(folder_ / "cut.y4m", whole.substr(0, whole.size() - 100));
  const std::vector<std::string> cut{
      folder_ / "cut.y4m",  "-o",    folder_ / "cut_found.y4m", "--coco",
      folder_ / "cut.json", "--csv", folder_ / "cut.csv"};
  for (const std::string threads : {"1", "3"}) {
    std::vector<std::string> args = cut;
    args.insert(args.end(), {"--threads", threads});
    expect_refusal(args, kBadInput, "cut.y4m");
    EXPECT_EQ(frames_of(folder_ / "cut_found.y4m"), 2);
    EXPECT_EQ(json::parse(test::load(folder_ / "cut.json"))["images"].size(), 2U);
    EXPECT_THAT(test::load(folder_ / "cut.csv"), HasSubstr("cut.y4m,1,0.1,"));
  }
  expect_refusal({folder_ / "cut.y4m", folder_ / "a.png", "--coco", folder_ / "cut.json"},
                 kSomeFailed, "cut.y4m");
  EXPECT_EQ(json::parse(test::load(folder_ / "cut.json"))["images"].size(), 3U);
}

TEST_F(PeopleDetect, JsonOfAVideoThatBreaksHasTheFramesBefore) {
  write_walk(folder_ / "walk.y4m", 4);
  const std::string whole = test::load(folder_ / "walk.y4m");
  test::save(folder_ / "cut.y4m", whole.substr(0, whole.size() - 100));
  const Ended alone = detect({folder_ / "cut.y4m", "--json"});
  EXPECT_EQ(alone.status, kBadInput);
  const json result = json::parse(alone.out)["results"][0];
  ASSERT_EQ(result["frames"].size(), 3U);
  EXPECT_EQ(result["frames"][2]["people"].size(), 1U);
  EXPECT_THAT(result["error"].get<std::string>(), HasSubstr("cut.y4m: frame 3: "));
  EXPECT_THAT(detect({folder_ / "cut.y4m"}).out, testing::EndsWith(" in 3 frames\n"));
  const Ended both = detect({folder_ / "cut.y4m", folder_ / "walk.y4m", "--json"});
  EXPECT_EQ(both.status, kSomeFailed);
  const json results = json::parse(both.out);
  EXPECT_EQ(results["failed"], 1);
  EXPECT_EQ(results["results"][0]["frames"].size(), 3U);
  EXPECT_EQ(results["results"][1]["frames"].size(), 4U);
  EXPECT_FALSE(results["results"][1].contains("error"));
}

TEST_F(PeopleDetect, InputsAreReplacedOnlyWhenAsked) {
  const std::string input = folder_ / "a.png", before = test::load(input);
  expect_refusal({input, "-o", input}, kUsage, "is an input and would be replaced");
  expect_refusal({input, "--csv", input}, kUsage, "is an input and would be replaced");
  EXPECT_EQ(test::load(input), before);
  EXPECT_EQ(detect({input, "-o", input, "--overwrite"}).status, kDone);
  EXPECT_NE(test::load(input), before);
}

TEST_F(PeopleDetect, APipeIsReadAsVideo) {
  write_walk(folder_ / "walk.y4m", 5);
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::jthread feeder([&] { test::save(pipe, test::load(folder_ / "walk.y4m")); });
  const json report = detected({pipe});
  EXPECT_EQ(report["results"][0]["frames"].size(), 5U);
}

TEST_F(PeopleDetect, DataOnTheStandardOutputIsAlone) {
  for (const bool quiet : {true, false}) {
    std::vector<std::string> args{"people", "detect", folder_ / "a.png", "--model", model(),
                                  "--coco", "-"};
    if (quiet) args.emplace_back("--quiet");
    testing::internal::CaptureStdout();
    const Ended ended = run_here(args);
    std::fflush(stdout);
    const std::string data = testing::internal::GetCapturedStdout();
    ASSERT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(json::parse(data)["annotations"].size(), 1U);
    EXPECT_EQ(ended.out, "");
    if (quiet) EXPECT_EQ(ended.err, "");
    else EXPECT_THAT(ended.err, HasSubstr("1 person"));
  }
  expect_refusal({folder_ / "a.png", "--coco", "-", "--csv", "-"}, kUsage, "standard output");
  expect_refusal({folder_ / "a.png", "--coco", "-", "--json"}, kUsage, "standard output");
  expect_refusal({folder_ / "a.png", "--parquet", "-", "--csv", "-"}, kUsage, "standard output");
}

TEST_F(PeopleDetect, ASmallInputWithoutPeopleHintsAtEnlarging) {
  io::write_image(folder_ / "empty1.png", street(180, 144).view());
  io::write_image(folder_ / "empty2.png", street(180, 144).view());
  const auto noted = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"people", "detect", "--model", model()};
    args.insert(args.end(), more.begin(), more.end());
    return run_here(args).err;
  };
  const std::string both = noted({folder_ / "empty1.png", folder_ / "empty2.png"});
  EXPECT_THAT(both, HasSubstr("empty1.png: no person was found"));
  EXPECT_THAT(both, HasSubstr("--enlarge"));
  EXPECT_EQ(both.find("--enlarge"), both.rfind("--enlarge"));
  EXPECT_THAT(noted({folder_ / "empty1.png", "--enlarge", "2"}),
              testing::Not(HasSubstr("--enlarge")));
  EXPECT_THAT(noted({folder_ / "a.png"}), testing::Not(HasSubstr("--enlarge")));
}

TEST_F(PeopleDetect, BoxesStayInTheImage) {
  Image<std::uint8_t> image = street(160, 176);
  draw_someone(image.view(), -8 + 8, 48);
  io::write_image(folder_ / "low.png", image.view());
  const json report = detected(
      {folder_ / "low.png", "--threshold", "-0.5", "--fuse", "none", "--yolo", folder_ / "yolo"});
  bool at_border = false;
  for (const json& person : report["results"][0]["people"]) {
    const auto box = person["box"].get<std::vector<double>>();
    EXPECT_GE(box[0], 0);
    EXPECT_GE(box[1], 0);
    EXPECT_LE(box[0] + box[2], 160.01);
    EXPECT_LE(box[1] + box[3], 176.01);
    at_border = at_border || box[0] == 0 || std::abs(box[1] + box[3] - 176) < 1e-3;
  }
  EXPECT_TRUE(at_border);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "yolo/low.txt"));
}

TEST_F(PeopleDetect, VideoDoesNotDependOnThreads) {
  write_walk(folder_ / "walk.y4m", 9);
  json expected;
  for (const std::string threads : {"1", "2", "7"}) {
    const std::string video = folder_ / "found" + threads + ".y4m";
    json report = detected({folder_ / "walk.y4m", "-o", video, "--csv",
                            folder_ / "found" + threads + ".csv", "--threads", threads});
    report["results"][0].erase("output");
    if (threads == "1") expected = report["results"];
    EXPECT_EQ(report["results"], expected);
    EXPECT_EQ(test::load(video), test::load(folder_ / "found1.y4m"));
    EXPECT_EQ(test::load(folder_ / "found" + threads + ".csv"), test::load(folder_ / "found1.csv"));
  }
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(expected[0]["frames"][i]["frame"], i);
}

// Asks for a stop with the first words.
class StopsAtOnce final : public Sink {
 public:
  void write(std::string_view) override { stop.request_stop(); }
  std::stop_source stop;
};

TEST_F(PeopleDetect, AStopInAVideoKeepsWhatThereIs) {
  write_walk(folder_ / "walk.y4m", 200);
  TextSink out;
  StopsAtOnce err;
  EXPECT_EQ(run({"people", "detect", "--model", model(), folder_ / "walk.y4m", "-o",
                 folder_ / "found.y4m", "--csv", folder_ / "found.csv", "--coco",
                 folder_ / "found.json", "--progress", "json", "--threads", "3"},
                {.out = out, .err = err, .stop = err.stop.get_token()}),
            kInterrupted);
  const auto count = static_cast<std::size_t>(frames_of(folder_ / "found.y4m"));
  EXPECT_GE(count, 1U);
  EXPECT_LT(count, 200U);
  EXPECT_EQ(json::parse(test::load(folder_ / "found.json"))["images"].size(), count);
  EXPECT_THAT(test::load(folder_ / "found.csv"), testing::StartsWith("input,frame,"));
}

TEST_F(PeopleDetect, RegionMaskThresholdAndHeightsLimitTheSearch) {
  const auto count = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{folder_ / "a.png"};
    args.insert(args.end(), more.begin(), more.end());
    return detected(args)["results"][0]["people"].size();
  };
  EXPECT_EQ(count({"--region", "16,0,100,176"}), 1U);
  EXPECT_EQ(count({"--region", "90,0,70,176"}), 0U);
  Image<std::uint8_t> mask(160, 176);
  for (int y = 0; y < 176; ++y)
    for (int x = 0; x < 160; ++x) mask.at(x, y) = x < 80 ? 255 : 0;
  io::write_image(folder_ / "left.png", mask.view());
  EXPECT_EQ(count({"--mask", folder_ / "left.png"}), 1U);
  for (int y = 0; y < 176; ++y)
    for (int x = 0; x < 160; ++x) mask.at(x, y) = x < 80 ? 0 : 255;
  io::write_image(folder_ / "right.png", mask.view());
  EXPECT_EQ(count({"--mask", folder_ / "right.png"}), 0U);
  EXPECT_EQ(count({"--threshold", "9"}), 0U);
  EXPECT_GT(count({"--threshold", "-5", "--fuse", "none"}), 100U);
  const json low =
      detected({folder_ / "a.png", "--max-height", "90", "--enlarge", "2", "--threshold", "-5"});
  for (const json& person : low["results"][0]["people"])
    EXPECT_LT(person["box"][3].get<double>(), 91);
}

TEST_F(PeopleDetect, MeanShiftSaysWhatItLeavesOut) {
  std::vector<std::string> args{folder_ / "a.png", "--threshold", "-0.5", "--fuse", "mean-shift"};
  EXPECT_GT(detected(args)["results"][0]["weightless"].get<int>(), 0);
  std::vector<std::string> words{"people", "detect", "--model", model()};
  words.insert(words.end(), args.begin(), args.end());
  EXPECT_THAT(run_here(words).err, HasSubstr("mean shift left out"));
  args.insert(args.end(), {"--fuse-weights", "margin"});
  EXPECT_EQ(detected(args)["results"][0]["weightless"], 0);
}

TEST_F(PeopleDetect, ResultsDoNotDependOnThreads) {
  json one = detected({folder_ / "a.png", "--threads", "1", "--threshold", "-0.5"});
  json three = detected({folder_ / "a.png", "--threads", "3", "--threshold", "-0.5"});
  EXPECT_EQ(one["results"], three["results"]);
}

TEST_F(PeopleDetect, BadInputIsOneLineWithItsStatus) {
  expect_refusal({folder_ / "none.png"}, kBadInput, "none.png");
  std::filesystem::create_directory(folder_ / "empty");
  expect_refusal({folder_ / "empty"}, kBadInput, "empty");
  expect_refusal({folder_ / "a.png", "--region", "1,2,3"}, kUsage, "region");
  expect_refusal({folder_ / "a.png", "--region", "0,0,500,500"}, kUsage, "0,0,500,500");
  expect_refusal({folder_ / "a.png", "--threshold", "high"}, kUsage, "threshold");
  expect_refusal({folder_ / "a.png", "--ratio", "1"}, kUsage, "ratio");
  io::write_image(folder_ / "small.png", street(60, 60).view());
  expect_refusal({folder_ / "small.png", "-o", folder_ / "x.json"}, kUsage,
                 "no window of 64x128 fits an image of 60x60");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.json"));
  expect_refusal({folder_ / "a.png", "--mask", folder_ / "small.png"}, kUsage, "60x60");
  expect_refusal({folder_ / "a.png", "--mask", folder_ / "a.png", "--region", "0,0,90,160"}, kUsage,
                 "exclude each other");
  expect_refusal({folder_ / "a.png", "-o", folder_ / "none/deep.png"}, kFailed, "deep.png");
}

TEST_F(PeopleDetect, ModelFilesAreNotTrusted) {
  const auto with = [&](const std::string& file) {
    const Ended ended = run_here({"people", "detect", folder_ / "a.png", "--model", file});
    EXPECT_EQ(ended.status, kBadInput) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(with(folder_ / "none.safetensors"), HasSubstr("none.safetensors"));
  const std::string whole = test::load(model());
  test::save(folder_ / "cut.safetensors", whole.substr(0, whole.size() - 5));
  EXPECT_THAT(with(folder_ / "cut.safetensors"), HasSubstr("cut.safetensors"));
  io::ModelFile other;
  other.set_schema("zebras", 1);
  other.write(folder_ / "other.safetensors");
  EXPECT_THAT(with(folder_ / "other.safetensors"), HasSubstr("zebras"));
  io::ModelFile newer;
  newer.set_schema("people.hog", 99);
  newer.write(folder_ / "newer.safetensors");
  EXPECT_THAT(with(folder_ / "newer.safetensors"), HasSubstr("99"));
  io::ModelFile hollow;
  hollow.set_schema("people.cascade", 1);
  hollow.write(folder_ / "hollow.safetensors");
  EXPECT_THAT(with(folder_ / "hollow.safetensors"), HasSubstr("hollow.safetensors"));
  test::save(folder_ / "list.txt", "1 2 3");
  EXPECT_THAT(with(folder_ / "list.txt"), HasSubstr("list.txt"));
}

TEST_F(PeopleDetect, AStopEndsIt) {
  const Ended ended =
      run_here({"people", "detect", folder_ / "a.png", "--model", model()}, fired());
  EXPECT_EQ(ended.status, kInterrupted);
}

}  // namespace
}  // namespace fovea::cli
