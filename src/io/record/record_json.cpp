// Records as JSON, written and read.
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/words.h"
#include "io/record/record_kinds.h"
#include "io/text/json_reader.h"

namespace fovea::io {
namespace {

using nlohmann::json;

void write_value(JsonWriter& out, const FieldValue& value);

void write_scalar(JsonWriter& out, const ScalarRef& scalar) {
  std::visit(detail::Overloaded{[&](const ChoiceRef& choice) { out.value(word_of(choice)); },
                                [&](auto* number) {
                                  if constexpr (requires { sides_of(*number); }) {
                                    out.begin_inline_array();
                                    for (const auto side : sides_of(*number)) out.value(side);
                                    out.end_array();
                                  } else {
                                    out.value(*number);
                                  }
                                }},
             scalar);
}

// Lists of numbers stand in one line.
bool holds_numbers(const ListRef& list) {
  if (list.data != nullptr) return true;
  const FieldValue sample = list.sample();
  const auto* scalar = std::get_if<ScalarRef>(&sample.ref);
  return scalar != nullptr && std::visit(
                                  []<class T>(const T&) {
                                    return std::is_arithmetic_v<std::remove_pointer_t<T>> &&
                                           !std::is_same_v<T, bool*>;
                                  },
                                  *scalar);
}

void write_list(JsonWriter& out, const ListRef& list) {
  const std::size_t count = list.size(list.list);
  if (holds_numbers(list)) out.begin_inline_array();
  else out.begin_array();
  for (std::size_t i = 0; i < count; ++i) write_value(out, list.at(list.list, i));
  out.end_array();
}

void write_array(JsonWriter& out, const ArrayRef& array) {
  const ArrayView view = array.view(array.array);
  out.begin_object().member("type", to_string(view.type)).key("shape").values(view.shape);
  out.end_object();
}

void write_value(JsonWriter& out, const FieldValue& value) {
  std::visit(detail::Overloaded{[&](const ScalarRef& scalar) { write_scalar(out, scalar); },
                                [&](const RecordRef& record) { write_record(out, record); },
                                [&](const ListRef& list) { write_list(out, list); },
                                [&](const OptionalRef& optional) {
                                  if (optional.has(optional.field))
                                    write_value(out, optional.value(optional.field));
                                  else out.value(nullptr);
                                },
                                [&](const ArrayRef& array) { write_array(out, array); }},
             value.ref);
}

bool is_absent(const FieldValue& value) {
  const auto* optional = std::get_if<OptionalRef>(&value.ref);
  return optional != nullptr && !optional->has(optional->field);
}

// Fills records from a tree. `at` is the place that messages name.
class Reader {
 public:
  Reader(const std::string& name, UnknownMembers* unknown) : name_(name), unknown_(unknown) {}

  void record(const json& tree, RecordRef into, const std::string& at) {
    if (!tree.is_object()) fail(at, tree, "an object");
    std::set<std::string, std::less<>> known;
    fields(tree, into, at, known);
    if (unknown_ == nullptr) return;
    for (const auto& [key, member] : tree.items())
      if (!known.contains(key))
        unknown_->push_back(at.empty() ? key : fmt::format("{}.{}", at, key));
  }

 private:
  void fields(const json& tree, RecordRef into, const std::string& at,
              std::set<std::string, std::less<>>& known) {
    for_each_field(into, [&](const Field& field) {
      if (!field.traits.printed) return;
      if (field.traits.flat) return part(tree, field.value, at, known);
      known.emplace(field.name);
      const std::string place =
          at.empty() ? std::string(field.name) : fmt::format("{}.{}", at, field.name);
      const auto found = tree.find(field.name);
      const bool optional = std::holds_alternative<OptionalRef>(field.value.ref);
      if (found != tree.end()) value(*found, field.value, place);
      else if (optional) absent(std::get<OptionalRef>(field.value.ref));
      else if (!field.traits.later)
        throw FormatError(fmt::format("{}: {} is missing", name_, place));
    });
  }

  // A flat record. An optional one is there where one of its fields is.
  void part(const json& tree, const FieldValue& into, const std::string& at,
            std::set<std::string, std::less<>>& known) {
    const auto* optional = std::get_if<OptionalRef>(&into.ref);
    if (optional == nullptr) return fields(tree, std::get<RecordRef>(into.ref), at, known);
    bool there = false;
    for_each_flat_field(std::get<RecordRef>(optional->sample().ref), [&](const Field& field) {
      there = there || tree.contains(field.name);
      known.emplace(field.name);
    });
    optional->set(optional->field, there);
    if (there) fields(tree, std::get<RecordRef>(optional->value(optional->field).ref), at, known);
  }

