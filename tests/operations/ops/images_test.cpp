// What every verb from images to files must do alike.
#include "operations/ops/images.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

struct Verb {
  std::string name;
  std::vector<std::string> options{};
};
void PrintTo(const Verb& verb, std::ostream* out) { *out << verb.name; }

class EveryVerb : public testing::TestWithParam<Verb> {
 protected:
  std::vector<std::string> words(const std::string& input, const std::string& output) const {
    std::vector<std::string> args{"ops", GetParam().name, input, "-o", output};
    args.insert(args.end(), GetParam().options.begin(), GetParam().options.end());
    return args;
  }
};

INSTANTIATE_TEST_SUITE_P(Ops, EveryVerb,
                         testing::Values(Verb{"gradient"}, Verb{"resize", {"--width", "5"}},
                                         Verb{"blur"}, Verb{"convolve", {"--laplacian", "1"}},
                                         Verb{"integral"}, Verb{"pyramid"}, Verb{"histogram"}),
                         [](const auto& each) { return each.param.name; });

TEST_P(EveryVerb, TakesEverySampleTypeAndAlpha) {
  const test::TempFolder folder;
  Random random(3);
  const auto expect_done = [&](const io::AnyView& image) {
    io::write_image(folder / "in.tif", image);
    const Ended ended = run_here(words(folder / "in.tif", folder / "out.tif"));
    EXPECT_EQ(ended.status, kDone) << ended.err;
  };
  expect_done(test::random_image<std::uint8_t>(random, 20, 18, 4).view());
  expect_done(test::random_image<std::uint16_t>(random, 20, 18, 3).view());
  expect_done(test::random_image<std::int16_t>(random, 20, 18).view());
  expect_done(test::random_image<float>(random, 20, 18).view());
  expect_done(test::random_image<double>(random, 20, 18).view());
}

TEST_P(EveryVerb, EchoesItsOptionsWithTheOrientation) {
  const test::TempFolder folder;
  Image<std::uint8_t> image(40, 20);
  for (int y = 0; y < 20; ++y) std::fill_n(image.row(y), 40, std::uint8_t{7});
  io::write_image(folder / "a.tif", image.view(), {.orientation = 6});
  auto args = words(folder / "a.tif", folder / "b.tif");
  args.emplace_back("--json");
  const auto stored = nlohmann::json::parse(run_here(args).out);
  EXPECT_EQ(stored["options"]["orientation"], "ignore");
  EXPECT_EQ(stored["results"][0]["width"], 40);
  args.insert(args.end(), {"--orientation", "apply"});
  const auto upright = nlohmann::json::parse(run_here(args).out);
  EXPECT_EQ(upright["options"]["orientation"], "apply");
  EXPECT_EQ(upright["results"][0]["width"], 20);
  EXPECT_EQ(upright["results"][0]["height"], 40);
}

TEST_P(EveryVerb, ABadInputAloneIsStatusThree) {
  const test::TempFolder folder;
  const std::string path = folder / "bad.png";
  for (const char* text : {"", "P", "P5", "P5\n", "P5 -3 4 255 ", "P5\n99999999999 1\n255\n",
                           "\x89PNG\r\n\x1a\n", "P6\n60000 60000\n255\nabc", "no picture"}) {
    test::save(path, text);
    const Ended ended = run_here(words(path, folder / "out.tif"));
    EXPECT_EQ(ended.status, kBadInput) << text;
    EXPECT_TRUE(ended.err.starts_with("fovea: " + path + ": ")) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(folder.files(), 1U);
  }
}

TEST_P(EveryVerb, NeedsAnOutput) {
  auto args = words("a.png", "");
  args.erase(args.begin() + 3, args.begin() + 5);
  const Ended ended = run_here(args);
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_EQ(ended.err,
            "fovea: ops " + GetParam().name + " needs -o OUT, a file or a folder to write to\n");
}

