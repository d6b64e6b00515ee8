// fovea people track: follows people through video and gives each an identity. Frames are decoded
// and searched by several detectors at a time; people are joined to tracks in the order of the
// frames.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>
#include <fovea/people/mot.h>
#include <fovea/people/track.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/people/people.h"
#include "cli/people/track_files.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// Memory that a search of a frame takes, in multiples of the frame: pyramids, channels, windows.
constexpr std::uint64_t kSearchCopies = 16;

struct PeopleTrackRequest {
  std::string model = "channels";
  std::string output{};
  std::string mot{};
  std::string csv{};
  std::string detections{};
  int detections_origin = 1;
  int trail = 50;
  people::TrackOptions track{};
  people::DetectOptions detect{};
};

void describe(OptionVisitor& visit, PeopleTrackRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "video with boxes, ids and trails, or a folder or pattern such as %06d.png for its "
             "pictures; for several inputs a folder or a pattern such as out/{}.mp4");
  visit.path("mot", request.mot, TextUse::kOutput,
             "file for the boxes as MOT challenge text, - for the standard output; for several "
             "inputs a folder or a pattern such as out/{}.txt");
  visit.path("csv", request.csv, TextUse::kOutput,
             "file for all boxes as CSV with one row per person and frame, - for the standard "
             "output");
  visit.path("detections", request.detections, TextUse::kInput,
             "follow these detections, a file of MOT challenge text, instead of searching; for one "
             "input");
  visit("detections-origin", request.detections_origin,
        "coordinate of the first pixel in --detections: 1 as in benchmarks, or 0", 0, 1);
  visit("trail", request.trail, "frames that trails in the video go back; 0 draws none", 0, 100000);
  describe(visit, request.track);
  describe_people_model(visit, request.model);
  describe(visit, request.detect);
}

// Given detections, by frame.
using Given = std::map<std::int64_t, std::vector<people::Detection>>;

Given read_given(const PeopleTrackRequest& request) {
  Given given;
  for (const people::MotBox& box : people::read_mot(
           request.detections, {.origin = request.detections_origin, .identities = false})) {
    const Rect<float> rect{static_cast<float>(box.box.x), static_cast<float>(box.box.y),
                           static_cast<float>(box.box.width), static_cast<float>(box.box.height)};
    given[box.frame].push_back({rect, rect, static_cast<float>(box.score), 1});
  }
  return given;
}

// What is said of a whole video.
struct FollowedVideo {
  int identities = 0;
  std::int64_t frame_count = 0, dropped = 0;
  std::optional<std::string> output{}, mot{};
};
void describe(FieldVisitor& visit, FollowedVideo& video) {
  visit("identities", video.identities, "how many people have got an id");
  visit("frame_count", video.frame_count, "how many frames the video has");
  visit("dropped", video.dropped, "frames of a live source that were passed over");
  visit("output", video.output, "the video with boxes, ids and trails");
  visit("mot", video.mot, "the boxes as MOT challenge text");
}

class TrackSearchRun {
 public:
  TrackSearchRun(const PeopleTrackRequest& request, Context& context)
      : request_(request),
        context_(context),
        table_(writes_shared_files(context) ? request.csv : ""),
        options_(request.track) {
    options_.exec = context.exec_without_progress();
    people::Tracker check(options_);  // refuses what no tracker can do
    if (request.detections.empty()) {
      model_ = people::load_model(request.model);
      if (!options_.certain) options_.certain = people::least_score(*model_, request.detect);
    } else {
      given_ = read_given(request);
    }
  }

