// Cubes in the view: header and samples that come together, false color, and targets by spectra.
// Covers: cubes, cube, saved_map
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"
#include "support/messages.h"
#include "view/cube.h"
#include "view/saved_results/saved_file.h"
#include "view/session_fixture.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;

constexpr int kBands = 12;

// Noise of one spectrum, with two patches of another one.
io::Cube two_patches() {
  Random random(3);
  Stack<float> bands(40, 30, kBands);
  for (int band = 0; band < kBands; ++band)
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x) {
        const bool patch = y >= 10 && y < 14 && ((x >= 5 && x < 9) || (x >= 25 && x < 29));
        const double shape = patch ? kBands - band : 3 + band % 3;
        bands.plane(band).at(x, y) =
            static_cast<float>(100 * shape * (1 + 0.05 * random.uniform()));
      }
  io::Cube cube{std::move(bands), {}};
  for (int band = 0; band < kBands; ++band) cube.facts.wavelengths.push_back(0.4 + 0.05 * band);
  cube.facts.units = "Micrometers";
  return cube;
}

class CubesTest : public SessionFixture {
 protected:
  CubesTest() { io::write_cube(folder_ / "scene.hdr", two_patches()); }

  // Sends header and samples in one body, as the page does.
  std::string upload_pair() {
    const std::string header = test::load(folder_ / "scene.hdr");
    return parsed(post(
        "/inputs?name=scene.hdr&samples=scene.img&header_bytes=" + std::to_string(header.size()),
        header + test::load(folder_ / "scene.img")))["id"];
  }

  test::TempFolder folder_{};
};

TEST_F(CubesTest, ComeAsHeaderAndSamples) {
  const std::string id = upload_pair();
  const json facts = parsed(get("/inputs/" + id));
  EXPECT_EQ(facts["kind"], "cube");
  EXPECT_EQ(facts["name"], "scene.hdr");
  EXPECT_EQ(facts["width"], 40);
  EXPECT_EQ(get("/inputs/" + id + "/tile/0/0/0/0").type, "image/png");
  const std::string header = test::load(folder_ / "scene.hdr");
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { post("/inputs?name=scene.hdr", header); }),
              HasSubstr("add the file with its samples"));
  EXPECT_THROW(post("/inputs?name=scene.hdr&samples=scene.img&header_bytes=99999", header),
               InvalidArgument);
  EXPECT_THROW(post("/inputs?name=a.png&samples=b.png&header_bytes=1", header), InvalidArgument);
  EXPECT_THROW(
      post("/inputs?name=scene.hdr&samples=scene.img&header_bytes=" + std::to_string(header.size()),
           header + "too short"),
      FormatError);
  EXPECT_EQ(parsed(get("/inputs")).size(), 1U);
}

TEST_F(CubesTest, AreKnownByTheirBands) {
  io::write_cube(folder_ / "six.tif", two_patches());
  EXPECT_TRUE(is_cube(folder_ / "six.tif"));
  EXPECT_TRUE(is_cube(folder_ / "scene.img"));
  io::write_image(folder_ / "three.tif", drawn(16, 16).view());
  EXPECT_FALSE(is_cube(folder_ / "three.tif"));
  test::save(folder_ / "alone.img", "x");
  EXPECT_FALSE(is_cube(folder_ / "alone.img"));
  const json facts = parsed(post("/inputs?name=six.tif", test::load(folder_ / "six.tif")));
  EXPECT_EQ(facts["kind"], "cube");
  session_.inputs().add_paths({folder_ / "scene.*"});
  EXPECT_EQ(parsed(get("/inputs")).size(), 2U) << "header and samples are one input";
}

TEST_F(CubesTest, AreShownInTheColorsOfTheirWavelengths) {
  const ViewCube cube = read_view_cube(folder_ / "scene.hdr");
  const ShownBands shown = usual_bands(cube);
  EXPECT_EQ(shown.red, 5);    // 0.65 micrometers
  EXPECT_EQ(shown.green, 3);  // 0.55
  EXPECT_EQ(shown.blue, 1);   // 0.45
  EXPECT_THROW(false_color(cube, {kBands, 0, 0}), InvalidArgument);
}

TEST_F(CubesTest, AreOnlyShownWithoutATarget) {
  const std::string address =
      run({{"system", "cubes"}, {"inputs", {upload_pair()}}, {"options", {{"red", "11"}}}});
  const json result = parsed(get(address));
  EXPECT_THAT(result["summary"].get<std::string>(), HasSubstr("12 bands. Draw a box"));
  ASSERT_EQ(result["layers"].size(), 1U);
  EXPECT_EQ(result["layers"][0]["name"], "bands-11-3-1");
  EXPECT_EQ(result["explains"], false);
}

TEST_F(CubesTest, FindATargetAndSayWhy) {
  const std::string address =
      run({{"system", "cubes"}, {"inputs", {upload_pair()}}, {"box", {5, 10, 4, 4}}});
  const json result = parsed(get(address));
  EXPECT_EQ(result["layers"][0]["name"], "map");
  ASSERT_EQ(result["marks"].size(), 2U) << result["summary"];
  EXPECT_THAT(result["command"].get<std::string>(),
              HasSubstr("fovea emd map scene.hdr --target 5,10,4,4 --signature contrast"));
  EXPECT_THAT(result["python"].get<std::string>(), HasSubstr(".regions(least_area=1, most=20)"));
  const std::string saved = get(address + "/result.json").body;
  EXPECT_EQ(json::parse(saved)["options"]["target"], "5,10,4,4");
  const SavedFile opened = parse_saved_json(saved, "saved.json");
  EXPECT_EQ(opened.what, "emd map");
  ASSERT_EQ(opened.items.size(), 1U);
  EXPECT_EQ(opened.items[0].boxes.size(), 2U) << "fovea view opens what the page saves";
  const json reasons = why(address, {{"x", 1}, {"y", 1}});
  EXPECT_THAT(reasons["summary"].get<std::string>(), HasSubstr("pixel 1,1"));
  EXPECT_GT(reasons["reasons"].size(), 0U);
  EXPECT_THAT(get(address + "/why/spectra?x=1&y=1").body, HasSubstr("wavelength (Micrometers)"));
  EXPECT_EQ(get(address + "/why/moves?x=1&y=1").type, "image/png");
  EXPECT_EQ(get(address + "/why/moves?x=99&y=1").status, 404);
  EXPECT_EQ(get(address + "/why/none?x=1&y=1").status, 404);
}

TEST_F(CubesTest, TakeASinglePixelAsTarget) {
  const std::string address =
      run({{"system", "cubes"}, {"inputs", {upload_pair()}}, {"box", {6, 11, 1, 1}}});
  EXPECT_THAT(parsed(get(address))["command"].get<std::string>(), HasSubstr("--target 6,11,1,1"));
}

}  // namespace
}  // namespace fovea::view