  [[noreturn]] void fail(const std::string& at, const json& found, const std::string& expected) {
    throw FormatError(fmt::format("{}: {}{}is {}; expected {}", name_, at, at.empty() ? "" : " ",
                                  detail::shown(found.dump(-1, ' ', true), 40), expected));
  }
  static void absent(const OptionalRef& optional) { optional.set(optional.field, false); }

  void value(const json& tree, const FieldValue& into, const std::string& at) {
    std::visit(detail::Overloaded{[&](const ScalarRef& scalar) { this->scalar(tree, scalar, at); },
                                  [&](const RecordRef& record) { this->record(tree, record, at); },
                                  [&](const ListRef& list) { this->list(tree, list, at); },
                                  [&](const OptionalRef& optional) {
                                    optional.set(optional.field, !tree.is_null());
                                    if (!tree.is_null())
                                      value(tree, optional.value(optional.field), at);
                                  },
                                  [](const ArrayRef&) {}},  // JSON only names its type and shape
               into.ref);
  }

  void list(const json& tree, const ListRef& into, const std::string& at) {
    if (!tree.is_array()) fail(at, tree, "an array");
    into.resize(into.list, tree.size());
    if (const std::size_t size = into.size(into.list); size != tree.size())
      fail(at, tree,
           fmt::format("an array of {}{} values", into.fixed > 0 ? "" : "at least ", size));
    for (std::size_t i = 0; i < tree.size(); ++i)
      value(tree[i], into.at(into.list, i), fmt::format("{}[{}]", at, i));
  }

  void scalar(const json& tree, const ScalarRef& into, const std::string& at) {
    std::visit(detail::Overloaded{
                   [&](const ChoiceRef& choice) {
                     if (!tree.is_string() || !set_word(choice, tree.get_ref<const std::string&>()))
                       fail(at, tree, words_of(choice));
                   },
                   [&](bool* flag) {
                     if (!tree.is_boolean()) fail(at, tree, "true or false");
                     *flag = tree.get<bool>();
                   },
                   [&](std::string* text) {
                     if (!tree.is_string()) fail(at, tree, "a text");
                     *text = tree.get<std::string>();
                   },
                   [&](auto* number) {
                     if constexpr (requires { sides_of(*number); }) {
                       auto sides = sides_of(*number);
                       if (!tree.is_array() || tree.size() != sides.size())
                         fail(at, tree, fmt::format("an array of {} numbers", sides.size()));
                       for (std::size_t i = 0; i < sides.size(); ++i)
                         this->number(tree[i], sides[i], at);
                       set_sides(*number, sides);
                     } else {
                       this->number(tree, *number, at);
                     }
                   }},
               into);
  }

  template <class Number>
  void number(const json& tree, Number& into, const std::string& at) {
    if constexpr (std::is_floating_point_v<Number>) {
      if (!tree.is_number() && !tree.is_null()) fail(at, tree, "a number");
      into = tree.is_null() ? std::numeric_limits<Number>::quiet_NaN() : tree.get<Number>();
    } else {
      constexpr bool kSigned = std::is_signed_v<Number>;
      if (!tree.is_number_integer()) fail(at, tree, "a whole number");
      const bool large = tree.is_number_unsigned() &&
                         tree.get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
      const bool small =
          !tree.is_number_unsigned() &&
          (!kSigned || tree.get<std::int64_t>() <
                           static_cast<std::int64_t>(std::numeric_limits<Number>::min()));
      if (large || small)
        fail(at, tree, fmt::format("a whole number of {} bits", 8 * sizeof(Number)));
      into = tree.get<Number>();
    }
  }

  const std::string& name_;
  UnknownMembers* unknown_;
};

}  // namespace

void write_fields(JsonWriter& out, RecordRef record) {
  for_each_flat_field(record, [&](const Field& field) {
    if (!field.traits.printed || !field.there || is_absent(field.value)) return;
    out.key(field.name);
    write_value(out, field.value);
  });
}

void write_record(JsonWriter& out, RecordRef record) {
  out.begin_object();
  write_fields(out, record);
  out.end_object();
}

std::string record_json(RecordRef record) {
  std::string text;
  JsonWriter out(string_sink(text), JsonStyle::kOneLine);
  write_record(out, record);
  out.finish();
  return text;
}

std::string record_members(RecordRef record) {
  const std::string object = record_json(record);
  return object.substr(1, object.size() - 2);
}

void parse_record(std::string_view text, RecordRef record, const std::string& name,
                  UnknownMembers* unknown) {
  Reader(name, unknown).record(parse_json(text, name), record, {});
}

}  // namespace fovea::io
