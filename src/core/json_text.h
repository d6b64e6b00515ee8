// Strings and numbers as JSON text, for everything that writes JSON.
#pragma once
#include <fovea/core/api.h>

#include <string>
#include <string_view>

namespace fovea::detail {

// Whether json_quote() keeps the text as it is.
bool is_utf8(std::string_view text);
// The text with every byte that does not belong to well-formed UTF-8 replaced by U+FFFD.
FOVEA_API std::string utf8_or_replaced(std::string_view text);
// The text with quotes; control characters are escaped and bytes that are not UTF-8 are replaced,
// so that the result is always valid JSON.
FOVEA_API std::string json_quote(std::string_view text);
// The shortest text that reads back as the same number; null for numbers that JSON cannot express
// (NaN, infinity).
FOVEA_API std::string json_number(double value);
FOVEA_API std::string json_number(float value);

// Throws FormatError "NAME: ..." where brackets in the text are nested more than 100 deep: no file
// of ours needs that, and parsers run out of stack. Call it before parsing text from outside.
FOVEA_API void check_json_depth(std::string_view text, const std::string& name);

}  // namespace fovea::detail
