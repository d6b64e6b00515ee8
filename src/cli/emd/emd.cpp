#include "cli/emd/emd.h"

namespace fovea::cli {

void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground) {
  json.key("ground").begin_object();
  json.member("rows", ground.rows()).member("columns", ground.columns());
  json.member("form", to_string(ground.form())).member("metric", ground.metric());
  json.member("greatest", ground.greatest()).member("unit", ground.unit());
  json.member("exact", ground.exact());
  json.end_object();
}

}  // namespace fovea::cli
