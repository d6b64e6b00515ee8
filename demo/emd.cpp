// The gallery's section on the Earth Mover's Distance: a map of where an image resembles a part of
// itself, the regions of a map, targets that are tracked by their colors and by their edges, and
// one in cubes of bands.
#include <fovea/emd/map.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/show.h>
#include <fovea/emd/track.h>
#include <fovea/io/image_io.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/emd/cube_scene.h"
#include "demo/demo.h"
#include "demo/emd_filter.h"
#include "demo/figures.h"
#include "demo/why.h"
#include "operations/emd/band_choice.h"
#include "operations/emd/track_frames.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr int kBins = 11;
constexpr int kEmdFrames = 24;
constexpr int kEmdWidth = 320, kEmdHeight = 200;

// Maps the distance of each window's gray levels to those of a piece of grass.
void add_map(std::vector<Figure>& figures, const DemoRun& run) {
  const Image<std::uint8_t> gray = io::to_gray(run.scene);
  Image<std::uint8_t> labels(gray.width(), gray.height());
  quantize(gray.view(), labels.view(), {.levels = kBins, .exec = run.exec});
  const Rect<double> grass{40, 340, 60, 50};
  const auto part = labels.view().crop(40, 340, 60, 50);
  emd::Mapper mapper(emd::label_histogram(part, kBins),
                     {.ground = "threshold:3", .exec = run.exec});
  const Image<float> map = mapper.map(labels.view());
  const emd::MapReport stats = mapper.report();
  Image<std::uint8_t> marked = clone(run.scene);
  draw_box(marked.view(), grass);
  figures.push_back(Figure::picture(marked, {"the target: a piece of grass"}));
  figures.push_back(why_map(run.scene, {40, 340, 60, 50}, run.exec));
  figures.push_back(Figure::picture(
      apply_color_map(map.view(), {.map = ColorMap::kTide}),
      {fmt::format(
           "the distance of each window's gray levels to it, where dark is near; {:.1f} % of "
           "the windows' histograms were solved, the others are duplicates",
           100.0 * static_cast<double>(stats.solved) / static_cast<double>(stats.pixels)),
       "fovea emd map scene.png --target 40,340,60,50 --ground threshold:3 -o map.tif --picture "
       "map.png"}));
}

// A striped buoy crosses the scene while another one that shares one of its colors moves the other
// way.
struct Chase {
  std::vector<Image<std::uint8_t>> frames;
  std::vector<Rect<double>> truth;
};

void draw_buoy(Canvas image, double x, double y, Color upper, Color lower) {
  fill_box(image, {x, y, 22, 14}, {upper, 1});
  fill_box(image, {x, y + 14, 22, 18}, {lower, 1});
}

Chase draw_chase(ImageView<const std::uint8_t> scene) {
  Chase chase;
  constexpr Color kRed{196, 44, 40}, kCream{240, 226, 196}, kRust{150, 84, 40};
  for (int k = 0; k < kEmdFrames; ++k) {
    Image<std::uint8_t> frame = clone(scene.crop(160, 190, kEmdWidth, kEmdHeight));
    const double t = static_cast<double>(k) / (kEmdFrames - 1);
    const double x = std::round(20 + 250 * t), y = std::round(90 + 40 * std::sin(5 * t));
    draw_buoy(frame.view(), std::round(270 - 240 * t), 60, kRust, kCream);
    draw_buoy(frame.view(), x, y, kRed, kCream);
    chase.frames.push_back(std::move(frame));
    chase.truth.push_back({x, y, 22, 32});
  }
  return chase;
}

// Finds the striped buoy of the first frame in the middle one, by windows of colors.
void add_regions(std::vector<Figure>& figures, const Chase& chase, const DemoRun& run) {
  const Rect<double>& truth = chase.truth[0];
  const Rect<int> box{static_cast<int>(truth.x), static_cast<int>(truth.y),
                      static_cast<int>(truth.width), static_cast<int>(truth.height)};
  const emd::BandFrame first = emd::bands_of(chase.frames[0].view(), "frame 0");
  emd::SceneMapper mapper(
      first, box, {.signature = emd::SceneSignature::kColors, .window = 5, .exec = run.exec});
  emd::RegionOptions options;
  const emd::RegionTarget target{box, mapper.target_size()};
  options.threshold = emd::choose_threshold(mapper.map(first), options, target);
  const Image<std::uint8_t>& frame = chase.frames[kEmdFrames / 2];
  const Image<float> map = mapper.map(emd::bands_of(frame.view(), "frame"));
  const emd::RegionSet found = emd::find_regions(map, options, {{}, mapper.target_size()});
  Image<std::uint8_t> drawn = clone(frame);
  emd::draw_regions(drawn.view(), found);
  run.show("emd: find by exact distances of colors", drawn);
  figures.push_back(Figure::picture(
      drawn,
      {fmt::format("regions of frame {} whose colors are at most {:.0f} away from the target's, "
                   "with their scores",
                   kEmdFrames / 2, found.threshold),
       fmt::format("fovea emd map chase --target {},{},{},{} --signature colors --window 5 "
                   "--coco found.json --overlay found.mp4",
                   box.x, box.y, box.width, box.height)}));
}

