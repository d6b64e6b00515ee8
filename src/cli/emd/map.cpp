// fovea emd map: for every pixel the distance of its signature to a target's.
#include "cli/emd/map.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <deque>
#include <limits>

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/run.h"
#include "core/ordered_pipeline.h"

namespace fovea::cli {

std::span<const Choice> choices(Signature) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"levels", static_cast<int>(Signature::kLevels)},
       {"bands", static_cast<int>(Signature::kBands)},
       {"contrast", static_cast<int>(Signature::kContrast)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, MapRequest& request) {
  constexpr double kMost = std::numeric_limits<float>::max();
  visit("output", request.output,
        "map to write, a float TIFF; of several frames one page each, or a folder of them");
  visit("target", request.target,
        "x,y,w,h of the first frame, or an image or cube that shows the target alone");
  visit("picture", request.picture,
        "file for a colored picture of the map, bright where it is near; of several frames a "
        "video or "
        "a folder");
  visit("truth", request.truth,
        "file (or FILE.mat:NAME) whose pixels other than 0 are the target: tells the area under "
        "the ROC curve "
        "beside "
        "those of spectral angle and sum of differences");
  visit("signature", request.signature,
        "levels of one band in a window, or a spectrum: its bands, or its contrast to the scene");
  visit("bins", request.bins, "of a signature; 0: 11 levels, 16 of a spectrum", 0, 64);
  visit("band", request.band, "that levels are taken from; -1: the only one, or gray of three", -1,
        1e6);
  visit("low", request.range.low, "value where the first level starts", -kMost, kMost);
  visit("high", request.range.high,
        "value where the last level ends; equal to low: 0 to 256 for 8 bits, else the first "
        "frame's range",
        -kMost, kMost);
  visit("window", request.window,
        "pixels across the window around a pixel, odd; 0: 11 for levels, 1 for spectra", 0, 255);
  visit("border", request.map.border,
        "a window of levels beyond the border counts less, or the border again");
  visit("ground", request.ground,
        "l1, l2, squared, threshold:T, circular, discrete or a file of costs; empty: threshold:3 "
        "for levels, a spectrum's own");
  visit("threshold", request.map.threshold,
        "greatest distance that must be exact; greater ones may be lower bounds; 0: all exact", 0,
        kMost);
  visit.bytes("cache", request.map.cache_bytes,
              "most memory for distances kept from frame to frame; 0 keeps none");
  visit("variable", request.variable, "which array of a .mat file; empty: the largest");
  describe(visit, request.map.solver);
}

namespace {

void settle_defaults(MapRequest& request) {
  if (request.output.empty() && request.picture.empty() && request.truth.empty())
    throw InvalidArgument(
        "emd map needs -o OUT.tif, --picture FILE or --truth MAP, something to tell");
  if (request.target.empty())
    throw InvalidArgument("emd map needs --target x,y,w,h or --target FILE");
  if (request.window != 0 && request.window % 2 == 0)
    throw InvalidArgument(
        fmt::format("--window is {}; a window with a middle is odd", request.window));
  if (request.range.high < request.range.low)
    throw InvalidArgument(fmt::format("--high {} lies below --low {}; give them in order",
                                      request.range.high, request.range.low));
  if (request.window == 0) request.window = request.levels() ? 11 : 1;
  if (request.bins == 0) request.bins = request.levels() ? 11 : 16;
  request.map.window = request.levels() ? request.window : 1;
}

// Frames go through one after another: read, mapped and written beside each other.
class MapRun {
 public:
  MapRun(const MapRequest& request, Context& context)
      : request_(request),
        context_(context),
        frames_(context.inputs, !request.levels() || request.band >= 0, request.variable),
        files_(request, frames_.single(), frames_.frame_rate()) {
    if (!request.truth.empty() && !frames_.single())
      throw InvalidArgument("--truth is one image; it goes with one frame");
  }

