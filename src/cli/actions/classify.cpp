// fovea actions classify: finds which action each clip shows and writes classes and distances as a
// table, CSV or JSON.
#include <fovea/actions/classify.h>
#include <fovea/actions/explain.h>
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/actions/actions.h"
#include "cli/actions/explain.h"
#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ClassifyClipsRequest {
  std::string model = "weizmann";
  std::string clips{};
  int first = 1;
  int frames = 0;
  double reject = 1;
  bool cut_first = false;
  std::string output{};
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
  visit.path("output", request.output, TextUse::kOutput,
             "file for the results, .csv or .json; without it they are printed");
  visit("explain", request.explain,
        "say why one clip has its class: the matched nodes and triangles, what each method says, "
        "the runner-up and the reject level");
  describe_explain_picture(visit, request.explain_picture);
}

enum class Format : unsigned char { kTable, kCsv, kJson };

Format file_format(const ClassifyClipsRequest& request) {
  const std::string extension = std::filesystem::path(request.output).extension().string();
  if (extension == ".json") return Format::kJson;
  if (extension == ".csv") return Format::kCsv;
  throw InvalidArgument(fmt::format("-o {}: results are written as .csv or .json", request.output));
}

// The clips, and the class of each where that is known.
struct ClipsToClassify {
  std::vector<actions::Clip> clips;
  std::vector<std::string> names;  // for messages and results
  std::vector<std::string> truth;  // empty where it is not known
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

ClipsToClassify clips_to_classify(const ClassifyClipsRequest& request, const Context& context) {
  ClipsToClassify result;
  if (request.clips.empty()) {
    if (context.inputs.empty())
      throw InvalidArgument("actions classify needs a VIDEO, or --clips with a folder or list");
    const std::vector<std::string>* merged = merged_units(context);
    result.names = merged != nullptr ? *merged : clip_paths(context.inputs);
    for (const std::string& path : result.names)
      result.clips.push_back({.path = path,
                              .subject = {},
                              .scenario = {},
                              .first = request.first - 1,
                              .frames = request.frames});
    return result;
  }
  if (!context.inputs.empty() || request.first != 1 || request.frames != 0)
    throw InvalidArgument(
        "--clips says which videos and frames are classified; give no VIDEO, --first or --frames "
        "beside it");
  actions::Corpus corpus = actions::read_corpus(request.clips);
  result.clips = std::move(corpus.clips);
  for (const actions::Clip& clip : result.clips) {
    result.truth.push_back(corpus.classes[static_cast<std::size_t>(clip.label)]);
    result.names.push_back(clip.path);
  }
  return result;
}

// One clip and its result.
struct ClipItem {
  std::size_t clip = 0;
  actions::ClipClass result{};
};

class ClipResults {
 public:
  ClipResults(const ClipsToClassify& clips, const actions::Classifier& classifier)
      : clips_(clips),
        classes_(classifier.classes()),
        fuses_late_(classifier.model().late_fusion.has_value()) {}

  const std::string* truth(const ClipItem& item) const {
    return clips_.truth.empty() ? nullptr : &clips_.truth[item.clip];
  }

  // A row of the table for people.
  std::string line(const ClipItem& item) const {
    const actions::ClipClass& found = item.result;
    std::string text = fmt::format("{}: {}", clips_.names[item.clip], found.name);
    const actions::Clip& clip = clips_.clips[item.clip];
    if (clip.first > 0 || clip.frames > 0)
      text =
          fmt::format("{} from frame {}: {}", clips_.names[item.clip], clip.first + 1, found.name);
    if (found.label < 0 && found.nearest >= 0) text += ", nearest " + found.name_of(found.nearest);
    if (fuses_late_ && found.nearest >= 0) {
      text += fmt::format(", probability {:.2f}", probability(found, found.nearest));
      if (found.runner_up >= 0)
        text += fmt::format(", {} has {:.2f}", found.name_of(found.runner_up),
                            probability(found, found.runner_up));
    } else if (found.nearest >= 0) {
      text += fmt::format(", distance {:.3f}", found.distance);
    }
    if (!fuses_late_ && found.runner_up >= 0)
      text += std::isfinite(found.margin)
                  ? fmt::format(", {} is {:.0f} % farther", found.name_of(found.runner_up),
                                100 * found.margin)
                  : fmt::format(", {} is next", found.name_of(found.runner_up));
    if (const std::string* right = truth(item); right != nullptr && *right != found.name)
      text += "; it is " + *right;
    return text;
  }

