// Earlier results as the page asks for them.
#include "view/saved_results/saved_results.h"

#include <fovea/core/error.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>
#include <fovea/io/image_memory.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/mesh_io.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/server.h"
#include "view/saved_results/find_input.h"
#include "view/session.h"
#include "view/view.h"

namespace fovea::view {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class SavedResultsTest : public testing::Test {
 protected:
  void save_image(const std::string& name, int width = 40, int height = 30) {
    io::write_image(folder_ / name, Image<std::uint8_t>(width, height, 3).view());
  }
  std::string save(const std::string& name, const std::string& text) {
    test::save(folder_ / name, text);
    return folder_ / name;
  }
  std::string save_coco(const std::string& image) {
    return save("all.json", json{{"images", {{{"id", 1}, {"file_name", image}}}},
                                 {"annotations",
                                  {{{"image_id", 1}, {"bbox", {1, 2, 10, 20}}, {"score", 0.5}},
                                   {{"image_id", 1}, {"bbox", {5, 2, 10, 20}}, {"score", 1.5}}}}}
                                .dump());
  }
  // An evaluation with one curve, one image and two mistakes.
  std::string save_evaluation(const std::string& image) {
    report::Evaluation evaluation{.system = "people", .title = "People", .summary = "One image."};
    evaluation.charts.push_back({.title = "Miss rate",
                                 .threshold = "score",
                                 .option = "threshold",
                                 .curves = {{"hog", 0.5, {{1, 0, 1, {}}, {0, 1, 0, {}}}}}});
    std::vector<std::string> files;  // none where nobody named the image
    if (!image.empty()) files.push_back(image);
    evaluation.inputs.push_back({.files = files, .boxes = {{{1, 2, 10, 20}, 0.7}, {{3, 3, 9, 9}}}});
    evaluation.mistakes.push_back({.kind = "False positives",
                                   .text = "score 0.70",
                                   .up_to = 0.7,
                                   .box = Rect<double>{1, 2, 10, 20}});
    evaluation.mistakes.push_back({.kind = "Missed people", .text = "not found"});
    std::string text;
    io::JsonWriter out(io::string_sink(text));
    out.begin_object().key("evaluation");
    report::write_evaluation(out, evaluation);
    out.end_object().finish();
    return save("evaluation.json", text);
  }
  json said(const std::shared_ptr<Input>& input, std::int64_t frame = 0) {
    return json::parse(saved_.input_json(input->id(), frame));
  }

  test::TempFolder folder_{};
  Inputs inputs_{};
  SavedResults saved_{};
};

TEST_F(SavedResultsTest, FindsImagesBesideTheFile) {
  save_image("a.png");
  saved_.add(save_coco("a.png"), inputs_, {});
  ASSERT_EQ(inputs_.all().size(), 1U);
  const json boxes = said(inputs_.all()[0])["files"][0]["boxes"];
  EXPECT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[1]["score"], 1.5);
  const json list = json::parse(saved_.list_json())["files"][0];
  EXPECT_EQ(list["name"], "all.json");
  EXPECT_EQ(list["summary"], "COCO JSON: 2 boxes in 1 input.");
  EXPECT_EQ(list["least"], 0.5);
  EXPECT_EQ(list["greatest"], 1.5);
  EXPECT_TRUE(saved_.notes().empty());
}

TEST_F(SavedResultsTest, FindsImagesInNamedFoldersByTheirLastName) {
  std::filesystem::create_directory(folder_ / "photos");
  save_image("photos/a.png");
  saved_.add(save_coco("/elsewhere/deep/a.png"), inputs_, {folder_ / "photos"});
  ASSERT_EQ(inputs_.all().size(), 1U);
  EXPECT_EQ(said(inputs_.all()[0])["files"].size(), 1U);
}

TEST_F(SavedResultsTest, KnowsAnImageThatIsNamedTwice) {
  save_image("a.png");
  inputs_.add_paths({folder_ / "a.png"});
  saved_.add(save_coco("./a.png"), inputs_, {});
  EXPECT_EQ(inputs_.all().size(), 1U);
}

TEST_F(SavedResultsTest, NamesImagesThatAreMissing) {
  saved_.add(save_coco("gone.png"), inputs_, {});
  ASSERT_EQ(saved_.notes().size(), 1U);
  EXPECT_THAT(saved_.notes()[0], HasSubstr("all.json: 1 input was not found: gone.png"));
  EXPECT_TRUE(inputs_.all().empty());
}

