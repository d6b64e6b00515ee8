// The parser is written by hand because help, man pages and completion come from our own table
// anyway, exit statuses and messages are ours, and CLI11 costs 3.6 s of compile time per file.
#include "cli/program/parser.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/program/config.h"
#include "cli/program/spelling.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct ShortForm {
  char letter;
  std::string_view option;
};
constexpr std::array<ShortForm, 5> kShortForms{
    {{'o', "output"}, {'k', "parts"}, {'q', "quiet"}, {'v', "verbose"}, {'h', "help"}}};

bool is_flag(const OptionField& field) { return std::holds_alternative<bool*>(field.value); }

// --picture KIND FILE takes two words, or one written KIND=FILE.
bool takes_two_words(const OptionField& field) {
  return std::holds_alternative<std::vector<WordAndFile>*>(field.value);
}

// An option from the command line that is not yet applied, because a configuration file is applied
// before all of them. A list that is given again is extended.
struct Setting {
  const OptionField* field;
  std::string value;
  bool goes_on = false;
};

class Parser {
 public:
  Parser(const Command& command, std::span<const std::string> words)
      : invocation_(default_invocation(command)), words_(words), fields_(invocation_.own_fields()) {
    for (const OptionField& field : invocation_.common_fields()) fields_.push_back(field);
  }

  Invocation run() {
    bool options_ended = false;
    while (next_ < words_.size() && !invocation_.common->help) {
      const std::string& word = words_[next_++];
      options_ended = options_ended || (command().passes_words_on && !invocation_.inputs.empty());
      if (options_ended || word.size() < 2 || word[0] != '-') invocation_.inputs.push_back(word);
      else if (word == "--") options_ended = true;
      else if (word[1] == '-') read_long(word);
      else read_short(word);
    }
    if (invocation_.common->help) return std::move(invocation_);
    apply();
    if (!invocation_.common->print_config) check_inputs();
    return std::move(invocation_);
  }

 private:
  const Command& command() const { return *invocation_.command; }

  const OptionField* find(std::string_view name) const {
    for (const OptionField& field : fields_) {
      if (field.name == name) return &field;
    }
    return nullptr;
  }

  [[noreturn]] void unknown_option(const std::string& word) const {
    std::vector<std::string> known;
    for (const OptionField& field : fields_) {
      known.push_back(fmt::format("--{}", field.name));
      if (is_flag(field)) known.push_back(fmt::format("--no-{}", field.name));
    }
    throw InvalidArgument(
        fmt::format("{} has no option {}{}", command().name(), detail::shown(word),
                    did_you_mean(word, known, "; see fovea help " + command().name())));
  }

  // Reads --name, --name=value, --name value and --no-name.
  void read_long(const std::string& word) {
    const auto equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const OptionField* field = find(name);
    if (field == nullptr && name.rfind("no-", 0) == 0 && equals == std::string::npos) {
      field = find(std::string_view(name).substr(3));
      if (field != nullptr && is_flag(*field)) return add(*field, "false");
      field = nullptr;
    }
    if (field == nullptr) unknown_option("--" + name);
    if (equals != std::string::npos) return add(*field, word.substr(equals + 1));
    add(*field, is_flag(*field) ? "true" : next_value(*field));
  }

