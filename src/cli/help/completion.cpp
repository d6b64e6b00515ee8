// fovea completion: makes scripts for bash, zsh and fish from the table of commands. The scripts
// contain everything; completing a word does not run the program.
#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/help/help.h"
#include "cli/program/parser.h"
#include "cli/program/read_files.h"
#include "cli/program/run.h"
#include "cli/program/spelling.h"

namespace fovea::cli {
namespace {

// What the scripts need to know about an option.
struct Completable {
  std::string name;  // with dashes
  std::string help;
  std::vector<std::string> values{};  // the possible values
  bool takes_value = false;
  bool file = false;    // the value may be a path
  bool folder = false;  // the value is a folder
  char letter = 0;
};

std::vector<Completable> completables(const Command& command) {
  const Invocation defaults = default_invocation(command);
  std::vector<OptionField> fields = defaults.own_fields();
  for (const OptionField& field : defaults.common_fields()) fields.push_back(field);
  std::vector<Completable> options;
  for (const OptionField& field : fields) {
    const std::string value = option_value_name(field);
    Completable option{.name = fmt::format("--{}", field.name), .help = std::string(field.help)};
    option.takes_value = !value.empty();
    const TextUse use = field.traits.use;
    option.folder = use == TextUse::kFolder || names_input_folder(field);
    option.file = !option.folder && use != TextUse::kText;
    if (use == TextUse::kModel) option.values = io::shipped_models(command.system);
    for (const std::string_view word : field.traits.words) option.values.emplace_back(word);
    option.letter = short_form(field);
    if (std::holds_alternative<Device*>(field.value)) option.values = {"auto", "cpu", "cuda"};
    if (const auto* choice = std::get_if<ChoiceRef>(&field.value)) {
      for (const Choice& each : choice->choices) option.values.emplace_back(each.word);
    }
    const auto* flag = std::get_if<bool*>(&field.value);
    if (flag != nullptr && **flag) option.name = fmt::format("--no-{}", field.name);
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const System& system : systems()) words.emplace_back(system.name);
  for (const Command& command : commands()) {
    if (command.verb.empty()) words.push_back(command.name());
  }
  return words;
}

std::string verb_words(std::string_view system) {
  std::vector<std::string_view> words;
  for (const Command* command : verbs_of(system)) words.push_back(command->verb);
  return fmt::format("{}", fmt::join(words, " "));
}

// The forms that a user may have typed before the value: "'ops gradient --output'|'ops gradient
// -o'".
std::string before_value(const Command& command, const Completable& option) {
  std::string pattern = fmt::format("'{} {}'", command.name(), option.name);
  if (option.letter != 0) pattern += fmt::format("|'{} -{}'", command.name(), option.letter);
  return pattern;
}

// Shell cases over "$command $previous" that set `kind` (file, folder, words, both, none) and
// `values`.
std::string value_cases(std::string_view indent) {
  std::string text;
  for (const Command& command : commands()) {
    for (const Completable& option : completables(command)) {
      if (!option.takes_value) continue;
      std::string action = option.folder ? "kind=folder" : option.file ? "kind=file" : "kind=none";
      if (!option.values.empty())
        action = fmt::format("kind={} values='{}'", option.file ? "both" : "words",
                             fmt::join(option.values, " "));
      text += fmt::format("{}{}) {} ;;\n", indent, before_value(command, option), action);
    }
  }
  return text;
}

// The possible words of the first argument; none where it is a file.
std::vector<std::string> argument_words(const Command& command) {
  if (command.system == "help") return first_words();
  if (command.system == "man") {
    std::vector<std::string> words = first_words();
    for (std::string& page : page_names()) words.push_back(std::move(page));
    return words;
  }
  const auto& words = command.arguments[0].words;
  return {words.begin(), words.end()};
}

// Shell cases over "$command" that set `options`, and `values` where the arguments are known words.
std::string command_cases(std::string_view indent) {
  std::string text;
  for (const Command& command : commands()) {
    std::vector<std::string> options;
    for (const Completable& option : completables(command)) options.push_back(option.name);
    std::string rest = command.arguments.empty() ? " kind=none" : "";
    if (!command.arguments.empty()) {
      const auto words = argument_words(command);
      if (!words.empty()) rest = fmt::format(" kind=words values='{}'", fmt::join(words, " "));
    }
    text += fmt::format("{}'{}') options='{}'{} ;;\n", indent, command.name(),
                        fmt::join(options, " "), rest);
  }
  return text;
}

std::string verb_cases(std::string_view indent) {
  std::string text;
  for (const System& system : systems())
    text += fmt::format("{}{}) values='{}' ;;\n", indent, system.name, verb_words(system.name));
  return text;
}

std::string system_pattern() {
  std::vector<std::string_view> names;
  for (const System& system : systems()) names.push_back(system.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string bash_script() {
  return fmt::format(
      R"(# bash completion for fovea; source it, or put it among bash-completion's files.
_fovea() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command kind=file values= options= base=1
  # bash takes --name=value apart.
  if [[ $current == '=' ]]; then current=
  elif [[ $previous == '=' ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  COMPREPLY=()
  case ${{COMP_WORDS[1]}} in
    help|man) [[ $current != -* ]] && (( COMP_CWORD > 1 )) && base=2 ;;
  esac
  if (( COMP_CWORD == base )); then
    values='{first} --help --version'
    (( base == 2 )) && [[ ${{COMP_WORDS[1]}} == man ]] && values+=' {pages}'
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  if (( COMP_CWORD == base + 1 )); then
    case ${{COMP_WORDS[base]}} in
{verbs}    esac
    if [[ -n $values ]]; then
      COMPREPLY=($(compgen -W "$values" -- "$current"))
      return
    fi
  fi
  (( base == 2 )) && return
  command=${{COMP_WORDS[1]}}
  case $command in {systems}) command+=" ${{COMP_WORDS[2]}}" ;; esac
  case $command in
{commands}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    return
  fi
  case "$command $previous" in
{cases}  esac
  case $kind in
    words) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    both) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current"; compgen -f -- "$current") ;;
  esac
}}
complete -F _fovea fovea
)",
      fmt::arg("first", fmt::join(first_words(), " ")),
      fmt::arg("pages", fmt::join(page_names(), " ")), fmt::arg("verbs", verb_cases("      ")),
      fmt::arg("systems", system_pattern()), fmt::arg("commands", command_cases("    ")),
      fmt::arg("cases", value_cases("    ")));
}