TEST_F(SavedResultsTest, SaysWhatItLacksAndTakesInputsThatComeLater) {
  saved_.add(save_coco("photos/a.png"), inputs_, {});
  saved_.add(save_evaluation("a.png"), inputs_, {});
  saved_.add(save("walk.jsonl", R"({"name": "walk", "first_frame": 2, "last_frame": 5})"), inputs_,
             {});
  json list = json::parse(saved_.list_json())["files"];
  EXPECT_EQ(list[0]["missing"][0]["name"], "photos/a.png");
  EXPECT_EQ(list[0]["missing"][0]["boxes"], 2);
  EXPECT_EQ(list[0]["missing"][0]["greatest"], 1.5);
  EXPECT_EQ(list[2]["missing"][0]["events"], 1);
  const Image<std::uint8_t> image(40, 30, 3);
  inputs_.add_upload("a.png", io::png_bytes(image));
  saved_.look_again(inputs_);
  list = json::parse(saved_.list_json())["files"];
  EXPECT_TRUE(list[0]["missing"].empty());
  EXPECT_EQ(list[0]["summary"], "COCO JSON: 2 boxes in 1 input.");
  EXPECT_EQ(list[2]["missing"].size(), 1U) << "an image is not the video that it is about";
  const json files = said(inputs_.all()[0])["files"];
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0]["boxes"].size(), 2U);
  EXPECT_THAT(saved_.mistake_png(1, 0, 64), HasSubstr("PNG"));
  saved_.look_again(inputs_);
  EXPECT_EQ(said(inputs_.all()[0])["files"].size(), 2U) << "nothing is placed twice";
}

TEST_F(SavedResultsTest, AnInputIsNotChosenAmongNamesakes) {
  for (const char* folder : {"one", "two"}) {
    std::filesystem::create_directory(folder_ / folder);
    save_image(std::string(folder) + "/a.png");
  }
  inputs_.add_paths({folder_ / "one", folder_ / "two"});
  saved_.add(save_coco("gone/a.png"), inputs_, {});
  EXPECT_EQ(json::parse(saved_.list_json())["files"][0]["missing"].size(), 1U);
}

TEST_F(SavedResultsTest, ResultsOfAPageOpenNoFilesOfTheMachine) {
  save_image("a.png");
  EXPECT_EQ(saved_.add_sent(read_saved(save_coco(folder_ / "a.png")), inputs_), "");
  EXPECT_TRUE(inputs_.all().empty());
  inputs_.add_paths({folder_ / "a.png"});
  EXPECT_EQ(saved_.add_sent(read_saved(save_coco("/elsewhere/a.png")), inputs_),
            inputs_.all()[0]->id());
  EXPECT_EQ(said(inputs_.all()[0])["files"].size(), 1U);
}

TEST_F(SavedResultsTest, OpensNothingThatIsNoInput) {
  save("secret.txt", "x");
  saved_.add(save_coco("secret.txt"), inputs_, {});
  EXPECT_TRUE(inputs_.all().empty());
}

TEST_F(SavedResultsTest, PutsTracksOnTheImagesOfAFolder) {
  save_image("000001.png");
  save_image("000002.png");
  inputs_.add_paths({folder_.path()});
  saved_.add(save("tracks.txt", "2,3,11,21,30,40,0.5,-1,-1,-1\n"), inputs_, {});
  EXPECT_TRUE(said(inputs_.all()[0])["files"].empty());
  EXPECT_EQ(said(inputs_.all()[1])["files"][0]["boxes"][0]["label"], "3");
}

TEST_F(SavedResultsTest, ShowsMotionAsALayerOfTheImageOfItsSize) {
  save_image("small.png", 8, 8);
  save_image("large.png", 40, 30);
  Image<float> u(40, 30, 1), v(40, 30, 1);
  io::write_flow(folder_ / "motion.flo", {u, v});
  inputs_.add_paths({folder_ / "small.png", folder_ / "large.png"});
  saved_.add(folder_ / "motion.flo", inputs_, {});
  const std::shared_ptr<Input> large = inputs_.all()[1];
  const json layers = said(large)["layers"];
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0]["title"], "Earlier motion");
  EXPECT_EQ(layers[0]["width"], 40);
  EXPECT_NE(saved_.layer(large->id(), std::string(layers[0]["name"])), nullptr);
  EXPECT_EQ(saved_.layer(large->id(), "none"), nullptr);
  EXPECT_TRUE(said(inputs_.all()[0])["layers"].empty());
}

