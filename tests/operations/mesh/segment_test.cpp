#include <fovea/io/npy.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class MeshSegment : public testing::Test {
 protected:
  MeshSegment() { io::write_mesh(folder_ / "bell.off", dumbbell()); }
  test::TempFolder folder_;
};

TEST_F(MeshSegment, WritesPartsInEveryForm) {
  const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", "-k", "2", "-o",
                                folder_ / "parts.ply", "--seg", folder_ / "parts.seg", "--picture",
                                folder_ / "parts.png", "--page", folder_ / "parts.html", "--json",
                                "--picture-width", "64", "--picture-height", "48"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["parts"], 2);
  EXPECT_EQ(result["faces"], 2 * 16 * 48);
  EXPECT_FALSE(result["chosen"]);
  const auto labels = io::read_labels(folder_ / "parts.seg");
  ASSERT_EQ(labels.size(), 2U * 16 * 48);
  EXPECT_NE(labels.front(), labels.back());  // one ball each
  EXPECT_EQ(io::read_mesh(folder_ / "parts.ply").faces.size(), dumbbell().faces.size());
  const auto picture = io::read_image(folder_ / "parts.png");
  EXPECT_EQ(picture.width(), 4 * 64);
  const std::string page = test::load(folder_ / "parts.html");
  EXPECT_THAT(page, HasSubstr("getContext('webgl'"));
  EXPECT_THAT(page, testing::Not(HasSubstr("http")));  // needs nothing from elsewhere
}

TEST_F(MeshSegment, WritesGroupsAndMemberships) {
  const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", "-k", "3", "-o",
                                folder_ / "parts.obj", "--picture", folder_ / "sure.png", "--show",
                                "membership", "--picture-views", "1", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const std::string groups = test::load(folder_ / "parts.obj");
  for (const char* group : {"g part_0\n", "g part_1\n", "g part_2\n"})
    EXPECT_THAT(groups, HasSubstr(group));
  EXPECT_THAT(groups, testing::Not(HasSubstr("g part_3")));
  EXPECT_GT(io::read_image(folder_ / "sure.png").width(), 480);  // with the bar of its values
}

TEST_F(MeshSegment, PolygonsHaveOneLabelEach) {
  test::save(folder_ / "squares.off",
             "OFF\n6 2 0\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n4 0 1 4 3\n4 1 2 5 4\n");
  const Ended ended = run_here({"mesh", "segment", folder_ / "squares.off", "-k", "1", "--seg",
                                folder_ / "squares.seg", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("4 faces in 1 part"));
  EXPECT_EQ(io::read_labels(folder_ / "squares.seg"), (std::vector<std::int32_t>{0, 0}));
}

TEST_F(MeshSegment, TheNumberMayBeChosenAndTheMethodToo) {
  for (const char* method : {"resistance", "fuzzy"}) {
    const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", "--method", method,
                                  "--seg", folder_ / "parts.seg", "--json"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json result = json::parse(ended.out)["results"][0];
    EXPECT_TRUE(result["chosen"]) << method;
    EXPECT_GE(result["parts"], 1) << method;
  }
}

TEST_F(MeshSegment, LabelsOnStandardOutputStandAlone) {
  const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", "-k", "2", "--seg", "-"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 2 * 16 * 48);
  EXPECT_EQ(ended.out.find_first_not_of("01\n"), std::string::npos);
  EXPECT_THAT(ended.err, HasSubstr("in 2 parts"));
  const Ended both = run_here({"mesh", "segment", folder_ / "bell.off", "--seg", "-", "--json"});
  EXPECT_EQ(both.status, kUsage);
  EXPECT_THAT(both.err, HasSubstr("--seg - and --json"));
}

TEST_F(MeshSegment, InputsAreReplacedOnlyWhenAsked) {
  const std::string input = folder_ / "bell.off", before = test::load(input);
  const Ended refused = run_here({"mesh", "segment", input, "-k", "2", "-o", input});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("is an input and would be replaced"));
  EXPECT_EQ(test::load(input), before);
  EXPECT_EQ(run_here({"mesh", "segment", input, "-k", "2", "-o", input, "--overwrite"}).status,
            kDone);
  EXPECT_NE(test::load(input), before);
}