void add_track(std::vector<Figure>& figures, const DemoRun& run) {
  Chase chase = draw_chase(run.scene);
  write_frames(run.folder + "/chase", chase.frames);
  add_regions(figures, chase, run);
  figures.push_back(why_track(chase.frames, chase.truth[0], run.exec));
  emd::TrackOptions options;
  options.exec = run.exec;
  options.whole_map = true;
  emd::Tracker tracker(chase.frames[0], chase.truth[0], options);
  std::vector<Rect<double>> found{chase.truth[0]};
  Image<float> likelihood;
  for (std::size_t k = 1; k < chase.frames.size(); ++k) {
    found.push_back(tracker.track(chase.frames[k])[0].box);
    if (k == kEmdFrames / 2) likelihood = tracker.likelihood(1);
  }
  const emd::TrackReport score = emd::evaluate_track(found, chase.truth);
  std::vector<Tile> tiles;
  for (const int k : {0, kEmdFrames / 3, kEmdFrames / 2, kEmdFrames - 1}) {
    Image<std::uint8_t>& frame = chase.frames[static_cast<std::size_t>(k)];
    draw_box(frame.view(), found[static_cast<std::size_t>(k)], {.color = kWhite});
    tiles.push_back({frame, fmt::format("frame {}", k)});
  }
  const Rect<double>& first = chase.truth[0];
  figures.push_back(Figure::picture(
      montage(tiles, {.columns = 2}),
      {fmt::format(
           "a target followed past another one that shares half of its colors; the mean overlap "
           "with the truth is {:.2f}",
           score.mean_overlap),
       fmt::format("fovea emd track chase --target {:g},{:g},{:g},{:g} -o tracks.txt --video "
                   "tracks.mp4",
                   first.x, first.y, first.width, first.height)}));
  figures.push_back(Figure::picture(
      apply_color_map(likelihood.view(), {.automatic = false}),
      {fmt::format("how much each window of frame {} looks like the target and unlike what "
                   "surrounded it",
                   kEmdFrames / 2)}));
}

// A target that neither brightness nor three colors show is followed through a drawn landscape of
// many bands, by all of them, by three and by their mean.
void add_cubes(std::vector<Figure>& figures, const DemoRun& run) {
  constexpr int kCubeFrames = 30, kCubeBands = 24;
  const DrawnCube drawn = drawn_cube({128, 96}, kCubeBands, run.exec.seed);
  DrawnCube own = drawn_cube({128, 96}, kCubeBands, run.exec.seed);
  const CubeScene scene(std::move(own.bands), {},
                        {.target = drawn.target, .frames = kCubeFrames, .seed = run.exec.seed});
  operations::BandChoice three;
  three.bands = drawn.color_bands;
  const std::vector<operations::BandChoice> choices{{}, three, {{}, true}};
  std::vector<std::optional<emd::Tracker>> trackers(choices.size());
  std::vector<std::vector<Rect<double>>> found(choices.size());
  std::vector<Rect<double>> truth;
  operations::of_emd_track::BandPicture picture;
  std::vector<Image<std::uint8_t>> pictures;
  for (int k = 0; k < kCubeFrames; ++k) {
    const Rect<int>& box = scene.box(k);
    truth.push_back({1.0 * box.x, 1.0 * box.y, 1.0 * box.width, 1.0 * box.height});
    for (std::size_t i = 0; i < choices.size(); ++i) {
      emd::BandFrame frame{scene.frame(k, run.exec), fmt::format("frame {}", k), 0};
      if (i == 0 && k % 10 == 9) picture.draw(frame, pictures.emplace_back());
      choose_bands(choices[i], frame);
      if (k == 0) {
        emd::TrackOptions options;
        options.exec = run.exec;
        trackers[i].emplace(StackView<const float>(frame.bands), truth.front(), options);
        found[i].push_back(truth.front());
      } else {
        found[i].push_back(trackers[i]->track(frame.bands).front().box);
      }
    }
  }
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::size_t k = 10 * i + 9;
    draw_box(pictures[i].view(), truth[k], {.color = {90, 90, 90}});
    draw_box(pictures[i].view(), found[0][k], {.color = kWhite});
    tiles.push_back({pictures[i], fmt::format("frame {}", k)});
  }
  std::array<double, 3> overlaps{};
  for (std::size_t i = 0; i < overlaps.size(); ++i)
    overlaps[i] = emd::evaluate_track(found[i], truth).mean_overlap;
  figures.push_back(Figure::picture(
      montage(tiles, {.columns = 3}),
      {fmt::format("a target in cubes of {} bands, shown as three colors, in which it hides; its "
                   "mean overlap with the truth is {:.2f} by all bands, {:.2f} by three and {:.2f} "
                   "by their mean (emd scene -o cubes --drawn-bands {} --frames {} draws them)",
                   kCubeBands, overlaps[0], overlaps[1], overlaps[2], kCubeBands, kCubeFrames),
       "fovea emd track cubes --truth cubes/boxes.csv"}));
}

}  // namespace

void add_demo_emd(Page& page, const DemoRun& run) {
  page.paragraph(
      "The Earth Mover's Distance says how much mass must be moved how far to turn one histogram "
      "into another. Here it is computed exactly for the window around every pixel, and used to "
      "follow a target.");
  std::vector<Figure> figures;
  add_map(figures, run);
  add_track(figures, run);
  add_edges_track(figures, run);
  add_cubes(figures, run);
  page.figures(figures, 2);
}

}  // namespace fovea::cli
