// fovea scenes classify: the class of each image, with scores, as CSV or JSON.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/inputs.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"

namespace fovea::cli {
namespace {

// Features of so many images lie in memory at a time.
constexpr std::size_t kChunk = 512;

struct ClassifyRequest {
  std::string output{};
};

void describe(OptionVisitor& visit, ClassifyRequest& request) {
  visit("output", request.output,
        "file for the results, .csv or .json; without one, they are printed");
}

bool wants_json(const ClassifyRequest& request, const Context& context) {
  const std::string extension = std::filesystem::path(request.output).extension().string();
  if (extension == ".json") return true;
  if (extension == ".csv") return false;
  if (!request.output.empty() && request.output != "-")
    throw InvalidArgument(
        fmt::format("-o {}: results are written as .csv or .json", request.output));
  return context.json;
}

// Results as they come: an image a row.
class Results {
 public:
  virtual ~Results() = default;
  virtual void image(const std::string& path, int best, std::span<const float> scores) = 0;
  virtual void failure(const std::string& path, const std::string& why) = 0;
  virtual void end(double seconds, int images, int failed) = 0;
};

class CsvResults final : public Results {
 public:
  CsvResults(io::Sink sink, const scenes::Model& model)
      : model_(model), csv_(std::move(sink), header(model), {.crlf = false}) {}
  void image(const std::string& path, int best, std::span<const float> scores) override {
    csv_.field(path).field(model_.classes[static_cast<std::size_t>(best)]);
    for (const float score : scores) csv_.field(score);
    csv_.end_row();
  }
  void failure(const std::string&, const std::string&) override {}
  void end(double, int, int) override {}

 private:
  static std::vector<std::string> header(const scenes::Model& model) {
    std::vector<std::string> names{"file", "class"};
    names.insert(names.end(), model.classes.begin(), model.classes.end());
    return names;
  }
  const scenes::Model& model_;
  io::CsvWriter csv_;
};

class JsonResults final : public Results {
 public:
  JsonResults(io::Sink sink, const scenes::Model& model, const Context& context)
      : model_(model), json_(std::move(sink)) {
    json_.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
    json_.member("device", to_string(context.exec.device)).member("model", context.inputs[0]);
    json_.key("options").raw(context.options_json);
    json_.key("classes").begin_array();
    for (const std::string& name : model.classes) json_.value(name);
    json_.end_array().key("results").begin_array();
  }
  void image(const std::string& path, int best, std::span<const float> scores) override {
    json_.begin_object().member("input", path);
    json_.member("class", model_.classes[static_cast<std::size_t>(best)]);
    json_.member("score", scores[static_cast<std::size_t>(best)]);
    json_.key("scores").values(scores).end_object();
  }
  void failure(const std::string& path, const std::string& why) override {
    json_.begin_object().member("input", path).member("error", why).end_object();
  }
  void end(double seconds, int images, int failed) override {
    json_.end_array().member("images", images).member("failed", failed);
    json_.member("seconds", seconds);
    json_.member("images_per_second", seconds > 0 ? (images - failed) / seconds : 0).end_object();
    json_.finish();
  }

 private:
  const scenes::Model& model_;
  io::JsonWriter json_;
};

struct Chunk {
  std::vector<std::string> paths;
  scenes::FeatureTable table;
};

void write_chunk(const Chunk& chunk, const scenes::Model& model, const SkippedImages& skipped,
                 const Exec& exec, Results& results) {
  const Image<float> scores = model.classifier.scores(chunk.table.features.view(), exec);
  const auto best = scenes::best_classes(scores.view());
  auto failure = skipped.lines().begin();
  for (std::size_t i = 0; i < chunk.paths.size(); ++i) {
    if (chunk.table.usable[i])
      results.image(chunk.paths[i], best[i],
                    {scores.row(static_cast<int>(i)), static_cast<std::size_t>(scores.width())});
    else results.failure(chunk.paths[i], *failure++);
  }
}

int run_classify(ClassifyRequest& request, Context& context) {
  const bool as_json = wants_json(request, context);
  settle_device(context);
  const scenes::Model model = read_scenes_model(context.inputs[0]);
  const auto paths = io::expand_inputs(std::span(context.inputs).subspan(1), io::image_files());
  const bool to_file = !request.output.empty() && request.output != "-";
  std::optional<io::FileSink> file;
  if (to_file) file.emplace(request.output);
  const io::Sink sink =
      to_file ? file->sink() : [&](std::string_view text) { context.console.print(text); };
  std::unique_ptr<Results> results;
  if (as_json) results = std::make_unique<JsonResults>(sink, model, context);
  else results = std::make_unique<CsvResults>(sink, model);
  Exec exec = context.exec;
  exec.progress = {};
  const double start = steady_seconds();
  int failed = 0;
  for (std::size_t first = 0; first < paths.size(); first += kChunk) {
    const std::size_t last = std::min(paths.size(), first + kChunk);
    Chunk chunk{{paths.begin() + static_cast<std::ptrdiff_t>(first),
                 paths.begin() + static_cast<std::ptrdiff_t>(last)},
                {}};
    if (context.exec.progress)
      context.exec.progress(
          {"classify", static_cast<double>(first), static_cast<double>(paths.size())});
    SkippedImages skipped(context, chunk.paths);
    chunk.table = scenes::make_features(io::ImageFileSet(chunk.paths), model.dictionary,
                                        model.pyramid, exec, skipped.report());
    write_chunk(chunk, model, skipped, exec, *results);
    failed += skipped.count();
  }
  const double seconds = steady_seconds() - start;
  const int images = static_cast<int>(paths.size());
  results->end(seconds, images, failed);
  if (file) file->commit();
  context.console.end_progress();
  context.console.note(
      fmt::format("{} images in {:.2f} s, {:.0f} a second{}", images - failed, seconds,
                  (images - failed) / std::max(seconds, 1e-9),
                  failed > 0 ? fmt::format("; {} could not be read", failed) : ""));
  if (failed == 0) return kDone;
  return failed == images ? kBadInput : kSomeFailed;
}

}  // namespace

Command scenes_classify_command() {
  return {
      .system = "scenes",
      .verb = "classify",
      .summary = "which kind of place each picture shows",
      .text =
          "Prints a line an image: its file, its class and a score a class, from 0 to 1 and in "
          "sum 1; with --json one object. MODEL is a file of fovea scenes train, or sun8, which "
          "is shipped. Images are decoded while others are worked on, and an image that cannot "
          "be read is named and left out (exit status 5).",
      .arguments = {{"MODEL", "sun8 as shipped, or a model file"},
                    {"IMAGE", "images: files, folders, globs or @list", 1, kAnyNumber}},
      .examples = {{"fovea scenes classify sun8 photo.jpg", "one picture"},
                   {"fovea scenes classify places.safetensors photos -o classes.csv",
                    "every picture of a folder"}},
      .request = make_request<ClassifyRequest, run_classify>};
}

}  // namespace fovea::cli
