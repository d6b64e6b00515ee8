// fovea emd track: targets followed through a video by their colours.
#include "cli/emd_track.h"

#include <fovea/colour_map.h>
#include <fovea/draw.h>
#include <fovea/error.h>
#include <fovea/image_io.h>
#include <fovea/json_writer.h>
#include <fovea/sink.h>
#include <fovea/version.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/batch.h"
#include "cli/ops_images.h"
#include "cli/run.h"
#include "cli/stopwatch.h"
#include "core/ordered_pipeline.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, TrackRequest& request) {
  visit("target", request.target,
        "box x,y,width,height of a target in its first frame, pixels from 0, or an example image "
        "file; may be repeated");
  visit("frame", request.frame, "index of the frame that targets start in, from 0", 0, 1e9);
  visit("truth", request.truth,
        "boxes to measure against, a line a frame from the targets' on, or MOT challenge text; one "
        "file a target, may be repeated. Without --target they start there");
  visit("truth-origin", request.truth_origin,
        "coordinate of the first pixel in --truth: 1 as benchmarks count, or 0", 0, 1);
  visit("output", request.output, "file for the boxes, in MOT challenge's form");
  visit("video", request.video, "video with the boxes drawn");
  visit("map-video", request.map_video,
        "video of how much each pixel looks like a target; maps whole frames");
  visit("rivals", request.rivals,
        "measure others on the same frames too: CamShift, mean shift, a box that stays, our search "
        "with Bhattacharyya's distance; needs --truth");
  describe(visit, request.track);
}

namespace {

using emd::Track;
using emd::TrackBox;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::optional<TrackBox> box_of(const std::string& word) {
  std::vector<double> numbers;
  for (const std::string& part : split(word, ',')) {
    double value = 0;
    const char* const end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc{} || rest != end) return std::nullopt;
    numbers.push_back(value);
  }
  if (numbers.size() != 4) return std::nullopt;
  return TrackBox{numbers[0], numbers[1], numbers[2], numbers[3]};
}

Image<std::uint8_t> example_of(const std::string& path) {
  io::AnyImage image = io::read_image(path);
  if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3)
    throw FormatError(
        fmt::format("{}: has {} channels; expected a grey or RGB image", path, image.channels()));
  return io::to_bytes(image);
}

void draw_tracks(ImageView<std::uint8_t> image, const std::vector<Track>& tracks) {
  for (const Track& track : tracks) {
    report::LabelStyle style;
    style.colour = report::palette(track.id - 1);
    style.alpha = track.lost ? 0.4F : 1.0F;
    report::draw_box(image,
                     report::Box{track.box.x, track.box.y, track.box.width, track.box.height},
                     track.lost ? fmt::format("{} lost", track.id)
                                : fmt::format("{} {:.0f}%", track.id, 100 * track.confidence),
                     style);
  }
}

// Of several targets each pixel shows the one it looks most like.
Image<std::uint8_t> draw_map(const emd::Tracker& tracker) {
  Image<float> most = tracker.likelihood(1);
  for (int id = 2; id <= tracker.targets(); ++id) {
    const Image<float> other = tracker.likelihood(id);
    for (int y = 0; y < most.height(); ++y) {
      for (int x = 0; x < most.width(); ++x)
        most.at(x, y) = std::max(most.at(x, y), other.at(x, y));
    }
  }
  return report::apply_colour_map(most.view(), {.automatic = false});
}

// One pass over the video: reading, following and writing go on beside each other.
class TrackRun {
 public:
  TrackRun(const TrackRequest& request, Context& context)
      : request_(request),
        context_(context),
        targets_(parse_targets(request.target)),
        reader_(context.inputs[0], {.start = request.frame}) {
    const std::size_t known = targets_.size();
    truths_ = read_truths(request.truth, request.truth_origin, known);
    if (known == 0) {
      for (const auto& truth : truths_) targets_.emplace_back(truth.front());
    }
    emd::TrackOptions options = request.track;
    options.exec = context.exec;
    options.exec.progress = {};  // frames are told
    options.whole_map = options.whole_map || !request.map_video.empty();
    trackers_.emplace_back(options);
    boxes_.resize(targets_.size());
    const io::VideoWriteOptions video{.frame_rate = reader_.info().rate.value()};
    if (!request.output.empty()) file_.emplace(request.output);
    if (!request.video.empty()) video_.emplace(request.video, video);
    if (!request.map_video.empty()) map_video_.emplace(request.map_video, video);
  }

