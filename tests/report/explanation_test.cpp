// Covers: explanation_picture explanation_records
#include <fovea/core/error.h>
#include <fovea/report/explanation.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/images.h"

namespace fovea::report {
namespace {

Explanation example() {
  Explanation why;
  why.title = "Why this window counts as a person";
  why.summary = "The score is 1.5, which is above the threshold of 1.";
  why.total_name = "score";
  why.total = 1.5;
  why.place = {4, 4, 8, 8};
  why.reasons = {{"head", 0.25, "", {4, 4, 8, 2}},
                 {"legs", 2, "They are straight.", {}},
                 {"sky", -0.75, "", {}}};
  HeatLayer layer{"blocks", "what each block adds", {4, 4, 8, 8}, Image<float>(2, 2), true};
  layer.values.at(0, 0) = 1;
  layer.values.at(1, 0) = -1;
  layer.values.at(0, 1) = std::numeric_limits<float>::quiet_NaN();
  layer.values.at(1, 1) = 0;
  why.layers.push_back(std::move(layer));
  why.shapes.push_back({ShapeKind::kArrow, {{2, 2}, {12, 12}}, "", 1, palette(1), -1});
  why.tables.push_back({"Stages", {{"stage", ""}, {"sum", "units"}}, {{1, 0.5}, {2, -0.25}}});
  return why;
}

TEST(Explanation, TheLargestReasonsStayAndTheRestIsAdded) {
  Explanation why = example();
  keep_largest(why, 2);
  ASSERT_EQ(why.reasons.size(), 2U);
  EXPECT_EQ(why.reasons[0].name, "legs");
  EXPECT_EQ(why.reasons[1].name, "sky");
  EXPECT_DOUBLE_EQ(why.rest, 0.25);
  EXPECT_DOUBLE_EQ(why.reasons[0].value + why.reasons[1].value + why.rest, why.total);
  keep_largest(why, 5);
  EXPECT_EQ(why.reasons.size(), 2U);
}

TEST(Explanation, TextHasTheSummaryReasonsAndTables) {
  Explanation why = example();
  keep_largest(why, 2);
  EXPECT_EQ(to_text(why),
            "Why this window counts as a person\n"
            "The score is 1.5, which is above the threshold of 1.\n"
            "  legs                +2  They are straight.\n"
            "  sky              -0.75\n"
            "  all others       +0.25\n"
            "  score             +1.5\n"
            "Stages\n"
            "  stage  sum (units)\n"
            "      1        0.500\n"
            "      2       −0.250\n");
}

TEST(Explanation, JsonHasEverything) {
  const auto json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json["total"], 1.5);
  EXPECT_EQ(json["reasons"].size(), 3U);
  EXPECT_EQ(json["reasons"][0]["box"], nlohmann::json({4, 4, 8, 2}));
  EXPECT_FALSE(json["reasons"][1].contains("box"));
  EXPECT_EQ(json["layers"][0]["values"][0], nlohmann::json({1, -1}));
  EXPECT_TRUE(json["layers"][0]["values"][1][0].is_null());
  EXPECT_EQ(json["layers"][0]["low"], -1);
  EXPECT_EQ(json["shapes"][0]["kind"], "arrow");
  EXPECT_EQ(json["tables"][0]["rows"].size(), 2U);
  const auto short_form = nlohmann::json::parse(to_json(example(), LayerValues::kNone));
  EXPECT_FALSE(short_form["layers"][0].contains("values"));
}

TEST(ExplanationPicture, TheLayerCoversItsPlaceAndNothingElse) {
  Image<std::uint8_t> image(16, 16, 3);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 48; ++x) image.row(y)[x] = 100;
  Explanation why = example();
  why.shapes.clear();
  why.place = {};
  ExplanationPictureOptions options;
  options.least_width = 16;
  options.whole_image = true;
  const Image<std::uint8_t> sheet = draw_explanation(image.view(), why, options);
  const int gap = 8;
  const auto pixel = [&](int x, int y, int c) { return sheet.at(gap + x, gap + y, c); };
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(pixel(1, 1, c), 100);
    EXPECT_EQ(pixel(5, 10, c), 100) << "NaN leaves the picture as it is";
  }
  EXPECT_GT(pixel(5, 5, 0), pixel(5, 5, 2)) << "for is red";
  EXPECT_LT(pixel(10, 5, 0), pixel(10, 5, 2)) << "against is blue";
}

TEST(ExplanationPicture, PlacesBeyondTheImageAndEmptyPartsAreHarmless) {
  Image<std::uint8_t> image(8, 6);
  Explanation why = example();
  why.place = {-40, -40, 10, 10};
  why.layers[0].place = {100, 100, 50, 50};
  why.layers.push_back({"empty", "", {}, Image<float>(), false});
  why.shapes.push_back({ShapeKind::kDots, {}, "none", 1, palette(2), -1});
  EXPECT_GT(draw_explanation(image.view(), why).width(), 0);
  EXPECT_GT(draw_explanation(image.view(), Explanation{}).width(), 0);
  EXPECT_THROW(draw_explanation(ImageView<const std::uint8_t>{}, why), InvalidArgument);
}

}  // namespace
}  // namespace fovea::report
