#include "records.h"

#include <fovea/core/error.h>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "errors.h"
#include "gpu_arrays.h"
#include "overloaded.h"

namespace fovea::python {
namespace {

nb::dlpack::dtype dtype_of(NumberType type) {
  switch (type) {
    case NumberType::kUint8: return nb::dtype<std::uint8_t>();
    case NumberType::kUint16: return nb::dtype<std::uint16_t>();
    case NumberType::kInt32: return nb::dtype<std::int32_t>();
    case NumberType::kInt64: return nb::dtype<std::int64_t>();
    case NumberType::kUint64: return nb::dtype<std::uint64_t>();
    case NumberType::kFloat: return nb::dtype<float>();
    case NumberType::kDouble: break;
  }
  return nb::dtype<double>();
}

nb::object numpy_of(std::vector<std::byte>&& bytes, nb::dlpack::dtype type,
                    const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<std::byte>(std::move(bytes));
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<std::byte>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy>(kept->data(), shape.size(), shape.data(), owner, nullptr, type));
}

const char* word_of(const ChoiceRef& choice) {
  for (const Choice& each : choice.choices)
    if (each.value == choice.get(choice.field)) return each.word;
  return "";
}

nb::object scalar_object(const ScalarRef& scalar) {
  return std::visit(
      Overloaded{
          [](const ChoiceRef& choice) -> nb::object { return nb::str(word_of(choice)); },
          [](Extent* size) -> nb::object { return nb::make_tuple(size->width, size->height); },
          [](const auto* value) -> nb::object {
            if constexpr (requires { value->height; })
              return nb::make_tuple(value->x, value->y, value->width, value->height);
            else if constexpr (requires { value->y; }) return nb::make_tuple(value->x, value->y);
            else return nb::cast(*value);
          }},
      scalar);
}

// The numbers of a value that is a row of an array: where they are, their type, how many. Others
// have none.
struct Numbers {
  const void* data = nullptr;
  nb::dlpack::dtype type{};
  std::size_t bytes = 0;  // of one number
  std::size_t count = 0;
};
Numbers numbers_of(const FieldValue& value) {
  if (const auto* list = std::get_if<ListRef>(&value.ref); list != nullptr && list->fixed > 0)
    if (list->data != nullptr)
      return {list->data(list->list), dtype_of(list->type), number_bytes(list->type), list->fixed};
  const auto* scalar = std::get_if<ScalarRef>(&value.ref);
  if (scalar == nullptr) return {};
  return std::visit(Overloaded{[](const ChoiceRef&) { return Numbers{}; },
                               [](const std::string*) { return Numbers{}; },
                               [](const Extent* size) {
                                 return Numbers{size, nb::dtype<int>(), sizeof(int), 2};
                               },
                               []<class T>(const Position<T>* point) {
                                 static_assert(sizeof *point == 2 * sizeof(T));
                                 return Numbers{point, nb::dtype<T>(), sizeof(T), 2};
                               },
                               []<class T>(const Rect<T>* box) {
                                 static_assert(sizeof *box == 4 * sizeof(T));
                                 return Numbers{box, nb::dtype<T>(), sizeof(T), 4};
                               },
                               []<class T>(const T* number) {
                                 return Numbers{number, nb::dtype<T>(), sizeof(T), 1};
                               }},
                    *scalar);
}

// A sample of a real number that may be absent, which is NaN in an array then; nothing of others.
std::optional<FieldValue> optional_real(const FieldValue& value) {
  const auto* optional = std::get_if<OptionalRef>(&value.ref);
  if (optional == nullptr) return {};
  const FieldValue sample = optional->sample();
  const auto* scalar = std::get_if<ScalarRef>(&sample.ref);
  const bool real = scalar != nullptr && (std::holds_alternative<float*>(*scalar) ||
                                          std::holds_alternative<double*>(*scalar));
  return real ? std::optional(sample) : std::nullopt;
}

// How lists of records come to Python.
struct Rows {
  bool wanted = false;  // one object per element, not one column per field
  std::initializer_list<std::string_view> tuples{};  // lists whose elements are no dictionaries
};

class Converter {
 public:
  explicit Converter(Device device, bool copies = false, Rows rows = {})
      : device_(device), copies_(copies), rows_(rows) {}

  nb::dict record(RecordRef record) {
    nb::dict all;
    for_each_flat_field(record, [&](const Field& field) {
      all[nb::str(field.name.data(), field.name.size())] =
          field.there ? value(field.value, field.name) : nb::none();
    });
    return all;
  }

