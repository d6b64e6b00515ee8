// Writes a page with one of each picture that fovea::report makes: report_gallery [PAGE.html]
#include <fovea/chart.h>
#include <fovea/colour_map.h>
#include <fovea/error.h>
#include <fovea/montage.h>
#include <fovea/page.h>

#include <cstdio>

#include "report_samples.h"

using namespace fovea;
using namespace fovea::report;
using samples::kNaN;

int main(int argc, char** argv) try {
  Random random(11);
  const std::string path = argc > 1 ? argv[1] : "report_gallery.html";
  const Image<float> values = samples::surface(360, 240);
  Page page("Pictures of fovea",
            "One of each picture that `fovea::report` makes, as a page of its own kind.");
  page.section("Drawings");
  page.figure(Figure::picture(samples::scene(),
                              {"Boxes with labels, lines, arrows, circles, markers, text.",
                               "fovea people detect street.png -o street.html", ""}));

  page.section("Colour maps");
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<Tile> tiles;
  for (const Choice& choice : choices(ColourMap{}))
    pictures.push_back(
        apply_colour_map(values, {.map = static_cast<ColourMap>(choice.value), .symmetric = true}));
  for (std::size_t i = 0; i < pictures.size(); ++i)
    tiles.push_back({pictures[i], choices(ColourMap{})[i].word});
  const ValueRange range = value_range(values, {.symmetric = true});
  page.figures(
      {Figure::picture(with_colour_bar(pictures[3], {ColourMap::kBalance, range, "height (mm)"}),
                       {"Values in colours; the hole is missing data."}),
       Figure::picture(montage(tiles, {.columns = 2, .cell_width = 220, .cell_height = 150}),
                       {"A montage of the five maps."})});

  page.section("Charts");
  page.figures({Figure::chart(to_svg(samples::precision_recall()),
                              {"Lines with a band, a gap and a reference."}),
                Figure::chart(to_svg(samples::timings()), {"Logarithmic axes and markers."}),
                Figure::chart(to_svg(samples::scatter()), {"Scatter."})});

  Histogram histogram{
      .title = "Errors", .x = {.title = "error (px)"}, .series = {{"before"}, {"after"}}};
  for (int i = 0; i < 4000; ++i) {
    histogram.series[0].values.push_back(2.0 * random.normal());
    histogram.series[1].values.push_back(0.8 + 0.9 * random.normal());
  }
  BarChart bars{.title = "Throughput",
                .categories = {"people", "flow", "scenes", "mesh"},
                .series = {{"CPU", {31, 84, 12.5, 46}, {2, 6, 1, 4}},
                           {"GPU", {310, 640, kNaN, 405}, {12, 30, 0, 22}}},
                .value = {.title = "frames per second"}};
  BarChart lying{.title = "Accuracy by class",
                 .categories = {"walking slowly", "running", "waving both hands", "boxing"},
                 .series = {{"", {0.93, 0.88, 0.97, -0.12}}},
                 .value = {.title = "change"},
                 .horizontal = true};
  MatrixChart confusion{.title = "Confusions",
                        .values = {48, 2, 0, 1, 5, 40, 4, 0, 0, 3, 51, 2, 1, 0, 6, 44},
                        .rows = 4,
                        .columns = 4,
                        .row_labels = {"walk", "run", "wave", "box"},
                        .column_labels = {"walk", "run", "wave", "box"},
                        .row_title = "true class",
                        .column_title = "predicted class",
                        .normalise_rows = true,
                        .width = 420};
  MatrixChart heat{.title = "Distances",
                   .rows = 64,
                   .columns = 64,
                   .value_title = "EMD",
                   .map = ColourMap::kEmber,
                   .reverse = false,
                   .width = 420};
  for (int i = 0; i < 64 * 64; ++i)
    heat.values.push_back(std::abs(std::sin(i % 64 * 0.15) - std::sin(i / 64 * 0.15)));
  page.figures({Figure::chart(to_svg(histogram), {"Histograms."}),
                Figure::chart(to_svg(bars), {"Groups of bars with deviations."}),
                Figure::chart(to_svg(lying), {"Lying bars."}),
                Figure::chart(to_svg(confusion), {"A confusion matrix."}),
                Figure::chart(to_svg(heat), {"A large matrix."})});

  page.section("Words and numbers");
  page.paragraph(
      "Paragraphs are plain text with `code` in backticks: 3 < 4 & \"quotes\" are safe.");
  page.table({"Times of one frame.",
              {{"operation"}, {"size"}, {"time", "ms"}, {"ratio"}},
              {{"gradient", "1920x1080", 0.8312, 1.31},
               {"integral image", "8192x8192", 12.5, 0.97},
               {"resize", "640x480", 0.0214, kNaN}}});
  page.facts({{"frames", "1 200"}, {"found", "17 people in 9 frames"}});
  page.code(
      "const auto people = detect(image, {.stride = 4});\nfor (const auto& p : people) draw(p);");
  page.provenance({.command = "report_gallery " + path,
                   .options = "{\"map\": \"balance\"}",
                   .device = "cpu",
                   .seed = 11});
  page.write(path);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "report_gallery: %s\n", error.what());
  return 1;
}
