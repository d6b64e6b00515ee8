// fovea mesh segment --explain
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class MeshExplain : public testing::Test {
 protected:
  MeshExplain() { io::write_mesh(mesh_, dumbbell()); }
  Ended explain(std::vector<std::string> words) const {
    words.insert(words.begin(), {"mesh", "segment", mesh_});
    return run_here(words);
  }
  test::TempFolder folder_;
  std::string mesh_ = folder_ / "bell.off";
};

TEST_F(MeshExplain, PrintsSeamsAndWhyThereAreSoManyParts) {
  const Ended ended = explain({"--explain", "-k", "2"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("There are 2 parts because that number was given"));
  EXPECT_THAT(ended.out, HasSubstr("parts 0 and 1"));
  const Ended chosen = explain({"--explain"});
  ASSERT_EQ(chosen.status, kDone) << chosen.err;
  EXPECT_THAT(chosen.out, HasSubstr("Numbers of parts that were compared"));
}

TEST_F(MeshExplain, SeamsCostWhatTheCutCost) {
  const Ended ended = explain({"--explain", "-k", "2", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json why = json::parse(ended.out)["explanation"];
  const Ended said = explain({"-k", "2", "--seg", folder_ / "bell.seg", "--json"});
  const double cut = json::parse(said.out)["results"][0]["cut_value"];
  EXPECT_NEAR(why["total"].get<double>(), cut, 1e-6);
  EXPECT_EQ(why["surface"][0]["faces"], 2 * 16 * 48);
}

TEST_F(MeshExplain, ExplainsAFaceAndDrawsIt) {
  const Ended ended =
      explain({"--explain-face", "5", "-k", "2", "--explain-picture", folder_ / "why.png",
               "--picture-width", "64", "--picture-height", "48", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["picture"], folder_ / "why.png");
  EXPECT_NEAR(report["explanation"]["total"].get<double>(), 1, 1e-5);
  EXPECT_GT(io::image_info(folder_ / "why.png").width, 4 * 64);
}

TEST_F(MeshExplain, SaysWhatItCannotExplain) {
  const auto refused = [](const Ended& ended, const char* message) {
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  refused(explain({mesh_, "--explain"}), "explains one mesh, but there are 2 inputs");
  refused(explain({"--explain-face", "99999"}), "--explain-face 99999");
  refused(explain({"--explain", "--seg", "a.seg"}), "writes no results that a.seg could get");
  refused(explain({"--seg", "a.seg", "--explain-picture", "a.png"}), "needs --explain");
}

}  // namespace
}  // namespace fovea::cli
