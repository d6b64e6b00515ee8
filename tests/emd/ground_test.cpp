// Covers: ground_named
#include <fovea/core/error.h>
#include <fovea/emd/ground.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "support/files.h"

namespace fovea::emd {
namespace {

using fovea::test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Ground, FormsAreFound) {
  EXPECT_EQ(GroundDistance::l1(11).form(), GroundForm::kLine);
  EXPECT_EQ(GroundDistance::l2(11).form(), GroundForm::kLine);
  EXPECT_EQ(GroundDistance::squared(11).form(), GroundForm::kMonge);
  EXPECT_EQ(GroundDistance::thresholded(11, 3).form(), GroundForm::kGeneral);
  EXPECT_EQ(GroundDistance::thresholded(11, 1).form(), GroundForm::kDiscrete);
  EXPECT_EQ(GroundDistance::thresholded(11, 10).form(), GroundForm::kLine);
  EXPECT_EQ(GroundDistance::circular(11).form(), GroundForm::kCircle);
  EXPECT_EQ(GroundDistance::circular(3).form(), GroundForm::kDiscrete);
  EXPECT_EQ(GroundDistance::discrete(5).form(), GroundForm::kDiscrete);
  const std::vector<double> rising{0, 1, 5, 1, 0, 4, 5, 4, 0};
  EXPECT_EQ(GroundDistance(3, 3, rising).form(), GroundForm::kLine);
  EXPECT_THAT(GroundDistance(3, 3, rising).positions(), ElementsAre(0, 1, 5));
  const std::vector<double> flat{1, 2, 3, 2, 3, 4};  // sums: equal is enough for Monge
  EXPECT_EQ(GroundDistance(2, 3, flat).form(), GroundForm::kMonge);
}

TEST(Ground, MetricsAreFound) {
  EXPECT_TRUE(GroundDistance::l1(8).metric());
  EXPECT_TRUE(GroundDistance::thresholded(8, 2.5).metric());
  EXPECT_TRUE(GroundDistance::circular(9).metric());
  EXPECT_FALSE(GroundDistance::squared(8).metric());
  EXPECT_FALSE(GroundDistance(2, 2, std::vector<double>{1, 1, 1, 0}).metric());
  EXPECT_FALSE(GroundDistance(1, 2, std::vector<double>{0, 1}).metric());
  EXPECT_FALSE(GroundDistance(3, 3, std::vector<double>{0, 1, 3, 1, 0, 1, 3, 1, 0}).metric());
}

TEST(Ground, CostsAreWholeMultiplesOfAPowerOfTwo) {
  const GroundDistance whole = GroundDistance::squared(9);
  EXPECT_TRUE(whole.exact());
  EXPECT_EQ(whole.unit(), 1);
  EXPECT_EQ(whole.cost(0, 8), 64);
  EXPECT_EQ(whole.greatest(), 64);
  const GroundDistance halves = GroundDistance::thresholded(6, 2.5);
  EXPECT_EQ(halves.unit(), 0.5);
  EXPECT_EQ(halves.cost(0, 5), 2.5);
  const GroundDistance even(1, 2, std::vector<double>{4, 12});
  EXPECT_EQ(even.unit(), 4);
  const GroundDistance thirds(1, 3, std::vector<double>{1 / 3.0, 0.1, 100});
  EXPECT_FALSE(thirds.exact());
  EXPECT_EQ(thirds.unit(), 0x1p-33);
  EXPECT_GE(thirds.cost(0, 0), 1 / 3.0);
  EXPECT_NEAR(thirds.cost(0, 0), 1 / 3.0, 0x1p-33);
  const GroundDistance nothing(2, 2, std::vector<double>(4));
  EXPECT_EQ(nothing.greatest(), 0);
}

TEST(Ground, RoundingKeepsAMetricAMetric) {
  std::vector<float> points;
  for (int k = 0; k < 24; ++k)
    points.insert(points.end(), {std::sin(7.0F * static_cast<float>(k)),
                                 std::cos(3.0F * static_cast<float>(k)), 0.1F});
  for (const double greatest : {1e9, 1.0, 0.7})
    EXPECT_TRUE(GroundDistance::between(points, points, 3, greatest).metric()) << greatest;
}

TEST(Ground, PointsAreEuclideanUpToTheGreatest) {
  const std::vector<float> first{0, 0, 3, 4}, second{0, 0};
  const GroundDistance ground = GroundDistance::between(first, second, 2, 4.5);
  EXPECT_EQ(ground.rows(), 2);
  EXPECT_EQ(ground.columns(), 1);
  EXPECT_EQ(ground.cost(0, 0), 0);
  EXPECT_EQ(ground.cost(1, 0), 4.5);
}

TEST(Ground, BadCostsAreRefused) {
  const auto message = [](int rows, int columns, std::vector<double> costs) {
    return message_of<InvalidArgument>([&] { GroundDistance(rows, columns, costs); });
  };
  EXPECT_THAT(message(2, 2, {0, 1, -1, 0}), HasSubstr("from bin 1 to bin 0 is -1"));
  EXPECT_THAT(message(1, 1, {std::numeric_limits<double>::quiet_NaN()}), HasSubstr("is nan"));
  EXPECT_THAT(message(1, 1, {std::numeric_limits<double>::infinity()}), HasSubstr("is inf"));
  EXPECT_THAT(message(2, 2, {0, 1, 1}), HasSubstr("3 costs for 2 rows and 2 columns"));
  EXPECT_THAT(message(0, 2, {}), HasSubstr("0 rows and 2 columns, expected 1 to 4096"));
  EXPECT_THAT(message(4097, 1, std::vector<double>(4097)), HasSubstr("4097 rows"));
  EXPECT_THAT(message_of<InvalidArgument>([] { GroundDistance::thresholded(4097, 3); }),
              HasSubstr("4097 bins, expected 1 to 4096"));
  EXPECT_THAT(message_of<InvalidArgument>([] { GroundDistance::l1((1 << 20) + 1); }),
              HasSubstr("1048577 bins, expected 1 to 1048576"));
}

TEST(Ground, ClosedFormsNeedNoTable) {
  for (const auto& [made, like] :
       {std::pair{GroundDistance::l1(5001), GroundDistance::l1(4095)},
        {GroundDistance::squared(5001), GroundDistance::squared(4095)},
        {GroundDistance::circular(5001), GroundDistance::circular(4095)},
        {GroundDistance::discrete(5001), GroundDistance::discrete(4095)}}) {
    EXPECT_TRUE(made.units().empty());
    EXPECT_EQ(made.form(), like.form());
    EXPECT_EQ(made.metric(), like.metric());
    EXPECT_TRUE(made.exact());
    for (const int apart : {0, 1, 17, 2000}) {
      EXPECT_EQ(made.cost(2500, 2500 + apart), like.cost(2000, 2000 + apart));
      EXPECT_EQ(made.cost(2500 + apart, 2500), made.cost(2500, 2500 + apart));
    }
  }
  EXPECT_EQ(GroundDistance::l1(5001).greatest(), 5000);
  EXPECT_EQ(GroundDistance::circular(5001).greatest(), 2500);
  EXPECT_EQ(GroundDistance::squared(5001).greatest(), 25e6);
  EXPECT_EQ(GroundDistance::discrete(5001).greatest(), 1);
  EXPECT_TRUE(GroundDistance::thresholded(200, 3.5).metric());
}

TEST(Ground, UnitsOfAnyCostsDivideThem) {
  const auto unit = [](std::vector<double> costs) {
    return GroundDistance(1, static_cast<int>(costs.size()), costs).unit();
  };
  EXPECT_EQ(unit({0, 3, 12}), 1);
  EXPECT_EQ(unit({-0.0, 8, 24}), 8);
  EXPECT_EQ(unit({0.75, 2}), 0.25);
  EXPECT_EQ(unit({0x1p-1000, 0x1.8p-1000}), 0x1p-1001);
}

TEST(Ground, NamesAreWordsOrFiles) {
  EXPECT_EQ(GroundDistance::named("l1", 5), GroundDistance::l1(5));
  EXPECT_EQ(GroundDistance::named("threshold:2.5", 5), GroundDistance::thresholded(5, 2.5));
  EXPECT_EQ(GroundDistance::named("circular", 7), GroundDistance::circular(7));
  EXPECT_EQ(GroundDistance::named("squared", 7), GroundDistance::squared(7));
  EXPECT_EQ(GroundDistance::named("discrete", 7), GroundDistance::discrete(7));
  EXPECT_EQ(GroundDistance::named("cityblock", 7), GroundDistance::l1(7));
  EXPECT_EQ(GroundDistance::named("manhattan", 7), GroundDistance::l1(7));
  EXPECT_EQ(GroundDistance::named("euclidean", 7), GroundDistance::l2(7));
  EXPECT_EQ(GroundDistance::named("sqeuclidean", 7), GroundDistance::squared(7));
  const auto message = [](const char* name, int bins) {
    return message_of<InvalidArgument>([&] { GroundDistance::named(name, bins); });
  };
  EXPECT_THAT(message("chessboard", 3),
              HasSubstr("ground distance 'chessboard' is not known; expected l1"));
  EXPECT_THAT(message("threshold:x", 3), HasSubstr("threshold:x: expected a positive number"));
  EXPECT_THAT(message("l1", 0), HasSubstr("0 bins"));

  const fovea::test::TempFolder folder;
  const auto file = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return folder / name;
  };
  const GroundDistance expected(2, 2, std::vector<double>{0, 2.5, 1, 0});
  EXPECT_EQ(GroundDistance::named(file("a.json", "[[0, 2.5], [1, 0]]"), 2), expected);
  EXPECT_EQ(GroundDistance::named(file("a.csv", "0,2.5\n1,0\n"), 0), expected);
  EXPECT_EQ(GroundDistance::named(file("a.txt", "# costs\n0 2.5\n\n1\t0"), 2), expected);
  EXPECT_THAT(message(file("a.csv", "0,2.5\n1,0\n").c_str(), 3),
              HasSubstr("is a table of 2x2 costs, expected 3x3"));
  const auto refuses = [&](const char* name, const std::string& text) {
    return message_of<FormatError>([&] { GroundDistance::named(file(name, text), 0); });
  };
  EXPECT_THAT(refuses("b.csv", "0,1\n1\n"), HasSubstr("line 2 holds 1 costs, but the first row 2"));
  EXPECT_THAT(refuses("b.csv", "0,x\n"), HasSubstr("line 1 holds something that is not a number"));
  EXPECT_THAT(refuses("b.json", "[[0], [1, 2]]"), HasSubstr("holds no table of costs"));
  EXPECT_THAT(refuses("b.json", "{"), HasSubstr("is not JSON at line 1, column 2"));
  EXPECT_THAT(refuses("b.json", std::string(200000, '[')), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(refuses("b.txt", ""), HasSubstr("holds no table of costs"));
  EXPECT_THAT(refuses("b.txt", "0 -1\n1 0"), HasSubstr("is -1"));
  EXPECT_THROW(GroundDistance::named(folder / "absent.csv", 0), IoError);
}

}  // namespace
}  // namespace fovea::emd