  // Reads -q, -qv, -o value and -ovalue.
  void read_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const OptionField* field = nullptr;
      for (const ShortForm& form : kShortForms) {
        if (form.letter == word[i]) field = find(form.option);
      }
      if (field != nullptr && short_form(*field) == 0) field = nullptr;
      if (field == nullptr) unknown_option(fmt::format("-{}", word[i]));
      if (is_flag(*field)) {
        add(*field, "true");
        continue;
      }
      const std::string attached = word.substr(i + 1);
      return add(*field, attached.empty() ? next_value(*field) : attached);
    }
  }

  // Any word can be a value, except one that is itself an option: then the value was forgotten.
  std::string next_value(const OptionField& field) {
    const std::string value = next_word(field);
    return !takes_two_words(field) || value.find('=') != std::string::npos
               ? value
               : value + "=" + next_word(field);
  }

  std::string next_word(const OptionField& field) {
    const bool forgotten = next_ == words_.size() || words_[next_] == "--" ||
                           (words_[next_].rfind("--", 0) == 0 &&
                            find(std::string_view(words_[next_]).substr(2)) != nullptr);
    if (!forgotten) return words_[next_++];
    const std::string range =
        takes_two_words(field) ? option_value_name(field) : option_range(field);
    throw InvalidArgument(
        fmt::format("--{} needs a value{}{}", field.name, range.empty() ? "" : ": ", range));
  }

  void add(const OptionField& field, std::string value) {
    if (field.name == "help") {
      invocation_.common->help = true;
      return;
    }
    const bool goes_on =
        is_list(field) && std::any_of(settings_.begin(), settings_.end(),
                                      [&](const Setting& each) { return each.field == &field; });
    settings_.push_back({&field, std::move(value), goes_on});
  }

  void apply() {
    for (const Setting& setting : settings_) {
      if (setting.field->name == "config") set_field(*setting.field, setting.value, "--");
    }
    if (!invocation_.common->config.empty())
      load_config(invocation_.common->config, command(), fields_, *invocation_.request);
    // A preset comes first, wherever it stands, because what is given beside it counts.
    const auto others = std::stable_partition(
        settings_.begin(), settings_.end(),
        [&](const Setting& each) { return name_of(each) == command().preset; });
    std::for_each(settings_.begin(), others, [&](const Setting& each) { apply(each); });
    if (others != settings_.begin()) invocation_.request->apply_preset();
    std::for_each(others, settings_.end(), [&](const Setting& each) { apply(each); });
  }

  // The option that is set, also by --set NAME=VALUE.
  static std::string_view name_of(const Setting& setting) {
    if (setting.field->name != "set") return setting.field->name;
    return std::string_view(setting.value).substr(0, setting.value.find('='));
  }

  void apply(const Setting& setting) {
    if (setting.field->name == "set") apply_pair(setting.value);
    else if (setting.field->name != "config")
      set_field(*setting.field, setting.value, "--", setting.goes_on);
  }

  void apply_pair(const std::string& pair) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InvalidArgument(fmt::format("--set is '{}'; expected key=value", detail::shown(pair)));
    set_by_name(command(), fields_, pair.substr(0, equals), pair.substr(equals + 1), "--set ");
  }

  void check_inputs() const {
    const auto count = static_cast<int>(invocation_.inputs.size());
    int least = 0, most = 0;
    for (const Argument& argument : command().arguments) {
      least += argument.least;
      if (count < least)
        throw InvalidArgument(fmt::format("{} needs {} {}; write {}", command().name(),
                                          argument.name.find_first_of("AEIOU") == 0 ? "an" : "a",
                                          argument.name, usage_line(command())));
      most = argument.most == kAnyNumber || most == kAnyNumber ? kAnyNumber : most + argument.most;
    }
    if (most != kAnyNumber && count > most)
      throw InvalidArgument(fmt::format(
          "{}: '{}' is one argument too many; write {}", command().name(),
          detail::shown(io::source_name(invocation_.inputs[static_cast<std::size_t>(most)])),
          usage_line(command())));
  }

  Invocation invocation_;
  std::span<const std::string> words_;
  std::vector<OptionField> fields_;
  std::vector<Setting> settings_;
  std::size_t next_ = 0;
};

std::string json_of(const std::vector<OptionField>& fields) {
  std::string json;
  for (const OptionField& field : fields)
    json += fmt::format(R"({}"{}": {})", json.empty() ? "" : ", ", field.name, option_json(field));
  return "{" + json + "}";
}

// Options that change no result: they are echoed nowhere, so that results have the same bytes
// however many threads made them.
bool changes_no_result(const OptionField& field) { return field.name == "threads"; }

}  // namespace

