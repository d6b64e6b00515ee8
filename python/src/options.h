// Keywords of Python from describe(): the one list of options serves signatures, documentation,
// stubs, checks and the options that a result records.
#pragma once
#include <fovea/core/device.h>
#include <fovea/core/exec.h>
#include <fovea/core/options.h>

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "errors.h"
#include "run.h"

namespace fovea::python {

namespace nb = nanobind;

// The name of a field as a keyword: "window-stride" is window_stride.
std::string keyword_of(const OptionField& field);

// The value of a field as Python writes it: a number, a text, a tuple, None.
nb::object option_value(const OptionField& field);

// Sets a field from a value of Python. None leaves it as it is. Throws InvalidArgument that names
// the keyword, the value and what is accepted.
void set_option_value(const OptionField& field, nb::handle value);

// A number that is an argument by itself and no option. Throws InvalidArgument that names it, for
// None too.
template <class Number>
Number number_argument(nb::handle value, const char* name, double least, double greatest) {
  Number number{};
  const OptionField field{
      .name = name, .help = {}, .value = &number, .least = least, .greatest = greatest};
  if (value.is_none())
    throw_invalid_type(std::string(name) + " is None; expected " + option_range(field));
  set_option_value(field, value);
  return number;
}

// Throws a TypeError for a keyword that no field took, with the closest keyword that exists.
[[noreturn]] void reject_keyword(const std::string& function, const std::string& keyword,
                                 const nb::list& known);

// One entry of a table: keyword, kind, default, words, what is accepted, help.
nb::dict option_entry(const OptionField& field);

// Options that say where and how a call runs.
template <class Options>
concept HasExec = requires(Options& options) {
  options.exec;
};

// Calls function(field) for the fields of the options and of their exec.
template <class Options, class Function>
void for_each_keyword(Options& options, Function function) {
  for_each_option(options, function);
  if constexpr (HasExec<Options>) for_each_option(options.exec, function);
}

// Sets options from keywords. `function` names the caller in messages.
template <class Options>
void set_keywords(Options& options, const nb::dict& keywords, const std::string& function) {
  nb::dict left;
  for (const auto& [name, value] : keywords) left[name] = value;
  nb::list known;
  for_each_keyword(options, [&](const OptionField& field) {
    const std::string keyword = keyword_of(field);
    known.append(keyword);
    if (!left.contains(keyword.c_str())) return;
    set_option_value(field, left[keyword.c_str()]);
    nb::del(left[keyword.c_str()]);
  });
  for (const auto& [name, value] : left) reject_keyword(function, text_of(name), known);
}

// Options from keywords alone, with the device that a call would use.
template <class Options>
Options options_of(const nb::dict& keywords, const std::string& function) {
  Options options;
  set_keywords(options, keywords, function);
  options.exec.device = usable_device(options.exec.device);
  return options;
}

// The facts of a model as a dictionary.
nb::dict dict_of(const std::map<std::string, std::string>& facts);

// The options as a dictionary of keywords and values.
template <class Options>
nb::dict option_values(const Options& options) {
  nb::dict values;
  for_each_keyword(const_cast<Options&>(options), [&](const OptionField& field) {
    values[keyword_of(field).c_str()] = option_value(field);
  });
  return values;
}

// The table of all keywords with their defaults.
template <class Options>
nb::list option_table() {
  Options options;
  nb::list table;
  for_each_keyword(options, [&](const OptionField& field) { table.append(option_entry(field)); });
  return table;
}

// The words of the program's command line for those options that are not the default, or not those
// of a preset.
template <class Options>
nb::list option_words(const Options& options, Options defaults = {}) {
  nb::dict usual;
  for_each_keyword(defaults, [&](const OptionField& field) {
    usual[keyword_of(field).c_str()] = option_text(field);
  });
  nb::list words;
  for_each_keyword(const_cast<Options&>(options), [&](const OptionField& field) {
    const std::string text = option_text(field);
    if (nb::cast<std::string>(usual[keyword_of(field).c_str()]) == text) return;
    if (const auto* flag = std::get_if<bool*>(&field.value)) {
      words.append(std::string(**flag ? "--" : "--no-") + field.name);
      return;
    }
    words.append("--" + field.name);
    words.append(text);
  });
  return words;
}

}  // namespace fovea::python
