// fovea scenes classify: finds the class of each image and writes classes and scores as CSV or
// JSON.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/scenes/classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ClassifyRequest {
  ScenesModel model{};
  std::string output{};
};

void describe(OptionVisitor& visit, ClassifyRequest& request) {
  describe(visit, request.model);
  visit.path("output", request.output, TextUse::kOutput,
             "file for the results, .csv or .json; without it they are printed");
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

// Writes results as they come, one per image.
class Results {
 public:
  virtual ~Results() = default;
  virtual void image(const std::string& path, const scenes::ClassifyResult& result) = 0;
  virtual void failure(const std::string& path, const std::string& why) = 0;
  virtual void end(double seconds, int images, int failed) = 0;
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
  void end(double, int, int) override {}

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
    json_.key("classes").begin_array();
    for (const std::string& name : classes) json_.value(name);
    json_.end_array().key("results").begin_array();
  }
  void image(const std::string& path, const scenes::ClassifyResult& result) override {
    json_.begin_object().member("input", path).member("name", result.name);
    json_.member("label", result.label).member("score", result.score);
    json_.key("scores").values(result.scores).end_object();
  }
  void failure(const std::string& path, const std::string& why) override {
    json_.begin_object().member("input", path).member("error", why).end_object();
  }
  void end(double seconds, int images, int failed) override {
    json_.end_array().member("images", images).member("failed", failed);
    json_.member("images_per_second", seconds > 0 ? (images - failed) / seconds : 0);
    end_result(json_, context_);
  }

 private:
  io::JsonWriter json_;
  const Context& context_;
};

int run_classify(ClassifyRequest& request, Context& context) {
  const bool as_json = wants_json(request, context);
  const std::vector<std::string> paths = scenes_inputs(context.inputs);
  check_outputs(context, {{"-o", to_file(request) ? request.output : ""}}, paths);
  settle_device(context);
  scenes::Classifier classifier(request.model.model, {.exec = context.exec});
  std::optional<io::FileSink> file;
  if (to_file(request)) file.emplace(request.output);
  const io::Sink sink =
      file ? file->sink() : [&](std::string_view text) { context.console.print_at_once(text); };
  std::unique_ptr<Results> results;
  if (as_json) results = std::make_unique<JsonResults>(sink, classifier.classes(), context);
  else results = std::make_unique<CsvResults>(sink, classifier.classes());

  SkippedImages skipped(context, paths);
  const double start = steady_seconds();
  int images = 0;
  const auto complete = [&] {
    results->end(steady_seconds() - start, images, skipped.count());
    if (file) file->commit();
    context.console.end_progress();
  };
  try {
    classifier.classify(InputImages(context, paths), [&](const scenes::ClassifiedImage& image) {
      const std::string& path = paths[static_cast<std::size_t>(image.index)];
      ++images;
      if (image.result) results->image(path, *image.result);
      else results->failure(path, skipped.report(image.index, image.error));
    });
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
  if (failed == 0) return kDone;
  return failed == images ? kBadInput : kSomeFailed;
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
          "status 5). When Ctrl-C is pressed, the results so far are kept.",
      .arguments = {{"IMAGE", "images: files, folders, globs, @list, or - for standard input", 1,
                     kAnyNumber}},
      .examples = {{"fovea scenes classify photo.jpg",
                    "classify one image with the shipped model sun8"},
                   {"fovea scenes classify photos --model places.safetensors -o classes.csv",
                    "classify every image of a folder with your own model"}},
      .request = make_request<ClassifyRequest, run_classify>,
      .reads_images = true};
}

}  // namespace fovea::cli
