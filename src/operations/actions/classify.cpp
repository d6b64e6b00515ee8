// actions classify: finds which action each clip shows and writes classes and distances as a table,
// CSV or JSON.
#include <fovea/actions/classify.h>
#include <fovea/actions/explain.h>
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/words.h"
#include "operations/actions/explain.h"
#include "operations/explain.h"
#include "operations/make_operation.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_actions_classify {
namespace {

struct ClassifyClipsRequest {
  std::string model = "weizmann";
  std::string clips{};
  int first = 1;
  int frames = 0;
  double reject = 1;
  bool cut_first = false;
  bool explain = false;
  std::string explain_picture{};
};

void describe(OptionVisitor& visit, ClassifyClipsRequest& request) {
  visit.path("model", request.model, TextUse::kModel, "name of a shipped model, or a model file");
  visit.path("clips", request.clips, TextUse::kInput,
             "classify these clips, a folder or list as actions train takes it, and count how many "
             "are classified as it says");
  visit("first", request.first, "first frame of each video that belongs to its clip, from 1", 1,
        2147483647);
  visit("frames", request.frames, "number of frames of each clip; 0 is up to the end", 0,
        2147483647);
  visit("reject", request.reject,
        "factor of the reject levels: a greater one accepts more, and 0 gives the nearest class "
        "whatever its distance",
        0, 100);
  visit("cut-first", request.cut_first,
        "cut clips out of their videos before points are found, so that frames around a clip have "
        "no influence");
  visit("explain", request.explain,
        "say why one clip has its class: the matched nodes and triangles, what each method says, "
        "the runner-up and the reject level");
  describe_explain_picture(visit, request.explain_picture);
}

struct Setup {
  ClassifyClipsRequest asked{};
  std::vector<actions::Clip> clips{};
  std::vector<std::string> truth{};  // the class of each; empty where it is not known
  std::shared_ptr<const actions::Model> model{};
  std::uint64_t max_pixels = 0;
};

struct Classified {
  std::size_t clip = 0;
  actions::ClipClass result{};
};

struct Count {
  std::size_t classified = 0, none = 0, correct = 0;
  bool known = false;
};

// A folder's text files that contain no points are passed over.
std::vector<std::string> clip_paths(const std::vector<std::string>& words) {
  io::InputKind kind = io::video_files();
  kind.name = "video or file of points";
  kind.extensions.insert(kind.extensions.end(), {"txt", "stip"});
  std::vector<std::string> paths = io::expand_inputs(words, kind);
  std::erase_if(paths, [&](const std::string& path) {
    const std::string folder =
        std::filesystem::path(path).parent_path().lexically_normal().string();
    const bool found_there = std::ranges::any_of(words, [&](const std::string& word) {
      return std::filesystem::is_directory(word) &&
             (std::filesystem::path(word) / "").lexically_normal().parent_path().string() == folder;
    });
    return found_there && io::has_extension(path, {"", {"txt", "stip"}}) &&
           !actions::is_points_file(path);
  });
  if (paths.empty())
    throw InvalidArgument(
        fmt::format("{}: holds no video and no file of points", fmt::join(words, " ")));
  return paths;
}

std::vector<std::string> find_inputs(Setup& setup, const std::vector<std::string>& words,
                                     const std::vector<std::string>* merged) {
  const ClassifyClipsRequest& asked = setup.asked;
  std::vector<std::string> names;
  if (asked.clips.empty()) {
    if (words.empty())
      throw InvalidArgument("actions classify needs a VIDEO, or --clips with a folder or list");
    names = merged != nullptr ? *merged : clip_paths(words);
    for (const std::string& path : names)
      setup.clips.push_back({.path = path,
                             .subject = {},
                             .scenario = {},
                             .first = asked.first - 1,
                             .frames = asked.frames});
    return names;
  }
  if (!words.empty() || asked.first != 1 || asked.frames != 0)
    throw InvalidArgument(
        "--clips says which videos and frames are classified; give no VIDEO, --first or --frames "
        "beside it");
  actions::Corpus corpus = actions::read_corpus(asked.clips);
  setup.clips = std::move(corpus.clips);
  for (const actions::Clip& clip : setup.clips) {
    setup.truth.push_back(corpus.classes[static_cast<std::size_t>(clip.label)]);
    names.push_back(clip.path);
  }
  return names;
}

void begin(Setup& setup, const Exec&, const Plan& plan) {
  setup.model = actions::load_model(setup.asked.model);
  setup.max_pixels = plan.max_pixels;
}

// Workers share the model.
actions::Classifier worker(const Setup& setup, const Exec& exec) {
  actions::ClassifyOptions options;
  options.reject = setup.asked.reject;
  options.cut_first = setup.asked.cut_first;
  options.max_pixels = setup.max_pixels;
  options.exec = exec;
  return actions::Classifier(setup.model, options);
}

void run(const Setup& setup, actions::Classifier& classifier, Classified& item) {
  item.result = classifier.classify(setup.clips[item.clip]);
  if (!setup.truth.empty()) item.result.truth = setup.truth[item.clip];
}

bool fuses_late(const Setup& setup) { return setup.model->late_fusion.has_value(); }

// Late fusion gives minus the logarithms of probabilities.
double probability(const actions::ClipClass& found, std::int32_t label) {
  return std::exp(-found.distances[static_cast<std::size_t>(label)]);
}

// What a line for people has behind the name of the file.
std::string line(const Setup& setup, const Classified& item) {
  const actions::ClipClass& found = item.result;
  const bool late = fuses_late(setup);
  std::string text = found.first_frame > 0 || setup.asked.frames > 0
                         ? fmt::format(" from frame {}: {}", found.first_frame + 1, found.name)
                         : ": " + found.name;
  if (found.label < 0 && found.nearest >= 0) text += ", nearest " + found.name_of(found.nearest);
  if (late && found.nearest >= 0) {
    text += fmt::format(", probability {:.2f}", probability(found, found.nearest));
    if (found.runner_up >= 0)
      text += fmt::format(", {} has {:.2f}", found.name_of(found.runner_up),
                          probability(found, found.runner_up));
  } else if (found.nearest >= 0) {
    text += fmt::format(", distance {:.3f}", found.distance);
  }
  if (!late && found.runner_up >= 0)
    text += std::isfinite(found.margin)
                ? fmt::format(", {} is {:.0f} % farther", found.name_of(found.runner_up),
                              100 * found.margin)
                : fmt::format(", {} is next", found.name_of(found.runner_up));
  if (found.truth && *found.truth != found.name) text += "; it is " + *found.truth;
  return text;
}

std::vector<std::string> columns(const Setup& setup) {
  std::vector<std::string> names{"file", "first_frame", "class"};
  if (!setup.truth.empty()) names.emplace_back("truth");
  names.insert(names.end(), {"nearest", "runner_up", "score", "distance", "margin"});
  if (fuses_late(setup)) names.emplace_back("probability");
  for (const std::string& name : setup.model->classes) names.push_back("distance_" + name);
  return names;
}

void write_row(const Setup& setup, io::CsvWriter& csv, const io::Place& place,
               const Classified& item) {
  const actions::ClipClass& found = item.result;
  csv.field(place.input).field(found.first_frame).field(found.name);
  if (found.truth) csv.field(*found.truth);
  csv.field(found.name_of(found.nearest)).field(found.name_of(found.runner_up)).field(found.score);
  csv.field(found.distance).field(found.margin);
  if (fuses_late(setup) && found.probability) csv.field(*found.probability);
  else if (fuses_late(setup)) csv.field("");
  for (const double distance : found.distances) csv.field(distance);
  csv.end_row();
}

void tally(Count& count, Classified& item) {
  const actions::ClipClass& found = item.result;
  ++count.classified;
  count.none += found.label < 0 ? 1 : 0;
  count.known = count.known || found.truth;
  count.correct += found.truth == found.name ? 1 : 0;
}

std::string note_after_all(const Setup&, const Count& count, const Totals& totals) {
  return fmt::format(
      "{} in {:.2f} s, {} of them none of the actions{}", detail::counted(count.classified, "clip"),
      totals.seconds, count.none,
      count.known ? fmt::format("; {} of {} correct", count.correct, count.classified) : "");
}

Explained explain(const Setup& setup, const std::shared_ptr<const Classified>& item,
                  const Asked& on) {
  actions::Classifier classifier = worker(setup, on.exec);
  const actions::Clip& clip = setup.clips[item->clip];
  const actions::ClipExplanation why = classifier.explain(clip);
  Explained explained{.explanation = present(why)};
  const std::int64_t at = drawn_frame(explained.explanation);
  if (!setup.asked.explain_picture.empty() && at < 0)
    throw InvalidArgument(
        fmt::format("--explain-picture {}: nothing was matched that could be drawn",
                    setup.asked.explain_picture));
  show_frame(explained.explanation, at);
  const io::VideoReadOptions reading{
      .color = io::VideoColor::kGray, .max_pixels = setup.max_pixels, .stop = on.exec.stop};
  explained.picture = [clip, at, reading](const report::Explanation& shown) {
    return report::draw_explanation(frame_of_clip(clip, at, reading), shown, {.whole_image = true});
  };
  explained.members = [name = why.result.name, at](io::JsonWriter& json) {
    json.member("name", name).member("frame", at);
  };
  return explained;
}

}  // namespace
}  // namespace of_actions_classify

