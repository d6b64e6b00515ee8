// The library's exceptions as Python's, and messages about values of Python.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

namespace fovea::python {

namespace nb = nanobind;

// Every exception of the library becomes the class of the same name in fovea.errors.
void translate_errors();

// Throws fovea.errors.InvalidType, which is an InvalidArgument and a TypeError.
[[noreturn]] void throw_invalid_type(const std::string& message);

// A value in a message: its repr(), cut where it is long, or its type where that fails.
std::string shown(nb::handle value);
// str() of a value.
std::string text_of(nb::handle value);
// The name of a value's type, such as "numpy.ndarray".
std::string class_name(nb::handle value);

}  // namespace fovea::python
