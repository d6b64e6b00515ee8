#include "errors.h"

#include <fovea/core/error.h>

#include <nanobind/stl/string.h>

#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>

namespace fovea::python {
namespace {

constexpr std::size_t kLongestValue = 60;

void raise(const char* kind, const char* message) {
  const nb::object type = nb::module_::import_("fovea.errors").attr(kind);
  // An OSError takes only its text here, because the number of the system's error is not known.
  PyErr_SetString(type.ptr(), message);
}

}  // namespace

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& fault, void*) {
    try {
      std::rethrow_exception(fault);
    } catch (const InvalidArgument& error) {
      raise("InvalidArgument", error.what());
    } catch (const WriteError& error) {
      raise("WriteError", error.what());
    } catch (const IoError& error) {
      raise("IoError", error.what());
    } catch (const FormatError& error) {
      raise("FormatError", error.what());
    } catch (const DeviceError& error) {
      raise("DeviceError", error.what());
    } catch (const ModelError& error) {
      raise("ModelError", error.what());
    } catch (const Cancelled& error) {
      raise("Cancelled", error.what());
    } catch (const Error& error) {
      raise("Error", error.what());
    } catch (const std::filesystem::filesystem_error& error) {
      raise("IoError", (error.path1().string() + ": " + error.code().message()).c_str());
    } catch (const std::length_error&) {
      PyErr_SetString(PyExc_MemoryError, "out of memory; take a smaller input");
    }
  });
}

void throw_invalid_type(const std::string& message) {
  raise("InvalidType", message.c_str());
  throw nb::python_error();
}

std::string text_of(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Str(value.ptr()));
  std::string result;
  if (!text.is_valid()) throw nb::python_error();
  if (!nb::try_cast<std::string>(text, result))
    throw_invalid_type("a text of type " + class_name(value) +
                       " is not Unicode that can be written");
  return result;
}

std::string class_name(nb::handle value) {
  const nb::handle type = value.type();
  std::string name = text_of(nb::object(type.attr("__qualname__")));
  const std::string module = text_of(nb::object(type.attr("__module__")));
  return module == "builtins" ? name : module + "." + name;
}

std::string shown(nb::handle value) {
  const nb::object text = nb::steal(PyObject_Repr(value.ptr()));
  std::string repr;
  if (!text.is_valid() || !nb::try_cast<std::string>(text, repr)) {
    PyErr_Clear();
    return "of type " + class_name(value);
  }
  if (repr.size() > kLongestValue || repr.find('\n') != std::string::npos)
    return "of type " + class_name(value);
  return repr;
}

}  // namespace fovea::python
