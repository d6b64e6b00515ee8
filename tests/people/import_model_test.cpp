#include "people/import_model.h"

#include <fovea/core/error.h>

#include <cmath>

#include <fmt/format.h>

#include "people/model_parts.h"
#include "support/files.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// What OpenCV 4.6 writes for a window of one block of 2x2 cells with 4 bins.
const std::string kYaml = R"(%YAML:1.0
---
s: !!opencv-object-detector-hog
   winSize: [ 16, 16 ]
   blockSize: [ 16, 16 ]
   blockStride: [ 8, 8 ]
   cellSize: [ 8, 8 ]
   nbins: 4
   derivAperture: 1
   winSigma: 3.
   histogramNormType: 0
   L2HysThreshold: 2.0000000000000001e-01
   gammaCorrection: 0
   nlevels: 64
   signedGradient: 1
   SVMDetector: [ 5.00000000e-01, 5.00000000e-01, 5.00000000e-01,
       -1.00000001e-10, 5.00000000e-01, 2., 5.00000000e-01,
       5.00000000e-01, 5.00000000e-01, 5.00000000e-01, 5.00000000e-01,
       5.00000000e-01, 5.00000000e-01, 5.00000000e-01, 5.00000000e-01,
       5.00000000e-01, 7.00000000e-01 ]
)";
const std::string kXml = R"(<?xml version="1.0"?>
<opencv_storage>
<s type_id="opencv-object-detector-hog">
  <winSize>
    16 16</winSize>
  <blockSize>
    16 16</blockSize>
  <blockStride>
    8 8</blockStride>
  <cellSize>
    8 8</cellSize>
  <nbins>4</nbins>
  <winSigma>3.</winSigma>
  <histogramNormType>0</histogramNormType>
  <L2HysThreshold>2.0000000000000001e-01</L2HysThreshold>
  <gammaCorrection>0</gammaCorrection>
  <signedGradient>1</signedGradient>
  <SVMDetector>
    5.00000000e-01 5.00000000e-01 5.00000000e-01 -1.00000001e-10
    5.00000000e-01 2. 5.00000000e-01 5.00000000e-01 5.00000000e-01
    5.00000000e-01 5.00000000e-01 5.00000000e-01 5.00000000e-01
    5.00000000e-01 5.00000000e-01 5.00000000e-01 7.00000000e-01</SVMDetector></s>
</opencv_storage>
)";
const std::string kJson = R"({
    "s": {
        "type_id": "opencv-object-detector-hog",
        "winSize": [ 16, 16 ],
        "blockSize": [ 16, 16 ],
        "blockStride": [ 8, 8 ],
        "cellSize": [ 8, 8 ],
        "nbins": 4,
        "winSigma": 3.0,
        "gammaCorrection": 0,
        "signedGradient": 1,
        "SVMDetector": [ 0.5, 0.5, 0.5, -1.00000001e-10, 0.5, 2.0, 0.5, 0.5, 0.5, 0.5, 0.5,
            0.5, 0.5, 0.5, 0.5, 0.5, 0.7 ]
    }
}
)";

HogOptions small() {
  HogOptions hog;
  hog.window.width = hog.window.height = 16;
  hog.bins = 4;
  return hog;
}

const LinearModel& linear(const Model& model) { return std::get<LinearModel>(model.classifier); }

Model parse(std::string_view text, const HogOptions& hog = small()) {
  return parse_foreign_model(text, "foreign", hog);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ImportModel, ReadsTheNotationsOfOpenCv) {
  for (const std::string& text : {kYaml, kXml, kJson}) {
    const Model model = parse(text, {});
    const LinearModel& hog = linear(model);
    EXPECT_EQ(model.kind, Kind::kHog);
    EXPECT_EQ(hog.hog.window, (Extent{16, 16}));
    EXPECT_EQ(hog.hog.cell, 8);
    EXPECT_EQ(hog.hog.block, 2);
    EXPECT_EQ(hog.hog.block_stride, 8);
    EXPECT_EQ(hog.hog.bins, 4);
    EXPECT_TRUE(hog.hog.signed_angle);
    EXPECT_EQ(hog.hog.gamma, Gamma::kNone);
    EXPECT_EQ(hog.hog.sigma, 3);
    ASSERT_EQ(hog.weights.size(), 16U);
    EXPECT_EQ(hog.weights[3], -1.00000001e-10F);
    EXPECT_EQ(hog.weights[5], 2);
    EXPECT_EQ(hog.bias, 0.7F);
    EXPECT_EQ(model.facts.at("origin"), "HOGDescriptor of OpenCV");
  }
}

TEST(ImportModel, UnsetSigmaIsAQuarterOfTheBlock) {
  EXPECT_EQ(linear(parse(replaced(kYaml, "winSigma: 3.", "winSigma: -1."))).hog.sigma, 4);
}

TEST(ImportModel, ReadsAListOfNumbers) {
  const test::TempFolder folder;
  std::string list;
  for (int i = 0; i <= 3780; ++i) list += fmt::format("{}{}", i * 0.25, i % 7 ? ", " : "\n");
  test::save(folder / "people.txt", list);
  const Model model = import_model(folder / "people.txt");
  EXPECT_EQ(linear(model).weights.size(), 3780U);
  EXPECT_EQ(linear(model).weights[10], 2.5F);
  EXPECT_EQ(linear(model).bias, 945.F);
  EXPECT_EQ(linear(model).hog.sigma, 4);
  EXPECT_EQ(model.facts.at("file"), "people.txt");
  EXPECT_THROW(import_model(folder / "absent.txt"), IoError);
}

