#include "options.h"

#include <fovea/core/device.h>
#include <fovea/core/error.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "errors.h"
#include "overloaded.h"

namespace fovea::python {
namespace {

[[noreturn]] void reject(const OptionField& field, nb::handle value) {
  std::string accepted = option_range(field);
  if (accepted.empty()) accepted = "a text";
  throw_invalid_type(keyword_of(field) + " is " + shown(value) + "; expected " + accepted);
}

// Whole numbers of any kind, NumPy's among them; a bool is none.
bool read(nb::handle value, std::int64_t& number) {
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) return false;
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {  // an array of several numbers
    PyErr_Clear();
    return false;
  }
  int overflow = 0;
  number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow == 0;
}
bool read(nb::handle value, double& number) {
  const bool is_number =
      PyFloat_Check(value.ptr()) || PyIndex_Check(value.ptr()) || nb::hasattr(value, "__float__");
  if (PyBool_Check(value.ptr()) || PyUnicode_Check(value.ptr()) || !is_number) return false;
  number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return false;
  }
  return true;
}
template <class Number>
requires(std::is_arithmetic_v<Number>) bool read(nb::handle value, Number& number) {
  if constexpr (std::is_integral_v<Number>) {
    std::int64_t wide = 0;
    if (!read(value, wide) || !std::in_range<Number>(wide)) return false;
    number = static_cast<Number>(wide);
  } else {
    double wide = 0;
    if (!read(value, wide)) return false;
    number = static_cast<Number>(wide);
  }
  return true;
}
// Texts and paths.
bool read(nb::handle value, std::string& text) {
  const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    return false;
  }
  return nb::try_cast<std::string>(path, text);
}

// The elements of a tuple, list or array, `count` of them.
template <class Number>
bool read_numbers(nb::handle value, Number* numbers, std::size_t count) {
  if (PyUnicode_Check(value.ptr()) || !PySequence_Check(value.ptr())) return false;
  if (PySequence_Size(value.ptr()) != static_cast<Py_ssize_t>(count)) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (!read(value[i], numbers[i])) return false;
  return true;
}
bool read(nb::handle value, Extent& size) {
  int numbers[2];
  if (!read_numbers(value, numbers, 2) || numbers[0] < 0 || numbers[1] < 0) return false;
  size = {numbers[0], numbers[1]};
  return true;
}
bool read(nb::handle value, Rect<int>& rect) {
  int numbers[4];
  if (!read_numbers(value, numbers, 4) || numbers[2] < 1 || numbers[3] < 1) return false;
  rect = {numbers[0], numbers[1], numbers[2], numbers[3]};
  return true;
}
bool read(nb::handle value, std::array<double, 2>& range) {
  return read_numbers(value, range.data(), 2) && range[0] <= range[1];
}
bool read(nb::handle value, WordAndFile& pair) {
  return PySequence_Check(value.ptr()) && PySequence_Size(value.ptr()) == 2 &&
         read(nb::object(value[0]), pair.first) && read(nb::object(value[1]), pair.second);
}
template <class T>
bool read(nb::handle value, std::optional<T>& optional) {
  T known{};
  if (!read(value, known)) return false;
  optional = known;
  return true;
}
template <class T>
bool read(nb::handle value, std::vector<T>& values) {
  if (PyUnicode_Check(value.ptr()) || !PySequence_Check(value.ptr())) return false;
  std::vector<T> all(
      static_cast<std::size_t>(std::max<Py_ssize_t>(0, PySequence_Size(value.ptr()))));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!read(nb::object(value[i]), all[i])) return false;
  values = std::move(all);
  return true;
}

template <class Number>
requires(std::is_arithmetic_v<Number>) nb::object object_of(const Number& number) {
  return nb::cast(number);
}
// The shortest decimal that is this float, 0.2 instead of 0.20000000298.
nb::object object_of(const float& number) {
  return nb::cast(std::isfinite(number) ? std::stod(fmt::format("{}", number)) : double{number});
}
nb::object object_of(const std::string& text) { return nb::cast(text); }
nb::object object_of(const Extent& size) { return nb::make_tuple(size.width, size.height); }
nb::object object_of(const Rect<int>& rect) {
  return nb::make_tuple(rect.x, rect.y, rect.width, rect.height);
}
nb::object object_of(const std::array<double, 2>& range) {
  return nb::make_tuple(range[0], range[1]);
}
nb::object object_of(const WordAndFile& pair) { return nb::make_tuple(pair.first, pair.second); }
template <class T>
nb::object object_of(const std::optional<T>& value) {
  return value ? object_of(*value) : nb::none();
}
template <class T>
nb::object object_of(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) list.append(object_of(value));
  return nb::tuple(list);
}

// The type of a field in an annotation of Python.
std::string kind_of(const OptionField& field) {
  return std::visit(
      Overloaded{[](const bool*) { return "bool"; }, [](const int*) { return "int"; },
                 [&](const std::uint64_t*) { return field.bytes ? "int | str" : "int"; },
                 [](const float*) { return "float"; }, [](const double*) { return "float"; },
                 [&](const std::string*) {
                   return field.traits.use == TextUse::kText ? "str" : "str | PathLike[str]";
                 },
                 [](const Device*) { return "str"; }, [](const ChoiceRef&) { return "choice"; },
                 [](const std::optional<int>*) { return "int"; },
                 [](const std::optional<double>*) { return "float"; },
                 [](const std::optional<Rect<int>>*) { return "tuple[int, int, int, int]"; },
                 [](const Extent*) { return "tuple[int, int]"; },
                 [](const std::array<double, 2>*) { return "tuple[float, float]"; },
                 [](const std::vector<int>*) { return "Sequence[int]"; },
                 [](const std::vector<double>*) { return "Sequence[float]"; },
                 [](const std::vector<std::string>*) { return "Sequence[str]"; },
                 [](const std::vector<Extent>*) { return "Sequence[tuple[int, int]]"; },
                 [](const std::vector<WordAndFile>*) { return "Sequence[tuple[str, str]]"; }},
      field.value);
}

}  // namespace

