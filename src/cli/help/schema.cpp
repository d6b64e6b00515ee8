// fovea schema: what the JSON of a verb holds, for programs and for people.
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/place.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/program/command.h"
#include "cli/program/parser.h"
#include "cli/program/run.h"
#include "cli/program/spelling.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

enum class SchemaFormat : unsigned char { kJson, kMarkdown };
std::span<const Choice> choices(SchemaFormat) {
  static constexpr std::array<Choice, 2> kChoices{{{"json", 0}, {"markdown", 1}}};
  return kChoices;
}

struct SchemaOptions {
  SchemaFormat format = SchemaFormat::kJson;
};
void describe(OptionVisitor& visit, SchemaOptions& options) {
  visit("format", options.format,
        "json prints a JSON Schema; markdown prints tables of the fields, as the documentation has "
        "them");
}

void write_member(io::JsonWriter& json, const char* name, const char* type, const char* help) {
  json.key(name).begin_object().member("type", type).member("description", help).end_object();
}

void write_object(io::JsonWriter& json, std::span<const RecordRef> records) {
  json.begin_object();
  io::write_record_schema(json, records);
  json.end_object();
}

// The list of results, one per input. One that failed has an error in place of its fields.
void write_results(io::JsonWriter& json, const ResultShape& result) {
  json.key("results").begin_object().member("type", "array").key("items").begin_object();
  json.member("type", "object").key("properties").begin_object();
  write_member(json, "input", "string", "the file, or the address of a stream");
  write_member(json, "error", "string", "why it failed");
  const auto write_file = [&](std::string_view name, std::string_view help) {
    json.key(name).begin_object();
    json.key("type").begin_inline_array().value("string").value("array").end_array();
    json.member("description", help).end_object();
  };
  if (result.files.empty()) write_file("output", "the file that was written, or several");
  for (const operations::Output& output : result.files)
    if (output.share == operations::Share::kPerInput) write_file(output.name, output.result);
  if (result.per_frame) {
    const io::FrameTime time{};
    json.key("frames").begin_object().member("type", "array");
    json.member("description", "of a video: one result per frame").key("items");
    write_object(json, std::array{record_ref(time), result.record()});
    json.end_object();
    write_member(json, "dropped", "integer", "of a live source: frames that were not looked at");
  }
  json.end_object().key("required").begin_inline_array().value("input").end_array();
  json.key("anyOf").begin_array();
  const RecordRef record = result.record();
  write_object(json, {&record, 1});
  for (const char* other : {"error", "frames"}) {
    const bool frames = std::string_view(other) == "frames";
    if (frames && !result.per_frame) continue;
    if (frames && result.video != nullptr) {
      const RecordRef video = result.video();
      write_object(json, {&video, 1});
      continue;
    }
    json.begin_object().key("required").begin_inline_array().value(other).end_array().end_object();
  }
  json.end_array().end_object().end_object();
  write_member(json, "interrupted", "boolean", "whether a stop was requested");
  write_member(json, "failed", "integer", "how many inputs have failed");
}

bool names_models(const Command& command) {
  return std::ranges::any_of(
      default_invocation(command).own_fields(),
      [](const OptionField& field) { return field.traits.use == TextUse::kModel; });
}

