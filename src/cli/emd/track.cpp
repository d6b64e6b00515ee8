// fovea emd track: follows targets through a video or through cubes by their colors.
#include "cli/emd/track.h"

#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/io/frames.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "cli/emd/emd.h"
#include "cli/emd/frames.h"
#include "cli/emd/targets.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, TrackRequest& request) {
  visit(
      "target", request.targets,
      "box x,y,width,height of a target in its first frame, in pixels from 0, or an example image "
      "of it; may be given several times",
      {.use = TextUse::kInput, .value_name = "X,Y,W,H|FILE", .repeats = true});
  visit("frame", request.frame, "index of the frame that targets start in, from 0", 0, 1e9);
  visit(
      "truth", request.truths,
      "true boxes to compare with: one line per frame, beginning with the targets' first frame, "
      "or MOT challenge text. Give one file per target, or one MOT file for all. Without --target "
      "the targets are the first boxes of these files",
      {.use = TextUse::kInput, .repeats = true});
  visit("truth-origin", request.truth_origin, "coordinate of the first pixel in --truth, 0 or 1", 0,
        1, {.absent = "as the file says in a line such as # origin 0, else 1"});
  visit("bands", request.bands,
        "bands to compare, counted from 0: numbers and ranges such as 0,5,10-19, mean for the "
        "mean of all bands, or all. Colors of 8 bits then count as bands too",
        {.value_name = "LIST|mean|all"});
  visit.path("header", request.header, TextUse::kInput,
             "ENVI header that describes one frame, where the input is raw video: a file or pipe "
             "of cubes without gaps");
  visit("variable", request.variable,
        "name of the array to read from .mat files; the default is the largest",
        {.value_name = "NAME"});
  visit.path("output", request.output, TextUse::kOutput,
             "file for the boxes as MOT challenge text; - is standard output");
  visit.path("video", request.video, TextUse::kOutput, "video of the frames with the boxes drawn");
  visit.path("map-video", request.map_video, TextUse::kOutput,
             "video of the likelihood that each pixel belongs to a target; maps whole frames");
  visit.path("evaluation", request.evaluation, TextUse::kOutput,
             "with --truth: .json file that fovea view opens, with the frames that fit worst");
  visit("rivals", request.rivals,
        "compare with other trackers on the same frames: CamShift, mean shift, a box that stays, "
        "our search with the Bhattacharyya distance, and both without a filter; needs --truth");
  describe(visit, request.track);
  describe_explain(visit, request.explain,
                   "say why a target is where it is in this frame, by its index from 0, and end "
                   "there; ID is the target's number, 1 unless it is given",
                   "FRAME[,ID]");
  describe_explain_picture(visit, request.explain_picture);
}

io::VideoReadOptions track_options(const TrackRequest& request, const Context& context) {
  io::VideoReadOptions options = video_options(context);
  options.start = request.frame;
  return options;
}

namespace {

using emd::Track;

Image<std::uint8_t> example_of(const Context& context, const std::string& path) {
  io::AnyImage image = read_input(context, path);
  if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3)
    throw FormatError(
        fmt::format("{}: has {} channels; expected a gray or RGB image", path, image.channels()));
  return io::to_bytes(image);
}

// One pass over the video: frames are read, tracked and written at the same time.
class TrackRun {
 public:
  TrackRun(const TrackRequest& request, Context& context)
      : request_(request),
        context_(context),
        targets_(parse_targets(request.targets)),
        frames_(request, context) {
    const std::size_t known = targets_.size();
    truths_ = read_truths(request.truths, request.truth_origin, known);
    if (known == 0) {
      for (const auto& truth : truths_) targets_.emplace_back(truth.front());
    }
    emd::TrackOptions options = request.track;
    options.exec = context.exec_without_progress();
    options.whole_map = options.whole_map || !request.map_video.empty();
    trackers_.emplace_back(options);
    boxes_.resize(targets_.size());
    if (request.rivals && frames_.has_bands())
      throw InvalidArgument(
          "--rivals compares trackers of colors, but the frames have bands; leave it out");
    files_.emplace(request, frames_.frame_rate());
    report_.targets = targets_.size();
  }

