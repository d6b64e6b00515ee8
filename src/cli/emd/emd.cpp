#include "cli/emd/emd.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"

namespace fovea::cli {

void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground) {
  json.key("ground").begin_object();
  json.member("rows", ground.rows()).member("columns", ground.columns());
  json.member("form", to_string(ground.form())).member("metric", ground.metric());
  json.member("greatest", ground.greatest()).member("unit", ground.unit());
  json.member("exact", ground.exact());
  json.end_object();
}

void print_summary(Context& context, std::string_view lines,
                   std::initializer_list<std::string_view> outputs) {
  if (std::find(outputs.begin(), outputs.end(), "-") == outputs.end()) {
    context.console.print(lines);
    return;
  }
  for (const std::string_view line : fovea::detail::split(lines, '\n'))
    if (!line.empty()) context.console.note(line);
}

void check_outputs(const Context& context, std::initializer_list<std::string_view> outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->empty()) continue;
    if (std::find(outputs.begin(), output, *output) != output)
      throw InvalidArgument(
          fmt::format("{} would be written twice; give each output its own name", *output));
    if (*output == "-" && context.json)
      throw InvalidArgument(
          "--json and an output named - both go to standard output; give the output a file name");
  }
}

}  // namespace fovea::cli