std::string schema_json(const Command& command) {
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  json.begin_object().member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("title", fmt::format("fovea {} --json", command.name())).member("type", "object");
  json.key("properties").begin_object();
  write_member(json, "fovea", "string", "the version that made it");
  write_member(json, "command", "string", "the command that made it");
  write_member(json, "device", "string", "the device that was used");
  write_member(json, "seed", "integer", "the start of random numbers");
  write_member(json, "options", "object", "every option that the result depends on");
  if (names_models(command))
    write_member(json, "model_hashes", "object", "the SHA-256 of each model's file by its name");
  write_member(json, "seconds", "number", "how long it took");
  if (command.result.per_input) write_results(json, command.result);
  if (command.result.evaluates)
    write_member(json, "evaluation", "object", "what fovea view shows of it");
  json.end_object();
  json.key("required").begin_inline_array();
  for (const char* name : {"fovea", "command", "device", "seed", "options"}) json.value(name);
  if (command.result.per_input) json.value("results");
  json.end_array();
  if (command.result.line != nullptr) {
    const RecordRef line = command.result.line();
    json.key("$defs").begin_object().key("line");
    write_object(json, {&line, 1});
    json.end_object();
  }
  const auto outer = command.result.per_input ? command.result.beside : command.result.record;
  if (outer != nullptr) {
    const RecordRef record = outer();
    const auto other = command.result.other;
    json.key(other == nullptr ? "allOf" : "anyOf").begin_array();
    write_object(json, {&record, 1});
    if (other != nullptr) write_object(json, std::array{other()});
    json.end_array();
  }
  json.end_object().finish();
  return text;
}

std::string schema_markdown(const Command& command) {
  const char* place = command.result.per_frame   ? "Each input, and each frame of a video, has"
                      : command.result.per_input ? "Each input has"
                                                 : "The result has";
  std::string text = fmt::format("## fovea {}\n\n{} these fields.\n\n{}", command.name(), place,
                                 io::record_markdown(command.result.record()));
  std::string files;
  for (const operations::Output& output : command.result.files)
    if (output.share == operations::Share::kPerInput)
      files += fmt::format("| `{}` | {} |\n", output.name, output.result);
  if (!files.empty())
    text += "\nFiles that were written are named:\n\n| field | what it holds |\n| --- | --- |\n" +
            files;
  if (command.result.line != nullptr)
    text += "\nEach line before it has these:\n\n" + io::record_markdown(command.result.line());
  if (command.result.other != nullptr)
    text += "\nOr it has these:\n\n" + io::record_markdown(command.result.other());
  if (command.result.beside != nullptr)
    text += "\nBeside the results:\n\n" + io::record_markdown(command.result.beside());
  if (command.result.video != nullptr)
    text += "\nA whole video has these:\n\n" + io::record_markdown(command.result.video());
  return text;
}

std::vector<const Command*> described_commands() {
  std::vector<const Command*> found;
  for (const Command& command : commands())
    if (command.result.record != nullptr) found.push_back(&command);
  return found;
}

int run_schema(SchemaOptions& options, Context& context) {
  const bool markdown = options.format == SchemaFormat::kMarkdown;
  if (context.inputs.empty()) {
    std::string text;
    for (const Command* command : described_commands())
      text += markdown ? (text.empty() ? "" : "\n") + schema_markdown(*command)
                       : command->name() + "\n";
    context.console.print(text);
    return kDone;
  }
  const std::string wanted =
      context.inputs.size() == 1 ? context.inputs[0] : context.inputs[0] + " " + context.inputs[1];
  std::vector<std::string> known;
  for (const Command* command : described_commands()) {
    known.push_back(command->name());
    if (command->name() != wanted) continue;
    context.console.print(markdown ? schema_markdown(*command) : schema_json(*command));
    return kDone;
  }
  throw InvalidArgument(fmt::format("'{}' has no schema{}", detail::shown(wanted),
                                    did_you_mean(wanted, known, "; see fovea schema")));
}

}  // namespace

Command schema_command() {
  return {.system = "schema",
          .verb = "",
          .summary = "print what the JSON of a verb holds",
          .text =
              "Prints the JSON Schema of what a verb prints with --json: every field with its "
              "type, meaning and unit. Without a verb it prints the names of all verbs that have "
              "one.",
          .arguments = {{"SYSTEM", "a system, such as people", 0, 1},
                        {"VERB", "one of the system's verbs", 0, 1}},
          .examples = {{"fovea schema people detect", "the fields of detected people"},
                       {"fovea schema --format markdown", "tables of the fields of all verbs"}},
          .request = make_request<SchemaOptions, run_schema>,
          .computes = false};
}

}  // namespace fovea::cli