  // The next input of the batch: a video or, without pictures, the file of its detections.
  Outcome follow(Batch& batch, const std::string& input, const std::string& output,
                 const std::string& mot) {
    const io::VideoReadOptions reading = video_options(context_);
    std::optional<io::VideoReader> reader;
    if (input != request_.detections) reader.emplace(open_video(context_, input, reading));
    PeopleTrackFiles files(mot, output, reader ? reader->info().rate.value() : reading.frame_rate,
                           request_.trail);
    people::Tracker tracker(options_);
    const char* separator = "";
    std::size_t boxes = 0;
    const auto write = [&](FrameItem& item) {
      const io::FrameTime time{item.frame.frame, item.frame.seconds};
      const TrackedFrame tracked{{input, time}, {tracker.track(item.frame.image, item.people)}};
      boxes += tracked.found.people.size();
      table_.add(tracked);
      batch.record(io::pack_record(record_ref(tracked)));
      if (context_.json)
        batch.print_more(fmt::format("{}{{{}, {}}}", std::exchange(separator, ", "),
                                     io::record_members(record_ref(time)),
                                     io::record_members(record_ref(tracked.found))));
      files.add(item.frame, tracked.found.people);
    };
    const std::int64_t expected =
        reader ? std::max<std::int64_t>(0, reader->expected_frames()) : frames_of_given();
    std::int64_t next = 0;
    const io::FrameWorkers plan = reader ? io::plan_frame_workers(context_.exec, *reader)
                                         : io::plan_frame_workers(context_.exec, expected);
    make_workers(plan);
    const auto run_all = [&] {
      return io::run_frames<FrameItem, Worker>(
          workers_,
          {.read =
               [&](FrameItem& item) {
                 if (reader) return reader->fetch(item.stored);
                 item.frame.frame = next;
                 item.frame.seconds = static_cast<double>(next) / reading.frame_rate;
                 return next++ < expected;
               },
           .bytes =
               [&](const FrameItem&) { return reader ? kSearchCopies * reader->frame_bytes() : 0; },
           .prepare =
               [&](FrameItem& item) {
                 if (reader) item.stored.decode(item.frame);
               },
           .work = [&](Worker& worker, FrameItem& item) { find(worker, item); },
           .write = write},
          {.in_flight = plan.in_flight,
           .threads = plan.runners,
           .memory_bytes = context_.memory_bytes,
           .most_bytes = context_.most_bytes,
           .expected = expected,
           .exec = context_.exec});
    };
    if (context_.json) batch.print_members("\"frames\": [");
    io::FrameRun run;
    try {
      run = run_all();
    } catch (const ClosedPipe&) {
      throw;
    } catch (...) {
      if (context_.json) batch.print_more("]");
      throw;
    }
    if (context_.json) batch.print_more("]");
    if (run.frames > 0) files.finish();
    if (reader) note_reading(context_, input, *reader);
    note_given(input, run);
    const bool written = run.frames > 0 && !output.empty();
    FollowedVideo all{.identities = tracker.identities(),
                      .frame_count = run.frames,
                      .dropped = reader ? reader->dropped() : 0};
    if (written) all.output = output;
    if (run.frames > 0 && !mot.empty()) all.mot = mot;
    return {fmt::format("{}: {} with {} in {}{}{}{}", input,
                        people_text(static_cast<std::size_t>(tracker.identities())),
                        detail::counted(boxes, "box", "boxes"),
                        detail::counted(run.frames, "frame"), reader ? dropped_text(*reader) : "",
                        written ? ", " : "", written ? output : ""),
            io::record_members(record_ref(all)), run.fault,
            files_of(run.frames > 0, {output, mot})};
  }

  // Adds the frames of an input that is done already to the table.
  void replay(std::string_view recorded) {
    while (!recorded.empty()) {
      TrackedFrame frame;
      io::unpack_record(recorded, record_ref(frame));
      table_.add(frame);
    }
  }

  void commit() { table_.commit(); }

 private:
  struct FrameItem {
    io::StoredFrame stored;
    io::Frame frame;
    std::vector<people::Detection> people;
  };
  struct Worker {
    Stream stream;
    std::optional<people::Detector> detector;
  };

  void find(Worker& worker, FrameItem& item) const {
    if (worker.detector) {
      item.people = worker.detector->detect(item.frame.image).people;
      return;
    }
    const auto at = given_.find(item.frame.frame);
    item.people = at == given_.end() ? std::vector<people::Detection>{} : at->second;
  }

  void make_workers(const io::FrameWorkers& plan) {
    if (plan.threads != worker_threads_) workers_.clear();
    worker_threads_ = plan.threads;
    while (static_cast<int>(workers_.size()) < plan.count) {
      people::DetectOptions options = request_.detect;
      Stream stream(context_.exec.device);
      options.exec = context_.exec_without_progress();
      options.exec.stream = stream.get();
      options.exec.threads = plan.threads;
      Worker worker{std::move(stream), std::nullopt};
      if (model_) worker.detector.emplace(model_, options);
      workers_.push_back(std::move(worker));
    }
  }

  std::int64_t frames_of_given() const { return given_.empty() ? 0 : given_.rbegin()->first + 1; }

  void note_given(const std::string& input, const io::FrameRun& run) {
    if (!run.whole() || frames_of_given() <= run.frames) return;
    context_.console.note(fmt::format("{}: has frame {}, but {} ends after {}", request_.detections,
                                      frames_of_given(), input,
                                      detail::counted(run.frames, "frame")));
  }

  static std::vector<std::string> files_of(bool written, std::vector<std::string> names) {
    std::erase(names, "");
    return written ? names : std::vector<std::string>{};
  }

  const PeopleTrackRequest& request_;
  Context& context_;
  PeopleTrackTable table_;
  people::TrackOptions options_;
  std::shared_ptr<const people::Model> model_{};
  Given given_{};
  std::vector<Worker> workers_{};
  int worker_threads_ = 0;
};

