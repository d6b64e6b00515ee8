// people track: follows people through video and gives each an identity. Frames are searched by
// several workers at a time; people are joined to tracks in the order of the frames.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/people/detector.h>
#include <fovea/people/measure.h>
#include <fovea/people/mot.h>
#include <fovea/people/show_tracks.h>
#include <fovea/people/track.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "core/words.h"
#include "operations/make_operation.h"
#include "operations/people/people.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_people_track {
namespace {

struct TrackRequest {
  std::string model = "channels";
  std::string detections{};
  int detections_origin = 1;
  int trail = 50;
  people::TrackOptions track{};
  people::DetectOptions detect{};
};

void describe_origin(OptionVisitor& visit, TrackRequest& request) {
  visit("detections-origin", request.detections_origin,
        "coordinate of the first pixel in --detections: 1 as in benchmarks, or 0", 0, 1);
}

void describe(OptionVisitor& visit, TrackRequest& request) {
  visit.path("detections", request.detections, TextUse::kInput,
             "follow these detections, a file of MOT challenge text, instead of searching; for one "
             "input");
  describe_origin(visit, request);
  visit("trail", request.trail, "frames that trails in the video go back; 0 draws none", 0, 100000);
  describe(visit, request.track);
  describe_people_model(visit, request.model);
  describe(visit, request.detect);
}

struct Setup {
  TrackRequest asked{};
  people::TrackOptions track{};                     // with what the model knows
  std::shared_ptr<const people::Model> detector{};  // null where detections are given:
  std::map<std::int64_t, std::vector<people::Detection>> given{};  // by frame

  std::int64_t given_frames() const { return given.empty() ? 0 : given.rbegin()->first + 1; }
};

// A frame, and the people in it.
struct Followed {
  Image<std::uint8_t> pixels{};
  std::int64_t frame = 0;
  std::vector<people::Detection> detections{};
  people::TrackResult found{};
  const Setup* setup = nullptr;
  people::TrackPainter* painter = nullptr;  // which knows the trails
};

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

// The video so far.
struct Count {
  std::optional<people::Tracker> tracker{};
  people::TrackPainter painter{};
  std::size_t boxes = 0;
  FollowedVideo video{};

