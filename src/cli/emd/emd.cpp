#include "cli/emd/emd.h"

#include <fovea/core/version.h>

namespace fovea::cli {

void begin_emd_result(io::JsonWriter& json, const Context& context) {
  json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
  json.member("device", to_string(context.exec.device)).member("seed", context.exec.seed);
  json.key("options").raw(context.options_json);
}

void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground) {
  json.key("ground").begin_object();
  json.member("rows", ground.rows()).member("columns", ground.columns());
  json.member("form", to_string(ground.form())).member("metric", ground.metric());
  json.member("greatest", ground.greatest()).member("unit", ground.unit());
  json.member("exact", ground.exact());
  json.end_object();
}

}  // namespace fovea::cli
