// The gallery's section on flow: a pair of drawn images whose motion is known, the fields that both
// methods find, and how they are drawn.
#include <fovea/flow/evaluate.h>
#include <fovea/flow/show.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include "cli/flow/flow.h"
#include "cli/flow/scene.h"
#include "demo/demo.h"
#include "demo/flow_parts.h"
#include "demo/why.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr double kLongest = 6;  // pixels with the wheel's full color, in every picture

struct Method {
  const char* verb;
  flow::Method method;
};

flow::Flow estimate(flow::Method method, const FlowScene& scene, const Exec& exec) {
  return flow::estimate_flow(scene.first, scene.second, {.method = method, .exec = exec});
}

// The flow without the vectors of little confidence.
Figure sure_figure(const FlowScene& scene, const flow::Flow& field) {
  constexpr float kLeast = 0.3F;
  Image<std::uint8_t> sure(scene.u.width(), scene.u.height());
  for (int y = 0; y < sure.height(); ++y)
    for (int x = 0; x < sure.width(); ++x)
      sure.at(x, y) = field.confidence.at(x, y) >= kLeast ? 255 : 0;
  return Figure::picture(
      flow::wheel_picture({field.u, field.v, sure.view()}, {.longest = kLongest}),
      {fmt::format("the flow of `lk` where its confidence is {:g} or more, black elsewhere; files "
                   "keep the confidence",
                   kLeast),
       fmt::format("fovea flow lk first.png second.png -o sure.npy --least-confidence {:g}",
                   kLeast)});
}

}  // namespace

void add_demo_flow(Page& page, const DemoRun& run) {
  const FlowScene scene = flow_scene(480, 320, run.exec);
  const io::FlowFieldView truth{scene.u, scene.v};
  io::write_image(run.folder + "/first.png", scene.first.view());
  io::write_image(run.folder + "/second.png", scene.second.view());
  io::write_flow(run.folder + "/true.flo", truth);
  page.paragraph(
      "The program draws two images, in which textured discs move, turn and grow over a ground "
      "that "
      "does so too. In pictures of flow, the hue shows the direction of the motion and the "
      "strength "
      "of the color its length.");
  std::vector<Figure> figures;
  figures.push_back(Figure::picture(scene.first, {"the first image"}));
  figures.push_back(Figure::picture(
      flow::wheel_picture(truth, {.longest = kLongest}),
      {"its true motion",
       fmt::format("fovea flow show true.flo --longest {:g} -o true.png", kLongest)}));
  for (const Method& each :
       {Method{"lk", flow::Method::kLucasKanade}, Method{"bm", flow::Method::kBlockMatching}}) {
    const flow::Flow field = estimate(each.method, scene, run.exec);
    const io::FlowFieldView view{field.u, field.v};
    const auto errors = flow::evaluate_flow(view, field.confidence, truth);
    figures.push_back(Figure::picture(
        flow::wheel_picture(view, {.longest = kLongest}),
        {fmt::format("`{}`: endpoint error {:.2f} px", each.verb, errors.all.endpoint),
         fmt::format("fovea flow {0} first.png second.png -o {0}.flo --longest {1:g} --picture "
                     "wheel {0}.png",
                     each.verb, kLongest)}));
    figures.push_back(Figure::picture(
        flow::error_picture(flow::endpoint_errors(view, truth)),
        {fmt::format("errors of `{}`, from 0 (dark) to 3 pixels", each.verb),
         fmt::format("fovea flow show {0}.flo --truth true.flo --kind error -o {0}_errors.png",
                     each.verb)}));
    if (each.method != flow::Method::kLucasKanade) continue;
    const Image<std::uint8_t> arrows = flow::arrows_picture(scene.first, view);
    run.show("flow: where every pixel moves", arrows);
    figures.push_back(Figure::picture(
        arrows, {"arrows over the first image",
                 "fovea flow lk first.png second.png --picture arrows arrows.png"}));
    figures.push_back(Figure::picture(
        flow::confidence_picture(field.confidence),
        {fmt::format(
             "confidence of `lk`; where it is {:.1f} or more, the endpoint error is {:.2f} px", 0.5,
             errors.confident.endpoint),
         "fovea flow lk first.png second.png --picture confidence confidence.png"}));
    figures.push_back(sure_figure(scene, field));
  }
  page.figures(figures, 2);
  page.figure(why_flow(scene, run.exec));
  add_demo_stereo(page, run);
  add_demo_regions(page, run);
}

}  // namespace fovea::cli
