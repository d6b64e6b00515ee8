// Values that describe() functions make by hand, where no type says what they are.
#pragma once
#include <fovea/core/record.h>

#include <map>
#include <string>
#include <vector>

namespace fovea::detail {

// A list whose elements become values by kValue(element).
template <auto kValue, class Element>
FieldValue list_by(std::vector<Element>& list) {
  using List = std::vector<Element>;
  return {ListRef{&list, [](const void* of) { return static_cast<const List*>(of)->size(); },
                  [](void* of, std::size_t count) { static_cast<List*>(of)->resize(count); },
                  [](void* of, std::size_t i) { return kValue((*static_cast<List*>(of))[i]); },
                  [] {
                    static Element sample{};  // only described, never changed
                    return kValue(sample);
                  }}};
}

// A number that is no value where it is kNone or less.
template <int kNone, class Number>
FieldValue number_above(Number& number) {
  return {OptionalRef{
      &number, [](const void* of) { return *static_cast<const Number*>(of) > kNone; },
      [](void* of, bool there) {
        if (!there) *static_cast<Number*>(of) = kNone;
      },
      [](void* of) { return field_value(*static_cast<Number*>(of)); }, &sample_value<Number>}};
}

// A text or list that is no value where it is empty.
template <class Value>
FieldValue unless_empty(Value& value) {
  return {OptionalRef{
      &value, [](const void* of) { return !static_cast<const Value*>(of)->empty(); },
      [](void* of, bool there) {
        if (!there) static_cast<Value*>(of)->clear();
      },
      [](void* of) { return field_value(*static_cast<Value*>(of)); }, &sample_value<Value>}};
}

// Texts by name, as the members of an object. They are only written.
inline FieldValue named_texts(std::map<std::string, std::string>& texts) {
  return {RecordRef{&texts, [](fovea::FieldVisitor& visit, void* of) {
                      for (auto& [name, text] :
                           *static_cast<std::map<std::string, std::string>*>(of))
                        visit(name, text, "");
                    }}};
}

// Options as the members of an object. Those that are neither numbers, texts nor choices have none.
template <class Options>
FieldValue option_fields(Options& options) {
  return {RecordRef{&options, [](fovea::FieldVisitor& visit, void* of) {
                      for_each_option(*static_cast<Options*>(of), [&](const OptionField& option) {
                        std::visit(
                            [&]<class Ref>(const Ref& ref) {
                              if constexpr (std::is_constructible_v<ScalarRef, Ref>) {
                                FieldValue value{ScalarRef(ref)};
                                visit(option.name, value, option.help);
                              }
                            },
                            option.value);
                      });
                    }}};
}

}  // namespace fovea::detail
