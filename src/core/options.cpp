// Text, JSON and range checks of option fields: the one place that knows how a value is written.
#include <fovea/core/device.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/json_text.h"
#include "core/words.h"

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
  throw InvalidArgument(fmt::format("{} is '{}'; expected {}", field.name, detail::shown(text),
                                    range.empty() ? "a value" : range));
}

bool within(const OptionField& field, double number) {
  return number >= field.least && number <= field.greatest;
}

template <class Number>
requires(std::is_arithmetic_v<Number>) void parse(const OptionField& field, std::string_view text,
                                                  Number& number) {
  if (field.bytes) {
    try {
      number = static_cast<Number>(parse_bytes(text));
    } catch (const InvalidArgument&) {
      reject(field, text);
    }
    if (!within(field, static_cast<double>(number))) reject(field, text);
    return;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  if (!whole || !within(field, static_cast<double>(number))) reject(field, text);
}

// Reads the numbers between separators, exactly as many as `kCount`.
template <class Number, std::size_t kCount>
void parse_numbers(const OptionField& field, std::string_view text, std::string_view separators,
                   std::array<Number, kCount>& numbers) {
  std::string_view rest = text;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto end = rest.find_first_of(separators);
    if ((end == std::string_view::npos) != (i + 1 == kCount)) reject(field, text);
    parse(field, rest.substr(0, end), numbers[i]);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

void parse(const OptionField&, std::string_view text, std::string& value) { value = text; }
void parse(const OptionField& field, std::string_view text, std::array<double, 2>& range) {
  parse_numbers(field, text, ",", range);
  if (!(range[0] <= range[1])) reject(field, text);
}
void parse(const OptionField& field, std::string_view text, Extent& size) {
  std::array<int, 2> numbers{};
  parse_numbers(field, text, "x,", numbers);
  if (numbers[0] < 0 || numbers[1] < 0) reject(field, text);
  size = {numbers[0], numbers[1]};
}
void parse(const OptionField& field, std::string_view text, Rect<int>& rect) {
  std::array<int, 4> numbers{};
  parse_numbers(field, text, ",", numbers);
  if (numbers[2] < 1 || numbers[3] < 1) reject(field, text);
  rect = {numbers[0], numbers[1], numbers[2], numbers[3]};
}
void parse(const OptionField& field, std::string_view text, WordAndFile& pair) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    reject(field, text);
  pair = {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}
template <class T>
void parse(const OptionField& field, std::string_view text, std::optional<T>& value) {
  if (text.empty()) return value.reset();
  T parsed{};
  parse(field, text, parsed);
  value = parsed;
}

template <class T>
constexpr char separator_of(const OptionField& field) {
  return std::is_same_v<T, std::string> && field.traits.repeats ? ';' : ',';
}

template <class T>
void append(const OptionField& field, std::string_view text, std::vector<T>& values) {
  for (const std::string_view part : detail::split(text, separator_of<T>(field)))
    parse(field, part, values.emplace_back());
}
template <class T>
void parse(const OptionField& field, std::string_view text, std::vector<T>& values) {
  std::vector<T> parsed;
  if (!text.empty()) append(field, text, parsed);
  values = std::move(parsed);
}

template <class Number>
requires(std::is_arithmetic_v<Number>) std::string
    text_of(const OptionField& field, const Number& value) {
  return field.bytes ? bytes_text(static_cast<std::uint64_t>(value)) : fmt::format("{}", value);
}
std::string text_of(const OptionField&, const std::string& value) { return value; }
std::string text_of(const OptionField&, const Device& device) { return to_string(device); }
std::string text_of(const OptionField&, const std::array<double, 2>& range) {
  return fmt::format("{},{}", range[0], range[1]);
}
std::string text_of(const OptionField&, const Extent& size) {
  return fmt::format("{}x{}", size.width, size.height);
}
std::string text_of(const OptionField&, const Rect<int>& rect) {
  return fmt::format("{},{},{},{}", rect.x, rect.y, rect.width, rect.height);
}
std::string text_of(const OptionField&, const WordAndFile& pair) {
  return pair.first + "=" + pair.second;
}
template <class T>
std::string text_of(const OptionField& field, const std::optional<T>& value) {
  return value ? text_of(field, *value) : std::string();
}
template <class T>
std::string text_of(const OptionField& field, const std::vector<T>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += separator_of<T>(field);
    text += text_of(field, values[i]);
  }
  return text;
}

template <class Number>
requires(std::is_arithmetic_v<Number>) std::string json_of(const Number& value) {
  return fmt::format("{}", value);
}
std::string json_of(const std::string& value) { return detail::json_quote(value); }
std::string json_of(const std::array<double, 2>& range) {
  return fmt::format("[{}, {}]", range[0], range[1]);
}
std::string json_of(const Extent& size) { return fmt::format("[{}, {}]", size.width, size.height); }
std::string json_of(const Rect<int>& rect) {
  return fmt::format("[{}, {}, {}, {}]", rect.x, rect.y, rect.width, rect.height);
}
std::string json_of(const WordAndFile& pair) {
  return detail::json_quote(pair.first + "=" + pair.second);
}
template <class T>
std::string json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : "null";
}
template <class T>
std::string json_of(const std::vector<T>& values) {
  std::string json = "[";
  for (const T& value : values) json += (json.size() > 1 ? ", " : "") + json_of(value);
  return json + "]";
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

// Writes whole numbers with all their digits (1048576) and others in short form.
std::string bound_text(double bound) {
  return bound == std::trunc(bound) && std::abs(bound) < 1e15 ? fmt::format("{:.0f}", bound)
                                                              : fmt::format("{:g}", bound);
}

enum class Counted : unsigned char { kOne, kMany };

std::string number_range(const OptionField& field, bool whole, Counted counted = Counted::kOne) {
  const bool below = std::isfinite(field.least), above = std::isfinite(field.greatest);
  const char* kind = counted == Counted::kMany ? (whole ? "whole numbers" : "numbers")
                                               : (whole ? "a whole number" : "a number");
  // A bound this large only says what the type can hold, which users need not read.
  const bool unbounded_above = !above || field.greatest >= 1e9;
  if (below && !unbounded_above)
    return fmt::format("{} from {} to {}", kind, bound_text(field.least),
                       bound_text(field.greatest));
  if (below) return fmt::format("{} of at least {}", kind, bound_text(field.least));
  if (above && !unbounded_above)
    return fmt::format("{} of at most {}", kind, bound_text(field.greatest));
  return kind;
}

// Calls `check` for every number of a value whose range is checked.
template <class T, class Check>
void each_number(const T&, const Check&) {}  // sizes, rectangles and texts have no range
template <class Number, class Check>
requires(std::is_arithmetic_v<Number>) void each_number(const Number& value, const Check& check) {
  check(static_cast<double>(value));
}
template <class T, class Check>
void each_number(const std::optional<T>& value, const Check& check) {
  if (value) each_number(*value, check);
}
template <class Check>
void each_number(const std::array<double, 2>& range, const Check& check) {
  for (const double number : range) check(number);
}
template <class T, class Check>
void each_number(const std::vector<T>& values, const Check& check) {
  for (const T& value : values) each_number(value, check);
}
// Names in the library have _ where words of the program have -. Both spellings are accepted.
bool is_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return a == b || (a == '_' && b == '-'); });
}

}  // namespace

