// How a call reads arrays and returns pictures: the order of colors, and whether arrays may be
// copied. The program has rules, and a call may have others.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace fovea::python {

namespace nb = nanobind;

struct ArrayRules {
  bool bgr = false;     // colors are blue, green and red, as OpenCV has them
  bool strict = false;  // arrays are taken where they lie, or refused
};
// The rules of the call that this thread is in.
ArrayRules array_rules();

// An array of the CPU with one to three axes, as a dense one in C order. With `turned`, the first
// three channels of each pixel come in the opposite order.
nb::ndarray<nb::ro> gathered(const nb::ndarray<nb::ro>& array, bool turned = false);

}  // namespace fovea::python
