#include "cli/program/config.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program/spelling.h"
#include "core/words.h"
#include "operations/json_file.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

// The text that users would write for a JSON value; objects are not option values. The elements of
// a list are joined by the separator of the field, and null is an optional field without a value.
std::string text_of(const json& value, const std::string& path, const std::string& key,
                    char separator) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  if (value.is_null()) return {};
  if (value.is_array()) {
    std::string text;
    for (const json& element : value) {
      if (!text.empty()) text += separator;
      text += text_of(element, path, key, 'x');  // a list of sizes, such as 640x480
    }
    return text;
  }
  throw FormatError(
      fmt::format("{}: option {} is {}; expected a number, a word, a list, or true or false", path,
                  detail::shown(key), value.type_name()));
}

// Whether the field holds a list or a value of several numbers, such as a size, a range or a
// rectangle.
bool takes_array(const OptionField& field) {
  return is_list(field) || std::holds_alternative<Extent*>(field.value) ||
         std::holds_alternative<std::array<double, 2>*>(field.value) ||
         std::holds_alternative<std::optional<Rect<int>>*>(field.value);
}

}  // namespace

void set_field(const OptionField& field, std::string_view text, std::string_view origin,
               bool append) {
  try {
    append ? append_option(field, text) : set_option(field, text);
  } catch (const InvalidArgument& error) {
    std::vector<std::string> words;
    if (const auto* choice = std::get_if<ChoiceRef>(&field.value)) {
      for (const Choice& each : choice->choices) words.emplace_back(each.word);
    }
    throw InvalidArgument(fmt::format("{}{}{}", origin, error.what(), did_you_mean(text, words)));
  }
}

void set_by_name(const Command& command, const std::vector<OptionField>& fields,
                 const std::string& name, std::string_view text, std::string_view origin) {
  std::vector<std::string> known;
  for (const OptionField& field : fields) {
    const bool of_the_command_line =
        field.name == "config" || field.name == "set" || field.name == "help";
    if (of_the_command_line) continue;
    if (field.name == name) return set_field(field, text, origin);
    known.emplace_back(field.name);
  }
  throw InvalidArgument(
      fmt::format("{}{} is not an option of {}{}", origin, detail::shown(name), command.name(),
                  did_you_mean(name, known, "; see fovea help " + command.name())));
}

void load_config(const std::string& path, const Command& command,
                 const std::vector<OptionField>& fields, Request& request) {
  const json file = operations::read_json(path);
  if (!file.is_object())
    throw FormatError(path + ": holds no JSON object; expected the options or an earlier result");
  const auto of = file.find("command");
  if (of != file.end() && of->is_string() && of->get<std::string>() != command.name())
    throw InvalidArgument(fmt::format("{}: holds options of {}, not of {}", path,
                                      detail::shown(of->get<std::string>()), command.name()));
  const auto nested = file.find("options");
  const json& options = nested != file.end() && nested->is_object() ? *nested : file;
  const auto load = [&](const std::string& key, const json& value) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const OptionField& each) { return each.name == key; });
    const bool known = field != fields.end();
    if (known && value.is_array() && !takes_array(*field))
      throw FormatError(fmt::format("{}: option {} is a list; expected one value", path, key));
    const char separator = known && field->traits.repeats ? ';' : ',';
    set_by_name(command, fields, key, text_of(value, path, key, separator), path + ": ");
  };
  for (const auto& item : options.items()) {
    if (item.key() != command.preset) continue;
    load(item.key(), item.value());
    request.apply_preset();
  }
  for (const auto& item : options.items()) {
    if (&options == &file && item.key() == "command") continue;
    if (item.key() != command.preset) load(item.key(), item.value());
  }
}

}  // namespace fovea::cli
