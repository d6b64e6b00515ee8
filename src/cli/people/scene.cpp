// fovea people scene: draws a street of walking people whose true boxes are known, so that
// detection and following can be measured without data.
#include <fovea/core/error.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <filesystem>

#include "cli/people/crowd.h"
#include "cli/program/command.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct CrowdRequest {
  std::string output{};
  std::string video = "video.mp4";
  Extent size{640, 360};
  int frames = 400;
  int people = 8;
};
void describe(OptionVisitor& visit, CrowdRequest& request) {
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the video, gt.txt (true boxes) and det.txt (detections with errors)");
  visit("video", request.video,
        "name of the video in the folder; .y4m needs no FFmpeg, and %06d.png makes pictures");
  visit("size", request.size, "size of the frames");
  visit("frames", request.frames, "number of frames, 25 per second", 1, 100000);
  visit("people", request.people, "number of people", 0, 500);
}

struct CrowdResult {
  std::string output{};
  Extent size{};
  int frames = 0;
  std::int64_t truth_boxes = 0;
};
void describe(FieldVisitor& visit, CrowdResult& result) {
  visit("output", result.output, "the folder that was written");
  visit("width", result.size.width, "of the frames", {.unit = "pixels"});
  visit("height", result.size.height, "of the frames", {.unit = "pixels"});
  visit("frames", result.frames, "of the video");
  visit("truth_boxes", result.truth_boxes, "true boxes in all frames together");
}

int run_crowd(CrowdRequest& request, Context& context) {
  constexpr int kLeastSide = 64, kMostSide = 8192;
  const int width = request.size.width, height = request.size.height;
  if (width < kLeastSide || height < kLeastSide || width > kMostSide || height > kMostSide)
    throw InvalidArgument(fmt::format("--size is {}x{}; expected sides from {} to {}", width,
                                      height, kLeastSide, kMostSide));
  if (request.output.empty())
    throw InvalidArgument("people scene needs -o OUT, a folder to write to");
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  const std::filesystem::path folder(request.output);
  make_folder(request.output);
  const Crowd crowd({.size = request.size,
                     .frames = request.frames,
                     .people = request.people,
                     .seed = context.exec.seed});
  io::VideoWriter video((folder / request.video).string());
  io::FileSink truth((folder / "gt.txt").string()), found((folder / "det.txt").string());
  std::int64_t boxes = 0;
  for (int number = 0; number < request.frames; ++number) {
    throw_if_stopped(context.exec);
    video.write(crowd.frame(number).view());
    for (const people::MotBox& box : crowd.truth(number)) {
      truth.write(people::mot_line(box));
      ++boxes;
    }
    for (const people::MotBox& box : crowd.detections(number)) found.write(people::mot_line(box));
    if (context.exec.progress)
      context.exec.progress({"frames", 1.0 * number + 1, 1.0 * request.frames});
  }
  video.finish();
  truth.commit();
  found.commit();
  context.console.end_progress();
  if (!context.json) {
    context.console.print(fmt::format("{}: {} with {}\n", request.output,
                                      detail::counted(request.frames, "frame"),
                                      detail::counted(boxes, "true box", "true boxes")));
    return kDone;
  }
  const CrowdResult result{request.output, request.size, request.frames, boxes};
  print_result(context, record_ref(result));
  return kDone;
}

}  // namespace

Command people_scene_command() {
  return {.system = "people",
          .verb = "scene",
          .summary = "draw a street of walking people whose boxes and identities are known",
          .text =
              "Draws people who walk to and fro on a street: they cross, hide each other, pass "
              "behind posts, leave and come back. Writes the video, the true boxes with identities "
              "and visibility (gt.txt), and detections with the errors of a detector (det.txt), "
              "both as MOT challenge text, for people track and people eval-tracks. Another --seed "
              "is another crowd.",
          .examples = {{"fovea people scene -o crowd", "draw 400 frames of 8 people"},
                       {"fovea people scene -o crowd --people 20 --size 1280x720 --seed 5",
                        "draw a denser crowd"}},
          .request = make_request<CrowdRequest, run_crowd>,
          .result = {sample_record<CrowdResult>}};
}

}  // namespace fovea::cli