  int identities() const { return tracker ? tracker->identities() : 0; }
};

struct Worker {
  Stream stream;
  std::optional<people::Detector> detector{};
};

// A video, a folder of pictures or a glob is one sequence each.
std::vector<std::string> find_inputs(Setup& setup, const std::vector<std::string>& words,
                                     const std::vector<std::string>* merged) {
  const std::string& detections = setup.asked.detections;
  if (merged != nullptr) return *merged;
  if (words.empty() && !detections.empty()) return {detections};
  if (words.empty())
    throw InvalidArgument(
        "people track needs a VIDEO to search, or --detections FILE to follow what was found");
  for (const std::string& input : words) {
    std::error_code error;
    if (input != "-" && !io::is_live_source(input) && !std::filesystem::exists(input, error) &&
        input.find_first_of("*?[") == std::string::npos)
      throw IoError(fmt::format("{}: does not exist", input));
  }
  if (!detections.empty() && words.size() > 1)
    throw InvalidArgument(fmt::format(
        "--detections names one file for {} inputs; follow them one at a time", words.size()));
  return words;
}

// Detections of a file need no pictures, where nothing is seen or drawn of them.
std::optional<std::int64_t> blind_frames(const Setup& setup, const std::string& input) {
  if (input != setup.asked.detections) return {};
  return setup.given_frames();
}

void settle(Setup& setup, const Plan& plan) {
  if (plan.inputs != std::vector{setup.asked.detections}) return;
  if (plan.writes("output"))
    throw InvalidArgument("-o draws on pictures; name the VIDEO beside --detections");
  if (setup.asked.track.appearance)
    throw InvalidArgument(
        "the colors of people are compared in pictures; name the VIDEO beside --detections, or add "
        "--no-appearance to follow people by their motion alone");
}

std::vector<std::string> read_beside(const Setup& setup, const std::string&) {
  if (setup.asked.detections.empty()) return {};
  return {setup.asked.detections};
}

void read_given(Setup& setup) {
  const TrackRequest& request = setup.asked;
  for (const people::MotBox& box : people::read_mot(
           request.detections, {.origin = request.detections_origin, .identities = false})) {
    const Rect<float> rect{static_cast<float>(box.box.x), static_cast<float>(box.box.y),
                           static_cast<float>(box.box.width), static_cast<float>(box.box.height)};
    setup.given[box.frame].push_back({rect, rect, static_cast<float>(box.score), 1});
  }
}

void begin(Setup& setup, const Exec& exec, const Plan& plan) {
  const TrackRequest& request = setup.asked;
  setup.track = request.track;
  setup.track.exec = exec;
  const people::Tracker check(setup.track);  // refuses what no tracker can do
  if (!request.detections.empty()) return read_given(setup);
  setup.detector =
      plan.keep<people::Model>(request.model, [&] { return people::load_model(request.model); });
  if (!setup.track.certain)
    setup.track.certain = people::least_score(*setup.detector, request.detect);
}

Worker worker(const Setup& setup, const Exec& exec) {
  people::DetectOptions options = setup.asked.detect;
  Worker worker{.stream = Stream(exec.device)};
  options.exec = exec;
  options.exec.stream = worker.stream.get();
  if (setup.detector) worker.detector.emplace(setup.detector, options);
  return worker;
}

// A frame that a caller has.
void read(const Setup&, const Source& source, Followed& item) {
  item.pixels = people::detector_pixels(source.image(io::Orientation::kIgnore));
}

void run(const Setup& setup, Worker& worker, Followed& item) {
  item.setup = &setup;
  item.detections.clear();
  if (worker.detector) item.detections = worker.detector->detect(item.pixels).people;
  else if (const auto at = setup.given.find(item.frame); at != setup.given.end())
    item.detections = at->second;
}

void follow(Count& count, Followed& item) {
  if (!count.tracker) {
    count.tracker.emplace(item.setup->track);
    count.painter = people::TrackPainter(item.setup->asked.trail);
  }
  item.found.people = count.tracker->track(item.pixels, item.detections);
  count.boxes += item.found.people.size();
  item.painter = &count.painter;
}

void draw(const Setup&, Followed& item) {
  item.pixels = in_color(std::move(item.pixels));
  item.painter->draw(item.pixels, item.found.people);
}

RecordRef video(Count& count, const Ended& ended) {
  const auto written = [&](std::string_view output) {
    return ended.frames > 0 && ended.plan.writes(output)
               ? std::optional(ended.plan.files.find(output)->second[ended.input])
               : std::nullopt;
  };
  count.video = {.identities = count.identities(),
                 .frame_count = ended.frames,
                 .dropped = ended.dropped,
                 .output = written("output"),
                 .mot = written("mot")};
  return record_ref(count.video);
}

std::string video_line(const Count& count, std::int64_t frames) {
  return fmt::format("{} with {} in {}", people_text(static_cast<std::size_t>(count.identities())),
                     detail::counted(count.boxes, "box", "boxes"),
                     detail::counted(frames, "frame"));
}

std::string note_after_input(const Setup& setup, Count& count, const std::string& input) {
  const std::int64_t frames = count.tracker ? count.tracker->frames() : 0;
  if (setup.given_frames() <= frames) return "";
  return fmt::format("{}: has frame {}, but {} ends after {}", setup.asked.detections,
                     setup.given_frames(), input, detail::counted(frames, "frame"));
}

// The boxes of a video as MOT challenge text.
class MotText final : public SharedFileOf<people::TrackResult> {
 public:
  explicit MotText(const std::string& path) : file_(path) {}
  void commit(const std::string&) override { file_.commit(); }

 private:
  void write(const io::Place& place, const people::TrackResult& found) override {
    for (const people::Track& track : found.people)
      file_.write(people::mot_line({.frame = place.moment->frame,
                                    .id = track.id,
                                    .box = exact(track.box),
                                    .score = track.score}));
  }

  io::FileSink file_;
};

// One row per person and frame, for all inputs.
class TrackTable final : public SharedFileOf<people::TrackResult> {
 public:
  explicit TrackTable(const std::string& path)
      : file_(path),
        table_(file_.sink(), io::TableFormat::kCsv,
               std::array{record_ref(io::Place{}), record_ref(people::Track{})}) {}
  void commit(const std::string&) override {
    table_.finish();
    file_.commit();
  }

