// people detect: finds people in images and video and writes pictures and lists of boxes.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/people/evaluate.h>
#include <fovea/people/explain.h>
#include <fovea/people/measure.h>
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/words.h"
#include "operations/explain.h"
#include "operations/make_operation.h"
#include "operations/people/people.h"
#include "operations/people/people_files.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_people_detect {
namespace {

struct DetectRequest {
  std::string model = "channels";
  people::DetectOptions detect{};
  std::string mask{};
  io::Orientation orientation = io::Orientation::kApply;
  ExplainNumbers explain{};
  std::string explain_picture{};
};

struct Setup {
  DetectRequest asked{};
  std::shared_ptr<const people::Model> detector{};
  Image<std::uint8_t> mask{};
};

void describe(OptionVisitor& visit, DetectRequest& request) {
  describe_people_model(visit, request.model);
  describe(visit, request.detect);
  visit.path("mask", request.mask, TextUse::kInput,
             "image of the same size as the inputs: keep only people whose center is not black in "
             "it");
  visit("orientation", request.orientation,
        "apply turns inputs upright as their EXIF tag says; ignore takes them as they are stored");
  describe_explain(visit, request.explain,
                   "say why there is a person at this place of one image, or in this box, or why "
                   "there is none, instead of searching for people",
                   "X,Y[,W,H]");
  describe_explain_picture(visit, request.explain_picture);
}

// What was found in an image, whose people end at its borders.
struct Result : people::DetectResult {
  std::vector<people::Detection> whole{};  // those who reach beyond the borders, with all of them
};
void describe(FieldVisitor& visit, Result& result) {
  describe(visit, static_cast<people::DetectResult&>(result));
  visit("whole", result.whole, "the people with what lies outside of the image",
        {.printed = false, .compared = false});
}

struct Found {
  Image<std::uint8_t> pixels{};
  ImageView<const std::uint8_t> given{};  // in place of pixels, where a caller has them
  ImageView<const std::uint8_t> mask{};   // of this image alone; empty: the one of all, or none
  Result result{};
};

// What was found so far.
struct Count {
  std::size_t people = 0;  // in this input
  int height = 0;          // of its last image
  std::int64_t without_weight = 0;
  bool hinted = false;
};

// Each worker has a stream of its own, so that on a GPU copies and work of several frames overlap,
// unless its driver has one for it.
struct Worker {
  std::optional<Stream> stream;
  people::Detector detector;
};

void check(const Setup& setup) {
  const DetectRequest& request = setup.asked;
  check_explain(request.explain, {2, 4}, request.explain_picture);
  if (request.explain.empty() && !request.mask.empty() && request.detect.region)
    throw InvalidArgument("--mask and --region exclude each other; give one of them");
}

void begin(Setup& setup, const Exec& exec, const Plan& plan) {
  DetectRequest& request = setup.asked;
  request.detect.exec = exec;
  setup.detector =
      plan.keep<people::Model>(request.model, [&] { return people::load_model(request.model); });
  people::least_score(*setup.detector, request.detect);  // refuses what the model does not know
  if (!request.mask.empty() && request.explain.empty())
    setup.mask = io::to_gray(people::detector_pixels(plan.image(request.mask)));
}

Worker worker(const Setup& setup, const Exec& exec) {
  people::DetectOptions options = setup.asked.detect;
  options.exec = exec;
  std::optional<Stream> stream;
  if (exec.stream == nullptr) options.exec.stream = stream.emplace(exec.device).get();
  return {std::move(stream), people::Detector(setup.detector, options)};
}

void read(const Setup& setup, const Source& source, Found& found) {
  using Bytes = ImageView<const std::uint8_t>;
  if (source.pixels != nullptr) found.given = std::get<Bytes>(*source.pixels);
  else found.pixels = people::detector_pixels(source.image(setup.asked.orientation));
  if (const io::AnyView* mask = source.value_of("mask")) found.mask = std::get<Bytes>(*mask);
}

void run(const Setup& setup, Worker& worker, Found& found) {
  const ImageView<const std::uint8_t> image =
      found.given.empty() ? std::as_const(found.pixels).view() : found.given;
  const ImageView<const std::uint8_t> mask = found.mask.empty() ? setup.mask.view() : found.mask;
  people::DetectResult result =
      mask.empty() ? worker.detector.detect(image) : worker.detector.detect(image, mask);
  found.result = {std::move(result), {}};
  found.result.whole = found.result.people;
  found.result.people =
      people::clip_people(std::move(found.result.people), {image.width, image.height});
}

// A search takes a multiple of the image: pyramids, channels, windows.
std::uint64_t memory(const Setup&, std::uint64_t bytes) { return 16 * bytes; }
double work(const Setup& setup) {
  const double enlarge = setup.asked.detect.scan.enlarge;
  return 2000 * enlarge * enlarge;
}

void draw(const Setup&, Found& found) {
  found.pixels = in_color(std::move(found.pixels));
  people::draw_people(found.pixels, found.result.people);
}

void start_input(Count& count, Extent size) {
  count.people = 0;
  count.height = size.height;
}

void tally(Count& count, Found& found) {
  count.people += found.result.people.size();
  count.height = found.result.size.height;
  count.without_weight += found.result.counts.zero_weight_windows;
}

std::string video_line(const Count& count, std::int64_t frames) {
  return fmt::format("{} in {}", people_text(count.people), detail::counted(frames, "frame"));
}

// Hints at enlarging where nobody was found, once.
std::string note_after_input(const Setup& setup, Count& count, const std::string& input) {
  const int window = setup.detector->window().height;
  if (count.people > 0 || count.hinted || setup.asked.detect.scan.enlarge > 1 ||
      count.height >= 2 * window)
    return "";
  count.hinted = true;
  return fmt::format(
      "{}: no person was found; the model finds people of {} pixels and more, and this input is "
      "only {} pixels high: --enlarge 2 may find smaller ones",
      input == "-" ? "standard input" : input,
      std::lround(static_cast<float>(window) * setup.detector->person_height), count.height);
}

// Says what mean shift did not count.
std::string note_after_all(const Setup& setup, const Count& count, const Totals&) {
  if (count.without_weight == 0) return "";
  return fmt::format(
      "mean shift left out {} whose scores reach the threshold but are not above {:g}; "
      "--fuse-weights margin counts them",
      detail::counted(count.without_weight, "window"),
      setup.asked.detect.fuse.weight_from.value_or(0));
}

void show(const Setup& setup, const Found& found, Shown& shown) {
  const std::vector<people::Detection>& people = found.result.people;
  const std::optional<float> best = people.empty() ? std::nullopt : people.front().confidence;
  shown.summary =
      people.empty()
          ? fmt::format("No person was found by the model {}.", setup.asked.model)
          : fmt::format("{} found by the model {}; the best score is {:.2f}{}.",
                        people.size() == 1 ? std::string("One person was")
                                           : fmt::format("{} people were", people.size()),
                        setup.asked.model, people.front().score,
                        best ? fmt::format(", a confidence of {:.0f} %", 100 * *best) : "");
  const double threshold = people::least_score(*setup.detector, setup.asked.detect);
  shown.facts.emplace_back("threshold", fmt::format("{:g}", threshold));
  shown.facts.emplace_back("model's threshold", fmt::format("{:g}", setup.detector->threshold));
}

// Marks hits and false alarms as people eval counts them, and adds the boxes of the truth.
void compare(const Setup&, const Found& found, const Truth& truth, Shown& shown) {
  const auto there = truth.people();
  if (!there) return;
  const people::ImageMatch match = people::match_people({found.result.people, *there});
  for (std::size_t i = 0; i < match.verdicts.size(); ++i) {
    constexpr std::array kKinds{MarkKind::kHit, MarkKind::kFalse, MarkKind::kIgnored};
    shown.marks[i].kind = kKinds[static_cast<std::size_t>(match.verdicts[i])];
    if (shown.marks[i].kind == MarkKind::kFalse) shown.marks[i].label += " false";
  }
  for (std::size_t i = 0; i < there->size(); ++i) {
    const Rect<double> box = exact((*there)[i].box);
    if ((*there)[i].ignore) shown.marks.push_back({box, "", MarkKind::kIgnored});
    else if (match.found_by[i] >= 0) shown.marks.push_back({box, "", MarkKind::kTrue});
    else shown.marks.push_back({box, "missed", MarkKind::kMissed});
  }
  const auto count = [&](MarkKind kind) {
    return std::ranges::count(shown.marks, kind, &Mark::kind);
  };
  const auto hits = count(MarkKind::kHit), alarms = count(MarkKind::kFalse),
             missed = count(MarkKind::kMissed);
  shown.summary += fmt::format(
      " Compared with the truth, there are {} and {}, and {} missed.", detail::counted(hits, "hit"),
      detail::counted(alarms, "false alarm"),
      missed == 1 ? std::string("1 person was") : fmt::format("{} people were", missed));
  shown.facts.emplace_back("hits", std::to_string(hits));
  shown.facts.emplace_back("missed", std::to_string(missed));
  shown.facts.emplace_back("false alarms", std::to_string(alarms));
}

// Explains the best window at a place, or the one of a person in this box.
people::WindowExplanation explanation_of(const people::Detector& detector,
                                         ImageView<const std::uint8_t> image,
                                         const ExplainNumbers& at) {
  if (at.size() == 2) return people::explain(detector, image, at[0], at[1]);
  if (!(at[2] > 0 && at[3] > 0))
    throw InvalidArgument(
        fmt::format("--explain has a box of {:g}x{:g} pixels; expected a person", at[2], at[3]));
  const Extent window = detector.model().window();
  const double height = at[3] / detector.model().person_height,
               width = height * window.width / window.height;
  return people::explain(detector, image,
                         Rect<float>{static_cast<float>(at[0] + (at[2] - width) / 2),
                                     static_cast<float>(at[1] + (at[3] - height) / 2),
                                     static_cast<float>(width), static_cast<float>(height)});
}

// A question about a person is about that detection, and one elsewhere about the best window there.
people::WindowExplanation answer(const people::Detector& detector, const Found& found,
                                 const report::Point& place) {
  const auto x = static_cast<float>(place.x), y = static_cast<float>(place.y);
  for (const people::Detection& person : found.result.people)
    if (x >= person.box.x && x < person.box.right() && y >= person.box.y && y < person.box.bottom())
      return people::explain(detector, found.pixels, person.window);
  return people::explain(detector, found.pixels, place.x, place.y);
}

Explained explain(const Setup& setup, const std::shared_ptr<const Found>& found,
                  const Asked& asked) {
  people::DetectOptions options = setup.asked.detect;
  options.exec = asked.exec;
  const people::Detector detector(setup.detector, options);
  const people::WindowExplanation why =
      asked.question != nullptr ? answer(detector, *found, asked.question->place)
                                : explanation_of(detector, found->pixels, setup.asked.explain);
  return {.explanation = present(why), .picture = [found](const report::Explanation& shown) {
            return report::draw_explanation(found->pixels, shown);
          }};
}

class List final : public SharedFileOf<Result> {
 public:
  explicit List(std::unique_ptr<PeopleFile> file) : file_(std::move(file)) {}
  void commit(const std::string& origin) override { file_->commit(origin); }

