#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_text.h"

namespace fovea::io {
namespace {

constexpr std::size_t kPiece = 1 << 14;  // bytes handed to the sink at a time

[[noreturn]] void misuse(const std::string& what) { throw InvalidArgument("JsonWriter: " + what); }

}  // namespace

JsonWriter::JsonWriter(Sink sink, JsonStyle style) : sink_(std::move(sink)), style_(style) {
  pending_.reserve(kPiece + 256);
}

JsonWriter& JsonWriter::begin_object() { return begin(Scope::kObject); }
JsonWriter& JsonWriter::end_object() { return end(true); }
JsonWriter& JsonWriter::begin_array() { return begin(Scope::kArray); }
JsonWriter& JsonWriter::end_array() { return end(false); }

JsonWriter& JsonWriter::key(std::string_view name) {
  if (levels_.empty() || levels_.back().scope != Scope::kObject)
    misuse(fmt::format("key '{}' outside an object; call begin_object() first", name));
  if (key_open_) misuse(fmt::format("key '{}' follows a key; give that one its value first", name));
  comma(levels_.back());
  new_line();
  pending_ += detail::json_quote(name);
  pending_ += spaced() ? ": " : ":";
  key_open_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return put(detail::json_quote(text)); }
JsonWriter& JsonWriter::value(double number) { return put(detail::json_number(number)); }
JsonWriter& JsonWriter::value(float number) { return put(detail::json_number(number)); }
JsonWriter& JsonWriter::value(std::nullptr_t) { return put("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  if (!nlohmann::json::accept(json))
    misuse(fmt::format("raw text is not JSON: {}", detail::json_quote(json.substr(0, 60))));
  if (style_ != JsonStyle::kLines) return put(json);
  // Valid JSON has line ends only between its parts, where a space means the same.
  std::string line(json);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return put(line);
}

void JsonWriter::finish() {
  if (!levels_.empty())
    misuse(fmt::format("finished with {} objects or arrays still open; end them first",
                       levels_.size()));
  if (!any_value_ && style_ != JsonStyle::kLines) misuse("finished before any value was written");
  flush();
}

JsonWriter& JsonWriter::put(std::string_view text) {
  separate();
  pending_ += text;
  completed();
  return *this;
}

JsonWriter& JsonWriter::begin(Scope scope) {
  separate();
  pending_ += scope == Scope::kObject ? '{' : '[';
  levels_.push_back({scope});
  return *this;
}

JsonWriter& JsonWriter::end(bool object) {
  const char* name = object ? "object" : "array";
  if (levels_.empty() || (levels_.back().scope == Scope::kObject) != object)
    misuse(fmt::format("end_{}() where no {} is open", name, name));
  if (key_open_) misuse("end_object() after a key; give it its value first");
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && level.scope != Scope::kInlineArray) new_line();
  pending_ += object ? '}' : ']';
  completed();
  return *this;
}

// Writes the separator that precedes a value: a comma, a line end, or nothing after a key.
void JsonWriter::separate() {
  if (key_open_) {
    key_open_ = false;
    return;
  }
  if (levels_.empty()) {
    if (any_value_ && style_ != JsonStyle::kLines)
      misuse("a second top-level value; use JsonStyle::kLines or an array");
    return;
  }
  Level& level = levels_.back();
  if (level.scope == Scope::kObject) misuse("a value in an object without a key; call key() first");
  comma(level);
  if (level.scope == Scope::kArray) new_line();
}

// Values on lines of their own have no space behind the comma.
void JsonWriter::comma(Level& level) {
  if (level.empty) {
    level.empty = false;
    return;
  }
  pending_ += ',';
  const bool own_line = style_ == JsonStyle::kPretty && level.scope != Scope::kInlineArray;
  if (spaced() && !own_line) pending_ += ' ';
}

void JsonWriter::completed() {
  if (levels_.empty()) {
    any_value_ = true;
    if (style_ == JsonStyle::kPretty || style_ == JsonStyle::kLines) pending_ += '\n';
    flush();
  } else if (pending_.size() >= kPiece) {
    flush();
  }
}

void JsonWriter::new_line() {
  if (style_ != JsonStyle::kPretty) return;
  pending_ += '\n';
  pending_.append(2 * levels_.size(), ' ');
}

void JsonWriter::flush() {
  if (!pending_.empty()) sink_(pending_);
  pending_.clear();
}

}  // namespace fovea::io
