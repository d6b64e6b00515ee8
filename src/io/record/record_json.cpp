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

bool is_empty(const ScalarRef& scalar) {
  return std::visit(detail::Overloaded{[](const ChoiceRef&) { return false; },
                                       [](const std::string* text) { return text->empty(); },
                                       [](const auto* value) {
                                         if constexpr (requires { sides_of(*value); }) return false;
                                         else return *value == 0;
                                       }},
                    scalar);
}

bool is_absent(const Field& field) {
  if (const auto* optional = std::get_if<OptionalRef>(&field.value.ref))
    return !field.traits.null && !optional->has(optional->field);
  if (!field.traits.sparse) return false;
  if (const auto* list = std::get_if<ListRef>(&field.value.ref)) return list->size(list->list) == 0;
  const auto* scalar = std::get_if<ScalarRef>(&field.value.ref);
  return scalar != nullptr && is_empty(*scalar);
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

class Writer {
 public:
  Writer(JsonWriter& out, const WrittenFields& which) : out_(out), which_(which) {}

  void fields(RecordRef record) {
    for_each_flat_field(record, [&](const Field& field) {
      const bool array = std::holds_alternative<ArrayRef>(field.value.ref);
      if (!is_written(field.traits, which_) || !field.there || is_absent(field) ||
          (array && which_.arrays == ArrayJson::kNone))
        return;
      out_.key(field.name);
      if (field.traits.one_line) in_style(field.value, JsonStyle::kOneLine);
      else if (field.traits.compact) in_style(field.value, JsonStyle::kCompact);
      else value(field.value);
    });
  }
  void record(RecordRef record) {
    out_.begin_object();
    fields(record);
    out_.end_object();
  }

 private:
  void value(const FieldValue& of) {
    std::visit(detail::Overloaded{[&](const ScalarRef& scalar) { this->scalar(scalar); },
                                  [&](const RecordRef& nested) { record(nested); },
                                  [&](const ListRef& nested) { list(nested); },
                                  [&](const OptionalRef& optional) {
                                    if (optional.has(optional.field))
                                      value(optional.value(optional.field));
                                    else out_.value(nullptr);
                                  },
                                  [&](const ArrayRef& nested) { array(nested); }},
               of.ref);
  }

  void in_style(const FieldValue& of, JsonStyle style) {
    std::string text;
    JsonWriter json(string_sink(text), style);
    Writer(json, which_).value(of);
    json.finish();
    out_.raw(text);
  }

  void scalar(const ScalarRef& scalar) {
    std::visit(detail::Overloaded{[&](const ChoiceRef& choice) { out_.value(word_of(choice)); },
                                  [&](auto* number) {
                                    if constexpr (requires { sides_of(*number); }) {
                                      out_.begin_inline_array();
                                      for (const auto side : sides_of(*number)) out_.value(side);
                                      out_.end_array();
                                    } else {
                                      out_.value(*number);
                                    }
                                  }},
               scalar);
  }

  void list(const ListRef& of) {
    if (of.name != nullptr) return named(of);
    if (holds_numbers(of)) out_.begin_inline_array();
    else out_.begin_array();
    for (std::size_t i = 0; i < of.size(of.list); ++i) value(of.at(of.list, i));
    out_.end_array();
  }

  void named(const ListRef& of) {
    out_.begin_object();
    for (std::size_t i = 0; i < of.size(of.list); ++i) {
      out_.key(*of.name(of.list, i));
      value(of.at(of.list, i));
    }
    out_.end_object();
  }

  void array(const ArrayRef& of) {
    const ArrayView view = of.view(of.array);
    if (which_.arrays == ArrayJson::kElements && view.memory == Memory::kHost)
      return visit_numbers(view, [&](auto* first) { elements(first, view, 0); });
    out_.begin_object().member("type", to_string(view.type)).key("shape").values(view.shape);
    out_.end_object();
  }
  // The elements from `first` on, an array within an array per axis.
  template <class Number>
  void elements(const Number* first, const ArrayView& view, std::size_t axis) {
    const bool last = axis + 1 == view.shape.size();
    if (last) out_.begin_inline_array();
    else out_.begin_array();
    for (std::size_t i = 0; i < view.shape[axis]; ++i) {
      const Number* at = first + static_cast<std::ptrdiff_t>(i) * view.strides[axis];
      if (last) out_.value(*at);
      else elements(at, view, axis + 1);
    }
    out_.end_array();
  }
  template <class Use>
  static void visit_numbers(const ArrayView& view, Use use) {
    switch (view.type) {
      case NumberType::kUint8: return use(static_cast<const std::uint8_t*>(view.data));
      case NumberType::kUint16: return use(static_cast<const std::uint16_t*>(view.data));
      case NumberType::kInt32: return use(static_cast<const std::int32_t*>(view.data));
      case NumberType::kInt64: return use(static_cast<const std::int64_t*>(view.data));
      case NumberType::kUint64: return use(static_cast<const std::uint64_t*>(view.data));
      case NumberType::kFloat: return use(static_cast<const float*>(view.data));
      case NumberType::kDouble: return use(static_cast<const double*>(view.data));
    }
  }

  JsonWriter& out_;
  const WrittenFields& which_;
};

// Fills records from a tree. `at` is the place that messages name.
class Reader {
 public:
  Reader(const std::string& name, UnknownMembers* unknown, bool whole = true)
      : name_(name), unknown_(unknown), whole_(whole) {}

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
      if (field.traits.derived) return;
      const std::string place =
          at.empty() ? std::string(field.name) : fmt::format("{}.{}", at, field.name);
      const auto found = tree.find(field.name);
      const bool optional = std::holds_alternative<OptionalRef>(field.value.ref);
      if (found != tree.end()) value(*found, field.value, place);
      else if (optional) absent(std::get<OptionalRef>(field.value.ref));
      else if (whole_ && !can_lack(field.traits))
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
    if (into.name != nullptr) return named(tree, into, at);
    if (!tree.is_array()) fail(at, tree, "an array");
    into.resize(into.list, tree.size());
    if (const std::size_t size = into.size(into.list); size != tree.size())
      fail(at, tree,
           fmt::format("an array of {}{} values", into.fixed > 0 ? "" : "at least ", size));
    for (std::size_t i = 0; i < tree.size(); ++i)
      value(tree[i], into.at(into.list, i), fmt::format("{}[{}]", at, i));
  }

  void named(const json& tree, const ListRef& into, const std::string& at) {
    if (!tree.is_object()) fail(at, tree, "an object");
    into.resize(into.list, tree.size());
    std::size_t i = 0;
    for (const auto& [key, member] : tree.items()) {
      *into.name(into.list, i) = key;
      value(member, into.at(into.list, i++), fmt::format("{}.{}", at, key));
    }
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
  bool whole_;  // a member that is missing is an error
};

}  // namespace

void write_fields(JsonWriter& out, RecordRef record, const WrittenFields& which) {
  Writer(out, which).fields(record);
}

void write_record(JsonWriter& out, RecordRef record, const WrittenFields& which) {
  Writer(out, which).record(record);
}

std::string record_json(RecordRef record, const WrittenFields& which) {
  std::string text;
  JsonWriter out(string_sink(text), JsonStyle::kOneLine);
  write_record(out, record, which);
  out.finish();
  return text;
}

std::string record_members(RecordRef record, const WrittenFields& which) {
  const std::string object = record_json(record, which);
  return object.substr(1, object.size() - 2);
}

void parse_record(std::string_view text, RecordRef record, const std::string& name,
                  UnknownMembers* unknown) {
  Reader(name, unknown).record(parse_json(text, name), record, {});
}

void read_record(const json& tree, RecordRef record, const std::string& name) {
  Reader(name, nullptr, false).record(tree, record, {});
}

}  // namespace fovea::io