TEST_F(SavedResultsTest, ShowsPartsAsALayerOfTheMesh) {
  save("tetra.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
  inputs_.add_paths({folder_ / "tetra.off"});
  saved_.add(save("parts.seg", "0\n0\n1\n1\n"), inputs_, {});
  const std::string mesh = inputs_.all()[0]->id();
  const json layers = said(inputs_.all()[0])["layers"];
  EXPECT_EQ(layers[0]["title"], "Earlier parts");
  const std::vector<report::Color> colors = saved_.surface(mesh, std::string(layers[0]["name"]));
  ASSERT_EQ(colors.size(), 4U);
  EXPECT_EQ(colors[0], colors[1]);
  EXPECT_NE(colors[1], colors[2]);
  EXPECT_TRUE(saved_.surface(mesh, "none").empty());
  saved_.add(save("tetra.seg", "0\n1\n"), inputs_, {});  // its namesake, but with too few labels
  const std::string namesake = said(inputs_.all()[0])["layers"][1]["name"];
  EXPECT_THAT(test::message_of<FormatError>([&] { saved_.surface(mesh, namesake); }),
              HasSubstr("2 labels for"));
}

TEST_F(SavedResultsTest, ShowsThePartsInsideOfAMesh) {
  io::TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const std::vector<std::int32_t> labels{0, 0, 1, 1};
  const std::vector<std::array<std::uint8_t, 3>> colors(4);
  io::write_mesh(folder_ / "parts.ply", mesh, {.labels = labels, .colors = colors});
  io::write_mesh(folder_ / "plain.ply", mesh);
  inputs_.add_paths({folder_ / "parts.ply", folder_ / "plain.ply"});
  for (const auto& input : inputs_.all()) saved_.add_labels_inside(*input, inputs_);
  ASSERT_EQ(inputs_.all().size(), 2U);
  const json layers = said(inputs_.all()[0])["layers"];
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0]["title"], "Parts of the file");
  EXPECT_EQ(layers[0]["shown"], true);
  const std::vector<report::Color> shown =
      saved_.surface(inputs_.all()[0]->id(), std::string(layers[0]["name"]));
  ASSERT_EQ(shown.size(), 4U);
  EXPECT_EQ(shown[0], shown[1]);
  EXPECT_NE(shown[1], shown[2]);
  EXPECT_TRUE(said(inputs_.all()[1])["layers"].empty());
}

TEST_F(SavedResultsTest, PutsYoloLabelsOnImagesAndFramesOfTheirNames) {
  save_image("a.png");
  test::save(folder_ / "walk.y4m", test::y4m_video(40, 20, 3));
  std::filesystem::create_directory(folder_ / "labels");
  save("labels/a.txt", "0 0.5 0.5 0.5 0.5\n");
  save("labels/walk_000002.txt", "0 0.25 0.5 0.5 1 0.75\n");
  save("labels/gone.txt", "0 0.25 0.5 0.5 1\n");
  inputs_.add_paths({folder_ / "a.png", folder_ / "walk.y4m"});
  saved_.add(folder_ / "labels", inputs_, {});
  EXPECT_THAT(saved_.notes()[0], HasSubstr("1 input was not found: gone"));
  const json image = said(inputs_.all()[0])["files"][0]["boxes"][0];
  EXPECT_THAT(image["box"], ElementsAre(10, 7.5, 20, 15));
  EXPECT_EQ(said(inputs_.all()[1], 0)["files"].size(), 0U);
  const json frame = said(inputs_.all()[1], 2)["files"][0]["boxes"][0];
  EXPECT_THAT(frame["box"], ElementsAre(0, 0, 20, 20));
  EXPECT_EQ(frame["score"], 0.75);
}

TEST_F(SavedResultsTest, KnowsTheNumberInAFramesName) {
  EXPECT_EQ(frame_number("walk_000012", "walk"), 12);
  for (const char* name :
       {"walk", "walk_", "walk_x", "walk_1x", "walk_-1", "run_000012", "walk_99999999999999999999"})
    EXPECT_FALSE(frame_number(name, "walk")) << name;
}

TEST_F(SavedResultsTest, ShowsEventsOverTime) {
  test::save(folder_ / "walk.y4m", test::y4m_video(40, 20, 8));
  inputs_.add_paths({folder_ / "walk.y4m"});
  saved_.add(
      save("walk.jsonl",
           R"({"name": "walk", "score": 0.5, "first_frame": 2, "last_frame": 5, "box": [1, 2, 3, 4]}
{"name": "wave", "score": 0.25, "first_frame": 6, "last_frame": 7})"),
      inputs_, {});
  EXPECT_EQ(json::parse(saved_.list_json())["files"][0]["summary"],
            "actions recognize: 2 events in 1 input.");
  EXPECT_EQ(json::parse(saved_.list_json())["files"][0]["least"], 0.25);
  for (const auto& [frame, boxes] : {std::pair(0, 0), {2, 1}, {5, 1}, {6, 0}}) {
    const json file = said(inputs_.all()[0], frame)["files"][0];
    EXPECT_EQ(file["events"].size(), 2U);
    EXPECT_EQ(file["boxes"].size(), static_cast<std::size_t>(boxes)) << frame;
  }
  saved_.add(save("other.jsonl",
                  R"({"name": "a", "first_frame": 2, "last_frame": 5, "input": "none.y4m"})"),
             inputs_, {});
  EXPECT_THAT(saved_.notes()[0], HasSubstr("none.y4m"));
}

