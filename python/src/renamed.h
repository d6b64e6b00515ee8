// Keywords that have another name in Python than in describe(), because users of scikit-learn know
// them by that name.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "options.h"

namespace fovea::python {

struct Renaming {
  std::string_view field;  // the name that describe() gives
  std::string_view keyword;
};

// Calls function(field) for the fields of the options and of their exec, by their names in Python.
template <class Options, class Function>
void for_each_renamed(Options& options, std::span<const Renaming> names, Function function) {
  const auto renamed = [&](OptionField field) {
    for (const Renaming& name : names)
      if (field.name == name.field) {
        field.name = name.keyword;
        break;
      }
    function(field);
  };
  for_each_option(options, renamed);
  for_each_option(options.exec, renamed);
}

}  // namespace fovea::python