  int run() {
    const double start = steady_seconds();
    bool stopped = false;
    const int in_flight = context_.exec.threads == 1 ? 1 : 4;
    OrderedPipeline<Step, emd::Tracker> steps(
        trackers_, in_flight,
        {.read = [&](Step& step) { return reader_.next(step.frame); },
         .work = [&](emd::Tracker& tracker, Step& step) { work(tracker, step); },
         .write = [&](Step& step) { write(step); }});
    try {
      steps.run(context_.exec);
    } catch (const Cancelled&) {
      stopped = true;
    } catch (...) {  // a truncated file, such as: what was found before is kept
      finish();
      throw;
    }
    finish();
    context_.console.end_progress();
    if (frames_ == 0 && !stopped)
      throw InvalidArgument(fmt::format("--frame is {}, but {} has no more than {} frames",
                                        request_.frame, context_.inputs[0], request_.frame));
    const double seconds = steady_seconds() - start;
    std::vector<std::vector<TrackResult>> rivals;
    if (request_.rivals && !stopped) {
      std::vector<TrackBox> starts;
      for (const auto& boxes : boxes_) starts.push_back(boxes.front());
      rivals = measure_track_rivals(request_, starts, truths_, context_);
      context_.console.end_progress();
    }
    print(seconds, stopped, rivals);
    if (stopped) throw Cancelled("stopped as asked");
    return kDone;
  }

 private:
  struct Step {
    io::Frame frame{};
    std::vector<Track> tracks{};
    Image<std::uint8_t> map{};
  };

  void work(emd::Tracker& tracker, Step& step) {
    step.tracks = tracker.targets() == 0 ? begin(tracker, step.frame.image.view())
                                         : tracker.next(step.frame.image);
    if (map_video_) step.map = draw_map(tracker);
  }

  std::vector<Track> begin(emd::Tracker& tracker, ImageView<const std::uint8_t> frame) const {
    const bool all_boxes = std::all_of(targets_.begin(), targets_.end(), [](const auto& target) {
      return std::holds_alternative<TrackBox>(target);
    });
    std::vector<Track> tracks;
    if (all_boxes) {
      std::vector<TrackBox> boxes;
      for (const TargetWord& target : targets_) boxes.push_back(std::get<TrackBox>(target));
      return tracker.add(frame, boxes);
    }
    for (const TargetWord& target : targets_) {
      if (const auto* box = std::get_if<TrackBox>(&target)) {
        tracks.push_back(tracker.add(frame, std::span(box, 1)).front());
      } else {
        tracks.push_back(tracker.add_example(frame, example_of(std::get<std::string>(target))));
      }
    }
    return tracks;
  }

  void write(Step& step) {
    for (const Track& track : step.tracks) {
      const auto index = static_cast<std::size_t>(track.id - 1);
      boxes_[index].push_back(track.box);
      lost_ += track.lost ? 1 : 0;
      if (file_) file_->write(emd::mot_line(step.frame.index + 1, track));
      if (context_.json) {
        if (!frames_json_.empty()) frames_json_ += ", ";
        frames_json_ += fmt::format(
            "{{\"frame\": {}, \"id\": {}, \"box\": [{}, {}, {}, {}], \"score\": {:.6f}, "
            "\"confidence\": {:.4f}, \"lost\": {}}}",
            step.frame.index, track.id, track.box.x, track.box.y, track.box.width, track.box.height,
            track.score, track.confidence, track.lost);
      }
    }
    ++frames_;
    if (video_) {
      draw_tracks(step.frame.image.view(), step.tracks);
      video_->write(step.frame.image.view());
    }
    if (map_video_) {
      draw_tracks(step.map.view(), step.tracks);
      map_video_->write(step.map.view());
    }
    if (context_.exec.progress)
      context_.exec.progress(
          {"frames", static_cast<double>(frames_),
           static_cast<double>(std::max<std::int64_t>(0, reader_.expected_frames()))});
  }

  void finish() {
    if (frames_ == 0) return;
    if (file_) file_->commit();
    if (video_) video_->finish();
    if (map_video_) map_video_->finish();
  }

