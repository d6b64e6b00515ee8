#include "cli/help/help.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/beside/beside.h"
#include "cli/program/parser.h"
#include "cli/program/run.h"
#include "cli/program/spelling.h"

namespace fovea::cli {

std::string wrap(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    const bool line_start = column == indent;
    if (!line_start && column + 1 + length > columns) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!line_start) {
      result += ' ';
      ++column;
    }
    result += text.substr(0, length);
    column += length;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return result;
}

namespace {

// Formats two columns: a term and its text, which starts on the next line where the term is long.
std::string entry(std::string_view term, std::string_view text, std::size_t indent,
                  std::size_t columns) {
  std::string line = fmt::format("  {}", term);
  if (line.size() + 2 > indent) line += '\n' + std::string(indent, ' ');
  else line.resize(indent, ' ');
  return line + wrap(text, indent, columns) + '\n';
}

std::string entries(const std::vector<OptionLine>& lines, std::size_t columns) {
  constexpr std::size_t kIndent = 26;
  std::string text;
  for (const OptionLine& line : lines) text += entry(line.form, line.help, kIndent, columns);
  return text;
}

bool is_number(const OptionField& field) {
  return std::holds_alternative<int*>(field.value) ||
         std::holds_alternative<std::uint64_t*>(field.value) ||
         std::holds_alternative<float*>(field.value) ||
         std::holds_alternative<double*>(field.value) ||
         std::holds_alternative<std::optional<int>*>(field.value) ||
         std::holds_alternative<std::optional<double>*>(field.value) ||
         std::holds_alternative<std::array<double, 2>*>(field.value) ||
         std::holds_alternative<std::vector<int>*>(field.value) ||
         std::holds_alternative<std::vector<double>*>(field.value);
}

// Writes 1048576 and 0.05, never 1.04858e+06.
std::string bound_text(double bound) {
  return bound == std::trunc(bound) ? fmt::format("{:.0f}", bound) : fmt::format("{:g}", bound);
}

std::string help_with_range(const OptionField& field) {
  std::string help(field.help);
  if (const auto* flag = std::get_if<bool*>(&field.value); flag != nullptr && **flag)
    return field.traits.off_help.empty() ? "turn off: " + help : std::string(field.traits.off_help);
  std::vector<std::string> notes;
  if (is_number(field) && std::isfinite(field.least) && std::isfinite(field.greatest) &&
      field.greatest < 1e9)
    notes.push_back(fmt::format("{} to {}", bound_text(field.least), bound_text(field.greatest)));
  const std::string value = option_text(field);
  if (!std::holds_alternative<bool*>(field.value) && !value.empty())
    notes.push_back("default " + value);
  if (!value.empty() && !field.traits.absent.empty())
    notes.push_back(fmt::format("'' is {}", field.traits.absent));
  else if (value.empty() && !field.traits.absent.empty())
    notes.push_back(fmt::format("default: {}", field.traits.absent));
  if (!notes.empty()) help += fmt::format(" ({})", fmt::join(notes, "; "));
  return help;
}

// Prints the help of a command, or has the program print it that does the command.
int print_help(const Command& command, Context& context) {
  if (!command.program.empty()) {
    std::vector<std::string> words(context.inputs.begin() + 1, context.inputs.end());
    words.emplace_back("--help");
    start_beside(command, words, context.console);
  }
  context.console.print(help_command_text(command, context.console.help_columns()));
  return kDone;
}

int run_help(NoOptions&, Context& context) {
  const auto& words = context.inputs;
  const std::size_t columns = context.console.help_columns();
  if (words.empty()) {
    context.console.print(help_overview(columns));
    return kDone;
  }
  const Command* single = find_command(words[0], "");
  if (single != nullptr && words.size() == 1) return print_help(*single, context);
  const std::string system_help = help_system(words[0], columns);  // throws for an unknown system
  if (words.size() == 1) {
    context.console.print(system_help);
    return kDone;
  }
  const Command* command = find_command(words[0], words[1]);
  if (command == nullptr) {
    std::vector<std::string> known;
    for (const Command* each : verbs_of(words[0])) known.emplace_back(each->verb);
    throw InvalidArgument(
        fmt::format("{} has no verb '{}'{}", words[0], words[1],
                    did_you_mean(words[1], known, "; see fovea help " + words[0])));
  }
  return print_help(*command, context);
}

}  // namespace

