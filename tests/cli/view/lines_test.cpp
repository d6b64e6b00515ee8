// The lines that the view prints for a frame of a video: run by the program, they give what was
// shown.
#include <fovea/io/flow_io.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "view/system.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

constexpr int kFrame = 3;

class ViewLines : public testing::Test {
 protected:
  // Someone who walks faster and faster, so that every frame gives another result.
  ViewLines() {
    likeness().write(folder_ / "model.safetensors");
    io::VideoWriter writer(folder_ / "walk.y4m", {.frame_rate = 10});
    for (int i = 0; i < 6; ++i) {
      Image<std::uint8_t> frame = street(160, 176, 3);
      draw_someone(frame.view(), 2 * i * i, 16);
      writer.write(frame);
    }
    writer.finish();
    inputs_.add_paths({folder_ / "walk.y4m"});
  }

  view::Result shown(std::string_view system, const std::string& model,
                     std::optional<Rect<int>> box = {}) const {
    const std::string list = inputs_.list_json();
    const std::string id = json::parse(list)[0]["id"];
    const view::Systems systems = view::make_systems(model);
    return view::find_system(systems, system)
        ->run({.inputs = {inputs_.find(id)}, .frame = kFrame, .model = model, .box = box},
              {.device = Device::cpu(), .threads = 1});
  }
  // Runs a line, with the files that it writes in the folder of this test.
  Ended run_line(const std::string& line) const {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
      const bool file = !words.empty() && (words.back() == "-o" || words.back() == "--picture");
      words.push_back(file ? folder_ / word : word);
    }
    EXPECT_EQ(words.front(), "fovea");
    words.erase(words.begin());
    Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kDone) << line << "\n" << ended.err;
    return ended;
  }

  test::TempFolder folder_{};
  view::Inputs inputs_{};
};

TEST_F(ViewLines, FindThePeopleOfTheFrame) {
  const std::string model = folder_ / "model.safetensors";
  const view::Result result = shown("people", model);
  const json line = json::parse(run_line(result.command + " --device cpu").out);
  const json& frames = line["results"][0]["frames"];
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0]["frame"], kFrame);
  EXPECT_GT(frames[0]["people"].size(), 0U);
  const json saved = json::parse(result.json);
  EXPECT_EQ(saved["results"], line["results"]) << "the page saves what the program prints";
  EXPECT_EQ(saved["command"], line["command"]);
  for (const auto& [name, value] : saved["options"].items())
    EXPECT_EQ(line["options"][name], value) << name;
}

TEST_F(ViewLines, EstimateTheMotionFromTheFrame) {
  const view::Result result = shown("flow", "");
  run_line(result.command);
  std::vector<std::string> fields;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
    if (entry.path().extension() == ".flo") fields.push_back(entry.path().string());
  ASSERT_EQ(fields.size(), 1U);
  const io::FlowField field = io::read_flow(fields.front());
  double sum = 0;
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x) sum += std::hypot(field.u.at(x, y), field.v.at(x, y));
  EXPECT_NEAR(sum / (field.width() * field.height()), json::parse(result.json)["mean_motion"],
              1e-6);
}

TEST_F(ViewLines, MapTheColorsOfTheFrame) {
  if (!io::video_feature().usable) GTEST_SKIP() << "no FFmpeg, which writes the picture as a video";
  const view::Result result = shown("emd", "", Rect<int>{40, 30, 12, 12});
  const json printed = json::parse(run_line(result.command + " --json").out);
  const json saved = json::parse(result.json);
  for (const char* name : {"command", "width", "height", "target", "low", "high", "ground"}) {
    ASSERT_TRUE(printed.contains(name)) << name;
    EXPECT_EQ(saved[name], printed[name]) << name;
  }
  const io::AnyImage map = io::read_image(folder_ / "map.tif");
  EXPECT_EQ(io::to_float(map).width(), saved["width"].get<int>());
}

TEST_F(ViewLines, NameTheFrameToPythonWhereAVerbTakesImagesOnly) {
  const view::Result result = shown("scenes", "");
  EXPECT_THAT(result.command, testing::StartsWith("python3 -c 'import fovea; print("));
  EXPECT_THAT(result.command, testing::HasSubstr("start=3"));
}

}  // namespace
}  // namespace fovea::cli
