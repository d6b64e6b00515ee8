// fovea flow scene: draws a pair whose motion or whose depth is known, so that flow and stereo can
// be measured without data.
#include <fovea/core/error.h>
#include <fovea/io/disparity_io.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/flow/flow.h"
#include "cli/flow/scene.h"
#include "cli/flow/stereo_scene.h"
#include "cli/program/command.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct SceneRequest {
  std::string output{};
  Extent size{640, 480};
  int step = 0;
  bool stereo = false;
  StereoSceneOptions drawn{};
  std::vector<std::string> textures{};
};
// What is printed.
struct DrawnScene {
  std::string output{};
  Extent size{};
};
void describe(FieldVisitor& visit, DrawnScene& scene) {
  visit.record("DrawnScene", "a pair of images that was drawn");
  visit("output", scene.output, "the folder");
  visit("width", scene.size.width, "of the images", {.unit = "pixels"});
  visit("height", scene.size.height, "of the images", {.unit = "pixels"});
}

void describe(OptionVisitor& visit, SceneRequest& request) {
  visit.path("output", request.output, TextUse::kFolder,
             "folder for frame10.png, frame11.png, flow10.flo and layers10.png; with --stereo for "
             "left.png, right.png and disparity.pfm");
  visit("size", request.size, "size of the images");
  visit("step", request.step,
        "position in a course of images: the pair is this image and the next one", 0, 1000);
  visit("stereo", request.stereo,
        "draw a rectified pair whose disparities are known; --seed chooses its shapes");
  visit("nearest", request.drawn.nearest, "greatest disparity of the pair, in pixels", 1, 1000);
  visit("noise", request.drawn.noise,
        "standard deviation of the noise of the pair with --stereo, in gray levels", 0, 100);
  visit("gain", request.drawn.gain, "brightness of the right image over that of the left one", 0.1,
        10);
  visit("texture", request.textures,
        "photograph that is drawn on the shapes of --stereo, in turns with others",
        {.use = TextUse::kInput, .value_name = "IMAGE", .repeats = true});
}

void write_stereo(const SceneRequest& request, Context& context) {
  StereoSceneOptions options;
  options.size = request.size;
  options.nearest = request.drawn.nearest;
  options.noise = request.drawn.noise;
  options.gain = request.drawn.gain;
  options.exec = context.exec;
  options.textures.reserve(request.textures.size());
  for (const std::string& path : request.textures)
    options.textures.push_back(
        io::to_gray(picture_bytes(flow_image(read_input(context, path))).view()));
  const StereoScene scene = stereo_scene(options);
  const std::filesystem::path folder(request.output);
  const io::ImageWriteOptions quick{.level = 1};
  io::write_image((folder / "left.png").string(), scene.left, quick);
  io::write_image((folder / "right.png").string(), scene.right, quick);
  io::write_disparity((folder / "disparity.pfm").string(), scene.disparity);
}

void write_motion(const SceneRequest& request, Context& context) {
  const std::filesystem::path folder(request.output);
  const FlowScene scene =
      flow_scene(request.size.width, request.size.height, context.exec, request.step);
  const io::ImageWriteOptions quick{.level = 1};
  io::write_image((folder / "frame10.png").string(), scene.first, quick);
  io::write_image((folder / "frame11.png").string(), scene.second, quick);
  io::write_image((folder / "layers10.png").string(), scene.layers, quick);
  io::write_flow((folder / "flow10.flo").string(), {scene.u, scene.v});
}

// Options of the other kind of scene would do nothing.
void check_scene(const SceneRequest& request) {
  const StereoSceneOptions usual;
  const auto refuse = [&](bool given, const char* option) {
    if (!given) return;
    if (request.stereo)
      throw InvalidArgument(
          fmt::format("{} is for scenes of motion; leave it or --stereo out", option));
    throw InvalidArgument(
        fmt::format("{0} is for scenes with --stereo; add it, or leave {0} out", option));
  };
  if (request.stereo) return refuse(request.step != 0, "--step");
  refuse(!request.textures.empty(), "--texture");
  refuse(request.drawn.gain != usual.gain, "--gain");
  refuse(request.drawn.noise != usual.noise, "--noise");
  refuse(request.drawn.nearest != usual.nearest, "--nearest");
}

int run_scene(SceneRequest& request, Context& context) {
  constexpr int kMostSide = 99999;
  const int width = request.size.width, height = request.size.height;
  if (width < 1 || height < 1 || width > kMostSide || height > kMostSide)
    throw InvalidArgument(
        fmt::format("--size is {}x{}; expected sides from 1 to {}", width, height, kMostSide));
  if (request.output.empty())
    throw InvalidArgument("flow scene needs -o OUT, a folder to write to");
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  check_scene(request);
  make_folder(request.output);
  if (request.stereo) write_stereo(request, context);
  else write_motion(request, context);
  if (!context.json) {
    context.console.print(request.output + "\n");
    return kDone;
  }
  const DrawnScene drawn{request.output, request.size};
  print_result(context, record_ref(drawn));
  return kDone;
}

}  // namespace

Command flow_scene_command() {
  return {.system = "flow",
          .verb = "scene",
          .summary = "draw a pair of images whose motion or disparities are known",
          .text =
              "Draws two gray images of textured discs that move, turn and grow over a textured "
              "ground that does so too, and writes them with the true motion of every pixel, laid "
              "out for fovea flow eval, and with the layer that every pixel shows. Motion grows "
              "with the size: it is up to about 7 pixels at a width of 640. With --stereo it draws "
              "a rectified pair of slanted shapes in front of a slanted ground, with the true "
              "disparity of every pixel of the left image.",
          .examples = {{"fovea flow scene -o scene", "draw a pair of 640x480"},
                       {"fovea flow scene --size 16384x16384 -o large",
                        "draw a pair so large that fovea flow lk may need --memory"},
                       {"fovea flow scene --stereo --gain 0.8 -o pair",
                        "draw a pair for fovea flow stereo whose right image is darker"}},
          .request = make_request<SceneRequest, run_scene>,
          .result = {sample_record<DrawnScene>},
          .reads_images = true};
}

}  // namespace fovea::cli