  int run() {
    const double start = steady_seconds();
    const std::int64_t expected = frames_.expected_frames();
    const io::FrameWorkers plan = frames_.plan(context_.exec);
    const io::FrameRun run = io::run_frames<TrackFrame, emd::Tracker>(
        trackers_,
        {.read = [&](TrackFrame& step) { return frames_.fetch(step.stored); },
         .bytes = [&](const TrackFrame& step) { return frames_.frame_bytes(step.stored); },
         .prepare = [&](TrackFrame& step) { decode(step); },
         .work = [&](emd::Tracker& tracker, TrackFrame& step) { work(tracker, step); },
         .write = [&](TrackFrame& step) { write(step); }},
        // Rivals process each frame while nothing else runs; so that times can be compared, ours
        // then does too.
        {.in_flight = request_.rivals ? 1 : plan.in_flight,
         .threads = plan.runners,
         .memory_bytes = context_.memory_bytes,
         .most_bytes = context_.most_bytes,
         .expected = expected,
         .exec = context_.exec});
    context_.console.end_progress();
    if (frames_.video() != nullptr) note_reading(context_, context_.inputs[0], *frames_.video());
    if (report_.frames == 0) {
      run.rethrow();
      throw InvalidArgument(fmt::format("--frame is {}, but {} has no more than {} frames",
                                        request_.frame, context_.inputs[0], request_.frame));
    }
    files_->finish();
    report_.interrupted = !run.whole();
    if (frames_.video() != nullptr) report_.dropped = frames_.video()->dropped();
    report_.seconds = steady_seconds() - start;
    if (!request_.explain.empty()) {
      run.rethrow();
      return print_why();
    }
    measure();
    print_report(report_, request_, trackers_.front(), context_);
    run.rethrow();
    return kDone;
  }

 private:
  int print_why() {
    if (!why_)
      throw InvalidArgument(fmt::format("--explain {}: {} has no more than {} frames",
                                        request_.explained_frame(), context_.inputs[0],
                                        request_.frame + report_.frames));
    return print_explanation(
        context_, present(*why_),
        {.picture = request_.explain_picture,
         .image = shown_,
         .drawing = {},
         .members = [&](io::JsonWriter& json) {
           json.member("input", context_.inputs[0]).member("frame", request_.explained_frame());
         }});
  }

  void decode(TrackFrame& step) const {
    if (frames_.has_bands()) {
      frames_.decode_bands(step.stored, step.bands);
      step.frame.frame = step.stored.number;
    } else {
      frames_.decode_colors(step.stored, step.frame);
    }
  }

  void work(emd::Tracker& tracker, TrackFrame& step) {
    if (frames_.has_bands()) {
      check_bands(step.bands);
      follow(tracker, step, StackView<const float>(step.bands.bands));
      if (files_->draws_frames()) picture_.draw(step.bands, step.frame.image);
    } else {
      follow(tracker, step, ImageView<const std::uint8_t>(step.frame.image));
    }
    if (files_->draws_maps()) step.map = draw_map(tracker);
  }

  template <class View>
  void follow(emd::Tracker& tracker, TrackFrame& step, const View& pixels) {
    if (tracker.targets() == 0) {
      report_.width = pixels.width;
      report_.height = pixels.height;
      step.tracks = begin(tracker, pixels);
      return;
    }
    const double start = steady_seconds();
    ++followed_;
    if (request_.frame + followed_ == request_.explained_frame()) {
      why_ = tracker.explain(pixels, request_.explained_id());
      if (frames_.has_bands()) picture_.draw(step.bands, shown_);
      else shown_ = clone(step.frame.image.view());
      step.tracks = tracker.tracks();
    } else {
      step.tracks = tracker.track(pixels);
    }
    following_seconds_ += steady_seconds() - start;
  }

