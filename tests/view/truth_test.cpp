// What is known about inputs, and how systems show it.
// Covers: truth_video
#include "view/truth.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/images.h"
#include "support/server.h"
#include "view/saved_results/saved_results.h"
#include "view/stream/running.h"
#include "view/system.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kOff =
    "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

std::string coco(const std::string& image, const std::string& box) {
  return R"({"images": [{"id": 1, "file_name": ")" + image +
         R"(", "width": 96, "height": 160}], "categories": [{"id": 1, "name": "person"}],)" +
         R"("annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": )" + box + "}]}";
}

std::unique_ptr<SystemView> view_of(std::string_view name) {
  Systems systems = make_systems("");
  for (std::unique_ptr<SystemView>& system : systems)
    if (system->facts().name == name) return std::move(system);
  return nullptr;
}

class TruthTest : public testing::Test {
 protected:
  std::shared_ptr<Input> added(const std::string& path) {
    inputs_.add_paths({path});
    return inputs_.find(nlohmann::json::parse(inputs_.list_json()).back()["id"].get<std::string>());
  }
  std::shared_ptr<Input> image(const std::string& name, int width = 96, int height = 160) {
    Random random(5);
    fs::create_directories(fs::path(folder_ / name).parent_path());
    io::write_image(folder_ / name,
                    test::random_image<std::uint8_t>(random, width, height, 3).view());
    return added(folder_ / name);
  }
  std::shared_ptr<Input> video(const std::string& name, int frames) {
    return added(text(name, test::y4m_video(96, 160, frames)));
  }
  std::string text(const std::string& name, const std::string& bytes) {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    test::save(folder_ / name, bytes);
    return folder_ / name;
  }
  std::string flow(const std::string& name, int width, int height, float u) {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    Image<float> right(width, height, 1), down(width, height, 1);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        right.at(x, y) = u;
        down.at(x, y) = 0;
      }
    io::write_flow(folder_ / name, {right, down});
    return folder_ / name;
  }
  Result run(std::unique_ptr<SystemView> system, std::vector<std::shared_ptr<Input>> inputs,
             const std::string& truth, const FormValues& options = {},
             const std::string& model = {}) {
    return system->run({.inputs = std::move(inputs),
                        .model = model,
                        .options = options,
                        .truth = std::make_shared<const Truth>(truth)},
                       {.device = Device::cpu(), .threads = 1});
  }
  static int count(const Result& result, MarkKind kind) {
    return static_cast<int>(std::ranges::count(result.marks, kind, &Mark::kind));
  }
  static std::string fact(const Result& result, const std::string& name) {
    for (const auto& [key, value] : result.facts)
      if (key == name) return value;
    return "none";
  }

  test::TempFolder folder_{};
  Inputs inputs_{};
};

TEST_F(TruthTest, MustExist) {
  EXPECT_THAT(test::message_of<IoError>([&] { Truth truth(folder_ / "none"); }),
              HasSubstr("--truth"));
}

TEST_F(TruthTest, HasThePeopleOfAnImageByItsName) {
  const auto known = image("photos/a.png"), unknown = image("photos/b.png");
  const std::string file = text("truth/all.json", coco("elsewhere/a.jpg", "[8, 16, 40, 120]"));
  for (const std::string& path : {file, folder_ / "truth"}) {
    const Truth truth(path);
    const auto people = truth.people(*known);
    ASSERT_TRUE(people && people->size() == 1) << path;
    EXPECT_EQ(people->front().box.height, 120);
    EXPECT_FALSE(truth.people(*unknown)) << path;
  }
}

TEST_F(TruthTest, MarksPeopleWhoWereMissed) {
  const auto input = image("a.png");
  const std::string file = text("all.json", coco("a.png", "[8, 16, 40, 120]"));
  const Result result = run(view_of("people"), {input}, file, {{"threshold", "99"}});
  EXPECT_EQ(count(result, MarkKind::kMissed), 1);
  EXPECT_EQ(result.marks.back().label, "missed");
  EXPECT_THAT(result.summary, HasSubstr("0 hits and 0 false alarms, and 1 person was missed"));
  EXPECT_EQ(fact(result, "missed"), "1");
}

