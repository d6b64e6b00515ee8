// Text, JSON and range checks of option fields: the one place that knows how a value is written.
#include <fovea/core/device.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/json_text.h"

namespace fovea {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce it by itself

[[noreturn]] void reject(const OptionField& field, std::string_view text) {
  const std::string range = option_range(field);
  throw InvalidArgument(
      fmt::format("{} is '{}'; expected {}", field.name, text, range.empty() ? "a value" : range));
}

template <class Number>
Number parse_number(const OptionField& field, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  if (!whole || !(static_cast<double>(number) >= field.least &&
                  static_cast<double>(number) <= field.greatest))
    reject(field, text);
  return number;
}

std::string word_of(const ChoiceRef& ref) {
  const int value = ref.get(ref.field);
  for (const Choice& choice : ref.choices) {
    if (choice.value == value) return choice.word;
  }
  return fmt::format("unknown {}", value);
}

template <class Items>
std::string join_words(const Items& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " or " : ", ";
    text += items[i].word;
  }
  return text;
}

std::string number_range(const OptionField& field, bool whole) {
  const bool below = std::isfinite(field.least), above = std::isfinite(field.greatest);
  const char* kind = whole ? "a whole number" : "a number";
  // A bound this large only says what the type can hold: users need not read it.
  const bool unbounded_above = !above || field.greatest >= 1e9;
  if (below && !unbounded_above)
    return fmt::format("{} from {:g} to {:g}", kind, field.least, field.greatest);
  if (below) return fmt::format("{} of at least {:g}", kind, field.least);
  if (above && !unbounded_above) return fmt::format("{} of at most {:g}", kind, field.greatest);
  return kind;
}

}  // namespace

std::string option_text(const OptionField& field) {
  return std::visit(
      Overloaded{[](const bool* value) { return std::string(*value ? "true" : "false"); },
                 [](const std::string* value) { return *value; },
                 [](const Device* value) { return to_string(*value); },
                 [](const ChoiceRef& ref) { return word_of(ref); },
                 [](const auto* value) { return fmt::format("{}", *value); }},
      field.value);
}

std::string option_json(const OptionField& field) {
  const bool quoted = std::holds_alternative<std::string*>(field.value) ||
                      std::holds_alternative<Device*>(field.value) ||
                      std::holds_alternative<ChoiceRef>(field.value);
  return quoted ? detail::json_quote(option_text(field)) : option_text(field);
}

std::string option_range(const OptionField& field) {
  return std::visit(
      Overloaded{[](const bool*) { return std::string("true or false"); },
                 [](const std::string*) { return std::string(); },
                 [](const Device*) { return std::string("auto, cpu, cuda or cuda:N"); },
                 [](const ChoiceRef& ref) { return join_words(ref.choices); },
                 [&](const float*) { return number_range(field, false); },
                 [&](const double*) { return number_range(field, false); },
                 [&](const auto*) { return number_range(field, true); }},
      field.value);
}

namespace {

// Names of the library have _ where words of the program have -: both are understood.
bool is_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return a == b || (a == '_' && b == '-'); });
}

}  // namespace

void set_option(const OptionField& field, std::string_view text) {
  std::visit(
      Overloaded{[&](bool* value) {
                   if (text != "true" && text != "false") reject(field, text);
                   *value = text == "true";
                 },
                 [&](std::string* value) { *value = text; },
                 [&](Device* value) { *value = parse_device(text); },
                 [&](const ChoiceRef& ref) {
                   for (const Choice& choice : ref.choices) {
                     if (is_word(text, choice.word)) return ref.set(ref.field, choice.value);
                   }
                   reject(field, text);
                 },
                 [&]<class Number>(Number* value) { *value = parse_number<Number>(field, text); }},
      field.value);
}

void check_option(const OptionField& field) {
  std::visit(Overloaded{[](const bool*) {}, [](const std::string*) {}, [](const Device*) {},
                        [&](const ChoiceRef& ref) {
                          for (const Choice& choice : ref.choices) {
                            if (choice.value == ref.get(ref.field)) return;
                          }
                          reject(field, word_of(ref));
                        },
                        [&](const auto* value) {
                          const auto number = static_cast<double>(*value);
                          if (!(number >= field.least && number <= field.greatest) ||
                              !std::isfinite(number))
                            reject(field, option_text(field));
                        }},
             field.value);
}

}  // namespace fovea