  int run() {
    std::array<Nothing, 1> states{};  // one: frames share what is known
    const bool cpu = context_.exec.device.kind == DeviceKind::kCpu;
    const int in_flight = cpu && context_.exec.threads == 1 ? 1 : 3;
    OrderedPipeline<Step, Nothing> steps(
        states, in_flight,
        {.read = [&](Step& step) { return frames_.next(step.frame); },
         .work = [&](Nothing&, Step& step) { work(step); },
         .write = [&](Step& step) { write(step); }});
    try {
      steps.run(context_.exec);
      while (!flying_.empty()) land();
    } catch (const Cancelled&) {
      while (!flying_.empty()) land();
      report_.stopped = true;
    } catch (...) {  // what was mapped before is kept
      while (!flying_.empty()) land();
      files_.finish();
      throw;
    }
    files_.finish();
    context_.console.end_progress();
    if (files_.frames() == 0 && !report_.stopped)
      throw FormatError(fmt::format("{}: has no frame", context_.inputs[0]));
    print_report(report_, request_, mapper_ ? &*mapper_ : nullptr, context_);
    if (report_.stopped) throw Cancelled("stopped as asked");
    return kDone;
  }

 private:
  struct Nothing {};
  struct Step {
    BandFrame frame{};
    Image<float> map{};
    emd::MapStats stats{};
    double seconds = 0;
  };

  void work(Step& step) {
    Exec exec = context_.exec;
    exec.progress = {};
    if (!mapper_) mapper_.emplace(request_, step.frame, exec);
    if (mapper_->flies()) return;
    const double start = steady_seconds();
    step.map = mapper_->map(step.frame);
    step.seconds = steady_seconds() - start;
    step.stats = mapper_->mapper().stats();
  }
  void write(Step& step) {
    if (!mapper_->flies()) {
      tell(step, step.map);
      return;
    }
    // On a GPU this thread alone has to do with the mapper; frames are written as they land.
    if (flying_.size() == emd::Mapper::kFramesInFlight) land();
    const double start = steady_seconds();
    mapper_->submit(step.frame);
    step.seconds = steady_seconds() - start;
    flying_.push_back(std::move(step));
  }
  void land() {
    Step step = std::move(flying_.front());
    flying_.pop_front();
    const double start = steady_seconds();
    const ImageView<const float> map = mapper_->collect();
    step.seconds += steady_seconds() - start;
    step.stats = mapper_->mapper().stats();
    tell(step, map);
  }
  void tell(const Step& step, ImageView<const float> map) {
    Exec exec = context_.exec;
    exec.progress = {};
    if (!request_.truth.empty())
      report_.areas = areas_of(map, step.frame, request_.truth, *mapper_, exec);
    report_.width = map.width;
    report_.height = map.height;
    files_.add(map);
    report_.seconds.push_back(step.seconds);
    report_.stats.push_back(step.stats);
    if (context_.exec.progress)
      context_.exec.progress({"frames", static_cast<double>(files_.frames()),
                              static_cast<double>(frames_.expected_frames())});
  }

  const MapRequest& request_;
  Context& context_;
  BandFrames frames_;
  MapFiles files_;
  std::optional<FrameMapper> mapper_{};
  std::deque<Step> flying_{};
  MapReport report_{};
};

int run_map(MapRequest& request, Context& context) {
  settle_defaults(request);
  settle_device(context);
  return MapRun(request, context).run();
}

}  // namespace

Command emd_map_command() {
  return {
      .system = "emd",
      .verb = "map",
      .summary = "for every pixel the exact Earth Mover's Distance of its signature to a target's",
      .text =
          "The signature of a pixel is the histogram of a window around it, over levels of one "
          "band, or the pixel's own spectrum: its bands, or its contrast to the scene. Distances "
          "known from earlier frames and from equal histograms of the frame are looked up, the "
          "others are solved; what is known never changes the map. With --threshold most distances "
          "above it are proved to be so instead of being solved. Spectra are learned from the "
          "first "
          "frame.",
      .arguments = {{"INPUT",
                     "an image or cube (ENVI, .mat, TIFF, a folder of bands with --band or a "
                     "spectral signature); or several frames: images, a folder of them, a video, "
                     "or - for y4m on standard input",
                     1, kAnyNumber}},
      .examples = {{"fovea emd map a.png --target 120,80,24,24 -o map.tif --picture map.png",
                    "11 levels of gray in windows of 11x11"},
                   {"fovea emd map traffic.mp4 --target car.png --threshold 0.5 -o maps/",
                    "a video, exact up to a distance of 0.5"},
                   {"fovea emd map c.hdr --signature contrast --target 40,62,3,3 --truth t.png",
                    "spectra of a cube, measured beside spectral angle and SAD"}},
      .request = make_request<MapRequest, run_map>};
}

}  // namespace fovea::cli
