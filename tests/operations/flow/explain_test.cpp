// Why a pixel of flow lk and flow bm has its flow.
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ExplainPairProgram : public testing::Test {
 protected:
  ExplainPairProgram() {
    for (const int shift : {0, 2}) {
      Image<std::uint8_t> image(64, 48);
      for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x)
          image.at(x, y) = static_cast<std::uint8_t>(128 + 60 * std::sin(0.4 * (x - shift)) +
                                                     50 * std::cos(0.5 * y + 0.1 * (x - shift)));
      io::write_image(folder_ / (shift == 0 ? "a.png" : "b.png"), image.view());
    }
  }
  Ended flow(const char* verb, std::vector<std::string> more) const {
    more.insert(more.begin(), {"flow", verb, folder_ / "a.png", folder_ / "b.png", "--quiet"});
    return run_here(more);
  }

  test::TempFolder folder_;
};

TEST_F(ExplainPairProgram, GivesTheFlowOfTheField) {
  for (const char* verb : {"lk", "bm"}) {
    ASSERT_EQ(flow(verb, {"-o", folder_ / "ab.npy"}).status, kDone);
    const io::AnyImage field = io::read_image(folder_ / "ab.npy");
    const auto numbers = std::get<ImageView<const float>>(field.view());
    const Ended ended =
        flow(verb, {"--explain", "30,24", "--explain-picture", folder_ / "why.png", "--json"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json report = json::parse(ended.out);
    EXPECT_EQ(report["device"], "cpu");
    EXPECT_EQ(report["first"], folder_ / "a.png");
    EXPECT_EQ(report["second"], folder_ / "b.png");
    EXPECT_EQ(report["u"].get<float>(), numbers.at(30, 24, 0));
    EXPECT_EQ(report["v"].get<float>(), numbers.at(30, 24, 1));
    EXPECT_EQ(report["confidence"].get<float>(), numbers.at(30, 24, 2));
    EXPECT_GT(io::read_image(folder_ / "why.png").width(), 300);
    const Ended words = flow(verb, {"--explain", "30,24"});
    EXPECT_THAT(words.out, HasSubstr("Why this pixel has this flow"));
  }
}

TEST_F(ExplainPairProgram, SaysWhatIsWrong) {
  for (const auto& [args, words] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"--explain", "64,0"}, "outside of the image of 64x48"},
           {{"--explain", "1"}, "has 1 numbers; expected 2"},
           {{"--explain", "1,2", "-o", folder_ / "m.flo"}, "writes no results"},
           {{"--explain", "1,2", "--mask", "alpha"}, "takes no mask"},
           {{folder_ / "a.png", "--explain", "1,2"}, "there are 3 inputs"}}) {
    const Ended ended = flow("lk", args);
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  }
}

}  // namespace
}  // namespace fovea::cli
