#include "view/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace fovea::view {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string text_of(const ScalarRef& scalar) {
  return std::visit(
      Overloaded{[](const bool* flag) -> std::string { return *flag ? "yes" : "no"; },
                 [](const std::string* text) -> std::string { return *text; },
                 [](const ChoiceRef& choice) -> std::string {
                   const auto word =
                       std::ranges::find(choice.choices, choice.get(choice.field), &Choice::value);
                   return word == choice.choices.end() ? "" : word->word;
                 },
                 [](const Extent* size) { return fmt::format("{}x{}", size->width, size->height); },
                 [](const auto* value) {
                   if constexpr (requires { value->width; })
                     return fmt::format("{:g},{:g},{:g},{:g}", double(value->x), double(value->y),
                                        double(value->width), double(value->height));
                   else if constexpr (requires { value->x; })
                     return fmt::format("{:g},{:g}", double(value->x), double(value->y));
                   else if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(*value)>>)
                     return std::to_string(*value);
                   else return fmt::format("{:.4g}", *value);
                 }},
      scalar);
}

using operations::exact;

std::optional<Rect<double>> box_of(const FieldValue& value) {
  const auto* scalar = std::get_if<ScalarRef>(&value.ref);
  if (scalar == nullptr) return {};
  return std::visit(Overloaded{[](Rect<int>* box) { return std::optional(exact(*box)); },
                               [](Rect<float>* box) { return std::optional(exact(*box)); },
                               [](Rect<double>* box) { return std::optional(*box); },
                               [](const auto&) { return std::optional<Rect<double>>(); }},
                    *scalar);
}

std::optional<double> real_of(const FieldValue& value) {
  if (const auto* optional = std::get_if<OptionalRef>(&value.ref))
    return optional->has(optional->field) ? real_of(optional->value(optional->field))
                                          : std::nullopt;
  const auto* scalar = std::get_if<ScalarRef>(&value.ref);
  if (scalar == nullptr) return {};
  if (const auto* exactly = std::get_if<double*>(scalar)) return **exactly;
  if (const auto* nearly = std::get_if<float*>(scalar)) return static_cast<double>(**nearly);
  return {};
}

// A record of a list as a mark; nothing where it has no box.
std::optional<operations::Mark> mark_of(RecordRef record) {
  std::optional<Rect<double>> box;
  std::string name, score, confidence;
  for_each_field(record, [&](const Field& field) {
    if (field.name == "box") box = box_of(field.value);
    if (field.name == "score")
      if (const auto number = real_of(field.value)) score = fmt::format("{:.2f}", *number);
    if (field.name == "confidence")
      if (const auto number = real_of(field.value))
        confidence = fmt::format(" ({:.0f} %)", 100 * *number);
    if (field.name == "name" || field.name == "label")
      if (const auto* scalar = std::get_if<ScalarRef>(&field.value.ref)) name = text_of(*scalar);
  });
  if (!box) return {};
  return operations::Mark{*box,
                          name + (name.empty() || score.empty() ? "" : " ") + score + confidence};
}

void show_list(const Field& field, const ListRef& list, operations::Shown& shown) {
  const std::size_t count = list.size(list.list);
  bool records = false;
  for (std::size_t i = 0; i < count; ++i) {
    const FieldValue value = list.at(list.list, i);
    const auto* record = std::get_if<RecordRef>(&value.ref);
    if (record == nullptr) break;
    records = true;
    if (auto mark = mark_of(*record)) shown.marks.push_back(*std::move(mark));
  }
  if (records || count == 0)
    shown.facts.emplace_back(std::string(field.name), std::to_string(count));
}

void show_value(const Field& field, const FieldValue& value, operations::Shown& shown) {
  if (const auto* nested = std::get_if<RecordRef>(&value.ref)) return show_record(*nested, shown);
  if (const auto* list = std::get_if<ListRef>(&value.ref)) return show_list(field, *list, shown);
  if (const auto* optional = std::get_if<OptionalRef>(&value.ref)) {
    if (optional->has(optional->field)) show_value(field, optional->value(optional->field), shown);
    return;
  }
  const auto* scalar = std::get_if<ScalarRef>(&value.ref);
  std::string text = scalar == nullptr ? "" : text_of(*scalar);
  if (text.empty()) return;
  std::string name(field.name);
  std::ranges::replace(name, '_', ' ');
  if (!field.traits.unit.empty()) text += fmt::format(" {}", field.traits.unit);
  shown.facts.emplace_back(std::move(name), std::move(text));
}

}  // namespace

void show_record(RecordRef record, operations::Shown& shown) {
  for_each_flat_field(record, [&](const Field& field) {
    if (field.there && field.traits.printed && !field.traits.timing)
      show_value(field, field.value, shown);
  });
}

}  // namespace fovea::view
