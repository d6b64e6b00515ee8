// Covers: explain_map
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ExplainMapProgram : public testing::Test {
 protected:
  ExplainMapProgram() {
    Image<std::uint8_t> image(60, 40, 3);
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 60; ++x)
        for (int c = 0; c < 3; ++c)
          image.at(x, y, c) =
              static_cast<std::uint8_t>((x < 30 ? 40 : 180) + 7 * ((x * y + c) % 9));
    io::write_image(input(), image.view());
  }
  std::string input() const { return folder_ / "a.png"; }
  Ended map(std::vector<std::string> more) const {
    more.insert(more.begin(), {"emd", "map", input(), "--quiet", "--target", "4,4,12,12"});
    return run_here(more);
  }

  test::TempFolder folder_;
};

TEST_F(ExplainMapProgram, MovesAddUpToTheDistanceOfTheMap) {
  ASSERT_EQ(map({"-o", folder_ / "map.npy"}).status, kDone);
  const io::AnyImage distances = io::read_image(folder_ / "map.npy");
  const float expected = std::get<ImageView<const float>>(distances.view()).at(45, 20);
  const Ended ended =
      map({"--explain", "45,20", "--explain-picture", folder_ / "why.png", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(static_cast<float>(report["distance"].get<double>()), expected);
  double sum = 0;
  for (const json& move : report["moves"]) sum += move["value"].get<double>();
  EXPECT_NEAR(sum, report["distance"].get<double>(), 1e-9);
  EXPECT_EQ(report["explanation"]["total_name"], "distance");
  EXPECT_GT(io::read_image(folder_ / "why.png").width(), 300);
  const Ended colors = map({"--explain", "45,20", "--signature", "colors"});
  EXPECT_EQ(colors.status, kDone) << colors.err;
  EXPECT_THAT(colors.out, HasSubstr("Why this pixel has its distance to the target"));
}

TEST_F(ExplainMapProgram, SaysWhatIsWrong) {
  for (const auto& [args, words] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"--explain", "60,0"}, "outside of the image of 60x40"},
           {{"--explain", "1,2,3"}, "has 3 numbers; expected 2"},
           {{"--explain", "1,2", "-o", folder_ / "m.npy"}, "--explain makes no map"},
           {{"--explain", "50,2", "--roi", "0,0,20,20"}, "is not mapped"}}) {
    const Ended ended = map(args);
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  }
}

}  // namespace
}  // namespace fovea::cli