  void print(double seconds, bool stopped, const std::vector<std::vector<TrackResult>>& rivals) {
    std::vector<TrackResult> own;
    for (std::size_t i = 0; i < truths_.size(); ++i)
      own.push_back({"fovea", false, emd::evaluate_track(boxes_[i], truths_[i]),
                     seconds / static_cast<double>(std::max<std::int64_t>(1, frames_))});
    if (context_.json) print_json(seconds, stopped, own, rivals);
    else print_text(seconds, own, rivals);
  }

  void print_text(double seconds, const std::vector<TrackResult>& own,
                  const std::vector<std::vector<TrackResult>>& rivals) {
    context_.console.print(
        fmt::format("{}: {} target{} in {} frames{}, {:.3g} s{}{}\n", context_.inputs[0],
                    boxes_.size(), boxes_.size() == 1 ? "" : "s", frames_,
                    lost_ == 0 ? "" : fmt::format(", lost in {}", lost_), seconds,
                    request_.output.empty() ? "" : ", ", request_.output));
    for (std::size_t i = 0; i < own.size(); ++i) {
      context_.console.print(fmt::format("{:<34} {:>12} {:>15} {:>9} {:>9}\n",
                                         fmt::format("target {}", i + 1), "mean overlap",
                                         "precision 20 px", "success", "ms/frame"));
      std::vector<TrackResult> all{own[i]};
      if (i < rivals.size()) all.insert(all.end(), rivals[i].begin(), rivals[i].end());
      for (const TrackResult& result : all)
        context_.console.print(fmt::format("{:<34} {:>12.3f} {:>15.3f} {:>9.3f} {:>9.2f}\n",
                                           result.name, result.errors.mean_overlap,
                                           result.errors.precision_20px, result.errors.success_area,
                                           1000 * result.seconds));
    }
  }

  static void write_result(io::JsonWriter& json, const TrackResult& result) {
    json.member("mean_overlap", result.errors.mean_overlap)
        .member("precision_20px", result.errors.precision_20px)
        .member("success_50", result.errors.success_50)
        .member("success_area", result.errors.success_area)
        .member("evaluated_frames", result.errors.frames)
        .member("seconds_per_frame", result.seconds);
  }

  void print_json(double seconds, bool stopped, const std::vector<TrackResult>& own,
                  const std::vector<std::vector<TrackResult>>& rivals) {
    std::string text;
    io::JsonWriter json(io::string_sink(text));
    json.begin_object().member("fovea", FOVEA_VERSION).member("command", context_.command.name());
    json.member("device", to_string(context_.exec.device)).member("seed", context_.exec.seed);
    json.key("options").raw(context_.options_json);
    json.member("input", context_.inputs[0]);
    if (!request_.output.empty()) json.member("output", request_.output);
    if (!request_.video.empty()) json.member("video", request_.video);
    if (!request_.map_video.empty()) json.member("map_video", request_.map_video);
    json.member("width", reader_.info().width).member("height", reader_.info().height);
    json.member("frames", frames_).member("interrupted", stopped).member("seconds", seconds);
    if (!own.empty()) {  // of all targets
      double overlap = 0, precision = 0;
      for (const TrackResult& result : own) {
        overlap += result.errors.mean_overlap / static_cast<double>(own.size());
        precision += result.errors.precision_20px / static_cast<double>(own.size());
      }
      json.member("mean_overlap", overlap).member("precision_20px", precision);
    }
    const emd::Tracker& tracker = trackers_.front();
    const emd::MapStats stats = tracker.stats();
    json.key("map").begin_object();
    json.member("windows", stats.pixels).member("cached", stats.cached);
    json.member("duplicate", stats.duplicate).member("solved", stats.solved);
    json.member("pivots", stats.pivots).end_object();
    json.key("targets").begin_array();
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const int id = static_cast<int>(i) + 1;
      json.begin_object().member("id", id);
      json.member("parts", tracker.targets() >= id && tracker.uses_parts(id));
      if (i < own.size()) write_result(json, own[i]);
      if (i < rivals.size()) write_rivals(json, own[i], rivals[i]);
      json.end_object();
    }
    json.end_array();
    json.key("tracks").raw("[" + frames_json_ + "]");
    json.end_object().finish();
    context_.console.print(text);
  }

  static void write_rivals(io::JsonWriter& json, const TrackResult& own,
                           const std::vector<TrackResult>& rivals) {
    double overlap = 0, precision = 0;
    json.key("rivals").begin_array();
    for (const TrackResult& rival : rivals) {
      json.begin_object().member("name", rival.name).member("bar", rival.bar);
      write_result(json, rival);
      json.end_object();
      if (!rival.bar) continue;
      overlap = std::max(overlap, rival.errors.mean_overlap);
      precision = std::max(precision, rival.errors.precision_20px);
    }
    json.end_array();
    json.member("bar_overlap", overlap).member("bar_precision_20px", precision);
    json.member("passes",
                own.errors.mean_overlap >= overlap && own.errors.precision_20px >= precision);
  }

  const TrackRequest& request_;
  Context& context_;
  std::vector<TargetWord> targets_;
  std::vector<std::vector<TrackBox>> truths_{};
  io::VideoReader reader_;
  std::vector<emd::Tracker> trackers_{};  // one: a place follows from the one before
  std::optional<io::FileSink> file_{};
  std::optional<io::VideoWriter> video_{}, map_video_{};
  std::vector<std::vector<TrackBox>> boxes_{};
  std::string frames_json_{};
  std::int64_t frames_ = 0, lost_ = 0;
};