TEST_F(TruthTest, MarksBoxesByWhetherSomebodyIsThere) {
  const auto input = image("a.png");
  const FormValues options{{"threshold", "-9"}, {"ratio", "1.5"}};
  const std::string nobody = text("nobody/all.json", coco("a.png", "[0, 0, 2, 4]"));
  const Result alarms = run(view_of("people"), {input}, nobody, options, "hog");
  ASSERT_GT(alarms.marks.size(), 1U);
  EXPECT_EQ(count(alarms, MarkKind::kFalse), static_cast<int>(alarms.marks.size()) - 1);
  const Rect<double> box = alarms.marks.front().box;
  const std::string there =
      text("there/all.json",
           coco("a.png", fmt::format("[{}, {}, {}, {}]", box.x, box.y, box.width, box.height)));
  const Result hit = run(view_of("people"), {input}, there, options, "hog");
  EXPECT_EQ(hit.marks.front().kind, MarkKind::kHit);
  EXPECT_EQ(hit.marks.back().kind, MarkKind::kTrue);
}

TEST_F(TruthTest, StandsBesideTheResultWhereItIsDamaged) {
  const auto input = image("a.png");
  text("bad/bad.json", "{");
  const Result result = run(view_of("people"), {input}, folder_ / "bad");
  EXPECT_THAT(fact(result, "truth"), HasSubstr("bad.json"));
  EXPECT_GT(result.summary.size(), 10U);
}

TEST_F(TruthTest, HasThePeopleOfFramesFromMotTexts) {
  const auto walk = video("walk.y4m", 4);
  const std::string mot = "1,7,9,17,40,120,1,1,1\n3,7,11,17,40,120,1,1,1\n3,8,50,17,40,120,0,1,1\n";
  const std::string file = text("gt.txt", mot);
  text("named/walk.txt", mot);
  text("challenge/walk/gt/gt.txt", mot);
  for (const std::string& path : {file, folder_ / "named", folder_ / "challenge"}) {
    const Truth truth(path);
    const auto people = truth.people(*walk, 2);
    ASSERT_TRUE(people && people->size() == 2) << path;
    EXPECT_EQ(people->front().box, (Rect<float>{10, 16, 40, 120}));
    EXPECT_EQ(people->front().label, "7");
    EXPECT_TRUE(people->back().ignore);
    ASSERT_TRUE(truth.people(*walk, 1)) << path;  // nobody is there
    EXPECT_TRUE(truth.people(*walk, 1)->empty());
  }
  EXPECT_FALSE(Truth(folder_ / "named").people(*video("other.y4m", 2), 0));
}

TEST_F(TruthTest, HasThePeopleOfFramesFromCoco) {
  const auto walk = video("walk.y4m", 4);
  const std::string file = text(
      "coco/all.json",
      R"({"images": [{"id": 1, "file_name": "clips/walk.mp4", "frame": 2}, {"id": 2, "file_name": "walk_000003.jpg"},
                     {"id": 3, "file_name": "run.mp4", "frame": 1}],
          "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]},
                          {"id": 2, "image_id": 2, "category_id": 1, "bbox": [5, 6, 7, 8]}],
          "categories": [{"id": 1, "name": "person"}]})");
  for (const std::string& path : {file, folder_ / "coco"}) {
    const Truth truth(path);
    EXPECT_EQ(truth.people(*walk, 2)->front().box, (Rect<float>{1, 2, 3, 4}));
    EXPECT_EQ(truth.people(*walk, 3)->front().box, (Rect<float>{5, 6, 7, 8}));
    EXPECT_FALSE(truth.people(*walk, 1)) << "this frame is not listed";
  }
}

TEST_F(TruthTest, HasWhatHappensInVideos) {
  const auto walk = video("clips/walk.y4m", 4), other = video("clips/other.y4m", 4);
  const Truth list(text("clips/list.txt",
                        "walk.y4m wave ann 2-3\nwalk.y4m jump ann 4-4\n"
                        "other.y4m jump bob\n"));
  const std::vector<SavedEvent> events = list.events(*walk);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "wave");
  EXPECT_EQ(events[0].first, 1);
  EXPECT_EQ(events[0].last, 2);
  EXPECT_TRUE(events[0].truth);
  EXPECT_EQ(list.events(*other).size(), 1U);
  EXPECT_FALSE(list.people(*walk, 0));
  const Truth lines(
      text("e.jsonl", "{\"name\": \"run\", \"first_frame\": 1, \"last_frame\": 3}\n"));
  EXPECT_EQ(lines.events(*walk).front().name, "run");
  EXPECT_TRUE(lines.events(*image("a.png")).empty());
}