std::string liblinear(std::string_view labels, std::string_view bias, int features) {
  std::string text = fmt::format(
      "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel {}\nnr_feature {}\nbias {}\nw\n", labels,
      features, bias);
  for (int i = 0; i < features; ++i) text += fmt::format("{} \n", i + 1);
  if (!bias.starts_with('-')) text += "0.5 \n";
  return text;
}

TEST(ImportModel, ReadsLiblinear) {
  const LinearModel model = linear(parse(liblinear("1 -1", "10", 16)));
  EXPECT_EQ(model.weights[2], 3);
  EXPECT_EQ(model.bias, 5);
  const LinearModel turned = linear(parse(liblinear("-1 1", "10", 16)));
  EXPECT_EQ(turned.weights[2], -3);
  EXPECT_EQ(turned.bias, -5);
  const LinearModel without = linear(parse(liblinear("1 0", "-1", 16)));
  EXPECT_EQ(without.weights[2], 3);
  EXPECT_EQ(without.bias, 0);
}

template <class E>
std::string refusal(const std::string& text) {
  return message_of<E>([&] { parse(text); });
}

TEST(ImportModel, SaysWhatIsWrong) {
  EXPECT_THAT(refusal<ModelError>(replaced(kYaml, "cellSize: [ 8, 8 ]", "cellSize: [ 0, 0 ]")),
              HasSubstr("foreign: cellSize is 0x0"));
  EXPECT_THAT(refusal<ModelError>(replaced(kYaml, "[ 16, 16 ]", "[ 1000000, 16 ]")),
              HasSubstr("window-width"));
  EXPECT_THAT(refusal<ModelError>(replaced(kYaml, "[ 16, 16 ]", "[ 1e300, 16 ]")),
              HasSubstr("not finite"));
  EXPECT_THAT(refusal<ModelError>(replaced(kYaml, "nbins: 4", "nbins: 5")),
              HasSubstr("17 numbers, expected 20 and a bias"));
  EXPECT_THAT(refusal<ModelError>(replaced(kYaml, "nbins: 4", "nbins: 4.5")), HasSubstr("nbins"));
  EXPECT_THAT(refusal<ModelError>(replaced(kYaml, "2.,", "nan,")),
              HasSubstr("\"nan\" is not finite"));
  EXPECT_THAT(refusal<FormatError>(replaced(kYaml, "2.,", ".Nan,")), HasSubstr("\".Nan\" stands"));
  EXPECT_THAT(refusal<FormatError>(replaced(kYaml, "SVMDetector", "Detector")),
              HasSubstr("no SVMDetector"));
  EXPECT_THAT(refusal<FormatError>(replaced(kYaml, "7.00000000e-01 ]", "")),
              HasSubstr("ends inside of SVMDetector"));
  EXPECT_THAT(refusal<FormatError>(replaced(kXml, "cellSize", "CellSize")),
              HasSubstr("no cellSize"));
  EXPECT_THAT(
      refusal<ModelError>(replaced(kYaml, "blockSize: [ 16, 16 ]", "blockSize: [ 16, 12 ]")),
      HasSubstr("expected a square"));
  EXPECT_THAT(refusal<FormatError>("GIF89a"), HasSubstr("begins with \"GIF89a\""));
  EXPECT_THAT(refusal<FormatError>("  \n"), HasSubstr("is empty"));
  EXPECT_THAT(refusal<ModelError>("1 2 3"), HasSubstr("3 numbers, expected 16"));
  EXPECT_THAT(refusal<FormatError>("1 2 three"), HasSubstr("\"three\" stands"));
  EXPECT_THAT(refusal<ModelError>(liblinear("1 -1", "10", 15)),
              HasSubstr("15 features, but the descriptor of a window of 16x16 has 16 numbers"));
  EXPECT_THAT(
      refusal<FormatError>(replaced(liblinear("1 -1", "1", 16), "nr_feature 16", "nr_feature 9")),
      HasSubstr("17 weights for 9 features"));
  EXPECT_THAT(refusal<FormatError>("solver_type X\nnr_class 2\n"), HasSubstr("no line \"w\""));
}

// Any change of a byte, and any end, gives a model with finite numbers or one line.
TEST(ImportModel, SurvivesDamage) {
  for (const std::string& text : {kYaml, kXml, kJson, liblinear("1 -1", "10", 16)}) {
    const auto survive = [&](const std::string& damaged) {
      try {
        const Model model = parse(damaged);
        for (const float weight : linear(model).weights) ASSERT_TRUE(std::isfinite(weight));
        ASSERT_EQ(linear(model).weights.size(),
                  static_cast<std::size_t>(descriptor_size(linear(model).hog)));
      } catch (const Error& error) {
        ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos)
            << error.what();
      }
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
      survive(text.substr(0, at));
      for (const char value : {'\0', '\xff', '9', '-', ' ', ']', '<', 'e'}) {
        std::string damaged = text;
        damaged[at] = value;
        survive(damaged);
      }
    }
  }
}

}  // namespace
}  // namespace fovea::people