TEST_F(MeshSegment, StlIsWrittenWithANoteThatPartsAreLost) {
  const Ended ended =
      run_here({"mesh", "segment", folder_ / "bell.off", "-k", "2", "-o", folder_ / "parts.stl"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("STL files have no colors"));
  EXPECT_EQ(io::read_mesh(folder_ / "parts.stl").faces.size(), 2U * 16 * 48);
}

TEST_F(MeshSegment, OneFileForTwoMeshesIsBlamedOnItsOption) {
  io::write_mesh(folder_ / "other.off", dumbbell());
  for (const char* option : {"--seg", "--page", "--picture", "-o"}) {
    const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", folder_ / "other.off",
                                  option, folder_ / "one.html", "--quiet"});
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr(std::string(option) + " " + (folder_ / "one.html") +
                                     " names one file, but there are 2 inputs"));
  }
}

TEST_F(MeshSegment, WritesTextPlyAndGlb) {
  const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", "-k", "2", "--ascii", "-o",
                                folder_ / "parts.ply", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(test::load(folder_ / "parts.ply"), HasSubstr("format ascii 1.0"));
  ASSERT_EQ(run_here({"mesh", "segment", folder_ / "bell.off", "-k", "2", "-o",
                      folder_ / "parts.glb", "--quiet"})
                .status,
            kDone);
  EXPECT_THAT(test::load(folder_ / "parts.glb"), testing::StartsWith("glTF"));
}

TEST_F(MeshSegment, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  };
  test::save(folder_ / "cut.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n");
  const std::string out = folder_ / "x.ply";
  expect(run_here({"mesh", "segment", folder_ / "cut.off", "-o", out, "--quiet"}), kBadInput,
         "truncated");
  expect(run_here({"mesh", "segment", folder_ / "bell.off", "-k", "some", "-o", out, "--quiet"}),
         kUsage, "'some'");
  expect(run_here({"mesh", "segment", folder_ / "bell.off", "-k", "99999", "-o", out, "--quiet"}),
         kUsage, "99999");
  expect(run_here({"mesh", "segment", folder_ / "bell.off", "--quiet"}), kUsage, "-o OUT, --seg");
  expect(run_here({"mesh", "segment", folder_ / "bell.off", "-o", folder_ / "x.txt", "--quiet"}),
         kUsage, "x.txt: a mesh is written as .ply, .glb, .obj, .off, .stl");
  expect(run_here({"mesh", "segment", folder_ / "bell.off", "-o", out, "--page", folder_ / "x.pdf",
                   "--quiet"}),
         kUsage, "x.pdf: a page is written as .html");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(MeshSegment, WritesMembershipsInEveryPart) {
  for (const char* method : {"resistance", "fuzzy"}) {
    const Ended ended = run_here({"mesh", "segment", folder_ / "bell.off", "-k", "3", "--method",
                                  method, "--memberships", folder_ / "m.npy", "-o",
                                  folder_ / "m.ply", "--ascii", "--keep-memberships", "--json"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(json::parse(ended.out)["results"][0]["memberships"], folder_ / "m.npy");
    const io::NdArray shares = io::read_array(folder_ / "m.npy");
    ASSERT_EQ(shares.shape, (std::vector<std::size_t>{2 * 16 * 48, 3}));
    for (std::size_t face = 0; face < shares.shape[0]; ++face) {
      const float* row = shares.as<float>().data() + 3 * face;
      EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-5);
    }
    EXPECT_THAT(test::load(folder_ / "m.ply"),
                HasSubstr("property int label\nproperty float quality\nproperty float "
                          "membership_0\nproperty float membership_1\nproperty float "
                          "membership_2\nend_header"));
    // Each face has 3, its corners, its label, its membership there, and those in all parts.
    std::istringstream lines(test::load(folder_ / "m.ply"));
    std::size_t faces = 0;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      const std::vector<std::string> found(std::istream_iterator<std::string>(words), {});
      if (found.size() != 9 || found[0] != "3") continue;
      const auto number = [&](std::size_t i) { return std::stod(found[i]); };
      EXPECT_NEAR(number(6), shares.as<float>()[3 * faces], 1e-5);
      EXPECT_GE(number(5), 0);
      EXPECT_LE(number(5), std::max({number(6), number(7), number(8)}) + 1e-5);
      ++faces;
    }
    EXPECT_EQ(faces, shares.shape[0]);
  }
}

