#include "cli/jobs/each.h"

#include <fovea/core/error.h>
#include <fovea/io/input_list.h>
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program/batch.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

class StringSink final : public Sink {
 public:
  void write(std::string_view more) override { text_ += more; }
  // Without the line break at its end.
  std::string text() const {
    return text_.ends_with('\n') ? text_.substr(0, text_.size() - 1) : text_;
  }

 private:
  std::string text_{};
};

// A word that begins with @ is a list of inputs. Only folders of meshes are opened: one of images
// is a sequence.
std::vector<std::string> inputs_of(const Context& context) {
  if (context.command.system == "mesh") return unit_inputs(context, io::mesh_files());
  if (const std::vector<std::string>* merged = merged_units(context)) return *merged;
  std::vector<std::string> inputs;
  for (const std::string& word : context.inputs) {
    if (!word.starts_with('@') || word.size() == 1) {
      inputs.push_back(word);
      continue;
    }
    for (const std::string& name : io::read_input_list(word.substr(1))) inputs.push_back(name);
  }
  return inputs;
}

// The names that an output has for the inputs.
std::vector<std::string> names_of_output(const Context& context, const std::string& option,
                                         const std::string& output,
                                         const std::vector<std::string>& inputs) {
  if (output.find("{}") != std::string::npos) return output_paths(context, output, inputs);
  if (inputs.size() == 1) return {output};
  throw InvalidArgument(fmt::format(
      "--{} {} names one file, but there are {} inputs; give a pattern such as out/{{}}{}", option,
      output, inputs.size(), std::filesystem::path(output).extension().string()));
}

bool is_output(const OptionField& field) {
  return field.traits.use == TextUse::kOutput || field.traits.use == TextUse::kFolder;
}

// Calls text(option, value) for every name of an output file.
template <class Text>
void for_each_output(const Invocation& invocation, const Text& text) {
  for (const OptionField& field : invocation.own_fields()) {
    if (const auto* one = std::get_if<std::string*>(&field.value)) {
      if (is_output(field)) text(field.name, **one);
    } else if (const auto* pairs = std::get_if<std::vector<WordAndFile>*>(&field.value)) {
      for (WordAndFile& pair : **pairs) text(field.name, pair.second);
    }
  }
}

// What a run has printed, as members of its element: one object, or the lines of several.
std::string members_of(const std::string& text) {
  if (nlohmann::json::accept(text)) return "\"result\": " + text;
  std::string lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    lines += (lines.empty() ? "" : ", ") +
             (nlohmann::json::accept(line) ? line : detail::json_quote(line));
    begin = end + 1;
  }
  return "\"lines\": [" + lines + "]";
}

// Lines of JSON get the name of their input, because they stand among those of others.
std::string named_lines(std::string text, const std::string& input) {
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text[at] == '{')
      text.insert(at + 1, fmt::format("\"input\": {}, ", detail::json_quote(input)));
    if (text.find('\n', at) == std::string::npos) break;
  }
  return text;
}

bool has_pattern(const Invocation& invocation) {
  bool pattern = false;
  for_each_output(invocation, [&](const std::string&, const std::string& output) {
    pattern = pattern || output.find("{}") != std::string::npos;
  });
  return pattern;
}

// One image or cube, by its name: a merge need not find the input.
bool is_single_frame(const std::string& input) {
  io::InputKind kind = io::image_files();
  kind.extensions.insert(kind.extensions.end(), {"hdr", "mat"});
  return io::has_extension(input, kind) && input.find_first_of("*?[") == std::string::npos;
}

}  // namespace

bool cuts_frames(const Invocation& invocation) {
  const CommonOptions& common = *invocation.common;
  if (!invocation.command->ranges_are_units || !common.journal.wanted() || common.each)
    return false;
  const std::vector<std::string>& inputs = invocation.inputs;
  if (inputs.size() == 1 && (inputs[0].starts_with('@') || is_single_frame(inputs[0])))
    return false;
  return inputs.size() > 1 || !has_pattern(invocation);
}

bool runs_each(const Invocation& invocation) {
  const Command& command = *invocation.command;
  const CommonOptions& common = *invocation.common;
  if (!command.repeats_per_input || cuts_frames(invocation)) return false;
  const bool listed = invocation.inputs.size() == 1 && invocation.inputs[0].starts_with('@');
  const bool several = invocation.inputs.size() > 1 || listed;
  if (command.inputs_form_sequence && several && !common.each) {
    if (common.journal.wanted())
      throw InvalidArgument(fmt::format(
          "{} of {} are one sequence; give --each to work on each for itself{}, which --shard, "
          "--resume and --manifest need",
          listed ? fmt::format("the inputs in the list {}", invocation.inputs[0].substr(1))
                 : fmt::format("the {} inputs", invocation.inputs.size()),
          command.name(),
          listed && command.ranges_are_units
              ? ", or name the images or their folder instead of the list"
              : ""));
    return false;
  }
  return several || has_pattern(invocation) || common.each || common.journal.wanted();
}

int run_each(const Invocation& invocation, std::span<const std::string> words, Context& context) {
  resolve_device(context);
  const std::vector<std::string> inputs = inputs_of(context);
  std::map<std::string, std::vector<std::string>> names;  // by what the command line says
  for_each_output(invocation, [&](const std::string& option, const std::string& output) {
    if (!output.empty() && !names.contains(output))
      names[output] = names_of_output(context, option, output, inputs);
  });
  Batch batch(context, inputs);
  while (batch.next() < inputs.size() && !batch.stopped()) {
    const std::size_t i = batch.next();
    batch.run_alone([&]() -> Outcome {
      Outcome outcome;
      Invocation one = parse(*invocation.command, words);
      one.inputs = {inputs[i]};
      for_each_output(one, [&](const std::string&, std::string& output) {
        if (output.empty()) return;
        output = names.at(output)[i];
        outcome.files.push_back(output);
      });
      StringSink printed;
      Console console = context.console.with_output(printed);
      Context alone = context_of(one, console);
      alone.exec.stop = context.exec.stop;
      alone.exec.progress = inputs.size() > 1 ? ProgressFn{} : context.exec.progress;
      alone.journal = context.journal;
      alone.redact_credentials();
      try {
        one.request->run(alone);
        console.flush();
      } catch (const Error&) {
        outcome.fault = std::current_exception();
      }
      if (context.json && !printed.text().empty()) outcome.members = members_of(printed.text());
      else if (!context.json)
        outcome.line = inputs.size() > 1 ? named_lines(printed.text(), inputs[i]) : printed.text();
      return outcome;
    });
  }
  return batch.finish();
}

}  // namespace fovea::cli