  std::vector<std::string> header() const {
    std::vector<std::string> names{"file", "first_frame", "class"};
    if (!clips_.truth.empty()) names.emplace_back("truth");
    names.insert(names.end(), {"nearest", "runner_up", "score", "distance", "margin"});
    if (fuses_late_) names.emplace_back("probability");
    for (const std::string& name : classes_) names.push_back("distance_" + name);
    return names;
  }
  void write_row(io::CsvWriter& csv, const ClipItem& item) const {
    const actions::ClipClass& found = item.result;
    csv.field(clips_.names[item.clip]).field(clips_.clips[item.clip].first).field(found.name);
    if (const std::string* right = truth(item)) csv.field(*right);
    csv.field(found.name_of(found.nearest))
        .field(found.name_of(found.runner_up))
        .field(found.score);
    csv.field(found.distance).field(found.margin);
    if (fuses_late_ && found.probability) csv.field(*found.probability);
    else if (fuses_late_) csv.field("");
    for (const double distance : found.distances) csv.field(distance);
    csv.end_row();
  }

 private:
  // Late fusion gives minus the logarithms of probabilities.
  static double probability(const actions::ClipClass& found, std::int32_t label) {
    return std::exp(-found.distances[static_cast<std::size_t>(label)]);
  }

  const ClipsToClassify& clips_;
  const std::vector<std::string>& classes_;
  bool fuses_late_;
};

// The file of -o, in either format.
class ResultFile {
 public:
  ResultFile(const std::string& path, Format format, const ClipResults& results,
             const Context& context)
      : results_(results), context_(context), file_(path) {
    if (format == Format::kCsv) {
      csv_.emplace(file_.sink(), results.header(), io::CsvOptions{.crlf = false});
      return;
    }
    json_.emplace(file_.sink());
    begin_result(*json_, context);
    json_->key("results").begin_array();
  }
  void add(const std::string& name, const ClipItem& item) {
    if (csv_) return results_.write_row(*csv_, item);
    json_->begin_object().member("input", name);
    io::write_fields(*json_, record_ref(item.result));
    json_->end_object();
  }
  void finish(std::size_t failed) {
    if (json_) {
      json_->end_array().member("failed", failed);
      end_result(*json_, context_);
    }
    file_.commit();
  }

 private:
  const ClipResults& results_;
  const Context& context_;
  io::FileSink file_;
  std::optional<io::CsvWriter> csv_{};
  std::optional<io::JsonWriter> json_{};
};

class ClassifyRun {
 public:
  ClassifyRun(const ClassifyClipsRequest& request, Context& context, ClipsToClassify& clips,
              std::shared_ptr<const actions::Model> model)
      : request_(request), context_(context), clips_(clips), model_(std::move(model)) {}

  int run() {
    const io::FrameWorkers plan =
        io::plan_frame_workers(context_.exec, static_cast<std::int64_t>(clips_.clips.size()));
    std::vector<actions::Classifier> workers = make_workers(plan);
    const ClipResults results(clips_, workers[0]);
    std::optional<ResultFile> file;
    if (!request_.output.empty() && writes_shared_files(context_))
      file.emplace(request_.output, file_format(request_), results, context_);
    const bool as_csv =
        request_.output.empty() && !context_.json && !context_.console.out_is_terminal();
    const double start = steady_seconds();
    Batch batch(context_, clips_.names);
    std::optional<io::CsvWriter> csv;
    if (as_csv)
      csv.emplace([&](std::string_view text) { context_.console.print_at_once(text); },
                  results.header(), io::CsvOptions{.crlf = false});
    const auto add = [&](std::size_t input, const ClipItem& item) {
      count(results, item);
      if (file) file->add(clips_.names[input], item);
      if (csv) results.write_row(*csv, item);
      else if (request_.output.empty() && !context_.json)
        context_.console.print_at_once(results.line(item) + "\n");
    };
    batch.on_replay([&](std::size_t input, std::string_view recorded) {
      ClipItem item{.clip = input};
      io::unpack_record(recorded, record_ref(item.result));
      add(input, item);
    });
    const FrameSteps<BatchItem<ClipItem>, actions::Classifier> steps{
        .prepare = [](auto& item) { item.value = {.clip = item.input}; },
        .work =
            [&](actions::Classifier& worker, auto& item) {
              ClipItem& clip = item.value;
              clip.result = worker.classify(clips_.clips[clip.clip]);
              if (const std::string* right = results.truth(clip)) clip.result.truth = *right;
            },
        .complete =
            [&](auto& item) {
              if (context_.json)
                item.outcome.members = io::record_members(record_ref(item.value.result));
            },
        .write =
            [&](auto& item) {
              add(item.input, item.value);
              batch.record(io::pack_record(record_ref(item.value.result)));
            }};
    batch.run_together<ClipItem, actions::Classifier>(clips_.clips.size(), workers, plan, steps);
    if (file) file->finish(clips_.clips.size() - classified_);
    context_.console.end_progress();
    summarize(steady_seconds() - start);
    return batch.finish();
  }