TEST_F(MeshSegment, WritesTheTreeAndAPageThatOpensIt) {
  const Ended ended =
      run_here({"mesh", "segment", folder_ / "bell.off", "-k", "4", "--division", "hierarchical",
                "--tree", folder_ / "t.json", "--page", folder_ / "t.html", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json tree = json::parse(test::load(folder_ / "t.json"));
  ASSERT_EQ(tree["nodes"].size(), 7U);
  EXPECT_EQ(tree["nodes"][0]["faces"], 2 * 16 * 48);
  EXPECT_EQ(tree["nodes"][0]["parts"], (json{0, 1, 2, 3}));
  EXPECT_TRUE(tree["nodes"][0]["parent"].is_null());
  EXPECT_TRUE(tree["nodes"][0]["part"].is_null());
  EXPECT_GE(tree["levels"], 3);
  EXPECT_THAT(test::load(folder_ / "t.html"), HasSubstr("type=\"range\""));
}

TEST_F(MeshSegment, TakesCostsFromAFile) {
  ASSERT_EQ(run_here({"mesh", "arcs", folder_ / "bell.off", "-o", folder_ / "arcs.csv", "--quiet"})
                .status,
            kDone);
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"mesh",
                                   "segment",
                                   folder_ / "bell.off",
                                   "-k",
                                   "2",
                                   "--seg",
                                   folder_ / "own.seg",
                                   "--quiet",
                                   "--method",
                                   "fuzzy",
                                   "--no-cut"};
    words.insert(words.end(), more.begin(), more.end());
    return run_here(words);
  };
  ASSERT_EQ(run({}).status, kDone);
  const auto named = io::read_labels(folder_ / "own.seg");
  const Ended own = run({"--costs", folder_ / "arcs.csv"});
  ASSERT_EQ(own.status, kDone) << own.err;
  EXPECT_EQ(io::read_labels(folder_ / "own.seg"), named);  // the same costs by another way
  test::save(folder_ / "bad.csv", "face_a,face_b,cost\n0,1,-3\n");
  const Ended bad = run({"--costs", folder_ / "bad.csv"});
  EXPECT_EQ(bad.status, kBadInput) << bad.err;
  EXPECT_THAT(bad.err, HasSubstr("line 2: the cost is -3"));
  EXPECT_EQ(run({"--costs", folder_ / "none.csv"}).status, kBadInput);
  EXPECT_EQ(run({"--costs-else", "1"}).status, kUsage);
  EXPECT_EQ(run({"--tree", folder_ / "t.json"}).status, kUsage);
  EXPECT_EQ(run({"--memberships", folder_ / "m.csv"}).status, kUsage);
  EXPECT_EQ(run({folder_ / "bell.off", "--costs", folder_ / "arcs.csv"}).status, kUsage);
  EXPECT_EQ(run({"--costs", folder_ / "arcs.csv", "--cost", "angle"}).status, kUsage);
  EXPECT_EQ(run({"--show", "membership"}).status, kUsage);
  // Neither the costs nor another result are replaced.
  const std::string costs = test::load(folder_ / "arcs.csv");
  const Ended replaced = run({"--costs", folder_ / "arcs.csv", "--seg", folder_ / "arcs.csv"});
  EXPECT_EQ(replaced.status, kUsage) << replaced.err;
  EXPECT_EQ(test::load(folder_ / "arcs.csv"), costs);
  const Ended twice = run({"--seg", folder_ / "x.npy", "--memberships", folder_ / "x.npy"});
  EXPECT_THAT(twice.err, HasSubstr("would be written twice"));
}

TEST_F(MeshSegment, TakesCostsByName) {
  for (const char* cost : {"angle", "minima-rule", "diameter", "random-walk", "feature"}) {
    const Ended ended =
        run_here({"mesh", "segment", folder_ / "bell.off", "-k", "2", "--cost", cost,
                  "--diameter-rays", "8", "--seg", folder_ / "named.seg", "--quiet"});
    ASSERT_EQ(ended.status, kDone) << cost << ended.err;
    const auto labels = io::read_labels(folder_ / "named.seg");
    EXPECT_NE(labels.front(), labels.back()) << cost;  // one ball each
  }
}

}  // namespace
}  // namespace fovea::cli