// What does not fit into the strips' memory has the same bits as what does.
TEST(Images, StripsGiveTheBitsOfTheWhole) {
  Random random(5);
  const io::AnyImage image{test::random_image<std::uint16_t>(random, 37, 53, 2), {}};
  const io::AnyImage low{test::random_image<std::int16_t>(random, 37, 3), {}};
  constexpr double kSigma = 1.7;
  const int rows = static_cast<int>(gaussian_kernel(kSigma).size() / 2);
  for (const Border border :
       {Border::kRepeat, Border::kReflect, Border::kReflect101, Border::kWrap, Border::kConstant})
    for (const std::uint64_t strip_bytes : {1U, 3000U, 6000U}) {
      const auto blur = [&](ImageView<const float> in, ImageView<float> out) {
        gaussian_blur(in, out, kSigma, {.border = border, .border_value = 300});
      };
      const operations::RowReach strips{rows, border, strip_bytes}, whole{rows, border};
      for (const io::AnyImage* each : {&image, &low}) {
        std::visit(
            [&]<class T>(const Image<T>& expected) {
              const auto made = operations::through_float(*each, strips, blur);
              EXPECT_TRUE(test::images_equal(std::get<Image<T>>(made), expected));
            },
            operations::through_float(*each, whole, blur));
        EXPECT_TRUE(test::images_equal(operations::to_float_through(*each, strips, blur),
                                       operations::to_float_through(*each, whole, blur)));
      }
    }
}

TEST_P(EveryVerb, SaysHowMuchMemoryItNeeds) {
  const test::TempFolder folder;
  Image<std::uint16_t> image(600, 500, 4);
  for (int y = 0; y < 500; ++y) std::fill_n(image.row(y), 2400, std::uint16_t{7});
  io::write_image(folder / "a.png", image.view());
  io::write_image(folder / "b.png", image.view().crop(0, 0, 20, 20));
  auto args = words(folder / "a.png", folder / "out/");
  args.insert(args.begin() + 3, folder / "b.png");
  args.insert(args.end(), {"--memory", "1M"});
  const Ended ended = run_here(args);
  EXPECT_EQ(ended.status, kSomeFailed) << ended.err;
  EXPECT_THAT(ended.err, test::says("a.png: needs about ", "M of memory, more than the 1M allowed",
                                    "raise --memory"));
  EXPECT_THAT(ended.err, testing::Not(testing::HasSubstr("b.png")));
  args.back() = "1G";
  EXPECT_EQ(run_here(args).status, kDone);
}

TEST(Images, StandardInputIsAnImage) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const std::string line = std::string(FOVEA_PROGRAM) + " ops blur - -o " + folder.path() + " < ";
  const Ended ended = Process({"sh", "-c", line + (folder / "a.png")}).wait();
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, folder / "stdin.png\n");
  EXPECT_EQ(io::read_image(folder / "stdin.png").width(), 8);
  const Ended empty = run_program({"ops", "blur", "-", "-o", folder / "b.png"});
  EXPECT_EQ(empty.status, kBadInput);
  EXPECT_THAT(empty.err, testing::StartsWith("fovea: standard input: "));
}

TEST(Images, AHugePictureInASmallFileIsRefused) {
  const test::TempFolder folder;
  test::save(folder / "a.pgm", "P4\n100000 100000\n" + std::string(1000, '\0'));
  write_ramp(folder / "b.png");
  EXPECT_EQ(run_here({"ops", "blur", folder / "a.pgm", "-o", folder / "c.png"}).status, kBadInput);
  const Ended ended =
      run_here({"ops", "blur", folder / "b.png", "-o", folder / "c.png", "--max-pixels", "31"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, testing::HasSubstr("is 8x4, which is 32 pixels and more than the 31"));
}

TEST(Images, AFormatThatCannotHoldTheResultSaysSo) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const Ended ended = run_here({"ops", "integral", folder / "a.png", "-o", folder / "b.png"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

}  // namespace
}  // namespace fovea::cli
