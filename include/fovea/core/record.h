#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/options.h>
#include <fovea/core/position.h>
#include <fovea/core/record_fwd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Results are described once. A result, or a part of one, is a record if it has a function
//   void describe(FieldVisitor& visit, Detection& person)
// that names each field with one line of help. JSON that is written and read back, CSV and Parquet
// columns, what manifests keep, attributes and columns of Python, JSON Schema and the tables of the
// documentation all come from it.
namespace fovea {

// A record of any type: the object, and its describe().
struct RecordRef {
  void* object;
  void (*visit)(FieldVisitor& visit, void* object);
};
template <class Record>
RecordRef record_ref(const Record& record) {
  return {const_cast<Record*>(&record), [](FieldVisitor& visit, void* object) {
            describe(visit, *static_cast<Record*>(object));
          }};
}

// A field with one value. As JSON, a size or a point is an array of two numbers and a rectangle one
// of four; as columns of a table they are several.
using ScalarRef = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, float*, double*,
                               std::string*, ChoiceRef, Extent*, Position<int>*, Position<double>*,
                               Rect<int>*, Rect<float>*, Rect<double>*>;

enum class NumberType : unsigned char { kUint8, kUint16, kInt32, kInt64, kUint64, kFloat, kDouble };
// The name that NumPy gives to the type: "float32".
FOVEA_API const char* to_string(NumberType type);
FOVEA_API std::size_t number_bytes(NumberType type);

struct FieldValue;

// A list of values, all of one kind. What at() returns is valid until resize().
struct ListRef {
  void* list;
  std::size_t (*size)(const void* list);
  void (*resize)(void* list, std::size_t count);
  FieldValue (*at)(void* list, std::size_t index);
  FieldValue (*sample)();  // a value of this kind that belongs to no list, for its description
  // Of plain numbers: their type, and where they are, one behind the other. Others have no data.
  NumberType type{};
  void* (*data)(void* list) = nullptr;
  std::size_t fixed = 0;  // how many values there always are; 0 where there may be any number
  // Of values that have names, which are members of an object in JSON: the name of one of them.
  std::string* (*name)(void* list, std::size_t index) = nullptr;
};

// Names and values that lie in two vectors of one length, as one list of values that have names.
template <class Value>
struct Named {
  std::vector<std::string>& names;
  std::vector<Value>& values;

  std::size_t size() const { return values.size(); }
  void resize(std::size_t count) {
    names.resize(count);
    values.resize(count);
  }
};
template <class Value>
Named(std::vector<std::string>&, std::vector<Value>&) -> Named<Value>;

// A value that may be absent. set() makes it or removes it.
struct OptionalRef {
  void* field;
  bool (*has)(const void* field);
  void (*set)(void* field, bool there);
  FieldValue (*value)(void* field);  // must be there
  FieldValue (*sample)();
};

// Pixels, maps and other arrays, in any memory. JSON names their type and shape, unless it is asked
// for their elements.
struct ArrayView {
  NumberType type{};
  Memory memory = Memory::kHost;
  const void* data = nullptr;
  std::vector<std::size_t> shape{};
  std::vector<std::ptrdiff_t> strides{};  // in elements
};
struct ArrayRef {
  void* array;
  ArrayView (*view)(const void* array);
  // Takes the elements over without a copy; the field is empty afterwards. Views stay valid.
  std::shared_ptr<void> (*take)(void* array);
};

// A value of any kind. A describe() function may make one by hand where no type says what it is:
// an object that is a list of numbers in JSON, or a number that stands for no value.
struct FieldValue {
  std::variant<ScalarRef, RecordRef, ListRef, OptionalRef, ArrayRef> ref;
};

// What a describe() function may add to a field besides its help. All of it is optional.
struct FieldTraits {
  std::string_view unit{};  // "pixels", "seconds"
  bool printed = true;      // false: Python and manifests have it; JSON and tables do not
  bool prefixed = true;     // false: its columns are x, y, ... instead of box_x, box_y, ...
  bool later = false;       // came later than the record: files that lack it can still be read
  bool sparse = false;      // JSON leaves it out where it is 0, false or empty
  bool null = false;        // where it is absent, JSON says null instead of leaving it out
  bool one_line = false;    // in JSON it stands in one line, whatever is around it
  bool compact = false;     // JSON has it in one line without spaces, whatever surrounds it
  bool derived = false;     // follows from other fields: it is written, but not read or packed
  bool timing = false;   // a time, which differs from run to run: results that are recorded leave
                         // it out, and equal results may differ in it
  bool compared = true;  // false: equal results may differ in it, as in the engine that was used
  // Of a record, which may be optional: its fields stand among those of the outer record, all of
  // them or none. Its own name is not seen.
  bool flat = false;
};

// One field of a record, as a visitor sees it. Its name is the same word in JSON, tables, Python,
// the page and the schema. What it refers to is valid during the visit only.
struct Field {
  std::string_view name;
  std::string_view help;
  FieldValue value;
  FieldTraits traits{};
  bool optional = false;  // belongs to a flat record that may be absent
  bool there = true;      // false: that record is absent, and the value is a sample
};

template <class Value>
FieldValue field_value(Value& value);
namespace detail {
template <class Value>
FieldValue optional_value(Value& value);
template <class Number>
FieldValue array_value(std::vector<Number>& numbers);
}  // namespace detail

// The visitor that a describe() function gets.
class FOVEA_API FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  // The name and meaning of the record itself, before its fields; parts that are described into
  // another record have none.
  void record(std::string_view name, std::string_view help) { begin(name, help); }