std::string option_text(const OptionField& field) {
  return std::visit(
      Overloaded{[](const bool* value) { return std::string(*value ? "true" : "false"); },
                 [](const ChoiceRef& ref) { return word_of(ref); },
                 [&](const auto* value) { return text_of(field, *value); }},
      field.value);
}

std::string option_json(const OptionField& field) {
  return std::visit(
      Overloaded{[](const bool* value) { return std::string(*value ? "true" : "false"); },
                 [](const Device* value) { return detail::json_quote(to_string(*value)); },
                 [](const ChoiceRef& ref) { return detail::json_quote(word_of(ref)); },
                 [](const auto* value) { return json_of(*value); }},
      field.value);
}

std::string option_range(const OptionField& field) {
  if (field.bytes) return "bytes such as 512M or 2G (K, M, G, T are powers of 1024)";
  return std::visit(
      Overloaded{
          [](const bool*) { return std::string("true or false"); },
          [](const std::string*) { return std::string(); },
          [](const Device*) { return std::string("auto, cpu, cuda or cuda:N"); },
          [](const ChoiceRef& ref) { return join_words(ref.choices); },
          [](const Extent*) { return std::string("width and height such as 640x480"); },
          [](const std::optional<Rect<int>>*) {
            return std::string("x,y,width,height in whole pixels");
          },
          [&](const std::array<double, 2>*) {
            return "low,high, " + number_range(field, false, Counted::kMany);
          },
          [](const std::vector<std::string>*) { return std::string(); },
          [](const std::vector<Extent>*) { return std::string("sizes such as 640x480,1920x1080"); },
          [](const std::vector<WordAndFile>*) { return std::string("a word and a file"); },
          [&](const std::vector<int>*) { return number_range(field, true, Counted::kMany); },
          [&](const std::vector<double>*) { return number_range(field, false, Counted::kMany); },
          [&]<class Value>(const Value*) {
            constexpr bool kWhole =
                std::is_integral_v<Value> || std::is_same_v<Value, std::optional<int>>;
            return number_range(field, kWhole);
          }},
      field.value);
}