std::string zsh_script() {
  return fmt::format(R"(#compdef fovea
# zsh completion for fovea; put it as _fovea into a folder of $fpath.
_fovea() {{
  local previous=${{words[CURRENT-1]}} command kind=file values= options= base=2
  case ${{words[2]}} in
    help|man) [[ $PREFIX != -* ]] && (( CURRENT > 2 )) && base=3 ;;
  esac
  if (( CURRENT == base )); then
    compadd -- {first} --help --version
    (( base == 3 )) && [[ ${{words[2]}} == man ]] && compadd -- {pages}
    return
  fi
  if (( CURRENT == base + 1 )); then
    case ${{words[base]}} in
{verbs}    esac
    if [[ -n $values ]]; then
      compadd -- ${{=values}}
      return
    fi
  fi
  (( base == 3 )) && return
  command=${{words[2]}}
  case $command in {systems}) command+=" ${{words[3]}}" ;; esac
  case $command in
{commands}  esac
  if [[ $PREFIX == --*=* ]]; then
    previous=${{PREFIX%%=*}}
    compset -P '*='
  elif [[ $PREFIX == -* ]]; then
    compadd -- ${{=options}}
    return
  fi
  case "$command $previous" in
{cases}  esac
  case $kind in
    words) compadd -- ${{=values}} ;;
    file) _files ;;
    folder) _files -/ ;;
    both) compadd -- ${{=values}}; _files ;;
  esac
}}
if [[ $funcstack[1] == _fovea ]]; then _fovea "$@"; else compdef _fovea fovea; fi
)",
                     fmt::arg("first", fmt::join(first_words(), " ")),
                     fmt::arg("pages", fmt::join(page_names(), " ")),
                     fmt::arg("verbs", verb_cases("      ")), fmt::arg("systems", system_pattern()),
                     fmt::arg("commands", command_cases("    ")),
                     fmt::arg("cases", value_cases("    ")));
}