void describe_common(OptionVisitor& visit, CommonOptions& options, const Command& command) {
  if (command.reads_images)
    visit("max-pixels", options.max_pixels,
          "refuse images and video frames of more pixels before memory is taken for them; 0 is no "
          "limit",
          0, 0x1p62);
  if (command.reads_videos) {
    visit("hardware", options.hardware,
          "what decodes video files: the processor (none), a GPU (cuda), VAAPI, or the first of "
          "these two that can (auto); where it cannot, the processor does, and a note says why");
    if (command.takes_first_frame)
      visit("first-frame", options.videos.first,
            "index of the first frame of a video to work on, from 0", 0, 2147483647);
    visit("frames", options.videos.frames, "frames of a video to work on at most; 0 is all", 0,
          2147483647);
    visit("seconds", options.videos.seconds,
          "seconds of a video to work on at most, by its own time; 0 is all", 0, 1e9);
    visit("live", options.videos.live,
          "frames of cameras and streams: newest drops those that come while others are worked on, "
          "all keeps them; auto is newest, and all for recordings that are read by http");
    visit("timeout", options.videos.timeout_seconds,
          "seconds that a camera or stream may send nothing before the run ends with what was "
          "found",
          0.01, 1e6);
  }
  if (command.batches)
    visit.bytes(
        "memory", options.memory_bytes,
        "most memory for the inputs or frames that are worked on at the same time; one that needs "
        "more by itself is refused; 0 takes a quarter of the machine's memory for all, and half of "
        "it for one");
  if (command.inputs_form_sequence)
    visit("each", options.each,
          "work on each input for itself, instead of taking several as one sequence; names of "
          "output files are then patterns such as out/{}.tif");
  if (command.shards) describe(visit, options.journal);
  if (command.ranges_are_units)
    visit(
        "unit-frames", options.unit_frames,
        "with --shard, --resume or --manifest: frames of a video or sequence that are done or not "
        "done; the same for all shards",
        1, 1'000'000'000);
  if (command.computes) {
    describe(visit, options.exec);
    visit("json", options.json, "print the result as JSON");
    visit(
        "progress", options.progress,
        "how progress is shown on standard error; auto draws a bar on a terminal and prints lines "
        "elsewhere");
    visit.path("config", options.config, TextUse::kInput,
               "start from the options in this JSON file, which may be an earlier result");
    visit("set", options.set, "set one option by its name; can be given several times",
          {.value_name = "KEY=VALUE", .repeats = true});
    visit("overwrite", options.overwrite, "allow a result to replace one of the input files");
    visit("print-config", options.print_config, "print the options as JSON and stop");
  }
  visit("quiet", options.quiet, "print no progress and no notes, only failures");
  visit("verbose", options.verbose, "print more notes on standard error");
  visit("help", options.help, "print this help and stop");
}

std::vector<OptionField> Invocation::own_fields() const { return request->fields(); }

std::vector<OptionField> Invocation::common_fields() const {
  std::vector<OptionField> fields;
  const auto keep = [&](const OptionField& field) { fields.push_back(field); };
  detail::FieldVisitor<decltype(keep)> visitor(keep);
  describe_common(visitor, *common, *command);
  return fields;
}

std::vector<OptionField> Invocation::result_fields() const {
  std::vector<OptionField> fields = own_fields();
  const auto add = [&](const OptionField& field) {
    if (!changes_no_result(field)) fields.push_back(field);
  };
  if (command->computes) for_each_option(common->exec, add);
  for (const OptionField& field : common_fields())
    if (field.name == "max-pixels" || field.name == "first-frame" || field.name == "frames" ||
        field.name == "seconds" || field.name == "live")
      add(field);
  return fields;
}

std::string Invocation::options_json() const {
  std::vector<OptionField> fields = result_fields();
  // Reading a result back must not overwrite its files.
  std::erase_if(fields, [](const OptionField& field) { return field.name == "output"; });
  return json_of(fields);
}

std::string Invocation::job_json() const {
  std::vector<OptionField> fields = result_fields();
  std::erase_if(fields, [](const OptionField& field) { return field.name == "device"; });
  for (const OptionField& field : common_fields())
    if (field.name == "json" || field.name == "unit-frames") fields.push_back(field);
  return json_of(fields);
}

Invocation default_invocation(const Command& command) {
  Invocation invocation;
  invocation.command = &command;
  invocation.request = command.request();
  invocation.common = std::make_unique<CommonOptions>();
  return invocation;
}

Invocation parse(const Command& command, std::span<const std::string> words) {
  return Parser(command, words).run();
}

char short_form(const OptionField& option) {
  // -k stands for a number of parts, but not for the choice of how a target is compared in parts.
  const bool choice = std::holds_alternative<ChoiceRef>(option.value);
  for (const ShortForm& form : kShortForms) {
    if (form.option == option.name && !choice) return form.letter;
  }
  return 0;
}

std::string usage_line(const Command& command) {
  std::string line = "fovea " + command.name();
  for (const Argument& argument : command.arguments) {
    std::string word(argument.name);
    if (argument.most == kAnyNumber) word += "...";
    line += argument.least == 0 ? fmt::format(" [{}]", word) : " " + word;
  }
  for (const OptionField& field : default_invocation(command).own_fields()) {
    if (field.name == "output") line += " [-o OUT]";
  }
  return line + " [options]";
}

}  // namespace fovea::cli
