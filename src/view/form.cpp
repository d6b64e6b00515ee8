#include "view/form.h"

#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/json_text.h"
#include "core/words.h"

namespace fovea::view {
namespace {

template <class T>
bool holds(const OptionField& field) {
  return std::holds_alternative<T*>(field.value);
}

const char* kind_of(const OptionField& field) {
  if (holds<bool>(field)) return "flag";
  if (std::holds_alternative<ChoiceRef>(field.value)) return "choice";
  if (field.bytes) return "bytes";
  if (holds<int>(field) || holds<std::uint64_t>(field)) return "whole";
  if (holds<float>(field) || holds<double>(field)) return "number";
  if (holds<std::optional<int>>(field)) return "optional whole";
  if (holds<std::optional<double>>(field)) return "optional number";
  return "text";
}

// The text of Python: what a page wrote as 4, true or sobel.
std::string python_value(const OptionField& field) {
  const std::string kind = kind_of(field);
  std::string text = option_text(field);
  if (kind == "flag") return text == "true" ? "True" : "False";
  if (text.empty()) return "None";
  if (kind == "choice" || kind == "bytes" || holds<std::string>(field))
    return detail::json_quote(text);
  if (kind != "text") return text;
  std::string json = option_json(field);  // lists and boxes are written alike
  return json == "null" ? "None" : json;
}

void write_control(io::JsonWriter& json, const OptionField& field) {
  json.begin_object()
      .member("name", field.name)
      .member("kind", kind_of(field))
      .member("help", std::string(field.help))
      .member("value", option_text(field))
      .member("range", option_range(field));
  if (std::isfinite(field.least)) json.member("least", field.least);
  if (std::isfinite(field.greatest)) json.member("greatest", field.greatest);
  if (!field.traits.absent.empty()) json.member("absent", std::string(field.traits.absent));
  json.key("choices").begin_array();
  if (const auto* choice = std::get_if<ChoiceRef>(&field.value))
    for (const Choice& each : choice->choices) json.value(each.word);
  for (const std::string_view word : field.traits.words) json.value(word);
  json.end_array().end_object();
}

}  // namespace

void detail_form::keep_allowed(std::vector<OptionField>& fields,
                               const std::vector<std::string_view>& hidden) {
  std::erase_if(fields, [&](const OptionField& field) {
    return field.traits.use != TextUse::kText || holds<std::vector<WordAndFile>>(field) ||
           holds<Device>(field) || std::ranges::find(hidden, field.name) != hidden.end();
  });
}

std::string controls_json(const Form& form) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_array();
  for (const OptionField& field : form.fields) write_control(json, field);
  json.end_array().finish();
  return text;
}

void fill_form(Form& form, const FormValues& values) {
  for (const auto& [name, text] : values) {
    const auto field = std::ranges::find(form.fields, name, &OptionField::name);
    if (field == form.fields.end())
      throw InvalidArgument(fmt::format("there is no option '{}'", detail::shown(name)));
    set_option(*field, text);
    check_option(*field);
  }
}

std::string with_controls(std::string text, const Form& form) {
  const auto ends_word = [&](std::size_t at) {
    return at >= text.size() ||
           (std::isalnum(static_cast<unsigned char>(text[at])) == 0 && text[at] != '-');
  };
  for (const OptionField& field : form.fields) {
    const std::string flag = "--" + field.name;
    const std::size_t at = text.find(flag);
    if (at == text.npos || !ends_word(at + flag.size())) continue;
    std::string name = field.name;
    std::ranges::replace(name, '-', ' ');
    const bool valued =
        !holds<bool>(field) && at + flag.size() < text.size() && text[at + flag.size()] == ' ';
    text.replace(at, flag.size() + (valued ? 1 : 0),
                 fmt::format("the option \"{}\"{}", name, valued ? " at " : ""));
  }
  return text;
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_-./,:+=@%").find(letter) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') quoted += "'\\''";
    else quoted += letter;
  }
  return quoted + "'";
}

std::string changed_flags(const Form& form, const Form& defaults) {
  std::string flags;
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    const std::string text = option_text(form.fields[i]);
    if (text == option_text(defaults.fields[i])) continue;
    if (holds<bool>(form.fields[i]))
      flags += fmt::format(" --{}{}", text == "true" ? "" : "no-", form.fields[i].name);
    else flags += fmt::format(" --{} {}", form.fields[i].name, shell_word(text));
  }
  return flags;
}

std::string changed_keywords(const Form& form, const Form& defaults) {
  std::string keywords;
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    const OptionField& field = form.fields[i];
    if (option_text(field) == option_text(defaults.fields[i])) continue;
    std::string name = field.name;
    std::ranges::replace(name, '-', '_');
    keywords += fmt::format(", {}={}", name, python_value(field));
  }
  return keywords;
}

}  // namespace fovea::view
