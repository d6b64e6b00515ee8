// emd track: follows targets through a video or through cubes by their colors.
#include "operations/emd/track.h"

#include <fovea/core/error.h>
#include <fovea/emd/show.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/people/annotations.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "operations/emd/frame_files.h"
#include "operations/make_operation.h"
#include "operations/measure.h"
#include "operations/rivals/rivals.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_emd_track {

void describe(FieldVisitor& visit, TrackedFrame& found) {
  visit("tracks", found.tracks, "the targets, in the order of their numbers");
}

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

namespace {

constexpr std::size_t kMostShown = 20000;  // tracks of a page that are listed

void check(const Setup& setup) {
  const TrackRequest& request = setup.asked;
  if (request.targets.empty() && request.truths.empty())
    throw InvalidArgument("emd track needs --target x,y,width,height or an example image file");
  if (request.rivals && request.truths.empty())
    throw InvalidArgument("--rivals needs --truth, the boxes to compare with");
  check_explain(request.explain, {1, 2}, request.explain_picture);
  if (!request.explain.empty() && request.explained_frame() <= request.frame)
    throw InvalidArgument(fmt::format("--explain {}: targets start in frame {}; give a later one",
                                      request.explained_frame(), request.frame));
}

// A file beside the frames of a folder or glob that looks like one of them is not replaced.
void spare_frames(const Plan& plan) {
  namespace fs = std::filesystem;
  const fs::path input(plan.inputs[0]);
  std::error_code ignored;
  if (plan.may_replace || is_video_input(plan.inputs[0])) return;
  const fs::path folder = fs::is_directory(input, ignored) ? input : input.parent_path();
  io::InputKind frames = frame_files();
  frames.extensions.insert(frames.extensions.end(),
                           {"img", "dat", "raw", "bin", "bsq", "bil", "bip", "cube"});
  for (const char* output : {"output", "video", "map-video"})
    if (plan.any(output, [&](const std::string& path) {
          return fs::exists(path, ignored) && io::has_extension(path, frames) &&
                 fs::equivalent(fs::path(path).parent_path() / ".", folder / ".", ignored);
        }))
      throw InvalidArgument(fmt::format(
          "{} is among the frames in {}; choose another name, or --overwrite to replace it",
          plan.files.find(output)->second.front(), folder.string()));
}

void settle(Setup& setup, const Plan& plan) {
  const TrackRequest& request = setup.asked;
  const std::string& input = plan.inputs[0];
  if (!request.truths.empty() && io::is_live_source(input) &&
      plan.reading.live != io::LiveFrames::kAll)
    throw InvalidArgument(
        "--truth has a line for every frame: a camera or stream needs --live all");
  const bool reports =
      plan.json || plan.shows || !request.truths.empty() || !request.explain.empty();
  if (!reports && plan.files.empty())
    throw InvalidArgument(
        "emd track has nothing to write; give -o TRACKS.txt, --video, --map-video, --truth, "
        "--explain or --json");
  spare_frames(plan);
  setup.plan = plan;
  setup.targets = parse_targets(request.targets);
}

// The true boxes of each target, beginning with the frame where it starts.
std::vector<Boxes> read_truths(const std::vector<std::string>& files, std::optional<int> origin,
                               std::size_t targets) {
  std::vector<Boxes> truths;
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

void begin(Setup& setup, const Exec&, const Plan& plan) {
  const TrackRequest& request = setup.asked;
  if (!request.truths.empty())
    setup.truths = read_truths(request.truths, request.truth_origin, setup.targets.size());
  if (setup.targets.empty())
    for (const Boxes& truth : setup.truths) setup.targets.emplace_back(truth.front());
  if (!request.rivals) return;
  const Rivals rivals;
  if (!rivals.absence().empty()) plan.note("rivals are not available: " + rivals.absence());
}

Follower worker(const Setup& setup, const Exec& exec) {
  emd::TrackOptions options = setup.asked.track;
  options.exec = exec;
  options.whole_map = options.whole_map || setup.plan.writes("map-video");
  return {.tracker = emd::Tracker(options)};
}

// A frame of a caller: colors, or else bands.
struct GivenFrame final : Frame {
  std::int64_t number() const override { return 0; }
  double seconds() const override { return 0; }
  const Image<std::uint8_t>& pixels() override { return colors; }

  Image<std::uint8_t> colors{};
  emd::BandFrame bands{};
};

void read(const Setup& setup, const Source& source, Followed& item) {
  if (!setup.asked.header.empty() || !setup.asked.truths.empty())
    throw InvalidArgument("truth and header belong to files of frames; leave them out");
  io::AnyImage image = source.image(io::Orientation::kIgnore);
  const auto frame = std::make_shared<GivenFrame>();
  const bool colors =
      image.type() == io::SampleType::kUint8 && (image.channels() == 1 || image.channels() == 3);
  if (colors) frame->colors = io::to_bytes(image);
  else frame->bands = emd::bands_of(image.view(), source.name);
  item.bands = colors ? nullptr : &frame->bands;
  item.frame = frame;
}

void take(const Setup&, const Step& step, Followed& item) {
  item.frame = step.now;
  item.number = step.now->number();
  item.asks = step.stays;
  auto* const own = dynamic_cast<TrackFrame*>(step.now.get());
  item.bands = own != nullptr ? own->bands() : nullptr;
  if (own != nullptr) item.file = own->place();
  else step.now->pixels();
}

// A file that differs from the first is named.
void check_bands(Follower& follower, const emd::BandFrame& frame) {
  const Extent size{frame.bands.width(), frame.bands.height()};
  const int count = frame.bands.count();
  if (follower.bands == 0) {
    // Later frames may show nothing, which leaves boxes where they are; the first one may not.
    for (int b = 0; b < count; ++b)
      for (int y = 0; y < size.height; ++y) {
        const float* const row = frame.bands.plane(b).row(y);
        if (std::any_of(row, row + size.width, [](float sample) { return std::isfinite(sample); }))
          return void(follower.bands = count);
      }
    throw FormatError(fmt::format(
        "{}: all {} samples are NaN or infinite; expected numbers in the frame in which targets "
        "start (--frame)",
        frame.name, std::int64_t{size.width} * size.height * count));
  }
  if (count != follower.bands || !(size == follower.size))
    throw FormatError(fmt::format(
        "{}: has {}x{} pixels with {} bands, but the first frame has {}x{} with {}; all must have "
        "the same",
        frame.name, size.width, size.height, count, follower.size.width, follower.size.height,
        follower.bands));
}

emd::Track add_example(const Setup& setup, emd::Tracker& tracker,
                       ImageView<const std::uint8_t> frame, const std::string& path) {
  io::AnyImage image = setup.plan.image(path);
  if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3)
    throw FormatError(
        fmt::format("{}: has {} channels; expected a gray or RGB image", path, image.channels()));
  return tracker.add_example(frame, io::to_bytes(image));
}
emd::Track add_example(const Setup& setup, emd::Tracker& tracker, StackView<const float> frame,
                       const std::string& path) {
  const TrackRequest& request = setup.asked;
  emd::BandFrame example =
      emd::read_bands(path, {.variable = path.ends_with(".mat") ? request.variable : "",
                             .most_bytes = setup.plan.most_bytes,
                             .max_pixels = setup.plan.max_pixels});
  if (!request.bands.empty()) choose_bands(parse_band_choice(request.bands), example);
  if (example.bands.count() != frame.count)
    throw FormatError(fmt::format("{}: has {} bands, but the frames have {}; expected the same",
                                  path, example.bands.count(), frame.count));
  return tracker.add_example(frame, example.bands);
}

// Learns the targets in their first frame. Those that are all boxes share a palette.
template <class View>
std::vector<emd::Track> learn(const Setup& setup, emd::Tracker& tracker, const View& frame) {
  Boxes boxes;
  for (const TargetWord& target : setup.targets)
    if (const auto* box = std::get_if<Rect<double>>(&target)) boxes.push_back(*box);
  if (boxes.size() == setup.targets.size()) return tracker.add(frame, boxes);
  std::vector<emd::Track> tracks;
  for (const TargetWord& target : setup.targets) {
    if (const auto* box = std::get_if<Rect<double>>(&target))
      tracks.push_back(tracker.add(frame, std::span(box, 1)).front());
    else tracks.push_back(add_example(setup, tracker, frame, std::get<std::string>(target)));
  }
  return tracks;
}

template <class View>
void follow(const Setup& setup, Follower& follower, Followed& item, const View& pixels) {
  emd::Tracker& tracker = follower.tracker;
  item.why.reset();
  item.seconds = 0;
  if (tracker.targets() == 0) {
    follower.size = {pixels.width, pixels.height};
    item.found.tracks = learn(setup, tracker, pixels);
    return;
  }
  const double start = steady_seconds();
  if (setup.asked.frame + ++follower.followed == setup.asked.explained_frame() || item.asks) {
    item.why = tracker.explain(pixels, setup.asked.explained_id());
    item.found.tracks = tracker.tracks();
  } else {
    item.found.tracks = tracker.track(pixels);
  }
  item.seconds = steady_seconds() - start;
}

// As with ours, only time in the tracker counts.
void run_rivals(const Setup& setup, Follower& follower, const Followed& item) {
  const ImageView<const std::uint8_t> image = item.image();
  if (follower.contests.empty()) {
    for (const emd::Track& track : item.found.tracks)
      follower.contests.push_back(
          contestants_of(setup, image, track.box, follower.tracker.options().exec));
    return;
  }
  for (std::vector<Contestant>& contest : follower.contests)
    for (Contestant& contestant : contest) {
      const double start = steady_seconds();
      contestant.boxes.push_back(contestant.next(image));
      contestant.seconds += steady_seconds() - start;
    }
}

// The likelihood of each pixel; with several targets, that of the likeliest one.
Image<std::uint8_t> draw_map(const emd::Tracker& tracker) {
  Image<float> most = tracker.likelihood(1);
  for (int id = 2; id <= tracker.targets(); ++id) {
    const Image<float> other = tracker.likelihood(id);
    for (int y = 0; y < most.height(); ++y)
      for (int x = 0; x < most.width(); ++x)
        most.at(x, y) = std::max(most.at(x, y), other.at(x, y));
  }
  return report::apply_color_map(most.view(), {.automatic = false});
}

void run(const Setup& setup, Follower& follower, Followed& item) {
  item.setup = &setup;
  item.follower = &follower;
  if (item.bands != nullptr) {
    check_bands(follower, *item.bands);
    follow(setup, follower, item, StackView<const float>(item.bands->bands));
    if (setup.plan.writes("video") || item.why) follower.picture.draw(*item.bands, item.picture);
  } else {
    follow(setup, follower, item, item.image());
  }
  if (setup.asked.rivals) run_rivals(setup, follower, item);
  if (setup.plan.writes("map-video")) item.map = draw_map(follower.tracker);
}

void tally(Count& count, Followed& item) {
  count.setup = item.setup;
  count.follower = item.follower;
  count.seconds += item.seconds;
  ++count.frames;
  const bool compares = !item.setup->truths.empty();
  const Plan& plan = item.setup->plan;
  count.boxes.resize(item.setup->truths.size());
  if (compares) count.files.push_back(item.file);
  std::vector<emd::FramedTrack>& listed = count.result.tracks;
  for (const emd::Track& track : item.found.tracks) {
    if (compares) count.boxes[static_cast<std::size_t>(track.id - 1)].push_back(track.box);
    count.lost += track.lost ? 1 : 0;
    if (plan.json || plan.shows) listed.push_back({item.number, track});
  }
  if (plan.shows && listed.size() > kMostShown) listed.erase(listed.begin());
}

void show(const Setup&, const Followed& item, Shown& shown) {
  const emd::Track& now = item.found.tracks.front();
  shown.summary =
      now.lost ? "The target is lost; the whole frame is searched for it. The box is where it was "
                 "last seen."
               : fmt::format("The target is followed with a confidence of {:.2f}.", now.confidence);
  shown.marks = {{now.box, now.lost ? std::string("lost") : fmt::format("{:.2f}", now.confidence)}};
  shown.facts = {{"frames followed", std::to_string(item.follower->followed + 1)},
                 {"score", fmt::format("{:.4f}", now.score)},
                 {"box", fmt::format("{:g},{:g},{:g},{:g}", now.box.x, now.box.y, now.box.width,
                                     now.box.height)}};
}

// Says how much the box has in common with the true one that it overlaps most.
void compare(const Setup&, const Followed& item, const Truth& truth, Shown& shown) {
  const auto there = truth.people();
  if (!there) return;
  double most = 0;
  for (const people::Annotation& each : *there)
    most = std::max(most, overlap(item.found.tracks.front().box, exact(each.box)));
  shown.summary += fmt::format(" Its overlap with the truth is {:.2f}.", most);
}

Explained explain(const Setup& setup, const std::shared_ptr<const Followed>& item,
                  const Asked& asked) {
  const int frame = setup.asked.explained_frame();
  if (!item->why && asked.question != nullptr)
    throw InvalidArgument("the target is learned in this frame; the next ones can be explained");
  if (!item->why)
    throw InvalidArgument(fmt::format("--explain {}: {} has no more than {} frames", frame,
                                      setup.plan.inputs[0],
                                      setup.asked.frame + item->follower->followed + 1));
  return {.explanation = present(*item->why),
          .picture =
              [item](const report::Explanation& shown) {
                return report::draw_explanation(item->image(), shown);
              },
          .members = [frame](io::JsonWriter& json) { json.member("frame", frame); }};
}

class MotText final : public SharedFileOf<TrackedFrame> {
 public:
  explicit MotText(const std::string& path) : file_(path) {}
  void commit(const std::string&) override { file_.commit(); }

