#include "cli/program/result.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/jobs/journal.h"
#include "cli/program/files.h"
#include "cli/program/read_files.h"
#include "core/json_text.h"
#include "operations/measure.h"

namespace fovea::cli {

std::string Context::device_name() const {
  const std::string recorded = journal != nullptr ? journal->device() : "";
  return recorded.empty() ? to_string(exec.device) : recorded;
}

double seconds_so_far(const Context& context) { return steady_seconds() - context.start_seconds; }

bool reports_times(const Context& context) { return context.journal == nullptr; }

std::string time_at_end(const Context& context, double seconds) {
  return operations::time_at_end(reports_times(context), seconds);
}

namespace {

std::string model_hashes(const Context& context) {
  return context.named ? context.named->model_hashes() : std::string();
}

}  // namespace

void begin_result(io::JsonWriter& json, const Context& context) {
  json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
  json.member("device", context.device_name()).member("seed", context.exec.seed);
  json.key("options").raw(context.options_json.empty() ? "{}" : context.options_json);
  if (const std::string hashes = model_hashes(context); !hashes.empty())
    json.key("model_hashes").raw(hashes);
}

void end_result(io::JsonWriter& json, const Context& context) {
  if (reports_times(context)) json.member("seconds", seconds_so_far(context));
  json.end_object().finish();
}

void print_result(const Context& context, const std::function<void(io::JsonWriter& json)>& write) {
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  begin_result(json, context);
  write(json);
  end_result(json, context);
  context.console.print(text);
}

void print_result(const Context& context, RecordRef record) {
  print_result(context, [&](io::JsonWriter& json) {
    io::write_fields(json, record, written_fields(context));
  });
}

void print_result(const Context& context, RecordRef record, const report::Evaluation& evaluation) {
  print_result(context, [&](io::JsonWriter& json) {
    io::write_fields(json, record, written_fields(context));
    json.key("evaluation");
    report::write_evaluation(json, report::without_times(evaluation));
  });
}

void write_evaluation_result(const std::string& path, const Context& context,
                             const report::Evaluation& evaluation) {
  io::FileSink file(path);
  io::JsonWriter json(file.sink());
  begin_result(json, context);
  json.key("evaluation");
  report::write_evaluation(json, report::without_times(evaluation));
  json.end_object().finish();
  file.commit();
}

void write_evaluation_folder(const std::string& folder, const Context& context,
                             const report::Evaluation& evaluation,
                             report::EvaluationPageSetup setup) {
  make_folder(folder);
  write_evaluation_result((std::filesystem::path(folder) / "evaluation.json").string(), context,
                          evaluation);
  setup.max_pixels = context.max_pixels;
  setup.provenance = page_provenance(context);
  report::write_evaluation_page(
      folder, reports_times(context) ? evaluation : report::without_times(evaluation), setup);
}

io::ResultOrigin origin_of(const Context& context) {
  return {.command = context.command.name(),
          .device = context.device_name(),
          .seed = context.exec.seed,
          .options = context.options_json,
          .models = model_hashes(context)};
}

std::string provenance_json(const Context& context) {
  return "{" + io::origin_members(origin_of(context)) + "}";
}

report::Provenance page_provenance(const Context& context) {
  return {.command = "fovea " + context.command.name(),
          .options = context.options_json,
          .device = context.device_name(),
          .seed = context.exec.seed};
}

void settle_output(Context& context, std::string_view option, std::string_view path) {
  if (!io::is_standard_output(path)) return;
  if (context.json)
    throw InvalidArgument(
        fmt::format("{} {} and --json would both write to standard output; give {} a file", option,
                    path, option));
  context.console.take_stdout(option);
}

}  // namespace fovea::cli
