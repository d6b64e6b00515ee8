// Keywords of Python from describe(): the one list of options serves signatures, documentation,
// stubs, checks and the options that a result records.
#pragma once
#include <fovea/core/device.h>
#include <fovea/core/exec.h>
#include <fovea/core/options.h>

#include <nanobind/nanobind.h>

#include <functional>
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

// Options of any type, so that what is done with keywords is compiled once.
using EachField = std::function<void(const OptionField&)>;
struct OptionsRef {
  void* options;
  void (*each)(void* options, const EachField& function);
};
struct CallEach {
  const EachField& function;
  void operator()(const OptionField& field) const { function(field); }
};
template <class Options>
OptionsRef options_ref(const Options& options) {
  return {const_cast<Options*>(&options), [](void* of, const EachField& function) {
            for_each_keyword(*static_cast<Options*>(of), CallEach{function});
          }};
}

namespace detail {
void set_keywords(OptionsRef options, const nb::dict& keywords, const std::string& function);
nb::dict option_values(OptionsRef options);
nb::list option_table(OptionsRef options);
nb::list option_words(OptionsRef options, OptionsRef defaults);
}  // namespace detail

// Sets options from keywords. `function` names the caller in messages. Throws a TypeError for a
// keyword that no field takes, with the closest keyword that exists.
template <class Options>
void set_keywords(Options& options, const nb::dict& keywords, const std::string& function) {
  detail::set_keywords(options_ref(options), keywords, function);
}

// Options from keywords alone, with the device that a call would use where they have one.
template <class Options>
Options options_of(const nb::dict& keywords, const std::string& function) {
  Options options;
  set_keywords(options, keywords, function);
  if constexpr (HasExec<Options>) options.exec.device = usable_device(options.exec.device);
  return options;
}

// The options of a call that runs elsewhere or otherwise.
template <class Options>
Options with_exec(Options options, const Exec& exec) {
  options.exec = exec;
  return options;
}

// The facts of a model as a dictionary.
nb::dict dict_of(const std::map<std::string, std::string>& facts);

// The options as a dictionary of keywords and values.
template <class Options>
nb::dict option_values(const Options& options) {
  return detail::option_values(options_ref(options));
}

// The table of all keywords with their defaults: keyword, kind, default, words, what is accepted,
// help.
template <class Options>
nb::list option_table() {
  return detail::option_table(options_ref(Options()));
}

// The words of the program's command line for those options that are not the default, or not those
// of a preset.
template <class Options>
nb::list option_words(const Options& options, const Options& defaults = {}) {
  return detail::option_words(options_ref(options), options_ref(defaults));
}

}  // namespace fovea::python