// Detections of a file need no pictures, where nothing is seen or drawn of them.
void require_no_pictures(const PeopleTrackRequest& request) {
  if (request.detections.empty())
    throw InvalidArgument(
        "people track needs a VIDEO to search, or --detections FILE to follow what was found");
  if (!request.output.empty())
    throw InvalidArgument("-o draws on pictures; name the VIDEO beside --detections");
  if (request.track.appearance)
    throw InvalidArgument(
        "the colors of people are compared in pictures; name the VIDEO beside --detections, or add "
        "--no-appearance to follow people by their motion alone");
}

// A video, a folder of pictures or a glob is one sequence each.
std::vector<std::string> sequences_of(const PeopleTrackRequest& request, const Context& context) {
  if (const std::vector<std::string>* merged = merged_units(context)) return *merged;
  if (context.inputs.empty()) {
    require_no_pictures(request);
    return {request.detections};
  }
  for (const std::string& input : context.inputs) {
    std::error_code error;
    if (input != "-" && !io::is_live_source(input) && !std::filesystem::exists(input, error) &&
        input.find_first_of("*?[") == std::string::npos)
      throw IoError(fmt::format("{}: does not exist", input));
  }
  return context.inputs;
}

int run_people_track(PeopleTrackRequest& request, Context& context) {
  resolve_device(context);
  const std::vector<std::string> inputs = sequences_of(request, context);
  if (!request.detections.empty() && inputs.size() > 1)
    throw InvalidArgument(fmt::format(
        "--detections names one file for {} inputs; follow them one at a time", inputs.size()));
  std::vector<std::string> outputs(inputs.size()), mots(inputs.size());
  if (inputs.size() == 1) {
    outputs[0] = request.output;
    mots[0] = request.mot;
  } else {
    if (!request.output.empty()) outputs = output_paths(context, request.output, inputs);
    if (!request.mot.empty()) mots = output_paths(context, request.mot, inputs, ".txt");
  }
  check_outputs(context,
                {{"-o", inputs.size() == 1 ? request.output : ""},
                 {"--mot", inputs.size() == 1 ? request.mot : ""},
                 {"--csv", request.csv}},
                {request.detections});
  if (context.journal != nullptr && io::is_standard_output(request.mot))
    throw InvalidArgument("--mot -: a run with a manifest writes files; name one");
  TrackSearchRun run(request, context);
  Batch batch(context, inputs);
  batch.on_replay([&](std::size_t, std::string_view recorded) { run.replay(recorded); });
  while (batch.next() < inputs.size() && !batch.stopped()) {
    const std::size_t i = batch.next();
    batch.run_alone([&] { return run.follow(batch, inputs[i], outputs[i], mots[i]); });
  }
  try {
    const int status = batch.finish();
    run.commit();
    return status;
  } catch (const Cancelled&) {
    run.commit();
    throw;
  }
}

}  // namespace

Command people_track_command() {
  return {
      .system = "people",
      .verb = "track",
      .summary = "follow people through video and give each an identity",
      .text =
          "Detects people in every frame and joins the detections to people with identities: by "
          "their motion, by the colors of upper and lower body, and by the assignment of least "
          "cost. A person gets an id after a few detections, keeps it while hidden, and gets it "
          "back when found again by colors. The results are MOT challenge text, CSV, JSON and "
          "video with boxes, ids and trails. Detections may come from a file instead, so that "
          "following can be measured alone; see people eval-tracks. Where a video breaks off or "
          "the program is interrupted, the results so far are kept.",
      .arguments = {{"VIDEO",
                     "video files, cameras, addresses of streams, folders or globs of images, each "
                     "one sequence, or - for y4m on standard input; none with --detections and "
                     "--no-appearance",
                     0, kAnyNumber}},
      .examples = {{"fovea people track street.mp4 -o followed.mp4 --mot tracks.txt",
                    "draw boxes, ids and trails, and write MOT challenge text"},
                   {"fovea people track frames --detections det.txt --mot tracks.txt",
                    "follow detections of another program over a folder of pictures"},
                   {"fovea people track --detections det.txt --no-appearance --mot tracks.txt",
                    "follow detections by motion alone, without pictures"},
                   {"fovea people track a.mp4 b.mp4 --mot tracks --csv all.csv --no-appearance",
                    "follow people by motion alone in two videos"}},
      .request = make_request<PeopleTrackRequest, run_people_track>,
      .result = {.record = sample_record<people::TrackResult>,
                 .per_input = true,
                 .per_frame = true,
                 .video = sample_record<FollowedVideo>},
      .reads_images = true,
      .reads_videos = true,
      .batches = true,
      .shards = true,
      .shared_files = {"csv"}};
}

}  // namespace fovea::cli
