// The gallery's pictures of depth and of regions of like motion, from drawn pairs whose truth is
// known.
#include "demo/flow_parts.h"

#include <fovea/flow/flow.h>
#include <fovea/flow/segment.h>
#include <fovea/flow/stereo.h>
#include <fovea/io/disparity_io.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <vector>

#include "cli/flow/scene.h"
#include "cli/flow/stereo_scene.h"

namespace fovea::cli {
namespace {

using report::Figure;

// The work here is done on the CPU.
Exec on_cpu(const DemoRun& run) {
  Exec exec = run.exec;
  exec.device = Device::cpu();
  return exec;
}

Image<std::uint16_t> wide_labels(const Image<std::uint8_t>& labels) {
  Image<std::uint16_t> wide(labels.width(), labels.height());
  for (int y = 0; y < labels.height(); ++y)
    for (int x = 0; x < labels.width(); ++x) wide.at(x, y) = labels.at(x, y);
  return wide;
}

}  // namespace

void add_demo_stereo(report::Page& page, const DemoRun& run) {
  constexpr int kMostDisparity = 39;
  const StereoScene scene =
      stereo_scene({.size = {480, 320}, .nearest = 32, .textures = {}, .exec = on_cpu(run)});
  io::write_image(run.folder + "/left.png", scene.left.view());
  io::write_image(run.folder + "/right.png", scene.right.view());
  io::write_disparity(run.folder + "/disparity.pfm", scene.disparity);
  flow::StereoOptions options;
  options.max_disparity = kMostDisparity;
  options.exec = on_cpu(run);
  const flow::Disparity found = flow::match_stereo(scene.left, scene.right, options);
  const flow::StereoReport report = flow::evaluate_stereo(found.disparity, scene.disparity);
  page.paragraph(
      "A rectified pair shows slanted shapes from two places side by side. What is near moves far "
      "from one image to the other: this disparity is found for every pixel. Gray pixels are not "
      "known, mostly because only the left image shows them.");
  page.figures(
      {Figure::picture(scene.left, {"the left image"}),
       Figure::picture(
           flow::disparity_picture(found.disparity),
           {fmt::format("its disparities, near is bright; of the pixels that both images show, "
                        "{:.1f} % are more than 1 px off and {:.1f} % are not known",
                        100 * report.visible.bad1, 100 * report.visible.unknown),
            fmt::format("fovea flow stereo left.png right.png --max-disparity {} --truth "
                        "disparity.pfm --picture near.png",
                        kMostDisparity)})},
      2);
}

void add_demo_regions(report::Page& page, const DemoRun& run) {
  const FlowScene scene = flow_scene(640, 480, run.exec);
  io::write_image(run.folder + "/frame10.png", scene.first.view());
  io::write_image(run.folder + "/frame11.png", scene.second.view());
  io::write_image(run.folder + "/layers10.png", scene.layers.view());
  flow::SegmentPairOptions options;
  options.quality = flow::Quality::kBest;
  options.exec = run.exec;
  const flow::Flow field =
      flow::estimate_flow(scene.first, scene.second, estimation_options(options));
  const flow::MotionSegments segments = flow::segment_motion(
      {field.u, field.v}, field.confidence, scene.first.view(), division_options(options));
  const flow::SegmentReport report =
      flow::evaluate_segments(segments.labels, wide_labels(scene.layers));
  page.paragraph(
      "An image can be divided into what moves as one: connected regions whose motion is affine. "
      "The scene has ten layers.");
  page.figures({Figure::picture(scene.first, {"the first image of a larger pair"}),
                Figure::picture(
                    flow::segments_picture(segments.labels.view(), scene.first.view()),
                    {fmt::format("{} regions of {} motions, which cover the true layers by "
                                 "{:.0f} %",
                                 segments.regions.size(), segments.layers, 100 * report.covering),
                     "fovea flow segment frame10.png frame11.png --quality best --truth "
                     "layers10.png --picture regions.png"})},
               2);
}

}  // namespace fovea::cli
