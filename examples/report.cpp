// Writes a page with a picture, a chart and a table: report PAGE.html
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/integral.h>
#include <fovea/report/chart.h>
#include <fovea/report/color_map.h>
#include <fovea/report/page.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) try {
  Random random(1);
  Image<float> noise(200, 120);
  for (int y = 0; y < noise.height(); ++y)
    for (int x = 0; x < noise.width(); ++x) noise.at(x, y) = static_cast<float>(random.normal());
  Image<double> sums(noise.width() + 1, noise.height() + 1);
  integral(std::as_const(noise).view(), sums.view());

  report::LineChart chart{.title = "Mean of noise",
                          .x = {.title = "side of the square (px)"},
                          .y = {.title = "mean"},
                          .series = {{.name = "measured"}}};
  for (int side = 1; side <= noise.height(); ++side) {
    chart.series[0].x.push_back(side);
    chart.series[0].y.push_back(rectangle_sum(sums.view(), 0, 0, side, side) / (side * side));
  }
  report::Page page("Noise", "Random numbers, shown by `fovea::report`.");
  page.section("Values");
  page.figures({report::Figure::picture(report::apply_color_map(noise), {"The noise."}, 2),
                report::Figure::chart(report::to_svg(chart), {"Its mean goes to 0."})});
  page.table(
      {"Sums", {{"square"}, {"sum"}}, {{"10 px", rectangle_sum(sums.view(), 0, 0, 10, 10)}}});
  page.write(argc > 1 ? argv[1] : "report.html");
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "report: %s\n", error.what());
  return 1;
}