 private:
  void write(const io::Place& place, const TrackedFrame& found) override {
    for (const emd::Track& track : found.tracks)
      file_.write(emd::mot_line(place.moment->frame + 1, track));
  }

  io::FileSink file_;
};

Image<std::uint8_t> drawn(ImageView<const std::uint8_t> picture, const Followed& item) {
  Image<std::uint8_t> drawn = clone(picture);
  emd::draw_tracks(drawn.view(), item.found.tracks);
  return drawn;
}

std::vector<OutputOf<Setup, Followed>> outputs() {
  return {{.about = {.name = "output",
                     .help = "file for the boxes as MOT challenge text; - is standard output",
                     .share = Share::kOneFile,
                     .ending = ".txt",
                     .dash = Dash::kWriter,
                     .after = "variable"},
           .open = [](const std::string& path) -> std::unique_ptr<SharedFile> {
             return std::make_unique<MotText>(path);
           }},
          {.about = {.name = "video",
                     .help = "video of the frames with the boxes drawn",
                     .dash = Dash::kWriter,
                     .picture = true,
                     .after = "variable"},
           .paint = [](const Setup&, std::size_t,
                       const Followed& item) { return drawn(item.image(), item); }},
          {.about = {.name = "map-video",
                     .help = "video of the likelihood that each pixel belongs to a target; maps "
                             "whole frames",
                     .dash = Dash::kWriter,
                     .picture = true,
                     .after = "variable"},
           .paint = [](const Setup&, std::size_t,
                       const Followed& item) { return drawn(item.map, item); }},
          {.about = {.name = "evaluation",
                     .help = "with --truth: .json file that fovea view opens, with the frames that "
                             "fit worst",
                     .share = Share::kOneFile,
                     .evaluation = true,
                     .after = "variable"},
           .obstacle = [](const Setup& setup) -> std::string {
             return setup.asked.truths.empty()
                        ? "--evaluation needs --truth, the boxes to compare with"
                        : "";
           }}};
}

}  // namespace
}  // namespace of_emd_track