 private:
  void write(const io::Place& place, const people::TrackResult& found) override {
    for (const people::Track& track : found.people)
      table_.row({record_ref(place), record_ref(track)});
  }

  io::FileSink file_;
  io::RecordTable table_;
};

template <class File>
std::unique_ptr<SharedFile> open(const std::string& path) {
  return std::make_unique<File>(path);
}

std::vector<OutputOf<Setup, Followed>> outputs() {
  return {
      {.about = {.name = "output",
                 .help = "video with boxes, ids and trails, or a folder or pattern such as "
                         "%06d.png for its pictures; for several inputs a folder or a pattern such "
                         "as out/{}.mp4; a name that ends in .csv stands for --csv",
                 .dash = Dash::kWriter,
                 .picture = true}},
      {.about = {.name = "mot",
                 .help = "file for the boxes as MOT challenge text, - for the standard output; for "
                         "several inputs a folder or a pattern such as out/{}.txt",
                 .ending = ".txt",
                 .dash = Dash::kWriter},
       .open = open<MotText>},
      {.about = {.name = "csv",
                 .help = "file for all boxes as CSV with one row per person and frame, - for the "
                         "standard output",
                 .share = Share::kOneFile,
                 .ending = ".csv",
                 .dash = Dash::kWriter},
       .open = open<TrackTable>}};
}

}  // namespace
}  // namespace of_people_track

Operation people_track() {
  using namespace of_people_track;
  return make_operation<Setup, Followed, Worker, Count>(
      {.words =
           {.system = "people",
            .verb = "track",
            .summary = "follow people through video and give each an identity",
            .text =
                "Detects people in every frame and joins the detections to people with identities: "
                "by their motion, by the colors of upper and lower body, and by the assignment of "
                "least cost. A person gets an id after a few detections, keeps it while hidden, "
                "and gets it back when found again by colors. The results are MOT challenge text, "
                "CSV, JSON and video with boxes, ids and trails. Detections may come from a file "
                "instead, so that following can be measured alone; see people eval-tracks. Where a "
                "video breaks off or the program is interrupted, the results so far are kept.",
            .arguments = {{"VIDEO",
                           "video files, cameras, addresses of streams, folders or globs of "
                           "images, each one sequence, or - for y4m on standard input; none with "
                           "--detections and --no-appearance",
                           0, kAnyNumber}},
            .examples =
                {{"fovea people track street.mp4 -o followed.mp4 --mot tracks.txt",
                  "draw boxes, ids and trails, and write MOT challenge text"},
                 {"fovea people track frames --detections det.txt --mot tracks.txt",
                  "follow detections of another program over a folder of pictures"},
                 {"fovea people track --detections det.txt --no-appearance --mot tracks.txt",
                  "follow detections by motion alone, without pictures"},
                 {"fovea people track a.mp4 b.mp4 --mot tracks --csv all.csv "
                  "--no-appearance",
                  "follow people by motion alone in two videos"}}},
       .input = InputKind::kVideo,
       .names_files = true,
       .outputs = outputs(),
       .find_inputs = find_inputs,
       .settle = settle,
       .read_beside = read_beside,
       .begin = begin,
       .worker = worker,
       .read = read,
       .run = run,
       .follow = follow,
       .blind_frames = blind_frames,
       .place = [](const io::FrameTime& time, Followed& item) { item.frame = time.frame; },
       .video = video,
       .pixels = [](Followed& item) -> Image<std::uint8_t>& { return item.pixels; },
       .orientation = [](const Setup&) { return io::Orientation::kIgnore; },
       // A search takes a multiple of the image: pyramids, channels, windows.
       .memory = [](const Setup&, std::uint64_t bytes) { return 16 * bytes; },
       .result = [](const Followed& item) { return record_ref(item.found); },
       .video_line = video_line,
       .draw = draw,
       .controls =
           [](OptionVisitor& visit, Setup& setup) {
             describe_origin(visit, setup.asked);
             describe(visit, setup.asked.track);
             describe(visit, setup.asked.detect);
           },
       .start_input = [](Count& count, Extent) { count = {}; },
       .note_after_input = note_after_input,
       .sample_video = sample_record<FollowedVideo>},
      sample_record<people::TrackResult>);
}

}  // namespace fovea::operations