TEST_F(TruthTest, ComparesEachFrameOfAVideo) {
  const auto walk = video("walk.y4m", 4);
  const auto truth = std::make_shared<const Truth>(text("gt.txt", "3,7,9,17,40,120,1,1,1\n"));
  for (const auto& [frame, missed] : {std::pair(1, 0), {2, 1}}) {
    const Result result = view_of("people")->run(
        {.inputs = {walk}, .frame = frame, .options = {{"threshold", "99"}}, .truth = truth},
        {.device = Device::cpu(), .threads = 1});
    EXPECT_EQ(count(result, MarkKind::kMissed), missed) << frame;
    EXPECT_EQ(fact(result, "missed"), std::to_string(missed));
  }
}

// Frames that are seen one after the other are compared, too, and so is a target.
TEST_F(TruthTest, ComparesFramesThatPlay) {
  const auto walk = video("walk.y4m", 4);
  const auto truth =
      std::make_shared<const Truth>(text("gt.txt", "1,7,9,17,40,120\n2,7,9,17,40,120\n"));
  const Exec exec{.device = Device::cpu(), .threads = 1};
  const auto people = view_of("people");
  const auto running =
      people->begin({.inputs = {walk}, .options = {{"threshold", "99"}}, .truth = truth}, exec);
  EXPECT_EQ(count(running->next({walk->frame(1), 1}), MarkKind::kMissed), 1);
  EXPECT_EQ(count(running->next({walk->frame(2), 2}), MarkKind::kMissed), 0);
  const auto track = view_of("track");
  const auto following =
      track->begin({.inputs = {walk}, .box = Rect<int>{8, 16, 40, 120}, .truth = truth}, exec);
  following->begin({walk->frame(0), 0});
  EXPECT_THAT(following->next({walk->frame(1), 1}).summary,
              HasSubstr("Its overlap with the truth is "));
}

TEST_F(TruthTest, IsALayerOfTheFrameThatIsSeen) {
  const auto walk = video("walk.y4m", 4);
  SavedResults saved;
  saved.show_truth(std::make_shared<const Truth>(text("gt.txt", "2,7,9,17,40,120\n")), inputs_);
  EXPECT_EQ(nlohmann::json::parse(saved.list_json())["files"][0]["truth"], true);
  const auto said = [&](const std::shared_ptr<Input>& input, std::int64_t frame) {
    return nlohmann::json::parse(saved.input_json(input->id(), frame))["files"];
  };
  EXPECT_EQ(said(walk, 1)[0]["boxes"][0]["label"], "7");
  EXPECT_EQ(said(walk, 1)[0]["boxes"][0]["truth"], true);
  EXPECT_TRUE(said(walk, 2)[0]["boxes"].empty());
  EXPECT_TRUE(said(image("a.png"), 0).empty());
}

// What is wrong with a truth is said once in the place of it, and nothing else fails.
TEST_F(TruthTest, NamesWhatIsWrongAboutAVideo) {
  const auto walk = video("walk.y4m", 4);
  for (const char* bad :
       {"1,7,9,17,40\n", "1,7,9,17,40,x\n", "1,7,9,17,40,120\n1,7,9,17,40,120\n",
        "0,7,9,17,40,120\n", "1,7,9,17,-40,120\n", "99999999999999999999,7,9,17,40,120\n"}) {
    // A file is refused at once; of a folder it is said where the video is seen.
    const std::string file = text("bad/walk.txt", bad);
    EXPECT_THAT(test::message_of<FormatError>([&] { Truth truth(file); }), HasSubstr("walk.txt"));
    SavedResults saved;
    saved.show_truth(std::make_shared<const Truth>(folder_ / "bad"), inputs_);
    const auto said = nlohmann::json::parse(saved.input_json(walk->id(), 0))["files"];
    ASSERT_EQ(said.size(), 1U) << bad;
    EXPECT_THAT(said[0]["text"].get<std::string>(), HasSubstr("walk.txt")) << bad;
  }
  const std::string coco_file =
      text("coco/bad.json",
           R"({"images": [{"id": 1, "file_name": "walk.mp4", "frame": -3}], "annotations": []})");
  EXPECT_THAT(test::message_of<FormatError>([&] { Truth truth(coco_file); }),
              HasSubstr("impossible frame -3"));
  const Truth damaged(folder_ / "coco");
  EXPECT_THAT(test::message_of<FormatError>([&] { damaged.people(*walk, 0); }),
              HasSubstr("impossible frame -3"));
  EXPECT_THROW(damaged.people(*walk, 1), FormatError);  // and says so again
}