 private:
  void write(const io::Place& place, const Result& found) override {
    file_->add({place, found.size, found.people});
  }

  std::unique_ptr<PeopleFile> file_;
};

template <PeopleFormat kFormat>
OutputOf<Setup, Found> list(const Output& about) {
  return {.about = about, .open = [](const std::string& path) -> std::unique_ptr<SharedFile> {
            return std::make_unique<List>(people_file(kFormat, path));
          }};
}

std::vector<OutputOf<Setup, Found>> outputs() {
  constexpr auto kFile = Share::kOneFile;
  constexpr auto kFolder = Share::kOneFolder;
  return {
      {.about = {.name = "output",
                 .help =
                     "pictures or video with boxes: a file, or for several inputs a folder or a "
                     "pattern such as out/{}.png; a name that ends in .json, .csv or .parquet "
                     "stands for --coco, --csv or --parquet",
                 .result = "the picture or video with boxes",
                 .dash = Dash::kWriter,
                 .picture = true}},
      list<PeopleFormat::kCoco>(
          {.name = "coco",
           .help = "file for all boxes as COCO JSON, - for the standard output",
           .result = "all boxes as COCO JSON",
           .share = kFile,
           .ending = ".json",
           .dash = Dash::kWriter}),
      list<PeopleFormat::kCocoResults>(
          {.name = "coco-results",
           .help = "file for all boxes as a COCO results array, as pycocotools' loadRes reads it",
           .result = "all boxes as a COCO results array, as pycocotools' loadRes reads it",
           .share = kFile,
           .ending = ".json",
           .dash = Dash::kWriter}),
      list<PeopleFormat::kCsv>({.name = "csv",
                                .help = "file for all boxes as CSV with one row per box, - for the "
                                        "standard output",
                                .result = "all boxes as CSV, with one row per box",
                                .share = kFile,
                                .ending = ".csv",
                                .dash = Dash::kWriter}),
      list<PeopleFormat::kParquet>(
          {.name = "parquet",
           .help =
               "file for all boxes as a Parquet table with one row per box, for pandas, Polars or "
               "DuckDB; - for the standard output",
           .result = "all boxes as a Parquet table, for pandas, Polars or DuckDB",
           .share = kFile,
           .ending = ".parquet",
           .dash = Dash::kWriter}),
      list<PeopleFormat::kYolo>({.name = "yolo",
                                 .help = "folder for YOLO labels, one text file per image or frame",
                                 .result = "YOLO labels",
                                 .share = kFolder,
                                 .ending = ".txt"}),
      list<PeopleFormat::kLabelme>(
          {.name = "labelme",
           .help = "folder for labelme annotations, one JSON file per image or frame",
           .result = "annotations for labelme",
           .share = kFolder,
           .ending = ".json"})};
}

}  // namespace
}  // namespace of_people_detect