 private:
  // Workers share the model.
  std::vector<actions::Classifier> make_workers(const io::FrameWorkers& plan) const {
    actions::ClassifyOptions options;
    options.reject = request_.reject;
    options.cut_first = request_.cut_first;
    options.max_pixels = context_.max_pixels;
    options.exec = context_.exec_without_progress();
    options.exec.threads = plan.threads;
    std::vector<actions::Classifier> workers;
    workers.reserve(static_cast<std::size_t>(plan.count));
    for (int i = 0; i < plan.count; ++i) workers.emplace_back(model_, options);
    return workers;
  }

  void count(const ClipResults& results, const ClipItem& item) {
    ++classified_;
    if (item.result.label < 0) ++none_;
    if (const std::string* right = results.truth(item); right != nullptr)
      correct_ += *right == item.result.name ? 1 : 0;
  }

  void summarize(double seconds) const {
    std::string text = fmt::format("{} in {:.2f} s, {} of them none of the actions",
                                   detail::counted(classified_, "clip"), seconds, none_);
    if (!clips_.truth.empty()) text += fmt::format("; {} of {} correct", correct_, classified_);
    context_.console.note(text);
  }

  const ClassifyClipsRequest& request_;
  Context& context_;
  ClipsToClassify& clips_;
  std::shared_ptr<const actions::Model> model_;
  std::size_t classified_ = 0, none_ = 0, correct_ = 0;
};

// Explains the class of one clip instead of classifying all.
int explain_one_clip(const ClassifyClipsRequest& request, const ClipsToClassify& clips,
                     Context& context) {
  if (clips.clips.size() != 1)
    throw InvalidArgument(
        fmt::format("--explain explains one clip, but there are {}", clips.clips.size()));
  if (!request.output.empty())
    throw InvalidArgument("-o is for classes; --explain prints its explanation, with --json too");
  check_outputs(context, {{"--explain-picture", request.explain_picture}}, clips.names);
  actions::ClassifyOptions options;
  options.reject = request.reject;
  options.cut_first = request.cut_first;
  options.max_pixels = context.max_pixels;
  options.exec = context.exec_without_progress();
  actions::Classifier classifier(actions::load_model(request.model), options);
  const actions::ClipExplanation why = classifier.explain(clips.clips[0]);
  report::Explanation shown = present(why);
  Image<std::uint8_t> frame;
  const std::int64_t at = drawn_frame(shown);
  if (!request.explain_picture.empty()) {
    if (at < 0)
      throw InvalidArgument(
          fmt::format("--explain-picture {}: nothing was matched that could be drawn",
                      request.explain_picture));
    frame = frame_of_clip(context, clips.clips[0], at);
  }
  show_frame(shown, at);
  return print_explanation(context, shown,
                           {.picture = request.explain_picture,
                            .image = frame,
                            .drawing = {.whole_image = true},
                            .members = [&](io::JsonWriter& json) {
                              json.member("input", clips.names[0]);
                              json.member("name", why.result.name).member("frame", at);
                            }});
}

int run_classify_clips(ClassifyClipsRequest& request, Context& context) {
  check_explain_picture(request.explain, request.explain_picture);
  if (request.output == "-") request.output.clear();  // results are printed anyway
  if (!request.output.empty()) file_format(request);
  ClipsToClassify clips = clips_to_classify(request, context);
  check_outputs(context, {{"-o", request.output}}, clips.names);
  if (request.explain) {
    resolve_device(context);
    return explain_one_clip(request, clips, context);
  }
  const auto model = actions::load_model(request.model);
  resolve_device(context);
  return ClassifyRun(request, context, clips, model).run();
}

}  // namespace

Command actions_classify_command() {
  return {
      .system = "actions",
      .verb = "classify",
      .summary = "find which action each short video shows",
      .text =
          "Prints one line per clip: its file, its class, the nearest class and the runner-up, and "
          "its distance to each class, by the very scoring with which actions eval classifies: "
          "matching, single descriptors and words together, whose distances are minus the "
          "logarithms of probabilities, or matching alone, as the model says. A clip that the "
          "model's reject rule does not accept has the class none; --reject 0 gives the nearest "
          "class anyway. Lines are CSV unless they "
          "go to a terminal; with --json they are one object. Several clips are worked on at a "
          "time. A clip that cannot be read is named and left out (exit status 5). Text files "
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
                    "say why the clip has its class, and draw the matched chain"}},
      .request = make_request<ClassifyClipsRequest, run_classify_clips>,
      .result = {.record = sample_record<actions::ClipClass>, .per_input = true},
      .reads_images = true,
      .batches = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
