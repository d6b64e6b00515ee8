// fovea flow scene: draws a pair whose motion is known, so that flow can be measured without data.
#include <fovea/core/error.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/flow/flow.h"
#include "cli/flow/scene.h"
#include "cli/program/command.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct SceneRequest {
  std::string output{};
  Extent size{640, 480};
  int step = 0;
};
void describe(OptionVisitor& visit, SceneRequest& request) {
  visit.path("output", request.output, TextUse::kFolder,
             "folder for frame10.png, frame11.png and flow10.flo");
  visit("size", request.size, "size of the images");
  visit("step", request.step,
        "position in a course of images: the pair is this image and the next one", 0, 1000);
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
  const std::filesystem::path folder(request.output);
  make_folder(request.output);
  const FlowScene scene = flow_scene(width, height, context.exec, request.step);
  const io::ImageWriteOptions quick{.level = 1};
  io::write_image((folder / "frame10.png").string(), scene.first, quick);
  io::write_image((folder / "frame11.png").string(), scene.second, quick);
  io::write_flow((folder / "flow10.flo").string(), {scene.u, scene.v});
  if (!context.json) {
    context.console.print(request.output + "\n");
    return kDone;
  }
  print_result(context, [&](io::JsonWriter& json) {
    json.member("output", request.output).member("width", width).member("height", height);
  });
  return kDone;
}

}  // namespace

Command flow_scene_command() {
  return {.system = "flow",
          .verb = "scene",
          .summary = "draw a pair of images whose motion is known",
          .text =
              "Draws two gray images of textured discs that move, turn and grow over a textured "
              "ground that does so too, and writes them with the true motion of every pixel, laid "
              "out for fovea flow eval. Motion grows with the size: it is up to about 7 pixels at "
              "a width of 640.",
          .examples = {{"fovea flow scene -o scene", "draw a pair of 640x480"},
                       {"fovea flow scene --size 16384x16384 -o large",
                        "draw a pair so large that fovea flow lk may need --memory"}},
          .request = make_request<SceneRequest, run_scene>};
}

}  // namespace fovea::cli