std::string fish_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_option(const Command& command, const Completable& option) {
  std::string line = fmt::format("complete -c fovea -n '__fovea_in {}' -l {}", command.name(),
                                 option.name.substr(2));
  if (option.letter != 0) line += fmt::format(" -s {}", option.letter);
  const std::string values = fmt::format("'{}'", fmt::join(option.values, " "));
  if (option.file) line += option.values.empty() ? " -rF" : " -rFa " + values;
  else if (option.folder) line += " -xa '(__fish_complete_directories)'";
  else if (!option.values.empty()) line += " -xa " + values;
  else if (option.takes_value) line += " -x";
  return line + " -d " + fish_quote(option.help) + "\n";
}

// Completes files anywhere after the command, and known words only right after it.
std::string fish_arguments(const Command& command) {
  const auto words = argument_words(command);
  if (words.empty())
    return fmt::format("complete -c fovea -n '__fovea_in {}' -F\n", command.name());
  return fmt::format("complete -c fovea -n '__fovea_words {}; and __fovea_in {}' -a '{}'\n",
                     command.verb.empty() ? 2 : 3, command.name(), fmt::join(words, " "));
}

std::string fish_script() {
  std::string text =
      R"(# fish completion for fovea; put it as fovea.fish into ~/.config/fish/completions.
function __fovea_words --argument-names count
    test (count (commandline -opc)) -eq $count
end
function __fovea_in --argument-names system verb
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); or return 1
    test "$words[2]" = "$system"; or return 1
    test -z "$verb"; or test "$words[3]" = "$verb"
end
complete -c fovea -f
)";
  for (const System& system : systems()) {
    text += fmt::format("complete -c fovea -n '__fovea_words 1' -a {} -d {}\n", system.name,
                        fish_quote(system.summary));
    for (const char* explains : {"help", "man"})
      text += fmt::format("complete -c fovea -n '__fovea_words 3; and __fovea_in {} {}' -a '{}'\n",
                          explains, system.name, verb_words(system.name));
  }
  for (const Command& command : commands()) {
    const std::string when =
        command.verb.empty() ? "__fovea_words 1"
                             : fmt::format("__fovea_words 2; and __fovea_in {}", command.system);
    text += fmt::format("complete -c fovea -n '{}' -a {} -d {}\n", when,
                        command.verb.empty() ? command.system : command.verb,
                        fish_quote(command.summary));
    if (!command.arguments.empty()) text += fish_arguments(command);
    for (const Completable& option : completables(command)) text += fish_option(command, option);
  }
  return text;
}

int run_completion(NoOptions&, Context& context) {
  const std::string& shell = context.inputs[0];
  if (shell == "bash") context.console.print(bash_script());
  else if (shell == "zsh") context.console.print(zsh_script());
  else if (shell == "fish") context.console.print(fish_script());
  else
    throw InvalidArgument(fmt::format("shell '{}' is not known; expected bash, zsh or fish{}",
                                      shell, did_you_mean(shell, {"bash", "zsh", "fish"})));
  return kDone;
}

}  // namespace

Command completion_command() {
  return {
      .system = "completion",
      .verb = "",
      .summary = "print a script that completes words of the command line",
      .text =
          "For bash: source <(fovea completion bash). For zsh: write it as _fovea into a folder "
          "of fpath. For fish: write it as fovea.fish into ~/.config/fish/completions.",
      .arguments = {{"SHELL", "bash, zsh or fish", 1, 1, {"bash", "zsh", "fish"}}},
      .examples = {{"fovea completion bash", "print the script for bash"},
                   {"fovea completion fish", "print the script for fish"}},
      .request = make_request<NoOptions, run_completion>,
      .computes = false};
}

}  // namespace fovea::cli