  // Numbers, texts, choices, sizes, points, rectangles, arrays, records, and lists and optional
  // values of all these. A vector of pairs of a name and a value is a list of values that have
  // names.
  template <class Value>
  void operator()(std::string_view name, Value& value, std::string_view help,
                  const FieldTraits& traits = {}) {
    field({name, help, field_value(value), traits});
  }
  template <class Value>
  void operator()(std::string_view name, Named<Value> value, std::string_view help,
                  const FieldTraits& traits = {}) {
    field({name, help, field_value(value), traits});
  }
  // A field that is absent where its text, list or rectangle is empty, or its number is negative.
  template <class Value>
  void optional(std::string_view name, Value& value, std::string_view help,
                const FieldTraits& traits = {}) {
    field({name, help, detail::optional_value(value), traits});
  }
  // A list of numbers that is an array, because it may have one number per face or pixel.
  template <class Number>
  void array(std::string_view name, std::vector<Number>& numbers, std::string_view help,
             const FieldTraits& traits = {}) {
    field({name, help, detail::array_value(numbers), traits});
  }
  // A value that follows from other fields.
  template <class Value>
  void derived(std::string_view name, Value value, std::string_view help, FieldTraits traits = {}) {
    traits.derived = true;
    field({name, help, field_value(value), traits});
  }

 private:
  virtual void begin(std::string_view, std::string_view) {}
  virtual void field(const Field& field) = 0;
};

