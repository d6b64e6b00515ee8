// Explanations for Python: the common form, which it shows and draws, and the numbers of a system.
#pragma once
#include <fovea/report/explanation.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "arrays.h"
#include "records.h"

namespace fovea::python {

// An explanation in the common form together with the numbers that a system computed, for the class
// fovea._explanation.Explanation: (shown, numbers).
nb::tuple explanation_of(report::Explanation&& shown, const nb::dict& numbers);
// The same with the numbers of a record, whose arrays are taken out of it. Its lists of records are
// lists of dictionaries, or of tuples where they are named in `tuples`.
template <class Why>
nb::tuple explanation_of(Why&& why, std::initializer_list<std::string_view> tuples) {
  report::Explanation shown = present(why);
  return explanation_of(std::move(shown), record_with_rows(record_ref(why), tuples));
}

// A box as left, top, width and height.
template <class T>
nb::tuple box_tuple(const Rect<T>& box) {
  return nb::make_tuple(box.x, box.y, box.width, box.height);
}
// A copy of an image as an array, or None for an empty one.
template <class T>
nb::object array_or_none(const Image<T>& image) {
  if (image.empty()) return nb::none();
  return to_numpy(clone(image));
}

}  // namespace fovea::python
