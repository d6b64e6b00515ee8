// fovea man: manual pages in troff, from the table of commands. fovea.1 is the overview; every
// system has a page fovea-SYSTEM.1, and every verb a page fovea-SYSTEM-VERB.1.
#include <fovea/core/error.h>
#include <fovea/core/version.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>

#include "cli/help/help.h"
#include "cli/program/parser.h"
#include "cli/program/run.h"
#include "cli/program/spelling.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr const char* kVersionDate = "2026-11-18";  // the date of FOVEA_VERSION

// Builders of reproducible packages set SOURCE_DATE_EPOCH, which replaces the date.
std::string page_date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::string_view text = epoch == nullptr ? "" : epoch;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return kVersionDate;
  const auto time = static_cast<std::time_t>(seconds);
  std::tm date{};
  if (gmtime_r(&time, &date) == nullptr) return kVersionDate;
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

struct ManOptions {
  bool list = false;  // print the names of all pages
};
void describe(OptionVisitor& visit, ManOptions& options) {
  visit("list", options.list, "print the names of all pages, one per line");
}

// Escapes hyphens, which must not become typographic ones, and lines that would look like requests.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') result += "\\e";
    else if (c == '-') result += "\\-";
    else if (c == '\n') result += ' ';
    else result += c;
  }
  if (!result.empty() && (result[0] == '.' || result[0] == '\'')) result.insert(0, "\\&");
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + troff(text) + "\\fR"; }

std::string page_head(std::string_view name, std::string_view summary) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"{}\" \"fovea {}\" \"Fovea\"\n.SH NAME\n{} \\- {}\n", troff(upper),
                     page_date(), FOVEA_VERSION, troff(name), troff(summary));
}

std::string tagged(const std::vector<OptionLine>& lines) {
  std::string text;
  for (const OptionLine& line : lines)
    text += fmt::format(".TP\n{}\n{}\n", bold(line.form), troff(line.help));
  return text;
}

std::string exit_status_section() {
  std::string text = ".SH EXIT STATUS\n";
  for (const StatusLine& line : exit_statuses())
    text += fmt::format(".TP\n.B {}\n{}\n", line.status, troff(line.meaning));
  return text;
}

std::string verb_list(std::string_view system) {
  std::string text;
  for (const Command* command : verbs_of(system))
    text += fmt::format(".TP\n{}\n{}\n", bold(command->name()), troff(command->summary));
  return text;
}

std::string system_page_name(const System& system) { return fmt::format("fovea-{}", system.name); }

std::string overview_page() {
  std::string text = page_head("fovea", "exact, explainable computer vision at hardware speed");
  text +=
      ".SH SYNOPSIS\n.B fovea\n.I SYSTEM VERB INPUT\\fR...\n[\\fB\\-o\\fR \\fIOUT\\fR]\n"
      "[\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n"
      "Results go to standard output, everything else to standard error. An input is a file, a "
      "folder, a folder with all below it\n(\\fIDIR\\fR/**), a glob, a list of names written\n.IR "
      "@list ,\nor\n.B \\-\n"
      "for standard input. "
      "Output files appear whole or not at all.\n";
  for (const System& system : systems()) {
    text += fmt::format(".SS {}: {}\n", troff(system.name), troff(system.summary));
    text += verb_list(system.name);
  }
  text += ".SS About the program\n";
  for (const Command& command : commands()) {
    if (command.verb.empty())
      text += fmt::format(".TP\n{}\n{}\n", bold(command.name()), troff(command.summary));
  }
  text += exit_status_section();
  text +=
      ".SH ENVIRONMENT\n.TP\n.B TERM\n"
      "With the value dumb, progress is shown in lines instead of a bar.\n"
      ".TP\n.B CI\nWhen it is set, progress is shown in lines too.\n"
      ".TP\n.B NO_COLOR\nWhen it is set, messages have no color.\n"
      ".TP\n.B COLUMNS\nThe width of help, at most 120.\n"
      ".TP\n.B SOURCE_DATE_EPOCH\nThe date of manual pages.\n";
  text += ".SH SEE ALSO\n";
  std::string pages;
  for (const Command& command : commands())
    pages +=
        fmt::format("{}{} (1)", pages.empty() ? ".BR " : " ,\n.BR ", troff(page_name(command)));
  return text + pages + "\n";
}

