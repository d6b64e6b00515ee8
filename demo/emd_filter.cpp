// A gray shield with the grays of the scene behind it comes nearer while the light fades, and the
// camera pans. The tracker follows it with its correlation filter and, beside that, by the first
// frame's grays alone.
#include "demo/emd_filter.h"

#include <fovea/emd/track.h>
#include <fovea/io/image_io.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "demo/figures.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr int kShieldFrames = 36, kShieldWidth = 280, kShieldHeight = 200;

// Where the shield is: the middle of a square, and half of its side.
struct Shield {
  double x = 0, y = 0, half = 0;

  Rect<double> box() const { return {x - half, y - half, 2 * half, 2 * half}; }
};
Shield shield_at(int frame) {
  const double t = static_cast<double>(frame) / (kShieldFrames - 1);
  return {60 + 150 * t + 6 * std::sin(9 * t), 100 + 30 * std::sin(5 * t), 16 + 10 * t};
}

// Waves around gray, whose mean and contrast are those of the scene.
Image<std::uint8_t> shield_frame(ImageView<const std::uint8_t> gray, int frame) {
  const Shield shield = shield_at(frame);
  const double light = 1 - 0.4 * frame / kShieldFrames;
  const int left = 100 + 2 * frame, top = 150 + static_cast<int>(std::lround(8 * std::sin(frame)));
  Image<std::uint8_t> image(kShieldWidth, kShieldHeight, 3);
  for (int y = 0; y < kShieldHeight; ++y) {
    for (int x = 0; x < kShieldWidth; ++x) {
      const double dx = (x + 0.5 - shield.x) / shield.half, dy = (y + 0.5 - shield.y) / shield.half;
      const bool inside = std::max(std::abs(dx), std::abs(dy)) <= 1;
      const double wave = std::sin(5 * dx + 2 * dy * dy) * std::cos(4 * dy);
      const double value = inside ? 120 + 60 * wave : gray.at(left + x, top + y);
      std::fill_n(&image.at(x, y), 3, static_cast<std::uint8_t>(light * value));
    }
  }
  return image;
}

std::vector<Rect<double>> follow_shield(const std::vector<Image<std::uint8_t>>& frames,
                                        emd::TrackFilter filter, const Exec& exec) {
  emd::TrackOptions options;
  options.filter = filter;
  options.exec = exec;
  std::vector<Rect<double>> boxes{shield_at(0).box()};
  emd::Tracker tracker(frames[0], boxes[0], options);
  for (std::size_t k = 1; k < frames.size(); ++k) boxes.push_back(tracker.track(frames[k])[0].box);
  return boxes;
}

}  // namespace

void add_edges_track(std::vector<Figure>& figures, const DemoRun& run) {
  const Image<std::uint8_t> gray = io::to_gray(run.scene);
  std::vector<Image<std::uint8_t>> frames;
  std::vector<Rect<double>> truth;
  for (int k = 0; k < kShieldFrames; ++k) {
    frames.push_back(shield_frame(gray.view(), k));
    truth.push_back(shield_at(k).box());
  }
  write_frames(run.folder + "/shield", frames);
  const auto edges = follow_shield(frames, emd::TrackFilter::kAuto, run.exec);
  const auto colors = follow_shield(frames, emd::TrackFilter::kOff, run.exec);
  std::vector<Tile> tiles;
  for (const int k : {0, kShieldFrames / 3, 2 * kShieldFrames / 3, kShieldFrames - 1}) {
    const auto at = static_cast<std::size_t>(k);
    draw_box(frames[at].view(), colors[at], {.color = {214, 120, 30}});
    draw_box(frames[at].view(), edges[at], {.color = kWhite});
    tiles.push_back({frames[at], fmt::format("frame {}", k)});
  }
  const Rect<double>& first = truth[0];
  figures.push_back(Figure::picture(
      montage(tiles, {.columns = 2}),
      {fmt::format("a gray target with the grays of its surroundings, which grows while the light "
                   "fades and the camera pans: white is the tracker with its filter of edges, with "
                   "a mean overlap of {:.2f}, and orange the one by the first frame's grays alone "
                   "(--filter off), with {:.2f}",
                   emd::evaluate_track(edges, truth).mean_overlap,
                   emd::evaluate_track(colors, truth).mean_overlap),
       fmt::format("fovea emd track shield --target {:g},{:g},{:g},{:g} -o tracks.txt", first.x,
                   first.y, first.width, first.height)}));
}

}  // namespace fovea::cli