  // A file that differs from the first is named.
  void check_bands(const emd::BandFrame& frame) {
    const int width = frame.bands.width(), height = frame.bands.height();
    const int count = frame.bands.count();
    if (report_.bands == 0) report_.bands = count;
    const bool first = report_.width == 0;
    if (first) require_samples(frame);
    if (count == report_.bands && (first || (width == report_.width && height == report_.height)))
      return;
    throw FormatError(fmt::format(
        "{}: has {}x{} pixels with {} bands, but the first frame has {}x{} with {}; all must have "
        "the same",
        frame.name, width, height, count, report_.width, report_.height, report_.bands));
  }

  // Later frames may show nothing, which leaves boxes where they are; the first one may not.
  static void require_samples(const emd::BandFrame& frame) {
    for (int b = 0; b < frame.bands.count(); ++b) {
      for (int y = 0; y < frame.bands.height(); ++y) {
        const float* const row = frame.bands.plane(b).row(y);
        if (std::any_of(row, row + frame.bands.width(),
                        [](float sample) { return std::isfinite(sample); }))
          return;
      }
    }
    throw FormatError(fmt::format(
        "{}: all {} samples are NaN or infinite; expected numbers in the frame in which targets "
        "start (--frame)",
        frame.name,
        std::int64_t{frame.bands.width()} * frame.bands.height() * frame.bands.count()));
  }

  template <class View>
  std::vector<Track> begin(emd::Tracker& tracker, const View& frame) const {
    const bool all_boxes = std::all_of(targets_.begin(), targets_.end(), [](const auto& target) {
      return std::holds_alternative<Rect<double>>(target);
    });
    std::vector<Track> tracks;
    if (all_boxes) {
      std::vector<Rect<double>> boxes;
      for (const TargetWord& target : targets_) boxes.push_back(std::get<Rect<double>>(target));
      return tracker.add(frame, boxes);
    }
    for (const TargetWord& target : targets_) {
      if (const auto* box = std::get_if<Rect<double>>(&target))
        tracks.push_back(tracker.add(frame, std::span(box, 1)).front());
      else tracks.push_back(add_example(tracker, frame, std::get<std::string>(target)));
    }
    return tracks;
  }
  Track add_example(emd::Tracker& tracker, ImageView<const std::uint8_t> frame,
                    const std::string& path) const {
    return tracker.add_example(frame, example_of(context_, path));
  }
  Track add_example(emd::Tracker& tracker, StackView<const float> frame,
                    const std::string& path) const {
    emd::BandFrame example =
        emd::read_bands(path, {.variable = path.ends_with(".mat") ? request_.variable : "",
                               .most_bytes = context_.most_bytes,
                               .max_pixels = context_.max_pixels});
    if (!request_.bands.empty()) choose_bands(parse_band_choice(request_.bands), example);
    if (example.bands.count() != frame.count)
      throw FormatError(fmt::format("{}: has {} bands, but the frames have {}; expected the same",
                                    path, example.bands.count(), frame.count));
    return tracker.add_example(frame, example.bands);
  }

  void write(TrackFrame& step) {
    for (const Track& track : step.tracks)
      boxes_[static_cast<std::size_t>(track.id - 1)].push_back(track.box);
    add_tracks(report_, step, context_.json);
    files_->add(step);
  }

  // Compares with the truth, and with rivals.
  void measure() {
    const auto followed = static_cast<double>(std::max<std::int64_t>(1, report_.frames - 1));
    const double each = following_seconds_ / followed / static_cast<double>(targets_.size());
    for (std::size_t i = 0; i < truths_.size(); ++i)
      report_.own.push_back({"fovea", false, emd::evaluate_track(boxes_[i], truths_[i]), each});
    if (!request_.evaluation.empty())
      write_evaluation_result(
          request_.evaluation, context_,
          track_evaluation(request_, FrameFiles(context_.inputs[0], frame_files()), boxes_,
                           truths_));
    if (!request_.rivals || report_.interrupted) return;
    std::vector<Rect<double>> starts;
    for (const auto& boxes : boxes_) starts.push_back(boxes.front());
    report_.rivals = measure_track_rivals(request_, starts, truths_, context_);
    context_.console.end_progress();
  }