TEST_F(SavedResultsTest, GivesEvaluationsWithoutPaths) {
  save_image("a.png");
  saved_.add(save_evaluation("a.png"), inputs_, {});
  const std::string text = saved_.evaluation_json(0);
  EXPECT_EQ(text.find(folder_.path()), text.npos);
  const json page = json::parse(text);
  EXPECT_THAT(page["names"], ElementsAre("a.png"));
  EXPECT_EQ(page["evaluation"]["inputs"][0]["files"][0], inputs_.all()[0]->id());
  const json boxes = said(inputs_.all()[0])["files"][0]["boxes"];
  EXPECT_EQ(boxes[0]["group"], "hog");
  EXPECT_EQ(boxes[1]["truth"], true);
  EXPECT_THAT(saved_.mistake_png(0, 0, 64), HasSubstr("PNG"));
  EXPECT_THAT(saved_.mistake_png(0, 1, 64), HasSubstr("PNG"));
  EXPECT_EQ(saved_.mistake_png(0, 2, 64), "");
  EXPECT_EQ(saved_.evaluation_json(1), "");
}

TEST_F(SavedResultsTest, ListsMistakesOfImagesThatAreMissing) {
  saved_.add(save_evaluation("gone.png"), inputs_, {});
  const json page = json::parse(saved_.evaluation_json(0));
  EXPECT_TRUE(page["evaluation"]["inputs"][0]["files"].empty());
  EXPECT_EQ(saved_.mistake_png(0, 0, 64), "");
}

// An evaluation may know no file of its inputs: then none is missed.
TEST_F(SavedResultsTest, LooksForNoImageThatNobodyNamed) {
  saved_.add(save_evaluation(""), inputs_, {});
  EXPECT_TRUE(saved_.notes().empty());
  const json page = json::parse(saved_.evaluation_json(0));
  EXPECT_EQ(page["names"][0], "an input that was not named");
  EXPECT_EQ(page["evaluation"]["mistakes"].size(), 2U);
  EXPECT_EQ(saved_.mistake_png(0, 0, 64), "");
}

TEST_F(SavedResultsTest, AnswersThePage) {
  save_image("a.png");
  Session session({.exec = {.device = Device::cpu(), .threads = 1}});
  session.saved_results().add(save_evaluation("a.png"), session.inputs(), {});
  const std::string id = session.inputs().all()[0]->id();
  const auto get = [&](const std::string& target) {
    return session.respond({.method = "GET", .target = *parse_target(target)});
  };
  EXPECT_EQ(json::parse(get("/earlier").body)["files"][0]["evaluation"], true);
  EXPECT_EQ(json::parse(get("/earlier/" + id + "?frame=0").body)["files"].size(), 1U);
  EXPECT_TRUE(json::parse(get("/earlier/none").body)["files"].empty());
  EXPECT_EQ(json::parse(get("/evaluations/0").body)["evaluation"]["system"], "people");
  EXPECT_EQ(get("/evaluations/0/mistakes/0").type, "image/png");
  EXPECT_FALSE(get("/evaluations/0/mistakes/0").lasting);
  for (const char* nothing :
       {"/evaluations", "/evaluations/9", "/evaluations/x", "/evaluations/0/mistakes/9",
        "/evaluations/0/mistakes", "/earlier/x/tile/none/0/0/0", "/earlier/x/y"})
    EXPECT_EQ(get(nothing).status, 404) << nothing;
}

TEST_F(SavedResultsTest, TakesFilesOfResultsFromTheCommandLine) {
  save_image("a.png");
  std::vector<std::string> notes;
  const View view(
      {.inputs = {save_coco("gone.png"), folder_.path()}, .exec = {.device = Device::cpu()}},
      [&](const std::string& line) { notes.push_back(line); });
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_THROW(View({.inputs = {save("bad.json", "{")}}, [](const std::string&) {}), FormatError);
  std::filesystem::create_directory(folder_ / "labels");
  save("labels/a.txt", "0 0.5 0.5 0.5 0.5\n");
  notes.clear();
  const View labeled({.inputs = {folder_ / "labels", folder_ / "a.png"}},
                     [&](const std::string& line) { notes.push_back(line); });
  EXPECT_TRUE(notes.empty());
  save("labels/b.txt", "0 0.5 0.5\n");
  EXPECT_THROW(View({.inputs = {folder_ / "labels"}}, [](const std::string&) {}), FormatError);
}

}  // namespace
}  // namespace fovea::view
