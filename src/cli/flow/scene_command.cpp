// fovea flow scene: a drawn pair whose motion is known, to measure on without any data.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/flow/scene.h"
#include "cli/program/command.h"
#include "cli/program/run.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

struct SceneRequest {
  std::string output{};
  std::string size = "640x480";
  int step = 0;
};
void describe(OptionVisitor& visit, SceneRequest& request) {
  visit("output", request.output, "folder for frame10.png, frame11.png and flow10.flo");
  visit("size", request.size, "of the pictures");
  visit("step", request.step, "of their course: from this picture to the next", 0, 1000);
}

int run_scene(SceneRequest& request, Context& context) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(request.size.c_str(), "%5dx%5d%c", &width, &height, &rest) != 2 || width < 1 ||
      height < 1)
    throw InvalidArgument(fmt::format("--size is '{}'; expected WIDTHxHEIGHT", request.size));
  if (request.output.empty())
    throw InvalidArgument("flow scene needs -o OUT, a folder to write to");
  const std::filesystem::path folder(request.output);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw WriteError(
        fmt::format("{}: cannot make the folder: {}", request.output, error.message()));
  const FlowScene scene = flow_scene(width, height, context.exec, request.step);
  const io::ImageWriteOptions quick{.level = 1};
  io::write_image((folder / "frame10.png").string(), scene.first, quick);
  io::write_image((folder / "frame11.png").string(), scene.second, quick);
  io::write_flow((folder / "flow10.flo").string(), {scene.u, scene.v});
  context.console.print(
      context.json ? fmt::format("{{\"fovea\": \"{}\", \"command\": \"flow scene\", \"options\": "
                                 "{}, \"output\": {}, \"width\": {}, \"height\": {}}}\n",
                                 FOVEA_VERSION, context.options_json,
                                 detail::json_quote(request.output), width, height)
                   : request.output + "\n");
  return kDone;
}

}  // namespace

Command flow_scene_command() {
  return {.system = "flow",
          .verb = "scene",
          .summary = "draw a pair whose motion is known",
          .text =
              "Two gray pictures of textured discs that move, turn and grow over a textured ground "
              "that does so too, and the true motion of every pixel, laid out for fovea flow eval. "
              "Motion grows with the size: up to about 7 pixels at a width of 640.",
          .examples = {{"fovea flow scene -o scene", "640x480"},
                       {"fovea flow scene --size 16384x16384 -o large", "a pair for --memory"}},
          .request = make_request<SceneRequest, run_scene>};
}

}  // namespace fovea::cli