std::string keyword_of(const OptionField& field) {
  std::string keyword = field.name;
  std::replace(keyword.begin(), keyword.end(), '-', '_');
  return keyword;
}

nb::object option_value(const OptionField& field) {
  return std::visit(Overloaded{[](const bool* value) -> nb::object { return nb::bool_(*value); },
                               [&](const Device*) { return object_of(option_text(field)); },
                               [&](const ChoiceRef&) { return object_of(option_text(field)); },
                               [](const auto* value) { return object_of(*value); }},
                    field.value);
}

void set_option_value(const OptionField& field, nb::handle value) {
  if (value.is_none()) return;
  const bool is_text = PyUnicode_Check(value.ptr());
  const auto from_text = [&] {
    if (!is_text) reject(field, value);
    set_option(field, text_of(value));
  };
  std::visit(Overloaded{[&](bool* flag) {
                          // NumPy's bool is no bool of Python's.
                          const std::string name = class_name(value);
                          if (name != "bool" && name != "numpy.bool" && name != "numpy.bool_")
                            reject(field, value);
                          *flag = PyObject_IsTrue(value.ptr()) == 1;
                        },
                        [&](Device*) { from_text(); }, [&](const ChoiceRef&) { from_text(); },
                        [&](std::uint64_t* number) {
                          if (is_text && field.bytes) from_text();
                          else if (!read(value, *number)) reject(field, value);
                        },
                        [&](auto* known) {
                          if (!read(value, *known)) reject(field, value);
                        }},
             field.value);
  check_option(field);
}

nb::dict dict_of(const std::map<std::string, std::string>& facts) {
  nb::dict dict;
  for (const auto& [name, fact] : facts) dict[name.c_str()] = fact;
  return dict;
}

namespace {

[[noreturn]] void reject_keyword(const std::string& function, const std::string& keyword,
                                 OptionsRef options) {
  nb::list known;
  options.each(options.options, [&](const OptionField& field) { known.append(keyword_of(field)); });
  const nb::object near = nb::module_::import_("difflib").attr("get_close_matches")(keyword, known);
  std::string message = function + "() has no keyword '" + keyword + "'";
  if (nb::len(near) > 0)
    message += "; did you mean '" + nb::cast<std::string>(nb::object(near[0])) + "'?";
  throw_invalid_type(message);
}

nb::dict option_entry(const OptionField& field) {
  nb::dict entry;
  entry["name"] = keyword_of(field);
  entry["part"] = field.part;
  entry["kind"] = kind_of(field);
  entry["default"] = option_value(field);
  entry["help"] = std::string(field.help);
  entry["accepts"] = option_range(field);
  entry["absent"] = std::string(field.traits.absent);
  nb::list words;
  if (const auto* ref = std::get_if<ChoiceRef>(&field.value))
    for (const Choice& choice : ref->choices) words.append(choice.word);
  entry["words"] = words;
  return entry;
}

// The keywords with those of a part, hog={"cell": 6}, under their whole names, hog_cell=6.
nb::dict whole_keywords(const nb::dict& keywords, OptionsRef options, const std::string& function) {
  std::set<std::string> parts;
  options.each(options.options, [&](const OptionField& field) { parts.insert(field.part); });
  nb::dict whole;
  const auto add = [&](const std::string& name, nb::handle value) {
    if (whole.contains(name.c_str()))
      throw_invalid_type(function + "() is given '" + name + "' twice");
    whole[name.c_str()] = value;
  };
  for (const auto& [key, value] : keywords) {
    const std::string name = text_of(key);
    if (!parts.contains(name)) {
      add(name, value);
      continue;
    }
    if (value.is_none()) continue;
    if (!PyDict_Check(value.ptr()))
      throw_invalid_type(name + " is " + shown(value) + "; expected a dict of its options");
    for (const auto& [own, of_part] : nb::borrow<nb::dict>(value))
      add(name + "_" + text_of(own), of_part);
  }
  return whole;
}

}  // namespace

void detail::set_keywords(OptionsRef options, const nb::dict& keywords,
                          const std::string& function) {
  if (nb::len(keywords) == 0) return;
  const nb::dict left = whole_keywords(keywords, options, function);
  options.each(options.options, [&](const OptionField& field) {
    const std::string keyword = keyword_of(field);
    if (!left.contains(keyword.c_str())) return;
    set_option_value(field, left[keyword.c_str()]);
    nb::del(left[keyword.c_str()]);
  });
  for (const auto& [name, value] : left) reject_keyword(function, text_of(name), options);
}

nb::dict detail::option_values(OptionsRef options) {
  nb::dict values;
  options.each(options.options, [&](const OptionField& field) {
    values[keyword_of(field).c_str()] = option_value(field);
  });
  return values;
}

nb::list detail::option_table(OptionsRef options) {
  nb::list table;
  options.each(options.options,
               [&](const OptionField& field) { table.append(option_entry(field)); });
  return table;
}

nb::list detail::option_words(OptionsRef options, OptionsRef defaults) {
  std::map<std::string, std::string> usual;
  defaults.each(defaults.options,
                [&](const OptionField& field) { usual[field.name] = option_text(field); });
  nb::list words;
  options.each(options.options, [&](const OptionField& field) {
    const std::string text = option_text(field);
    if (usual[field.name] == text) return;
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
