#include <fovea/core/version.h>
#include <fovea/io/result_json.h>

#include <fmt/format.h>

#include "core/json_text.h"

namespace fovea::io {

using detail::json_quote;

std::string origin_members(const ResultOrigin& origin, std::string_view separator) {
  std::string members = fmt::format(
      R"("fovea": "{0}"{5}"command": {1}{5}"device": "{2}"{5}"seed": {3}{5}"options": {4})",
      FOVEA_VERSION, json_quote(origin.command), origin.device, origin.seed,
      origin.options.empty() ? "{}" : origin.options, separator);
  if (origin.models.empty()) return members;
  return fmt::format("{}{}\"model_hashes\": {}", members, separator, origin.models);
}

std::string begin_results(const ResultOrigin& origin) {
  return fmt::format("{{\n  {},\n  {}{}\"results\": [", origin_members(origin, ",\n  "),
                     origin.beside, origin.beside.empty() ? "" : ",\n  ");
}

std::string begin_result_element(std::string_view input, bool first) {
  return fmt::format("{}\n    {{\"input\": {}", first ? "" : ",", json_quote(input));
}

std::string end_results(const ResultsEnd& end) {
  const std::string seconds =
      end.seconds ? fmt::format(",\n  \"seconds\": {}", detail::json_number(*end.seconds)) : "";
  return fmt::format("\n  ],\n  \"interrupted\": {},\n  \"failed\": {}{}{}{}\n}}\n",
                     end.interrupted, end.failed, end.beside.empty() ? "" : ",\n  ", end.beside,
                     seconds);
}

std::string single_result_json(const ResultOrigin& origin, std::string_view input,
                               std::string_view members, const ResultsEnd& end) {
  return fmt::format("{}{}{}{}}}{}", begin_results(origin), begin_result_element(input, true),
                     members.empty() ? "" : ", ", members, end_results(end));
}

}  // namespace fovea::io