Operation actions_classify() {
  using namespace of_actions_classify;
  return make_operation<Setup, Classified, actions::Classifier, Count>(
      {.words =
           {.system = "actions",
            .verb = "classify",
            .summary = "find which action each short video shows",
            .text =
                "Prints one line per clip: its file, its class, the nearest class and the "
                "runner-up, and "
                "its distance to each class, by the very scoring with which actions eval "
                "classifies: "
                "matching, single descriptors and words together, whose distances are minus the "
                "logarithms of probabilities, or matching alone, as the model says. A clip that "
                "the "
                "model's reject rule does not accept has the class none; --reject 0 gives the "
                "nearest "
                "class anyway. Lines are CSV unless they "
                "go to a terminal; with --json they are one object. Several clips are worked on at "
                "a "
                "time. A clip that cannot be read is named and left out (exit status 5). Text "
                "files "
                "with points in the format of STIP-2.0 stand for videos.",
            .arguments = {{"VIDEO", "videos or files of points: files, folders, globs or @list", 0,
                           kAnyNumber}},
            .examples = {{"fovea actions classify walk.avi",
                          "classify one clip with the shipped model weizmann"},
                         {"fovea actions classify clips --model m.safetensors -o classes.csv",
                          "classify every video of a folder with your own model"},
                         {"fovea actions classify --clips test.txt --model m.safetensors",
                          "classify clips whose action is known, and count the correct ones"},
                         {"fovea actions classify long.avi --first 101 --frames 60 --reject 0",
                          "find the nearest class of frames 101 to 160"},
                         {"fovea actions classify walk.avi --explain --explain-picture why.png",
                          "say why the clip has its class, and draw the matched chain"}}},
       .input = InputKind::kClip,
       .outputs = {{.about = {.name = "output",
                              .help = "file for the results, .csv or .json; without it they are "
                                      "printed",
                              .share = Share::kOneFile,
                              .endings = {".csv", ".json"},
                              .what = "the list of results",
                              .list = List::kLines,
                              .after = "cut-first"}}},
       .find_inputs = find_inputs,
       .check =
           [](const Setup& setup) {
             check_explain_picture(setup.asked.explain, setup.asked.explain_picture);
           },
       .begin = begin,
       .worker = worker,
       .read = [](const Setup&, const Source& source,
                  Classified& item) { item.clip = source.number; },
       .run = run,
       .result = [](const Classified& item) { return record_ref(item.result); },
       .line = line,
       .tally = tally,
       .note_after_all = note_after_all,
       .columns = columns,
       .write_row = write_row,
       .explains = [](const Setup& setup) { return setup.asked.explain; },
       .explain_picture = [](const Setup& setup) { return setup.asked.explain_picture; },
       .explain = explain},
      sample_record<actions::ClipClass>);
}

}  // namespace fovea::operations