std::string system_page(const System& system) {
  std::string text = page_head(system_page_name(system), system.summary);
  text += fmt::format(".SH SYNOPSIS\n{}\n.I VERB INPUT\\fR...\n[\\fIoptions\\fR]\n",
                      bold(fmt::format("fovea {}", system.name)));
  text += ".SH VERBS\n" + verb_list(system.name) + exit_status_section();
  text += ".SH SEE ALSO\n.BR fovea (1)";
  for (const Command* command : verbs_of(system.name))
    text += fmt::format(" ,\n.BR {} (1)", troff(page_name(*command)));
  return text + "\n";
}

std::string command_page(const Command& command) {
  const Invocation defaults = default_invocation(command);
  std::string text = page_head(page_name(command), command.summary);
  text += fmt::format(".SH SYNOPSIS\n{}\n", bold(usage_line(command)));
  text += fmt::format(".SH DESCRIPTION\n{}\n",
                      troff(command.text.empty() ? command.summary : command.text));
  if (!command.arguments.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const Argument& argument : command.arguments)
      text += fmt::format(".TP\n.I {}\n{}\n", troff(argument.name), troff(argument.help));
  }
  if (const auto own = defaults.own_fields(); !own.empty())
    text += ".SH OPTIONS\n" + tagged(option_lines(own));
  text += ".SH COMMON OPTIONS\n" + tagged(option_lines(defaults.common_fields()));
  if (!command.examples.empty()) {
    text += ".SH EXAMPLES\n";
    for (const Example& example : command.examples)
      text += fmt::format(".TP\n{}\n{}\n", bold(example.line), troff(example.what));
  }
  return text + exit_status_section() + ".SH SEE ALSO\n.BR fovea (1)\n";
}

// The page that the words of the command line name: its own name, or a system with or without a
// verb.
std::string wanted_page(const std::vector<std::string>& words) {
  if (words.empty()) return "fovea";
  std::string wanted = words[0];
  if (words.size() == 1 && wanted.size() > 2 && wanted.ends_with(".1"))
    wanted.resize(wanted.size() - 2);
  const bool named = wanted == "fovea" || wanted.starts_with("fovea-");
  if (!named) wanted = "fovea-" + wanted;
  if (words.size() > 1) wanted += "-" + words[1];
  return wanted;
}

int run_man(ManOptions& options, Context& context) {
  const std::vector<std::string> names = page_names();
  if (options.list) {
    for (const std::string& name : names) context.console.print(name + ".1\n");
    return kDone;
  }
  const std::string wanted = wanted_page(context.inputs);
  std::string page;
  if (wanted == "fovea") page = overview_page();
  for (const System& system : systems())
    if (system_page_name(system) == wanted) page = system_page(system);
  for (const Command& command : commands())
    if (page_name(command) == wanted) page = command_page(command);
  if (page.empty())
    throw InvalidArgument(fmt::format("there is no manual page '{}'{}", detail::shown(wanted),
                                      did_you_mean(wanted, names, "; see fovea man --list")));
  context.console.print(page);
  return kDone;
}

}  // namespace

std::string page_name(const Command& command) {
  std::string name = "fovea-" + command.name();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::vector<std::string> page_names() {
  std::vector<std::string> names{"fovea"};
  for (const System& system : systems()) names.push_back(system_page_name(system));
  for (const Command& command : commands()) names.push_back(page_name(command));
  return names;
}

Command man_command() {
  return {.system = "man",
          .verb = "",
          .summary = "print a manual page in troff",
          .text = "To read one, hand it to a formatter: fovea man ops gradient | man -l -",
          .arguments = {{"SYSTEM",
                         "a system, a command of one word, or the name of a page as --list prints "
                         "it; without it, the overview",
                         0, 1},
                        {"VERB", "one of the system's verbs", 0, 1}},
          .examples = {{"fovea man ops gradient", "the page of one verb"},
                       {"fovea man people", "the page of one system"},
                       {"fovea man --list", "the names of all pages"}},
          .request = make_request<ManOptions, run_man>,
          .computes = false};
}

}  // namespace fovea::cli