  nb::object value(const FieldValue& of, std::string_view name = {}) {
    return std::visit(
        Overloaded{[](const ScalarRef& scalar) { return scalar_object(scalar); },
                   [&](const RecordRef& nested) -> nb::object { return record(nested); },
                   [&](const ListRef& nested) { return list(nested, name); },
                   [&](const OptionalRef& optional) -> nb::object {
                     if (!optional.has(optional.field)) return nb::none();
                     return value(optional.value(optional.field), name);
                   },
                   [&](const ArrayRef& nested) { return array(nested); }},
        of.ref);
  }

 private:
  nb::object list(const ListRef& of, std::string_view name) {
    const std::size_t count = of.size(of.list);
    if (rows_.wanted && std::holds_alternative<RecordRef>(of.sample().ref)) return rows(of, name);
    if (of.fixed > 0 && !std::holds_alternative<RecordRef>(of.sample().ref)) {
      nb::list all;
      for (std::size_t i = 0; i < count; ++i) all.append(value(of.at(of.list, i)));
      return nb::tuple(all);
    }
    if (of.data != nullptr) {
      std::vector<std::byte> bytes(count * number_bytes(of.type));
      if (!bytes.empty()) std::memcpy(bytes.data(), of.data(of.list), bytes.size());
      return numpy_of(std::move(bytes), dtype_of(of.type), {count});
    }
    if (of.name != nullptr) {
      nb::dict named;
      for (std::size_t i = 0; i < count; ++i)
        named[nb::cast(*of.name(of.list, i))] = value(of.at(of.list, i));
      return named;
    }
    Column column(*this, of.sample());
    for (std::size_t i = 0; i < count; ++i) column.add(of.at(of.list, i));
    return column.made();
  }

  nb::object rows(const ListRef& of, std::string_view name) {
    const bool plain =
        std::find(rows_.tuples.begin(), rows_.tuples.end(), name) != rows_.tuples.end();
    nb::list all;
    for (std::size_t i = 0; i < of.size(of.list); ++i) {
      const nb::dict row = record(std::get<RecordRef>(of.at(of.list, i).ref));
      if (plain) all.append(nb::tuple(row.values()));
      else all.append(row);
    }
    return all;
  }

  // Makes the column of a list, value by value, all of the kind of `sample`: an array of numbers,
  // columns of records, or a list.
  class Column {
   public:
    Column(Converter& owner, const FieldValue& sample)
        : owner_(owner), like_(numbers_of(optional_real(sample).value_or(sample))) {
      if (const auto* record = std::get_if<RecordRef>(&sample.ref)) {
        is_record_ = true;
        for_each_flat_field(*record, [&](const Field& field) {
          names_.emplace_back(field.name);
          columns_.emplace_back(owner_, field.value);
        });
      }
    }

    void add(const FieldValue& of) {
      ++count_;
      if (const auto* optional = std::get_if<OptionalRef>(&of.ref);
          optional != nullptr && like_.count > 0) {
        if (optional->has(optional->field)) add_bytes(optional->value(optional->field));
        else if (like_.bytes == sizeof(float)) add_bytes(field_value(nearly_nothing_));
        else add_bytes(field_value(nothing_));
      } else if (like_.count > 0) {
        add_bytes(of);
      } else if (is_record_) {
        std::size_t place = 0;
        for_each_flat_field(std::get<RecordRef>(of.ref),
                            [&](const Field& field) { columns_[place++].add(field.value); });
      } else {
        list_.append(owner_.value(of));
      }
    }

    nb::object made() {
      if (like_.count > 0) {
        std::vector<std::size_t> shape{count_};
        if (like_.count > 1) shape.push_back(like_.count);
        return numpy_of(std::move(bytes_), like_.type, shape);
      }
      if (!is_record_) return std::move(list_);
      nb::dict all;
      for (std::size_t i = 0; i < names_.size(); ++i)
        all[nb::str(names_[i].data(), names_[i].size())] = columns_[i].made();
      return all;
    }

   private:
    void add_bytes(const FieldValue& of) {
      const auto* data = static_cast<const std::byte*>(numbers_of(of).data);
      bytes_.insert(bytes_.end(), data, data + like_.bytes * like_.count);
    }