void check_request(const TrackRequest& request, const Context& context) {
  if (request.target.empty() && request.truth.empty())
    throw InvalidArgument("emd track needs --target x,y,width,height or an example image file");
  if (request.rivals && request.truth.empty())
    throw InvalidArgument("--rivals needs --truth, boxes to measure against");
  const bool tells = context.json || !request.truth.empty();
  if (!tells && request.output.empty() && request.video.empty() && request.map_video.empty())
    throw InvalidArgument(
        "emd track needs -o TRACKS.txt, --video, --map-video, --truth or --json, something to "
        "tell");
  std::vector<std::string> taken;
  for (const std::string& path : {request.output, request.video, request.map_video}) {
    if (path.empty()) continue;
    if (std::find(taken.begin(), taken.end(), path) != taken.end())
      throw InvalidArgument(
          fmt::format("{} would be written twice; give each result its own name", path));
    taken.push_back(path);
  }
}

int run_track(TrackRequest& request, Context& context) {
  check_request(request, context);
  settle_device(context);
  return TrackRun(request, context).run();
}

}  // namespace

std::vector<TargetWord> parse_targets(const std::string& text) {
  std::vector<TargetWord> targets;
  for (const std::string& word : split(text, ';')) {
    if (const auto box = box_of(word)) targets.emplace_back(*box);
    else if (word.find_first_not_of("0123456789.,+-eE ") == std::string::npos)
      throw InvalidArgument(
          fmt::format("--target is '{}'; expected x,y,width,height or an image file", word));
    else targets.emplace_back(word);
  }
  return targets;
}

std::vector<std::vector<TrackBox>> read_truths(const std::string& text, int origin,
                                               std::size_t targets) {
  const std::vector<std::string> files = split(text, ';');
  std::vector<std::vector<TrackBox>> truths;
  if (files.empty()) return truths;
  if (targets == 0) targets = files.size();
  if (files.size() != 1 && files.size() != targets)
    throw InvalidArgument(fmt::format(
        "--truth names {} files for {} targets; expected one a target", files.size(), targets));
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
      .summary = "follow targets through a video by their colours",
      .text =
          "Learns the colours of a target and of what surrounds it in one frame, maps every frame "
          "after it by Earth Mover's Distance to both, and takes the place that looks most like "
          "the one and least like the other. A target that is lost is looked for in the whole "
          "frame. Grey targets are compared part by part too.",
      .arguments = {{"VIDEO",
                     "video file, folder or glob of images, or - for y4m on standard input", 1, 1}},
      .examples = {{"fovea emd track walk.mp4 --target 205,151,17,50 -o tracks.txt",
                    "a box in the first frame, as MOT challenge text"},
                   {"fovea emd track a.mp4 --target 9,40,30,80 --target 90,44,32,78 --video b.mp4",
                    "two targets, drawn"},
                   {"fovea emd track frames --target ball.png --map-video map.mp4 -o t.txt",
                    "by an example image, with a video of the map"},
                   {"fovea emd track img --truth groundtruth_rect.txt --rivals --json",
                    "measured against truth, beside others"}},
      .request = make_request<TrackRequest, run_track>};
}

}  // namespace fovea::cli