namespace detail {

template <class Value>
struct ListTraits : std::false_type {};
template <class Element>
struct ListTraits<std::vector<Element>> : std::true_type {
  using Item = Element;
  static constexpr std::size_t kFixed = 0;
};
template <class Element>
struct ListTraits<std::vector<std::pair<std::string, Element>>> : std::true_type {
  using Item = Element;
  static constexpr std::size_t kFixed = 0;
  static constexpr bool kNamed = true;
};
template <class Element>
struct ListTraits<Named<Element>> : std::true_type {
  using Item = Element;
  static constexpr std::size_t kFixed = 0;
  static constexpr bool kNamed = true;
};
template <class Element, std::size_t kCount>
struct ListTraits<std::array<Element, kCount>> : std::true_type {
  using Item = Element;
  static constexpr std::size_t kFixed = kCount;
};
template <class Value>
struct OptionalTraits : std::false_type {};
template <class Element>
struct OptionalTraits<std::optional<Element>> : std::true_type {
  using Item = Element;
};
template <class Value>
struct ArrayTraits : std::false_type {};
template <class Element>
struct ArrayTraits<Image<Element>> : std::true_type {};
template <class Element>
struct ArrayTraits<Stack<Element>> : std::true_type {};

template <class Number>
constexpr NumberType number_type() {
  if constexpr (std::is_same_v<Number, std::uint8_t>) return NumberType::kUint8;
  else if constexpr (std::is_same_v<Number, std::uint16_t>) return NumberType::kUint16;
  else if constexpr (std::is_same_v<Number, std::int32_t>) return NumberType::kInt32;
  else if constexpr (std::is_same_v<Number, std::int64_t>) return NumberType::kInt64;
  else if constexpr (std::is_same_v<Number, std::uint64_t>) return NumberType::kUint64;
  else if constexpr (std::is_same_v<Number, float>) return NumberType::kFloat;
  else return NumberType::kDouble;
}

template <class Element>
ArrayView array_view(ImageView<const Element> view) {
  ArrayView all{number_type<Element>(),
                view.memory,
                view.data,
                {static_cast<std::size_t>(view.height), static_cast<std::size_t>(view.width)},
                {view.stride, view.channels}};
  if (view.channels > 1) {
    all.shape.push_back(static_cast<std::size_t>(view.channels));
    all.strides.push_back(1);
  }
  return all;
}
template <class Element>
ArrayView array_view(const Image<Element>& image) {
  return array_view(image.view());
}
template <class Element>
ArrayView array_view(const Stack<Element>& stack) {
  ArrayView all = array_view(stack.plane(0));
  all.shape.insert(all.shape.begin(), static_cast<std::size_t>(stack.count()));
  all.strides.insert(all.strides.begin(), stack.view().plane_stride);
  return all;
}

template <class Number>
ArrayView array_view(const std::vector<Number>& numbers) {
  return {number_type<Number>(), Memory::kHost, numbers.data(), {numbers.size()}, {1}};
}

template <class Enum>
ChoiceRef choice_ref(Enum& value) {
  return {&value,
          [](const void* field) { return static_cast<int>(*static_cast<const Enum*>(field)); },
          [](void* field, int chosen) { *static_cast<Enum*>(field) = static_cast<Enum>(chosen); },
          choices(value)};
}

template <class Element>
FieldValue sample_value() {
  static Element sample{};  // only described, never changed
  return field_value(sample);
}

template <class List>
ListRef list_ref(List& list) {
  using Item = typename ListTraits<List>::Item;
  constexpr bool kNamed = requires { ListTraits<List>::kNamed; };
  ListRef ref{&list, [](const void* of) { return static_cast<const List*>(of)->size(); },
              [](void* of, std::size_t count) {
                if constexpr (ListTraits<List>::kFixed == 0) static_cast<List*>(of)->resize(count);
              },
              [](void* of, std::size_t i) {
                auto& all = *static_cast<List*>(of);
                if constexpr (requires { all.values; }) return field_value(all.values[i]);
                else if constexpr (kNamed) return field_value(all[i].second);
                else return field_value(all[i]);
              },
              &sample_value<Item>};
  ref.fixed = ListTraits<List>::kFixed;
  if constexpr (kNamed) {
    ref.name = [](void* of, std::size_t i) {
      auto& all = *static_cast<List*>(of);
      if constexpr (requires { all.names; }) return &all.names[i];
      else return &all[i].first;
    };
  } else if constexpr (std::is_arithmetic_v<Item>) {
    ref.type = number_type<Item>();
    ref.data = [](void* of) -> void* { return static_cast<List*>(of)->data(); };
  }
  return ref;
}

template <class Optional>
OptionalRef optional_ref(Optional& field) {
  return {&field, [](const void* of) { return static_cast<const Optional*>(of)->has_value(); },
          [](void* of, bool there) {
            if (there)
              static_cast<Optional*>(of)->emplace(typename OptionalTraits<Optional>::Item{});
            else static_cast<Optional*>(of)->reset();
          },
          [](void* of) { return field_value(**static_cast<Optional*>(of)); },
          &sample_value<typename OptionalTraits<Optional>::Item>};
}

template <class Value>
FieldValue optional_value(Value& value) {
  constexpr bool kNumber = std::is_arithmetic_v<Value>;
  return {OptionalRef{&value,
                      [](const void* of) {
                        if constexpr (kNumber) return *static_cast<const Value*>(of) >= Value{};
                        else return !static_cast<const Value*>(of)->empty();
                      },
                      [](void* of, bool there) {
                        if (there) return;
                        if constexpr (kNumber) *static_cast<Value*>(of) = Value{-1};
                        else *static_cast<Value*>(of) = Value{};
                      },
                      [](void* of) { return field_value(*static_cast<Value*>(of)); },
                      &sample_value<Value>}};
}

template <class Owner>
ArrayRef array_ref(Owner& array) {
  return {&array, [](const void* of) { return array_view(*static_cast<const Owner*>(of)); },
          [](void* of) -> std::shared_ptr<void> {
            return std::make_shared<Owner>(std::move(*static_cast<Owner*>(of)));
          }};
}

template <class Number>
FieldValue array_value(std::vector<Number>& numbers) {
  return {array_ref(numbers)};
}

}  // namespace detail

template <class Value>
FieldValue field_value(Value& value) {
  static_assert(!std::is_same_v<Value, std::vector<bool>>, "its elements cannot be referred to");
  if constexpr (std::is_same_v<Value, FieldValue>) return value;
  else if constexpr (std::is_enum_v<Value>) return {ScalarRef(detail::choice_ref(value))};
  else if constexpr (std::is_constructible_v<ScalarRef, Value*>) return {ScalarRef(&value)};
  else if constexpr (detail::ListTraits<Value>::value) return {detail::list_ref(value)};
  else if constexpr (detail::OptionalTraits<Value>::value) return {detail::optional_ref(value)};
  else if constexpr (detail::ArrayTraits<Value>::value) return {detail::array_ref(value)};
  else return {record_ref(value)};
}

// Calls function(const Field&) for each field of a record. Flat records are fields like others.
template <class Function>
void for_each_field(RecordRef record, Function function) {
  class Caller final : public FieldVisitor {
   public:
    explicit Caller(Function& function) : function_(function) {}

   private:
    void field(const Field& field) override { function_(field); }
    Function& function_;
  } caller(function);
  record.visit(caller, record.object);
}

// The same, with the fields of flat records in place of these.
template <class Function>
void for_each_flat_field(RecordRef record, Function function, bool optional = false,
                         bool there = true) {
  for_each_field(record, [&](Field field) {
    field.optional = optional;
    field.there = there;
    if (!field.traits.flat) return function(std::as_const(field));
    if (const auto* part = std::get_if<OptionalRef>(&field.value.ref)) {
      const bool has = there && part->has(part->field);
      const FieldValue value = has ? part->value(part->field) : part->sample();
      for_each_flat_field(std::get<RecordRef>(value.ref), function, true, has);
    } else {
      for_each_flat_field(std::get<RecordRef>(field.value.ref), function, optional, there);
    }
  });
}

}  // namespace fovea
