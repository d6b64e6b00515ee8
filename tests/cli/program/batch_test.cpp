// Many inputs, one command: names of results, failures, devices, progress.
#include "cli/program/batch.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OutputPaths, OneInput) {
  const test::TempFolder folder;
  EXPECT_THAT(output_paths("b.png", {"x/a.jpg"}), ElementsAre("b.png"));
  EXPECT_THAT(output_paths(folder.path(), {"x/a.jpg"}), ElementsAre(folder / "a.jpg"));
  EXPECT_THAT(output_paths(folder / "new/", {"x/a.jpg"}), ElementsAre(folder / "new/a.jpg"));
  EXPECT_THAT(output_paths(folder.path(), {"x/a.jpg"}, ".npy"), ElementsAre(folder / "a.npy"));
  EXPECT_THAT(output_paths(folder.path(), {"-"}), ElementsAre(folder / "stdin.png"));
  EXPECT_THAT(output_paths(folder / "{}-b.tif", {"x/a.jpg"}), ElementsAre(folder / "a-b.tif"));
}

TEST(OutputPaths, MustNotCollide) {
  const test::TempFolder folder;
  EXPECT_EQ(test::message_of<InvalidArgument>([&] {
              output_paths("c.png", {"a.png", "b.png"});
            }),
            "-o c.png names one file, but there are 2 inputs; give a folder, or a pattern such as "
            "out/{}.png");
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                output_paths(folder.path(), {"x/a.png", "y/a.png"});
              }),
              HasSubstr("x/a.png and y/a.png would both be written to"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                output_paths(folder.path(), {"a.png", "a.jpg"}, ".npy");
              }),
              HasSubstr("a.png and a.jpg would both be written to"));
}

TEST(Batch, NamesWhatFailedAndDoesTheRest) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "in");
  write_ramp(folder / "in/a.png");
  write_ramp(folder / "in/c.png");
  test::save(folder / "in/b.png", test::load(folder / "in/a.png").substr(0, 50));
  const Ended ended =
      run_program({"ops", "gradient", folder / "in", "-o", folder / "out", "--json"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_THAT(ended.err, testing::StartsWith("fovea: " + (folder / "in/b.png") + ": "));
  const auto result = nlohmann::json::parse(ended.out);
  EXPECT_EQ(result["command"], "ops gradient");
  EXPECT_EQ(result["failed"], 1);
  EXPECT_EQ(result["options"]["bins"], 9);
  EXPECT_EQ(result["results"].size(), 3U);
  EXPECT_THAT(result["results"][1]["error"].get<std::string>(), HasSubstr("in/b.png: "));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/a.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/c.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/b.png"));
}

TEST(Batch, FolderGlobListAndPattern) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  write_ramp(folder / "b.png");
  test::save(folder / "list", "a.png\nb.png\n");
  for (const std::string& input :
       {folder.path(), folder / "?.png", std::string("@").append(folder / "list")}) {
    const Ended ended = run_here({"ops", "gradient", input, "-o", folder / "out/{}-edges.png"});
    EXPECT_EQ(ended.out, folder / "out/a-edges.png\n" + (folder / "out/b-edges.png") + "\n")
        << ended.err;
    std::filesystem::remove_all(folder / "out");
  }
  for (const std::string& input :
       {folder / "x*.png", std::string("@").append(folder / "no"), folder / "no.png"})
    EXPECT_EQ(run_here({"ops", "gradient", input, "-o", folder / "o"}).status, kBadInput) << input;
}

TEST(Batch, AnAbsentDeviceIsStatusFour) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended = run_program(
      {"ops", "gradient", folder / "a.png", "-o", folder / "b.png", "--device", "cuda"});
  EXPECT_EQ(ended.status, kNoDevice);
  EXPECT_THAT(ended.err, HasSubstr("fovea: device cuda:0 is not usable: "));
}

TEST(Batch, StopsBetweenInputsAndKeepsWhatIsDone) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended =
      run_here({"ops", "gradient", folder / "a.png", "-o", folder / "b.png", "--json"}, fired());
  EXPECT_EQ(ended.status, kInterrupted);
  EXPECT_EQ(ended.err, "fovea: interrupted; what was finished is kept\n");
  EXPECT_EQ(nlohmann::json::parse(ended.out)["interrupted"], true);
}

TEST(Batch, ProgressAsAsked) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  write_ramp(folder / "b.png");
  const std::vector<std::string> base{"ops", "gradient",     folder.path(),
                                      "-o",  folder / "out", "--progress"};
  const auto told = [&](const char* style, const char* more = "--json") {
    auto args = base;
    args.insert(args.end(), {style, more});
    return run_program(args).err;
  };
  EXPECT_THAT(told("plain"), HasSubstr("fovea: gradient: 50 %\nfovea: gradient: 100 %\n"));
  EXPECT_THAT(told("json"), HasSubstr("{\"stage\": \"gradient\", \"done\": 2, \"total\": 2, "));
  EXPECT_THAT(told("bar"), HasSubstr("\rgradient ["));
  EXPECT_EQ(told("none"), "");
  EXPECT_EQ(told("plain", "--quiet"), "");
  EXPECT_EQ(told("auto"), "");  // over before anyone would ask
}

}  // namespace
}  // namespace fovea::cli