Operation emd_track() {
  using namespace of_emd_track;
  return make_operation<Setup, Followed, Follower, Count>(
      {.words =
           {.system = "emd",
            .verb = "track",
            .summary = "follow targets through a video or through cubes by colors and edges",
            .text =
                "Learns the colors of a target and of its surroundings in one frame. In every "
                "later frame it maps the Earth Mover's Distance to both, and takes the place "
                "that looks most like the target and least like its surroundings; a correlation "
                "filter of edges, learned from frame to frame, helps and follows its size "
                "(--filter). A lost target is searched for in the whole frame. Gray targets and "
                "those in cubes are also compared part by part. Frames may have any number of "
                "bands: a folder or glob of TIFF, .npy, ENVI (.hdr) or .mat files, or raw cubes "
                "with --header. Their colors are learned over all bands; what is NaN or infinite "
                "counts as not measured. Files of more than gray or RGB of 8 bits are such "
                "cubes. When a video breaks off or Ctrl-C is pressed, the results so far are "
                "kept.",
            .arguments = {{"VIDEO",
                           "video file, folder or glob of images or cubes, - for y4m (or raw "
                           "cubes) on standard input, camera:N, or the address of a stream; "
                           "several, or @list, one after the other",
                           1, kAnyNumber}},
            .examples =
                {{"fovea emd track walk.mp4 --target 205,151,17,50 -o tracks.txt",
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
                  "see the frames that fit worst by fovea view walk.json"}}},
       // Options of bands, of which a picture has none, and of memory are hidden.
       .on_page = {.title = "Tracking",
                   .name = "track",
                   .hint = "Click to see the scores of the places around the target.",
                   .box = "target",
                   .begins = "frame",
                   .hidden = {"spectra", "whole-map", "cache-bytes"}},
       .input = InputKind::kFrames,
       .alone = true,
       .outputs = outputs(),
       .check = check,
       .settle = settle,
       .begin = begin,
       .worker = worker,
       .read = read,
       .run = run,
       .frames = [](const Setup& setup, const Plan& plan) -> std::unique_ptr<Frames> {
         return std::make_unique<TrackFrames>(setup.asked, plan);
       },
       .in_order = [](const Setup&) { return true; },
       .measures = [](const Setup& setup) { return setup.asked.rivals; },
       .take = take,
       .report = report,
       .report_text = report_text,
       .evaluation = track_evaluation,
       .result = [](const Followed& item) { return record_ref(item.found); },
       .controls = [](OptionVisitor& visit, Setup& setup) { describe(visit, setup.asked.track); },
       .show = show,
       .compare = compare,
       .tally = tally,
       .explains = [](const Setup& setup) { return !setup.asked.explain.empty(); },
       .explain_picture = [](const Setup& setup) { return setup.asked.explain_picture; },
       .explain = explain},
      sample_record<emd::TrackResult>);
}

}  // namespace fovea::operations
