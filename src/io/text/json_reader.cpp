// Depth is checked before the text is parsed, because the functions that copy, compare and flatten
// the tree call themselves once per level and would run out of stack.
#include "io/text/json_reader.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_text.h"

namespace fovea::io {
namespace {

using nlohmann::json;

// "line 2, column 8" of the byte at which a parser stopped, which counts from 1.
std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                     before.size() - line_start + 1);
}

}  // namespace

json parse_json(std::string_view text, const std::string& name, std::string_view left_out) {
  detail::check_json_depth(text, name);
  json::parser_callback_t keep = nullptr;
  if (!left_out.empty())
    keep = [&](int, json::parse_event_t event, json& parsed) {
      return event != json::parse_event_t::key || parsed.get_ref<std::string&>() != left_out;
    };
  try {
    return json::parse(text, keep);
  } catch (const json::parse_error& error) {
    throw FormatError(
        fmt::format("{}: is not JSON at {}{}", name, place_of(text, error.byte),
                    error.byte > text.size() ? ", its end; it may be truncated" : ""));
  } catch (const json::exception&) {
    throw FormatError(name + ": is not JSON that can be read");
  }
}

}  // namespace fovea::io
