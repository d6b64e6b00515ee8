// Covers: eval_cases, eval_mistakes
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(MeshEval, ComparesPartsWithPeoples) {
  const test::TempFolder folder;
  const io::TriangleMesh mesh = dumbbell();
  std::filesystem::create_directories(folder / "off");
  std::filesystem::create_directories(folder / "seg/21");
  io::write_mesh(folder / "off/21.off", mesh);
  std::vector<std::int32_t> halves;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f)
    halves.push_back(f < mesh.faces.size() / 2 ? 0 : 1);
  io::write_labels(folder / "seg/21/21_0.seg", halves);
  io::write_labels(folder / "seg/21/21_1.seg", halves);
  const Ended ended = run_here({"mesh", "eval", "--meshes", folder / "off", "--segmentations",
                                folder / "seg", "--csv", folder / "errors.csv", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["meshes"], 1);
  EXPECT_LT(report["rand_error_mean"], 0.15);
  EXPECT_EQ(report["people"]["rand"], 0);
  EXPECT_EQ(report["categories"][0]["category"], "Cup");
  EXPECT_THAT(test::load(folder / "errors.csv"), HasSubstr("21,Cup,2,2,"));
  const report::Evaluation evaluation = report::parse_evaluation(ended.out, "stdout");
  ASSERT_EQ(evaluation.mistakes.size(), 1U);
  EXPECT_NEAR(*evaluation.mistakes[0].up_to, report["rand_error_mean"], 1e-9);
  EXPECT_THAT(evaluation.inputs[0].files[0], HasSubstr("21.off"));
  EXPECT_THAT(evaluation.inputs[0].truth, HasSubstr("21_0.seg"));
  // Labels from elsewhere: equal to people's, and all the same.
  std::filesystem::create_directories(folder / "theirs");
  const auto evaluated = [&] {
    const Ended ran = run_here({"mesh", "eval", "--meshes", folder / "off", "--segmentations",
                                folder / "seg", "--labels", folder / "theirs", "--json"});
    EXPECT_EQ(ran.status, kDone) << ran.err;
    return json::parse(ran.out)["rand_error_mean"].get<double>();
  };
  io::write_labels(folder / "theirs/21.seg", halves);
  EXPECT_EQ(evaluated(), 0);
  io::write_labels(folder / "theirs/21.seg", std::vector<std::int32_t>(halves.size(), 0));
  EXPECT_NEAR(evaluated(), 0.5, 0.01);
  std::filesystem::remove(folder / "theirs/21.seg");
  const Ended without = run_here({"mesh", "eval", "--meshes", folder / "off", "--segmentations",
                                  folder / "seg", "--labels", folder / "theirs", "--quiet"});
  EXPECT_EQ(without.status, kBadInput);
  EXPECT_THAT(without.err, HasSubstr("theirs/21.seg"));
  EXPECT_THAT(without.err, HasSubstr("labels are missing for 1 of 1 mesh;"));

  // A mesh without labels is left out, and that is said.
  EXPECT_EQ(report["meshes_found"], 1);
  io::write_mesh(folder / "off/22.off", mesh);
  const Ended one_of_two =
      run_here({"mesh", "eval", "--meshes", folder / "off", "--segmentations", folder / "seg"});
  EXPECT_EQ(one_of_two.status, kDone);
  EXPECT_THAT(one_of_two.err, HasSubstr("are missing for 1 of 2 meshes in"));
  const Ended counted = run_here(
      {"mesh", "eval", "--meshes", folder / "off", "--segmentations", folder / "seg", "--json"});
  EXPECT_EQ(json::parse(counted.out)["meshes_without_labels"], 1);

  test::save(folder / "seg/21/21_2.seg", "0\n1\n");
  const Ended short_one = run_here(
      {"mesh", "eval", "--meshes", folder / "off", "--segmentations", folder / "seg", "--quiet"});
  EXPECT_EQ(short_one.status, kBadInput);
  EXPECT_THAT(short_one.err, HasSubstr("2 labels"));
  EXPECT_EQ(run_here({"mesh", "eval", "--meshes", folder / "off", "--quiet"}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
