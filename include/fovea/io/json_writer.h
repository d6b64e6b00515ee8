#pragma once
#include <fovea/io/sink.h>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

// kPretty writes one value per line, indented by two. kOneLine writes a space behind commas and
// colons and no line end. kCompact writes no white space. kLines writes JSON lines: any number of
// top-level values, each on a line of its own, which goes to the sink when it is complete.
enum class JsonStyle : unsigned char { kPretty, kOneLine, kCompact, kLines };

// Writes JSON piece by piece: memory does not grow with the document, only with its depth. Text
// that is not UTF-8 gets replacement characters, NaN and infinities become null, and numbers are
// written as the shortest text that reads back the same, whatever the locale. Calls that would give
// malformed JSON throw InvalidArgument and write nothing. Repeated keys are not detected.
//
//   json.begin_object().member("file", path).key("boxes").begin_array();
//   for (const Box& box : boxes) json.values(std::span(box.corners));
//   json.end_array().end_object().finish();
class FOVEA_API JsonWriter {
 public:
  explicit JsonWriter(Sink sink, JsonStyle style = JsonStyle::kPretty);

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  // An array on one line in every style.
  JsonWriter& begin_inline_array() { return begin(Scope::kInlineArray); }
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(float number);
  JsonWriter& value(std::nullptr_t);
  template <std::same_as<bool> Bool>
  JsonWriter& value(Bool flag) {
    return put(flag ? "true" : "false");
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) JsonWriter& value(Integer number) {
    return put(std::to_string(number));
  }
  // One value that is JSON already, such as options_json(); throws InvalidArgument where it is not.
  JsonWriter& raw(std::string_view json);

  template <class Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }
  // An array of numbers, on one line in every style.
  template <class Number>
  JsonWriter& values(std::span<const Number> numbers) {
    begin_inline_array();
    for (const Number& number : numbers) value(number);
    return end_array();
  }
  template <class Number>
  JsonWriter& values(const std::vector<Number>& numbers) {
    return values(std::span<const Number>(numbers));
  }

  // Gives the rest to the sink. Throws InvalidArgument where an object or array is still open, or
  // where nothing was written (JSON lines may be empty).
  void finish();

 private:
  enum class Scope : unsigned char { kObject, kArray, kInlineArray };
  struct Level {
    Scope scope;
    bool empty = true;
  };

  JsonWriter& put(std::string_view text);
  JsonWriter& begin(Scope scope);
  JsonWriter& end(bool object);
  bool spaced() const { return style_ == JsonStyle::kPretty || style_ == JsonStyle::kOneLine; }
  void comma(Level& level);
  void separate();
  void completed();
  void new_line();
  void flush();

  Sink sink_;
  JsonStyle style_;
  std::vector<Level> levels_;
  std::string pending_;     // text that the sink does not have yet
  bool key_open_ = false;   // a key waits for its value
  bool any_value_ = false;  // a top-level value is complete
};

}  // namespace fovea::io