  const TrackRequest& request_;
  Context& context_;
  std::vector<TargetWord> targets_;
  std::vector<std::vector<Rect<double>>> truths_{};
  TrackFrames frames_;
  BandPicture picture_{};
  std::vector<emd::Tracker> trackers_{};  // only one, because each place depends on the last one
  std::optional<TrackFiles> files_{};     // made after everything else is checked
  std::vector<std::vector<Rect<double>>> boxes_{};
  double following_seconds_ = 0;  // spent in the tracker after the first frame
  int followed_ = 0;              // frames after the first
  std::optional<emd::TrackExplanation> why_{};
  Image<std::uint8_t> shown_{};  // the frame that is explained
  TrackReport report_{};
};

void check_request(const TrackRequest& request, Context& context) {
  if (request.targets.empty() && request.truths.empty())
    throw InvalidArgument("emd track needs --target x,y,width,height or an example image file");
  if (!request.truths.empty() && io::is_live_source(context.inputs[0]) &&
      (request.rivals || context.videos.live != io::LiveFrames::kAll))
    throw InvalidArgument(
        "--truth has a line for every frame: a camera or stream needs --live all, and cannot be "
        "read again for --rivals");
  if (request.rivals && request.truths.empty())
    throw InvalidArgument("--rivals needs --truth, the boxes to compare with");
  if (!request.evaluation.empty() && request.truths.empty())
    throw InvalidArgument("--evaluation needs --truth, the boxes to compare with");
  if (request.evaluation == "-")
    throw InvalidArgument("--evaluation -: expected the name of a .json file");
  check_explain(request.explain, {1, 2}, request.explain_picture);
  if (!request.explain.empty() && request.explained_frame() <= request.frame)
    throw InvalidArgument(fmt::format("--explain {}: targets start in frame {}; give a later one",
                                      request.explained_frame(), request.frame));
  const bool reports = context.json || !request.truths.empty() || !request.explain.empty();
  if (!reports && request.output.empty() && request.video.empty() && request.map_video.empty())
    throw InvalidArgument(
        "emd track has nothing to write; give -o TRACKS.txt, --video, --map-video, --truth, "
        "--explain or --json");
  std::vector<std::string> others = request.targets;
  others.insert(others.end(), request.truths.begin(), request.truths.end());
  if (!request.header.empty()) others.push_back(request.header);
  check_outputs(context,
                {{"-o", request.output},
                 {"--video", request.video},
                 {"--map-video", request.map_video},
                 {"--evaluation", request.evaluation},
                 {"--explain-picture", request.explain_picture}},
                others);
}

// A file beside the frames of a folder or glob that looks like one of them is not replaced.
void spare_frames(const TrackRequest& request, const Context& context) {
  namespace fs = std::filesystem;
  const fs::path input(context.inputs[0]);
  std::error_code ignored;
  if (may_replace_inputs(context) || is_video_input(context.inputs[0])) return;
  const fs::path folder = fs::is_directory(input, ignored) ? input : input.parent_path();
  io::InputKind frames = frame_files();
  frames.extensions.insert(frames.extensions.end(),
                           {"img", "dat", "raw", "bin", "bsq", "bil", "bip", "cube"});
  for (const std::string& output : {request.output, request.video, request.map_video})
    if (!output.empty() && fs::exists(output, ignored) && io::has_extension(output, frames) &&
        fs::equivalent(fs::path(output).parent_path() / ".", folder / ".", ignored))
      throw InvalidArgument(fmt::format(
          "{} is among the frames in {}; choose another name, or --overwrite to replace it", output,
          folder.string()));
}

