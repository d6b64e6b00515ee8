// The gallery's section on operations: each is applied to the test scene and shown with its command
// line and its time. Times are medians of whole calls from host memory and back.
#include <fovea/io/image_io.h>
#include <fovea/ops/convolve.h>
#include <fovea/ops/gradient.h>
#include <fovea/ops/integral.h>
#include <fovea/ops/pyramid.h>
#include <fovea/ops/resize.h>
#include <fovea/ops/window_histogram.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/program/stopwatch.h"
#include "demo/demo.h"

namespace fovea::cli {
namespace {

using namespace report;

double seconds_of(const DemoRun& run, const std::function<void()>& work) {
  constexpr int kRepeats = 5;
  return time_in_turns({host_runner(work)}, kRepeats, run.exec.stop)[0].seconds;
}

// A text such as " 1.2 ms on cpu." with the time of the work on the run's device.
std::string time_of(const DemoRun& run, const std::function<void()>& work) {
  return fmt::format(" {} on {}.", seconds_text(seconds_of(run, work)), to_string(run.exec.device));
}

void add_gradient(Page& page, const DemoRun& run) {
  const int width = run.scene.width, height = run.scene.height;
  Image<float> magnitude(width, height);
  Image<std::uint8_t> bin(width, height);
  const PolarGradientOptions options{.bins = 18, .signed_angle = true, .exec = run.exec};
  const std::vector<Color> hues = colors(ColorMap::kPhase, options.bins);
  const std::string time =
      time_of(run, [&] { polar_gradient(run.scene, magnitude, bin, options); });
  Image<std::uint8_t> direction(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Color color = hues[bin.at(x, y)];
      const float strength = std::min(1.0F, magnitude.at(x, y) / 60);
      const std::uint8_t rgb[] = {color.r, color.g, color.b};
      for (int c = 0; c < 3; ++c)
        direction.at(x, y, c) = static_cast<std::uint8_t>(strength * static_cast<float>(rgb[c]));
    }
  }
  page.subsection("Gradient");
  page.figures(
      {Figure::picture(apply_color_map(magnitude),
                       {"Magnitude of the strongest channel, in colors." + time,
                        "fovea ops gradient scene.png -o magnitude.png"}),
       Figure::picture(direction, {"Orientation as hue, in 18 bins of the whole circle, as bright "
                                   "as the edge is strong; the same call.",
                                   "fovea ops gradient scene.png -o orientation.png --show "
                                   "orientation --bins 18 --signed-angle"})});
}

void add_resize(Page& page, const DemoRun& run) {
  std::vector<Figure> figures;
  for (const bool antialias : {false, true}) {
    Image<std::uint8_t> small(run.scene.width / 4, run.scene.height / 4, 3);
    const ResizeOptions options{.antialias = antialias, .exec = run.exec};
    const std::string time = time_of(run, [&] { resize(run.scene, small, options); });
    figures.push_back(Figure::picture(
        small,
        {(antialias ? "A quarter of the size; each pixel is the mean of the pixels it covers."
                    : "A quarter of the size, sampled: the rings show false patterns.") +
             time,
         std::string("fovea ops resize scene.png -o small.png --scale 0.25") +
             (antialias ? " --antialias" : "")},
        3));
  }
  page.subsection("Resize");
  page.figures(figures);
}

// Draws the first level, and the others below each other to its right.
Image<std::uint8_t> stacked(const Pyramid<std::uint8_t>& pyramid) {
  constexpr int kGap = 6;
  const auto first = pyramid.level(0);
  Image<std::uint8_t> sheet(first.width + kGap + (first.width + 1) / 2, first.height, 3);
  fill_box(sheet, {0, 0, static_cast<double>(sheet.width()), static_cast<double>(sheet.height())},
           {kWhite, 1});
  copy(first, sheet.view().crop(0, 0, first.width, first.height));
  int top = 0;
  for (int i = 1; i < pyramid.levels(); ++i) {
    const auto level = pyramid.level(i);
    if (top + level.height > sheet.height()) break;
    copy(level, sheet.view().crop(first.width + kGap, top, level.width, level.height));
    draw_text(sheet, {first.width + kGap + level.width + 6.0, top + level.height / 2.0},
              fmt::format("{} × {}", level.width, level.height),
              {.color = {90, 96, 106}, .size = 13, .vertical = Vertical::kMiddle});
    top += level.height + kGap;
  }
  return sheet;
}

void add_pyramid(Page& page, const DemoRun& run) {
  Pyramid<std::uint8_t> pyramid({.filter = PyramidFilter::kGaussian, .exec = run.exec});
  const std::string time = time_of(run, [&] { pyramid.build(run.scene); });
  page.subsection("Pyramid");
  page.figure(Figure::picture(
      stacked(pyramid),
      {fmt::format("{} levels, each smoothed and halved from the one before.", pyramid.levels()) +
           time,
       "fovea ops pyramid scene.png -o levels --filter gaussian"}));
}

void add_filters(Page& page, const DemoRun& run) {
  const ConvolveOptions options{.exec = run.exec};
  Image<std::uint8_t> blurred(run.scene.width, run.scene.height, 3);
  const std::string blur_time =
      time_of(run, [&] { gaussian_blur(run.scene, blurred, 4, options); });
  const auto gray = io::to_gray(run.scene);
  const Image<float> kernel = laplacian_of_gaussian_kernel(3);
  Image<float> laplacian(run.scene.width, run.scene.height);
  const std::string laplacian_time =
      time_of(run, [&] { convolve(gray, laplacian, kernel, options); });
  page.subsection("Filters");
  page.figures(
      {Figure::picture(blurred, {"Gaussian blur, sigma 4." + blur_time,
                                 "fovea ops blur scene.png -o soft.png --sigma 4"}),
       Figure::picture(apply_color_map(laplacian, {.map = ColorMap::kBalance, .symmetric = true}),
                       {fmt::format("Laplacian of a Gaussian, sigma 3, of the gray picture: dark "
                                    "blobs are red, bright ones blue. {} x {} taps.",
                                    kernel.width(), kernel.height()) +
                            laplacian_time,
                        "fovea ops convolve scene.png -o blobs.png --laplacian 3 --gain 8 "
                        "--offset 128"})});
}

// The mean of the square of pixels around each pixel, cut at the border.
void box_means(ImageView<const float> sums, ImageView<std::uint8_t> means, int side) {
  for (int y = 0; y < means.height; ++y) {
    const int top = std::max(0, y - side / 2), bottom = std::min(means.height, y + side / 2 + 1);
    for (int x = 0; x < means.width; ++x) {
      const int left = std::max(0, x - side / 2), right = std::min(means.width, x + side / 2 + 1);
      const int w = right - left, h = bottom - top;
      means.at(x, y) = static_cast<std::uint8_t>(rectangle_sum(sums, left, top, w, h) /
                                                 static_cast<float>(w * h));
    }
  }
}

void add_integral(Page& page, const DemoRun& run) {
  constexpr int kSide = 31;
  const auto gray = io::to_gray(run.scene);
  Image<float> sums(gray.width() + 1, gray.height() + 1);
  Image<std::uint8_t> means(gray.width(), gray.height());
  const std::string time =
      time_of(run, [&] { integral(gray.view(), sums.view(), {.exec = run.exec}); });
  const std::string box_time =
      seconds_text(seconds_of(run, [&] { box_means(sums, means, kSide); }));
  const ColorMapOptions colors{.map = ColorMap::kTide,
                               .automatic = false,
                               .low = 0,
                               .high = sums.at(gray.width(), gray.height())};
  page.subsection("Integral image");
  page.figures({Figure::picture(apply_color_map(sums, colors),
                                {"Sums over all pixels above and to the left, in colors." + time,
                                 "fovea ops integral scene.png -o sums.npy"}),
                Figure::picture(
                    means, {fmt::format("Means of {} x {} pixels by `rectangle_sum`: four "
                                        "look-ups per pixel, whatever the size. {} on one thread.",
                                        kSide, kSide, box_time)})});
}

struct Texture {
  Image<float> entropy;    // in bits
  Image<float> commonest;  // the most frequent level
};

Texture texture_of(ImageView<const std::uint16_t> counts) {
  Texture texture{Image<float>(counts.width, counts.height),
                  Image<float>(counts.width, counts.height)};
  for (int y = 0; y < counts.height; ++y) {
    for (int x = 0; x < counts.width; ++x) {
      const std::span histogram(&counts.at(x, y), static_cast<std::size_t>(counts.channels));
      const double total = std::accumulate(histogram.begin(), histogram.end(), 0);
      double bits = 0;
      for (const std::uint16_t count : histogram)
        if (count > 0) bits -= count / total * std::log2(count / total);
      texture.entropy.at(x, y) = static_cast<float>(bits);
      texture.commonest.at(x, y) = static_cast<float>(
          std::max_element(histogram.begin(), histogram.end()) - histogram.begin());
    }
  }
  return texture;
}

void add_histogram(Page& page, const DemoRun& run) {
  constexpr int kLevels = 16;
  const auto gray = io::to_gray(run.scene);
  const int width = gray.width(), height = gray.height();
  Image<std::uint8_t> bins(width, height);
  Image<std::uint16_t> counts(width, height, kLevels);
  const std::string time = time_of(run, [&] {
    quantize(gray, bins, {.levels = kLevels, .exec = run.exec});
    window_histogram(bins, counts, {.exec = run.exec});
  });
  const Texture texture = texture_of(counts);
  page.subsection("Window histograms");
  page.figures(
      {Figure::picture(apply_color_map(texture.entropy),
                       {"Entropy of each pixel's window of 15 x 15, in 16 levels of gray: texture "
                        "is bright." +
                            time,
                        "fovea ops histogram scene.png -o counts.npy --levels 16"}),
       Figure::picture(
           apply_color_map(texture.commonest, {.map = ColorMap::kGray}),
           {"The most frequent level of each window, from the same counts: small things "
            "vanish, edges stay."})});
}

}  // namespace

void add_demo_operations(Page& page, const DemoRun& run) {
  page.paragraph(fmt::format(
      "Each operation on the scene of {} x {} pixels, with the command that computes it. Times "
      "are medians of whole calls, from host memory and back.",
      run.scene.width, run.scene.height));
  page.figure(Figure::picture(run.scene, {"The scene, drawn by the program itself."}));
  for (const auto add :
       {add_gradient, add_resize, add_pyramid, add_filters, add_integral, add_histogram}) {
    throw_if_stopped(run.exec);
    add(page, run);
  }
}

}  // namespace fovea::cli