TEST_F(TruthTest, RefusesDamagedListsAndLabels) {
  video("walk.y4m", 4);
  image("coast.png");
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    const std::string file = text(name, bytes);
    return test::message_of<FormatError>([&] { Truth truth(file); });
  };
  EXPECT_THAT(refused("clips.txt", "walk.y4m wave ann 2-3\nwalk.y4m jump ann 9-2\n"),
              HasSubstr("line 2: frames \"9-2\""));
  EXPECT_THAT(refused("clips.txt", "gone.y4m wave ann\nwalk.y4m jump ann\n"),
              HasSubstr("gone.y4m is not there"));
  EXPECT_THAT(refused("images.txt", "coast.png coast\ngone.png forest\n"),
              HasSubstr("gone.png is no file"));
  EXPECT_THAT(refused("events.jsonl", "{\n"), HasSubstr("events.jsonl"));
  EXPECT_THAT(refused("parts.seg", "1\nx\n"), HasSubstr("parts.seg"));
  EXPECT_NE(refused("motion.flo", "PIEH"), "");
  image("forest.png");
  const Truth places(text("images.txt", "coast.png coast\nforest.png forest\n"));
  EXPECT_TRUE(places.events(*video("run.y4m", 2)).empty());  // it lists no clips
}

TEST_F(TruthTest, FindsMotionByTheNamesOfKittiAndMiddlebury) {
  const auto kitti = image("image_2/000000_10.png"), middlebury = image("Whale/frame10.png");
  flow("flow/000000_10.png", 96, 160, 1);
  flow("other/Whale/flow10.flo", 96, 160, 2);
  flow("Whale/flow10.flo", 96, 160, 3);
  EXPECT_EQ(Truth(folder_ / "flow").flow(*kitti)->u.at(0, 0), 1);
  EXPECT_EQ(Truth(folder_ / "other").flow(*middlebury)->u.at(0, 0), 2);
  EXPECT_EQ(Truth(folder_ / "Whale").flow(*middlebury)->u.at(0, 0), 3);
  EXPECT_EQ(Truth(folder_ / "Whale/flow10.flo").flow(*kitti)->u.at(0, 0), 3);
  EXPECT_FALSE(Truth(folder_ / "image_2").flow(*kitti)) << "an image is no truth about itself";
}

TEST_F(TruthTest, ShowsTheErrorOfMotion) {
  const auto first = image("frame10.png"), second = image("frame11.png");  // the same pixels
  flow("flow10.flo", 96, 160, 2);
  const Result result = run(view_of("flow"), {first, second}, folder_.path());
  EXPECT_EQ(result.layers.back().name, "error");
  EXPECT_EQ(result.layers[result.layers.size() - 2].name, "truth");
  EXPECT_THAT(result.summary, HasSubstr("2.00 pixels beside the truth"));
  const auto other = image("frame12.png", 64, 64), last = image("frame13.png", 64, 64);
  flow("flow12.flo", 32, 32, 1);
  EXPECT_NE(fact(run(view_of("flow"), {other, last}, folder_.path()), "truth"), "none");
}

TEST_F(TruthTest, ComparesPartsWithThoseOfPeople) {
  const auto mesh = added(text("meshes/12.off", kOff));
  text("seg/12/12_0.seg", "0\n0\n1\n1\n");
  text("seg/12/12_1.seg", "0\n0\n0\n0\n");
  const Result result = run(view_of("mesh"), {mesh}, folder_ / "seg");
  ASSERT_EQ(result.surfaces.size(), 3U);
  EXPECT_EQ(result.surfaces.back().title, "Truth 2 of 2");
  EXPECT_EQ(result.surfaces.back().colors.size(), 4U);
  EXPECT_THAT(result.summary, HasSubstr("Rand error"));
  const Result wrong = run(view_of("mesh"), {mesh}, text("short.seg", "0\n"));
  EXPECT_THAT(fact(wrong, "truth"), HasSubstr("expected one per face"));
}

TEST_F(TruthTest, KnowsPlacesByTheirFolders) {
  const auto coast = image("places/coast/a.png", 32, 32),
             forest = image("places/forest/b.png", 32, 32);
  const auto copy = image("b.png", 32, 32);
  const Truth truth(folder_ / "places");
  const std::vector<std::string> classes{"coast", "forest"};
  EXPECT_EQ(truth.place(*coast, classes), "coast");
  EXPECT_EQ(truth.place(*forest, classes), "forest");
  EXPECT_EQ(truth.place(*copy, classes), "forest") << "by its name";
  EXPECT_EQ(truth.place(*coast, {"street"}), "") << "no class of the model";
}

}  // namespace
}  // namespace fovea::view