Operation people_detect() {
  using namespace of_people_detect;
  return make_operation<Setup, Found, Worker, Count>(
      {.words =
           {.system = "people",
            .verb = "detect",
            .summary = "find people in images and video",
            .text =
                "Finds standing and walking people of all sizes. The results are pictures or video "
                "with boxes and scores, COCO JSON, CSV, Parquet, YOLO and labelme files. A box "
                "encloses the person, not the larger window that was classified, and ends at the "
                "border of the image. A threshold below the model's own finds more people and "
                "makes more mistakes. Where a video breaks off or the program is interrupted, the "
                "results so far are kept.",
            .arguments = {{"INPUT",
                           "images and videos: files, folders, globs, @list, a pipe with y4m "
                           "video, - for y4m video on standard input, camera:N, or the address of "
                           "a stream",
                           1, kAnyNumber}},
            .examples =
                {{"fovea people detect street.jpg -o found.png", "draw boxes on one picture"},
                 {"fovea people detect photos -o found --coco found.json --csv found.csv",
                  "search every picture of a folder and write the boxes to files"},
                 {"fovea people detect walk.mp4 -o found.mp4 --model cascade --ratio 1.1",
                  "search a video with the fastest model"},
                 {"fovea people detect yard.png --region 0,200,640,280 --min-height 80 --json",
                  "search a part of a picture for people of 80 pixels and more"},
                 {"fovea people detect camera:0 --csv seen.csv --seconds 60",
                  "search the newest frames of a camera for a minute"},
                 {"fovea people detect photos --csv -", "write the boxes to the standard output"},
                 {"fovea people detect a.jpg --explain 320,200 --explain-picture why.png",
                  "say why there is a person at this place, or why there is none"}}},
       .on_page = {.title = "People",
                   .hint = "Click a person, or a place where nobody was found, to see why."},
       .input = InputKind::kImageOrVideo,
       .finite_pixels = true,
       .takes_bytes = true,
       .given = {{"mask"}},
       .outputs = outputs(),
       .check = check,
       .begin = begin,
       .worker = worker,
       .read = read,
       .run = run,
       .pixels = [](Found& found) -> Image<std::uint8_t>& { return found.pixels; },
       .orientation = [](const Setup& setup) { return setup.asked.orientation; },
       .memory = memory,
       .work = work,
       .result = [](const Found& found) { return record_ref(found.result); },
       .line = [](const Setup&,
                  const Found& found) { return people_text(found.result.people.size()); },
       .video_line = video_line,
       .draw = draw,
       .controls = [](OptionVisitor& visit, Setup& setup) { describe(visit, setup.asked.detect); },
       .show = show,
       .compare = compare,
       .start_input = start_input,
       .tally = tally,
       .note_after_input = note_after_input,
       .note_after_all = note_after_all,
       .explains = [](const Setup& setup) { return !setup.asked.explain.empty(); },
       .explain_picture = [](const Setup& setup) { return setup.asked.explain_picture; },
       .explain = explain},
      sample_record<Result>);
}

}  // namespace fovea::operations
