// fovea scenes classify: finds the class of each image and writes classes and scores as CSV or
// JSON.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/jobs/units.h"
#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ClassifyRequest {
  std::string model = "sun8";
  std::string output{};
  ExplainScene explain{};
};

void describe(OptionVisitor& visit, ClassifyRequest& request) {
  operations::describe_scenes_model(visit, request.model);
  visit.path("output", request.output, TextUse::kOutput,
             "file for the results, .csv or .json; without it they are printed");
  describe(visit, request.explain);
}

// Whether results go to a file; otherwise they are printed.
bool to_file(const ClassifyRequest& request) {
  return !request.output.empty() && !io::is_standard_output(request.output);
}

bool wants_json(const ClassifyRequest& request, const Context& context) {
  const std::string extension = std::filesystem::path(request.output).extension().string();
  if (extension == ".json") return true;
  if (extension == ".csv") return false;
  if (to_file(request))
    throw InvalidArgument(
        fmt::format("-o {}: results are written as .csv or .json", request.output));
  return context.json;
}

// What stands behind the results of all images.
struct ClassifyCounts {
  int images = 0;
  int failed = 0;
  double images_per_second = 0;
};
void describe(FieldVisitor& visit, ClassifyCounts& counts) {
  visit("images", counts.images, "how many images there were");
  visit("failed", counts.failed, "how many of them could not be read");
  visit("images_per_second", counts.images_per_second, "how fast they were classified",
        {.timing = true});
}
struct AroundResults {
  scenes::ClassNames names{};
  ClassifyCounts counts{};
};
void describe(FieldVisitor& visit, AroundResults& around) {
  describe(visit, around.names);
  describe(visit, around.counts);
}

// Writes results as they come, one per image.
class Results {
 public:
  virtual ~Results() = default;
  virtual void image(const std::string& path, const scenes::ClassifyResult& result) = 0;
  virtual void failure(const std::string& path, const std::string& why) = 0;
  virtual void end(const ClassifyCounts& counts) = 0;
};

class CsvResults final : public Results {
 public:
  CsvResults(io::Sink sink, const std::vector<std::string>& classes)
      : csv_(std::move(sink), header(classes), {.crlf = false}) {}
  void image(const std::string& path, const scenes::ClassifyResult& result) override {
    csv_.field(path).field(result.name);
    for (const float score : result.scores) csv_.field(score);
    csv_.end_row();
  }
  void failure(const std::string&, const std::string&) override {}
  void end(const ClassifyCounts&) override {}

 private:
  static std::vector<std::string> header(const std::vector<std::string>& classes) {
    std::vector<std::string> names{"file", "class"};
    names.insert(names.end(), classes.begin(), classes.end());
    return names;
  }
  io::CsvWriter csv_;
};

class JsonResults final : public Results {
 public:
  JsonResults(io::Sink sink, const std::vector<std::string>& classes, const Context& context)
      : json_(std::move(sink)), context_(context) {
    begin_result(json_, context);
    io::write_fields(json_, record_ref(scenes::ClassNames{classes}));
    json_.key("results").begin_array();
  }
  void image(const std::string& path, const scenes::ClassifyResult& result) override {
    json_.begin_object().member("input", path);
    io::write_fields(json_, record_ref(result));
    json_.end_object();
  }
  void failure(const std::string& path, const std::string& why) override {
    json_.begin_object().member("input", path).member("error", why).end_object();
  }
  void end(const ClassifyCounts& counts) override {
    json_.end_array();
    io::write_fields(json_, record_ref(counts), written_fields(context_));
    end_result(json_, context_);
  }

 private:
  io::JsonWriter json_;
  const Context& context_;
};