    Converter& owner_;
    Numbers like_;
    float nearly_nothing_ = std::numeric_limits<float>::quiet_NaN();
    double nothing_ = std::numeric_limits<double>::quiet_NaN();
    bool is_record_ = false;
    std::size_t count_ = 0;
    std::vector<std::byte> bytes_{};
    std::vector<std::string> names_{};
    std::vector<Column> columns_{};
    nb::list list_{};
  };

  nb::object array(const ArrayRef& of) {
    const ArrayView view = of.view(of.array);
    if (view.memory == Memory::kCuda)
      return nb::cast(DeviceArray(of.take(of.array), view, dtype_of(view.type), device_));
    std::vector<std::size_t> shape = view.shape;
    std::ptrdiff_t dense = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;
         dense *= static_cast<std::ptrdiff_t>(shape[axis]))
      if (view.strides[axis] != dense && shape[axis] > 1) return copied(view);
    if (copies_) {
      const auto* first = static_cast<const std::byte*>(view.data);
      return numpy_of({first, first + static_cast<std::size_t>(dense) * number_bytes(view.type)},
                      dtype_of(view.type), shape);
    }
    auto* kept = new std::shared_ptr<void>(of.take(of.array));
    const nb::capsule owner(
        kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy>(const_cast<void*>(view.data), shape.size(), shape.data(),
                                           owner, nullptr, dtype_of(view.type)));
  }

  // Rows with a gap behind them become dense.
  static nb::object copied(const ArrayView& view) {
    std::size_t inner = number_bytes(view.type), rows = 1;
    const std::size_t bytes = inner;
    const std::size_t row_axis = view.shape.size() > 2 && view.strides.back() == 1 &&
                                         view.strides[view.shape.size() - 2] ==
                                             static_cast<std::ptrdiff_t>(view.shape.back())
                                     ? view.shape.size() - 3
                                     : view.shape.size() - 2;
    for (std::size_t axis = row_axis + 1; axis < view.shape.size(); ++axis)
      inner *= view.shape[axis];
    for (std::size_t axis = 0; axis <= row_axis; ++axis) rows *= view.shape[axis];
    std::vector<std::byte> dense(inner * rows);
    for (std::size_t row = 0; row < rows; ++row) {
      std::ptrdiff_t offset = 0;
      std::size_t rest = row;
      for (std::size_t axis = row_axis + 1; axis-- > 0; rest /= view.shape[axis])
        offset += static_cast<std::ptrdiff_t>(rest % view.shape[axis]) * view.strides[axis];
      std::memcpy(
          dense.data() + row * inner,
          static_cast<const std::byte*>(view.data) + offset * static_cast<std::ptrdiff_t>(bytes),
          inner);
    }
    return numpy_of(std::move(dense), dtype_of(view.type), view.shape);
  }

  Device device_;
  bool copies_;
  Rows rows_;
};

// Sets the values of a record, the other way round.
class Filler {
 public:
  void record(const RecordRef& into, nb::handle values) {
    for_each_field(into, [&](const Field& field) {
      if (field.traits.derived) return;
      if (field.traits.flat) return flat(field.value, values);
      if (const nb::object from = member(values, field.name)) value(field.value, from, field.name);
    });
  }

  void value(const FieldValue& into, nb::handle from, std::string_view name) {
    std::visit(Overloaded{[&](const ScalarRef& scalar) { this->scalar(scalar, from, name); },
                          [&](const RecordRef& nested) { record(nested, from); },
                          [&](const ListRef& nested) { list(nested, from, name); },
                          [&](const OptionalRef& optional) {
                            double real = 0;
                            const bool none =
                                from.is_none() || (optional_real(into) &&
                                                   nb::try_cast(from, real) && std::isnan(real));
                            optional.set(optional.field, !none);
                            if (!none) value(optional.value(optional.field), from, name);
                          },
                          [&](const ArrayRef&) { refuse(name, from); }},
               into.ref);
  }

 private:
  using Dense = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

  // A null object where there is none.
  static nb::object member(nb::handle values, std::string_view name) {
    const nb::str key(name.data(), name.size());
    if (PyDict_Check(values.ptr())) return nb::borrow(PyDict_GetItem(values.ptr(), key.ptr()));
    return nb::hasattr(values, key) ? nb::object(nb::getattr(values, key)) : nb::object();
  }

  [[noreturn]] static void refuse(std::string_view name, nb::handle from) {
    throw_invalid_type(std::string(name) + " is " + shown(from) +
                       ", which a result cannot have there");
  }

