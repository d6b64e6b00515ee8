// Results of the library as objects of Python, from describe(): the one list of fields serves
// attributes, columns, comparison, documentation and stubs.
#pragma once
#include <fovea/core/device.h>
#include <fovea/core/record.h>

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string_view>
#include <vector>

namespace fovea::python {

namespace nb = nanobind;

// The fields by name. Numbers, texts and flags are those of Python; a choice is its word; sizes,
// points, boxes and lists of a fixed length are tuples; an absent value is None. A list of numbers
// or boxes is an array with one row per element, a list of records a dictionary with one such
// column per field, values with names a dictionary, and any other list a list. Arrays are taken out
// of the record without a copy; those on a GPU become DeviceArrays.
nb::dict dict_of_record(RecordRef record, Device device = Device::cpu());
// A list of records as such columns, and a list of boxes as an array.
nb::object object_of_list(const FieldValue& list);
template <class Element>
nb::object object_of_list(std::vector<Element> list) {
  return object_of_list(field_value(list));
}
// A record with copies of its arrays, because it is used further. They lie in host memory.
nb::dict copied_record(RecordRef record);
// A record with lists of records as lists of dictionaries, one per element, or of tuples where the
// name of the list is among `tuples`.
nb::dict record_with_rows(RecordRef record, std::initializer_list<std::string_view> tuples = {});

// Sets the fields of a record from values by name, in the forms above: arrays or lists, columns or
// named tuples. Fields without a value stay as they are. Throws InvalidArgument for a value of
// another kind.
void fill_record(RecordRef record, nb::handle values);
// The same for a list: columns, or one dictionary or named tuple per element.
void fill_list(const FieldValue& list, nb::handle values);
template <class Element>
std::vector<Element> list_from(nb::handle values) {
  std::vector<Element> list;
  fill_list(field_value(list), values);
  return list;
}

// The description of a record, one dictionary per field: name, kind, help, unit, printed, prefixed,
// compared, and the fields of a nested record.
nb::list described_fields(RecordRef record);
template <class Record>
nb::list fields_of() {
  const Record sample{};
  return described_fields(record_ref(sample));
}

}  // namespace fovea::python
