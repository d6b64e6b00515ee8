// The gallery's section on reports: one example of each kind of picture, from made-up data.
#include <fovea/core/options.h>
#include <fovea/report/chart.h>
#include <fovea/report/color_map.h>
#include <fovea/report/montage.h>

#include "demo/demo.h"
#include "demo/samples.h"

namespace fovea::cli {
namespace {

using namespace report;

void add_color_maps(Page& page) {
  const Image<float> values = samples::surface(360, 240);
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<Tile> tiles;
  for (const Choice& choice : choices(ColorMap{}))
    pictures.push_back(
        apply_color_map(values, {.map = static_cast<ColorMap>(choice.value), .symmetric = true}));
  for (std::size_t i = 0; i < pictures.size(); ++i)
    tiles.push_back({pictures[i], choices(ColorMap{})[i].word});
  const Image<std::uint8_t> balance =
      apply_color_map(values, {.map = ColorMap::kBalance, .symmetric = true});
  const ValueRange range = value_range(values, {.symmetric = true});
  page.figures({Figure::picture(with_color_bar(balance, {ColorMap::kBalance, range, "height (mm)"}),
                                {"Values in colors; the hole is missing data."}),
                Figure::picture(montage(tiles, {.columns = 2, .cell = {220, 150}}),
                                {"A montage of the five maps."})});
}

void add_charts(Page& page) {
  page.figures({Figure::chart(to_svg(samples::precision_recall()),
                              {"Lines with a band, a gap and a reference."}),
                Figure::chart(to_svg(samples::timings()), {"Logarithmic axes and markers."}),
                Figure::chart(to_svg(samples::scatter()), {"Scatter."}),
                Figure::chart(to_svg(samples::errors()), {"Histograms."}),
                Figure::chart(to_svg(samples::throughput()), {"Groups of bars with deviations."}),
                Figure::chart(to_svg(samples::changes()), {"Horizontal bars."}),
                Figure::chart(to_svg(samples::confusions()), {"A confusion matrix."}),
                Figure::chart(to_svg(samples::distances()), {"A large matrix."})});
}

void add_words(Page& page) {
  page.paragraph(
      "Paragraphs are plain text with `code` in backticks: 3 < 4 & \"quotes\" are safe.");
  page.table({"A table.",
              {{"shape"}, {"size"}, {"area", "mm²"}, {"ratio"}},
              {{"circle", "4 mm", 12.566, 1.0},
               {"square", "4 mm", 16, 1.273},
               {"line", "4 mm", 0.0, samples::kNaN}}});
  page.facts({{"frames", "1 200"}, {"found", "17 people in 9 frames"}});
  page.code("for (const auto& box : boxes) draw_box(image, box);");
}

}  // namespace

void add_demo_report(Page& page, const DemoRun&) {
  page.paragraph(
      "This section shows one example of each kind of picture in reports, as `fovea::report` draws "
      "them. Its numbers are made up.");
  page.subsection("Drawings");
  page.figure(Figure::picture(samples::scene(),
                              {"Boxes with labels, lines, arrows, circles, markers, text."}));
  page.subsection("Color maps");
  add_color_maps(page);
  page.subsection("Charts");
  add_charts(page);
  page.subsection("Words and numbers");
  add_words(page);
}

}  // namespace fovea::cli