  // A flat record that is absent has none of its fields.
  void flat(const FieldValue& into, nb::handle values) {
    const auto* optional = std::get_if<OptionalRef>(&into.ref);
    if (optional == nullptr) return record(std::get<RecordRef>(into.ref), values);
    bool there = false;
    for_each_field(std::get<RecordRef>(optional->sample().ref), [&](const Field& field) {
      const nb::object from = member(values, field.name);
      there |= from.is_valid() && !from.is_none();
    });
    optional->set(optional->field, there);
    if (there) record(std::get<RecordRef>(optional->value(optional->field).ref), values);
  }

  template <class T>
  static void number(T& into, nb::handle from, std::string_view name) {
    if (!nb::try_cast<T>(from, into)) refuse(name, from);
  }
  template <class... T>
  static void numbers(nb::handle from, std::string_view name, T&... each) {
    std::size_t at = 0;
    if (!PySequence_Check(from.ptr()) || nb::len(from) != sizeof...(each)) refuse(name, from);
    (number(each, nb::object(from[at++]), name), ...);
  }

  static void scalar(const ScalarRef& into, nb::handle from, std::string_view name) {
    std::visit(Overloaded{[&](const ChoiceRef& choice) {
                            for (const Choice& each : choice.choices)
                              if (text_of(from) == each.word)
                                return choice.set(choice.field, each.value);
                            refuse(name, from);
                          },
                          [&](std::string* text) { number(*text, from, name); },
                          [&](Extent* size) { numbers(from, name, size->width, size->height); },
                          [&]<class T>(Position<T>* at) { numbers(from, name, at->x, at->y); },
                          [&]<class T>(Rect<T>* box) {
                            numbers(from, name, box->x, box->y, box->width, box->height);
                          },
                          [&]<class T>(T* one) { number(*one, from, name); }},
               into);
  }

  // The numbers of an array of this type.
  static Dense dense(nb::handle from, nb::dlpack::dtype type, std::string_view name) {
    Dense array;
    if (!nb::try_cast(from, array) || array.dtype() != type) refuse(name, from);
    return array;
  }

  void list(const ListRef& into, nb::handle from, std::string_view name) {
    if (from.is_none()) return into.resize(into.list, 0);
    const FieldValue sample = into.sample();
    if (into.name != nullptr) return named(into, from, name);
    if (const auto* record = std::get_if<RecordRef>(&sample.ref);
        record != nullptr && PyDict_Check(from.ptr()))
      return columns(into, *record, from);
    const Numbers like = numbers_of(sample);
    if (like.count > 0 && into.fixed == 0) {
      const Dense array = dense(from, like.type, name);
      const std::size_t count = array.size() / like.count;
      resize(into, count, name, from);
      if (into.data != nullptr && count > 0)
        std::memcpy(into.data(into.list), array.data(), count * like.bytes);
      else
        for (std::size_t i = 0; i < count; ++i) copy_row(into.at(into.list, i), array, i);
      return;
    }
    resize(into, nb::len(from), name, from);
    for (std::size_t i = 0; i < into.size(into.list); ++i)
      value(into.at(into.list, i), nb::object(from[i]), name);
  }

  static void resize(const ListRef& into, std::size_t count, std::string_view name,
                     nb::handle from) {
    into.resize(into.list, count);
    if (into.size(into.list) != count) refuse(name, from);
  }

  static void copy_row(const FieldValue& into, const Dense& from, std::size_t row) {
    const Numbers numbers = numbers_of(into);
    const std::size_t bytes = numbers.bytes * numbers.count;
    std::memcpy(const_cast<void*>(numbers.data),
                static_cast<const std::byte*>(from.data()) + row * bytes, bytes);
  }

  void named(const ListRef& into, nb::handle from, std::string_view name) {
    if (!PyDict_Check(from.ptr())) refuse(name, from);
    const nb::dict values = nb::borrow<nb::dict>(from);
    resize(into, nb::len(values), name, from);
    std::size_t i = 0;
    for (const auto& [key, each] : values) {
      *into.name(into.list, i) = text_of(key);
      value(into.at(into.list, i++), each, name);
    }
  }