int run_track(TrackRequest& request, Context& context) {
  check_request(request, context);
  spare_frames(request, context);
  resolve_device(context);
  if (!request.explain.empty()) {
    const int frames = request.explained_frame() - request.frame + 1;
    context.videos.frames =
        context.videos.frames > 0 ? std::min(context.videos.frames, frames) : frames;
  }
  return TrackRun(request, context).run();
}

}  // namespace

std::vector<std::vector<Rect<double>>> read_truths(const std::vector<std::string>& files,
                                                   std::optional<int> origin, std::size_t targets) {
  std::vector<std::vector<Rect<double>>> truths;
  if (files.empty()) return truths;
  if (targets == 0) targets = files.size();
  if (files.size() != 1 && files.size() != targets)
    throw InvalidArgument(fmt::format(
        "--truth names {} files for {} targets; expected one per target", files.size(), targets));
  for (std::size_t i = 0; i < targets; ++i) {
    const std::string& file = files[files.size() == 1 ? 0 : i];
    truths.push_back(
        emd::read_boxes(file, origin, files.size() == 1 ? static_cast<int>(i) + 1 : 1));
  }
  for (std::size_t i = 0; i < truths.size(); ++i) {
    if (!(truths[i].front().area() > 0))
      throw FormatError(
          fmt::format("{}: has no box in the first frame", files[files.size() == 1 ? 0 : i]));
  }
  return truths;
}

Command emd_track_command() {
  return {
      .system = "emd",
      .verb = "track",
      .summary = "follow targets through a video or through cubes by colors and edges",
      .text =
          "Learns the colors of a target and of its surroundings in one frame. In every later "
          "frame "
          "it maps the Earth Mover's Distance to both, and takes the place that looks most like "
          "the target and least like its surroundings; a correlation filter of edges, learned "
          "from frame to frame, helps and follows its size (--filter). A lost target is searched "
          "for in the whole "
          "frame. Gray targets and those in cubes are also compared part by part. Frames may have "
          "any number of "
          "bands: a folder or glob of TIFF, .npy, ENVI (.hdr) or .mat files, or raw cubes with "
          "--header. Their colors are learned over all bands; what is NaN or infinite counts as "
          "not measured. Files of more than gray or RGB of 8 bits are such cubes. When a video "
          "breaks off or Ctrl-C is pressed, the results so far are kept.",
      .arguments =
          {{"VIDEO",
            "video file, folder or glob of images or cubes, - for y4m (or raw cubes) on standard "
            "input, camera:N, or the address of a stream; several, or @list, one after the other",
            1, kAnyNumber}},
      .examples = {{"fovea emd track walk.mp4 --target 205,151,17,50 -o tracks.txt",
                    "follow a box of the first frame and write MOT challenge text"},
                   {"fovea emd track a.mp4 --target 9,40,30,80 --target 90,44,32,78 --video b.mp4",
                    "follow two targets and draw their boxes"},
                   {"fovea emd track frames --target ball.png --map-video map.mp4 -o t.txt",
                    "find the target by an example image and write a video of the map"},
                   {"fovea emd track cubes --target 40,62,9,7 --spectra shape -o tracks.txt",
                    "follow a target through a folder of cubes, whatever the light is"},
                   {"fovea emd track video.raw --header frame.hdr --target 40,62,9,7 -o t.txt",
                    "follow it through raw video, of which frame.hdr describes one frame"},
                   {"fovea emd track walk.mp4 --target 205,151,17,50 --explain 30",
                    "say why the target is where it is in frame 30"},
                   {"fovea emd track img --truth groundtruth_rect.txt --rivals --json",
                    "compare with the truth and with other trackers"},
                   {"fovea emd track walk.mp4 --truth walk.txt --evaluation walk.json",
                    "see the frames that fit worst by fovea view walk.json"}},
      .request = make_request<TrackRequest, run_track>,
      .result = {sample_record<emd::TrackResult>},
      .reads_images = true,
      .reads_videos = true,
      .batches = true,
      .shards = true,
      .repeats_per_input = true};
}

}  // namespace fovea::cli
