// A verb that is one Operation is on the page as well: its form, its run, its boxes, and a file for
// each of its outputs. The list of operations is that of operation_test.cpp.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/program/program.h"
#include "view/session_fixture.h"

namespace fovea::view {
namespace {

class ANewVerbOnThePage : public SessionFixture {
 protected:
  ANewVerbOnThePage() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
    Image<std::uint8_t> image(40, 20);
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 40; ++x) image.at(x, y) = x >= 8 && x < 12 && y < 2 ? 200 : 20;
    io::write_image("a.png", image.view());
    session_.inputs().add_paths({"a.png"});
    address_ = run({{"system", "ops"},
                    {"inputs", {session_.inputs().all().front()->id()}},
                    {"options", {{"above", "99"}}}});
  }
  ~ANewVerbOnThePage() override { std::filesystem::current_path(before_); }

  static std::string printed(std::vector<std::string> more) {
    more.insert(more.begin(), {"ops", "bright", "a.png", "--above", "99", "--device", "cpu"});
    return cli::run_here(more).out;
  }

  test::TempFolder folder_;
  std::string address_;

 private:
  std::filesystem::path before_;
};

TEST_F(ANewVerbOnThePage, HasAForm) {
  const json systems = parsed(get("/systems"))["systems"];
  for (const json& system : systems)
    if (system["name"] == "ops") {
      EXPECT_EQ(system["title"], "Bright pixels");
      EXPECT_EQ(system["text"], "Counts the bright pixels of images.");
      ASSERT_EQ(system["controls"].size(), 1U);
      EXPECT_EQ(system["controls"][0]["name"], "above");
      EXPECT_EQ(system["controls"][0]["help"], "pixels above this are bright");
      return;
    }
  ADD_FAILURE() << "it is not there";
}

TEST_F(ANewVerbOnThePage, HasMarksAndFactsAndLines) {
  const json result = parsed(get(address_));
  EXPECT_EQ(result["summary"], "8 bright pixels.");
  ASSERT_EQ(result["marks"].size(), 2U);
  EXPECT_EQ(result["marks"][1]["box"], json({8, 1, 4, 1}));
  EXPECT_EQ(result["facts"][1], json({{"name", "bright"}, {"value", "8"}}));
  EXPECT_EQ(result["command"], "fovea ops bright a.png --above 99 --json");
  EXPECT_EQ(result["python"], "fovea.ops.bright(\"a.png\", above=99)");
}

TEST_F(ANewVerbOnThePage, IsSavedAsTheProgramWritesIt) {
  const json files = parsed(get(address_))["files"];
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0]["file"], "a_ops_bright_mask.png");
  EXPECT_EQ(files[0]["help"], "the picture of the bright pixels");
  printed({"--mask", "mask.png"});
  EXPECT_EQ(get(address_ + "/save/0").body, test::load("mask.png"));
  EXPECT_EQ(files[1]["file"], "a_ops_bright_numbers.txt");
  printed({"--numbers", "all.txt"});
  EXPECT_EQ(get(address_ + "/save/1").body, test::load("all.txt"));
  EXPECT_EQ(get(address_ + "/result.json").body, printed({"--json", "--manifest", "m"}));
}

}  // namespace
}  // namespace fovea::view