std::string option_value_name(const OptionField& field) {
  if (!field.traits.value_name.empty()) return std::string(field.traits.value_name);
  if (field.bytes) return "BYTES";
  const auto text = [&](const char* plain) {
    switch (field.traits.use) {
      case TextUse::kInput: return "FILE";
      case TextUse::kOutput: return field.name == "output" ? "OUT" : "FILE";
      case TextUse::kFolder: return "DIR";
      case TextUse::kModel: return "MODEL";
      case TextUse::kText: break;
    }
    return plain;
  };
  return std::visit(
      Overloaded{[](const bool*) { return std::string(); },
                 [&](const std::string*) { return std::string(text("TEXT")); },
                 [](const Device*) { return std::string("auto|cpu|cuda|cuda:N"); },
                 [](const ChoiceRef& ref) {
                   std::string words;
                   for (const Choice& choice : ref.choices) {
                     if (!words.empty()) words += '|';
                     words += choice.word;
                   }
                   return words;
                 },
                 [](const Extent*) { return std::string("WxH"); },
                 [](const std::optional<Rect<int>>*) { return std::string("X,Y,W,H"); },
                 [](const std::array<double, 2>*) { return std::string("LOW,HIGH"); },
                 [](const std::vector<int>*) { return std::string("N,..."); },
                 [](const std::vector<double>*) { return std::string("X,..."); },
                 [&](const std::vector<std::string>*) {
                   return std::string(text("TEXT")) + (field.traits.repeats ? "" : ",...");
                 },
                 [](const std::vector<Extent>*) { return std::string("WxH,..."); },
                 [](const std::vector<WordAndFile>*) { return std::string("KIND FILE"); },
                 [](const float*) { return std::string("X"); },
                 [](const double*) { return std::string("X"); },
                 [](const std::optional<double>*) { return std::string("X"); },
                 [](const auto*) { return std::string("N"); }},
      field.value);
}

bool is_list(const OptionField& field) {
  return std::visit(Overloaded{[](const ChoiceRef&) { return false; },
                               []<class T>(const std::vector<T>*) { return true; },
                               [](const auto*) { return false; }},
                    field.value);
}

void set_option(const OptionField& field, std::string_view text) {
  std::visit(Overloaded{[&](bool* value) {
                          if (text != "true" && text != "false") reject(field, text);
                          *value = text == "true";
                        },
                        [&](Device* value) { *value = parse_device(text); },
                        [&](const ChoiceRef& ref) {
                          for (const Choice& choice : ref.choices) {
                            if (is_word(text, choice.word)) return ref.set(ref.field, choice.value);
                          }
                          reject(field, text);
                        },
                        [&](auto* value) { parse(field, text, *value); }},
             field.value);
}

void append_option(const OptionField& field, std::string_view text) {
  std::visit(Overloaded{[&](const ChoiceRef&) { set_option(field, text); },
                        [&]<class T>(std::vector<T>* values) { append(field, text, *values); },
                        [&](auto*) { set_option(field, text); }},
             field.value);
}

void check_option(const OptionField& field) {
  std::visit(Overloaded{[](const bool*) {}, [](const Device*) {},
                        [&](const ChoiceRef& ref) {
                          for (const Choice& choice : ref.choices) {
                            if (choice.value == ref.get(ref.field)) return;
                          }
                          reject(field, word_of(ref));
                        },
                        [&](const auto* value) {
                          each_number(*value, [&](double number) {
                            if (!within(field, number) || !std::isfinite(number))
                              reject(field, option_text(field));
                          });
                        }},
             field.value);
}

namespace {
constexpr std::string_view kByteUnits = "KMGT";
}

std::uint64_t parse_bytes(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  for (const std::string_view tail : {"iB", "B"}) {
    if (unit.size() > tail.size() && unit.ends_with(tail)) {
      unit.remove_suffix(tail.size());
      break;
    }
  }
  const auto power = unit.size() == 1 ? kByteUnits.find(unit[0]) : std::string_view::npos;
  const bool known = unit.empty() || power != std::string_view::npos;
  if (known && !unit.empty()) value *= std::pow(1024.0, static_cast<double>(power + 1));
  if (error != std::errc{} || !known || !(value >= 0) || !(value < 0x1p62))
    throw InvalidArgument(fmt::format(
        "'{}' is not an amount of memory; expected one such as 512M or 2G (K, M, G, T are "
        "powers of 1024)",
        detail::shown(text)));
  return static_cast<std::uint64_t>(value);
}

std::string bytes_text(std::uint64_t bytes) {
  std::size_t power = 0;
  while (bytes > 0 && bytes % 1024 == 0 && power < kByteUnits.size()) {
    bytes /= 1024;
    ++power;
  }
  std::string text = std::to_string(bytes);
  if (power > 0) text += kByteUnits[power - 1];
  return text;
}

}  // namespace fovea