std::vector<OptionLine> option_lines(const std::vector<OptionField>& fields) {
  std::vector<OptionLine> lines;
  for (const OptionField& field : fields) {
    const auto* flag = std::get_if<bool*>(&field.value);
    std::string form = fmt::format("--{}{}", flag != nullptr && **flag ? "no-" : "", field.name);
    if (const char letter = short_form(field)) form = fmt::format("-{}, {}", letter, form);
    const std::string value = option_value_name(field);
    if (!value.empty()) form += " " + value;
    lines.push_back({form, help_with_range(field)});
  }
  return lines;
}

const std::vector<StatusLine>& exit_statuses() {
  static const std::vector<StatusLine> kLines{
      {kDone, "done"},
      {kFailed, "failed"},
      {kUsage, "the command line is not understood"},
      {kBadInput, "an input is unreadable or malformed"},
      {kNoDevice, "the chosen device is not available"},
      {kSomeFailed, "some inputs failed, and are named; the others are done"},
      {kMoreToDo, "not finished: goes on after another command, which is named"},
      {kInterrupted, "interrupted; what was finished is kept"},
  };
  return kLines;
}

std::string help_overview(std::size_t columns) {
  std::string text =
      "fovea SYSTEM VERB INPUT... [-o OUT] [options]\n\n"
      "Exact, explainable computer vision at hardware speed.\n";
  for (const System& system : systems()) {
    text += fmt::format("\n{}: {}\n", system.name, system.summary);
    for (const Command* command : verbs_of(system.name))
      text += entry(command->name(), command->summary, 22, columns);
  }
  text += "\nAbout the program\n";
  for (const Command& command : commands()) {
    if (command.verb.empty()) text += entry(command.name(), command.summary, 22, columns);
  }
  return text + "\nfovea help SYSTEM VERB explains one verb with all its options.\n";
}

std::string help_system(std::string_view system, std::size_t columns) {
  const auto verbs = verbs_of(system);
  if (verbs.empty()) {
    std::vector<std::string> known;
    for (const System& each : systems()) known.emplace_back(each.name);
    throw InvalidArgument(fmt::format("there is no system '{}'{}", system,
                                      did_you_mean(system, known, "; see fovea help")));
  }
  std::string text = fmt::format("fovea {} VERB INPUT... [-o OUT] [options]\n", system);
  for (const System& each : systems()) {
    if (each.name == system) text += fmt::format("\n{}: {}\n", each.name, each.summary);
  }
  for (const Command* command : verbs)
    text += entry(command->name(), command->summary, 22, columns);
  return text +
         fmt::format("\nfovea help {} VERB explains one verb with all its options.\n", system);
}

std::string help_command_text(const Command& command, std::size_t columns) {
  const Invocation defaults = default_invocation(command);
  std::string text =
      fmt::format("{}\n\n{}\n", usage_line(command), wrap(command.summary, 0, columns));
  if (!command.text.empty()) text += fmt::format("\n{}\n", wrap(command.text, 0, columns));
  if (!command.arguments.empty()) {
    std::vector<OptionLine> lines;
    for (const Argument& argument : command.arguments)
      lines.push_back({std::string(argument.name), std::string(argument.help)});
    text += "\nArguments\n" + entries(lines, columns);
  }
  if (const auto own = defaults.own_fields(); !own.empty())
    text += "\nOptions\n" + entries(option_lines(own), columns);
  text += "\nCommon options\n" + entries(option_lines(defaults.common_fields()), columns);
  if (!command.examples.empty()) {
    text += "\nExamples\n";
    for (const Example& example : command.examples)
      text += fmt::format("  {}\n      {}\n", example.line, wrap(example.what, 6, columns));
  }
  return text;
}

Command help_command() {
  return {.system = "help",
          .verb = "",
          .summary = "explain the program, one of its systems or one verb",
          .text = "",
          .arguments = {{"SYSTEM", "a system, or a command of one word", 0, 1},
                        {"VERB", "one of its verbs", 0, 1}},
          .examples = {{"fovea help", "list all verbs, grouped by system"},
                       {"fovea help ops gradient", "one verb with all its options"}},
          .request = make_request<NoOptions, run_help>,
          .computes = false};
}

}  // namespace fovea::cli
