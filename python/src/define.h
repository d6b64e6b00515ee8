// Functions of the library as functions of Python whose keywords are options.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"
#include "run.h"

namespace fovea::python {

// Who turns the device `auto` into one: the binding, so that a result can say which it was, or the
// operation itself, which knows how much there is to do.
enum class ChoosesDevice : unsigned char { kBinding, kOperation };

// Binds function(options, arguments...) as NAME(arguments..., keywords), and the table of these
// keywords as NAME_options(). Messages about keywords name the function.
template <ChoosesDevice kChooses = ChoosesDevice::kBinding, class Options, class Result,
          class... Arguments>
void define(nb::module_& m, const char* name, Result (*function)(Options, Arguments...)) {
  using Plain = std::remove_cvref_t<Options>;
  m.def(name, [function, name](Arguments... arguments, const nb::dict& keywords) {
    Plain options;
    set_keywords(options, keywords, name);
    if constexpr (kChooses == ChoosesDevice::kBinding && HasExec<Plain>)
      options.exec.device = usable_device(options.exec.device);
    return function(options, std::forward<Arguments>(arguments)...);
  });
  m.def((std::string(name) + "_options").c_str(), &option_table<Plain>);
}

// Runs function(exec) as a call of its own, whose stop and progress `exec` has besides.
template <class Function>
auto run_once(Work work, const Exec& exec, nb::handle progress, Function function) {
  Calls calls(exec.device);
  return calls.run(work, progress, [&] { return function(calls.watched(exec)); });
}

// A class of Python for a face of the library: its options with their values, the words of the
// program for them, and what ends its call, where it has that.
template <class Face>
nb::class_<Face> define_face(nb::module_& m, const char* name) {
  nb::class_<Face> made(m, name);
  made.def_prop_ro("options", [](const Face& face) { return option_values(face.options()); });
  made.def_prop_ro("words", [](const Face& face) { return option_words(face.options()); });
  if constexpr (requires(Face & face) { face.stop(); }) made.def("stop", &Face::stop);
  return made;
}

// Models of a system: read_model(PATH), and a class of Python with what all models have.
template <class Model>
nb::class_<Model> define_model(nb::module_& m,
                               std::shared_ptr<const Model> (*load)(std::string_view)) {
  m.def(
      "read_model", [load](const std::string& name) { return load(name); },
      nb::call_guard<nb::gil_scoped_release>());
  return nb::class_<Model>(m, "Model")
      .def_prop_ro("facts", [](const Model& model) { return dict_of(model.facts); })
      .def(
          "save", [](const Model& model, const std::string& path) { model.write(path); },
          nb::call_guard<nb::gil_scoped_release>());
}

// The values of some options by keyword, without those that say where a call runs.
template <class... Options>
nb::dict own_values(const Options&... options) {
  nb::dict values;
  const auto add = [&](const OptionField& field) {
    values[keyword_of(field).c_str()] = option_value(field);
  };
  (for_each_option(const_cast<Options&>(options), add), ...);
  return values;
}

// A table of keywords without the one that has an argument of its own.
inline nb::list table_without(const char* name, const nb::list& table) {
  nb::list others;
  for (const nb::handle entry : table)
    if (text_of(nb::object(entry["name"])) != name) others.append(entry);
  return others;
}

// One number of each row as an array.
template <class Row, class Number>
nb::object column_of(const std::vector<Row>& rows, Number Row::*number) {
  auto values = std::make_unique_for_overwrite<Number[]>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = rows[i].*number;
  return detail::owned_array(std::move(values), {rows.size()});
}

// The word of an enumerator.
template <class Enum>
std::string word_of(Enum value) {
  for (const Choice& choice : choices(value))
    if (choice.value == static_cast<int>(value)) return choice.word;
  return {};
}

}  // namespace fovea::python
