// The gallery's section on people: a drawn street with detected people, its gradients, and what the
// shipped models have learned.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/convolve.h>
#include <fovea/people/show.h>
#include <fovea/people/show_tracks.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/people/crowd.h"
#include "cli/people/people.h"
#include "demo/demo.h"
#include "demo/people_study.h"
#include "demo/why.h"

namespace fovea::cli {
namespace {

using namespace report;

Image<std::uint8_t> street() {
  Image<std::uint8_t> image(640, 420, 3);
  const Canvas canvas = image;
  fill_box(canvas, {0, 0, 640, 420}, {{176, 178, 176}, 1});
  fill_box(canvas, {0, 300, 640, 120}, {{128, 126, 122}, 1});
  for (int i = 0; i < 4; ++i) {
    fill_box(canvas, {20.0 + 170 * i, 40, 90, 120}, {{120, 134, 150}, 1});
    draw_box(canvas, Rect<double>{20.0 + 170 * i, 40, 90, 120},
             Stroke{.color = {216, 214, 206}, .thickness = 4});
  }
  draw_line(canvas, {0, 300}, {640, 300}, {.color = {96, 96, 96}, .thickness = 3});
  for (const Walker& walker : {Walker{150, 392, 236, 0.05, {44, 52, 74}, {36, 36, 42}},
                               Walker{330, 352, 150, 0.08, {150, 52, 46}, {52, 60, 84}},
                               Walker{505, 372, 190, 0.02, {228, 224, 210}, {74, 66, 58}}})
    draw_walker(canvas, walker);
  Image<std::uint8_t> soft(640, 420, 3);
  gaussian_blur(image.view(), soft.view(), 0.9, {.exec = {.device = Device::cpu()}});
  Random random(3);
  for (int y = 0; y < soft.height(); ++y)
    for (int i = 0; i < soft.width() * 3; ++i)
      soft.row(y)[i] =
          static_cast<std::uint8_t>(std::clamp(soft.row(y)[i] + 3.0 * random.normal(), 0.0, 255.0));
  return soft;
}

Figure found_by(const std::string& name, ImageView<const std::uint8_t> image, const Exec& exec) {
  people::DetectOptions options;
  options.exec = exec;
  const auto result = people::detect(image, name, options);
  Image<std::uint8_t> picture = clone(image);
  people::draw_people(picture, result.people);
  return Figure::picture(
      picture,
      {fmt::format("`{}`: {} windows, {:.1f} evaluations each", name, result.counts.windows,
                   static_cast<double>(result.counts.evaluations) /
                       static_cast<double>(std::max<std::int64_t>(1, result.counts.windows))),
       "fovea people detect street.png -o found.png --model " + name});
}

Figure learned_by(const std::string& name) {
  const auto pictures = people::model_pictures(*people::load_model(name), 12);
  std::vector<Tile> tiles;
  tiles.reserve(pictures.size());
  for (const people::ModelPicture& picture : pictures)
    tiles.push_back({picture.image.view(), picture.caption});
  return Figure::picture(
      montage(tiles, {.columns = static_cast<int>(std::min<std::size_t>(5, tiles.size()))}),
      {"what `" + name + "` has learned", "fovea people show --model " + name + " -o learned.png"});
}

// A drawn crowd, followed by its detections with errors.
Figure followed(const DemoRun& run) {
  constexpr int kFrames = 90;
  const Crowd crowd({.size = {480, 270}, .people = 6, .seed = 4});
  people::TrackOptions options{.certain = 0.5};
  options.exec = run.exec;
  people::Tracker tracker(options);
  people::TrackPainter painter(60);
  Image<std::uint8_t> picture;
  for (int number = 0; number < kFrames; ++number) {
    std::vector<people::Detection> found;
    for (const people::MotBox& box : crowd.detections(number)) {
      const Rect<float> rect{static_cast<float>(box.box.x), static_cast<float>(box.box.y),
                             static_cast<float>(box.box.width), static_cast<float>(box.box.height)};
      found.push_back({rect, rect, static_cast<float>(box.score), 1});
    }
    picture = crowd.frame(number);
    const auto tracks = tracker.track(picture, found);
    painter.draw(picture, tracks);
  }
  run.show("people: find and follow", picture);
  return Figure::picture(
      picture,
      {fmt::format("people with identities after {} frames, and the ways they went", kFrames),
       "fovea people track crowd/video.mp4 --detections crowd/det.txt -o followed.mp4"});
}

}  // namespace

void add_demo_people(Page& page, const DemoRun& run) {
  constexpr const char* kModels[] = {"hog", "cascade", "channels"};
  const Image<std::uint8_t> image = street();
  io::write_image(run.folder + "/street.png", image.view());
  page.paragraph(
      "The shipped detectors search a drawn street. They were trained on photos of the INRIA set, "
      "so "
      "a drawing does not show how good they are; `docs/people.md` has measurements.");
  std::vector<Figure> figures;
  for (const char* name : kModels) figures.push_back(found_by(name, image, run.exec));
  figures.push_back(
      Figure::picture(people::hog_glyphs(image, {}, 10),
                      {"gradients as glyphs", "fovea people show street.png -o glyphs.png"}));
  page.figures(figures, 2);
  page.figure(why_person(image, run.exec));
  page.figure(followed(run));
  for (const char* name : kModels) page.figure(learned_by(name));
  add_people_study(page, run.exec);
}

}  // namespace fovea::cli