  // A list of records from their columns.
  void columns(const ListRef& into, const RecordRef& sample, nb::handle from) {
    struct Column {
      std::string name;
      nb::object values;
      std::optional<Dense> rows{};
    };
    std::vector<Column> all;
    std::optional<std::size_t> count;
    for_each_flat_field(sample, [&](const Field& field) {
      Column& column = all.emplace_back(Column{std::string(field.name), member(from, field.name)});
      if (!column.values) refuse(field.name, from);
      const Numbers like = numbers_of(field.value);
      if (like.count > 0) column.rows = dense(column.values, like.type, field.name);
      const std::size_t rows = nb::len(column.values);
      if (count.value_or(rows) != rows || (column.rows && column.rows->size() != rows * like.count))
        refuse(field.name, column.values);
      count = rows;
    });
    into.resize(into.list, count.value_or(0));
    for (std::size_t i = 0; i < count.value_or(0); ++i) {
      auto column = all.begin();
      for_each_flat_field(std::get<RecordRef>(into.at(into.list, i).ref), [&](const Field& field) {
        if (!field.there) refuse(field.name, from);
        if (column->rows) copy_row(field.value, *column->rows, i);
        else value(field.value, nb::object(column->values[i]), column->name);
        ++column;
      });
    }
  }
};

// Adds the kind of a value to its description, and the fields of nested records.
void describe_value(const FieldValue& value, nb::dict& entry);

void describe_scalar(const ScalarRef& scalar, nb::dict& entry) {
  entry["kind"] = std::visit(
      Overloaded{[](const ChoiceRef&) { return "choice"; },
                 [](const std::string*) { return "str"; }, [](const bool*) { return "bool"; },
                 [](const Extent*) { return "size"; }, [](const float*) { return "float"; },
                 [](const double*) { return "float"; },
                 []<class T>(const Position<T>*) { return "point"; },
                 []<class T>(const Rect<T>*) { return "box"; }, [](const auto*) { return "int"; }},
      scalar);
  if (const auto* choice = std::get_if<ChoiceRef>(&scalar)) {
    nb::list words;
    for (const Choice& each : choice->choices) words.append(each.word);
    entry["words"] = words;
  }
  const Numbers numbers = numbers_of({scalar});
  if (numbers.count == 0) return;
  const char* kind =
      numbers.type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)  ? "float"
      : numbers.type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool) ? "bool"
      : numbers.type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ? "uint"
                                                                                     : "int";
  entry["dtype"] = numbers.type.bits == 8 && std::string(kind) == "bool"
                       ? std::string("bool")
                       : kind + std::to_string(numbers.type.bits);
}

void describe_value(const FieldValue& value, nb::dict& entry) {
  std::visit(Overloaded{[&](const ScalarRef& scalar) { describe_scalar(scalar, entry); },
                        [&](const RecordRef& nested) {
                          entry["kind"] = "record";
                          entry["fields"] = described_fields(nested);
                        },
                        [&](const ListRef& list) {
                          nb::dict element;
                          describe_value(list.sample(), element);
                          entry["kind"] = "list";
                          if (list.fixed > 0) entry["fixed"] = list.fixed;
                          entry["named"] = list.name != nullptr;
                          entry["fixed"] = list.fixed;
                          entry["element"] = element;
                        },
                        [&](const OptionalRef& optional) {
                          describe_value(optional.sample(), entry);
                          entry["optional"] = true;
                        },
                        [&](const ArrayRef& array) {
                          entry["kind"] = "array";
                          entry["dtype"] = to_string(array.view(array.array).type);
                        }},
             value.ref);
}

}  // namespace

nb::dict dict_of_record(RecordRef record, Device device) {
  return Converter(device).record(record);
}

nb::object object_of_list(const FieldValue& list) { return Converter(Device::cpu()).value(list); }

nb::dict copied_record(RecordRef record) { return Converter(Device::cpu(), true).record(record); }

nb::dict record_with_rows(RecordRef record, std::initializer_list<std::string_view> tuples) {
  return Converter(Device::cpu(), false, {true, tuples}).record(record);
}

void fill_record(RecordRef record, nb::handle values) { Filler().record(record, values); }

void fill_list(const FieldValue& list, nb::handle values) { Filler().value(list, values, "list"); }

nb::list described_fields(RecordRef record) {
  nb::list all;
  for_each_flat_field(record, [&](const Field& field) {
    nb::dict entry;
    entry["name"] = std::string(field.name);
    entry["help"] = std::string(field.help);
    entry["unit"] = std::string(field.traits.unit);
    entry["printed"] = field.traits.printed;
    entry["prefixed"] = field.traits.prefixed;
    entry["compared"] = field.traits.compared && !field.traits.timing;
    describe_value(field.value, entry);
    if (field.optional) entry["optional"] = true;
    all.append(entry);
  });
  return all;
}

}  // namespace fovea::python