int run_classify(ClassifyRequest& request, Context& context) {
  const bool as_json = wants_json(request, context);
  const std::vector<std::string> paths = scenes_inputs(context);
  check_outputs(context, {{"-o", to_file(request) ? request.output : ""}}, paths);
  check_explain_picture(request.explain.explain, request.explain.picture);
  if (!request.explain.explain && !(request.explain.of + request.explain.against).empty())
    throw InvalidArgument("--explain-class and --explain-against need --explain");
  if (request.explain.explain) {
    if (to_file(request))
      throw InvalidArgument("-o is for classes; --explain prints its explanation, with --json too");
    return explain_scene(request.explain, request.model, paths, context);
  }
  resolve_device(context);
  scenes::Classifier classifier(request.model, {.exec = context.exec});
  std::optional<io::FileSink> file;
  if (to_file(request) && writes_shared_files(context)) file.emplace(request.output);
  const io::Sink sink = [&](std::string_view text) {
    if (file) file->write(text);
    else if (!to_file(request)) context.console.print_at_once(text);
  };
  std::unique_ptr<Results> results;
  if (as_json) results = std::make_unique<JsonResults>(sink, classifier.classes(), context);
  else results = std::make_unique<CsvResults>(sink, classifier.classes());

  SkippedImages skipped(context, paths);
  int images = 0;
  Units units(context, {paths}, [&](std::size_t i, const UnitResult& given) {
    ++images;
    if (!given.message.empty())
      return results->failure(paths[i], skipped.report(static_cast<int>(i), given.message));
    results->image(paths[i], given.record<scenes::ClassifyResult>());
  });
  const double start = steady_seconds();
  const auto complete = [&] {
    const double seconds = steady_seconds() - start;
    results->end({images, skipped.count(), seconds > 0 ? (images - skipped.count()) / seconds : 0});
    if (file) file->commit();
    context.console.end_progress();
  };
  try {
    std::vector<std::string> open;
    open.reserve(units.open().size());
    for (const std::size_t i : units.open()) open.push_back(paths[i]);
    if (!open.empty())
      classifier.classify(InputImages(context, open), [&](const scenes::ClassifiedImage& image) {
        const std::size_t unit = units.open()[static_cast<std::size_t>(image.index)];
        if (image.result) units.take(unit, *image.result);
        else units.fail(unit, image.error);
      });
    units.finish();
  } catch (const Cancelled&) {
    complete();
    throw;
  }
  complete();
  const double seconds = steady_seconds() - start;
  const int failed = skipped.count(), classified = images - failed;
  const double rate = classified / std::max(seconds, 1e-9);
  context.console.note(fmt::format(
      "{} in {:.2f} s, {:.{}f} per second{}", detail::counted(classified, "image"), seconds, rate,
      rate < 10 ? 1 : 0, failed > 0 ? fmt::format("; {} could not be read", failed) : ""));
  return exit_status(
      context, {static_cast<std::size_t>(failed), static_cast<std::size_t>(images), kBadInput});
}

}  // namespace

Command scenes_classify_command() {
  return {
      .system = "scenes",
      .verb = "classify",
      .summary = "find which kind of place each image shows",
      .text =
          "Prints one line per image: its file, its class and one score per class. Scores lie "
          "between 0 and 1 and add up to 1. With --json it prints one object. Images are decoded "
          "while others are classified. An image that cannot be read is named and left out (exit "
          "status 5). --explain says instead why one image has its class. When Ctrl-C is pressed, "
          "the results so far are kept.",
      .arguments = {{"IMAGE", "images: files, folders, globs, @list, or - for standard input", 1,
                     kAnyNumber}},
      .examples = {{"fovea scenes classify photo.jpg",
                    "classify one image with the shipped model sun8"},
                   {"fovea scenes classify photos --model places.safetensors -o classes.csv",
                    "classify every image of a folder with your own model"},
                   {"fovea scenes classify photo.jpg --explain --explain-picture why.png",
                    "say which words and places spoke for the class"}},
      .request = make_request<ClassifyRequest, run_classify>,
      .result = {.record = sample_record<scenes::ClassifyResult>,
                 .per_input = true,
                 .beside = sample_record<AroundResults>},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
