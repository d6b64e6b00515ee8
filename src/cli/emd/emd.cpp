#include "cli/emd/emd.h"

#include <fmt/format.h>

namespace fovea::cli {

void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground) {
  json.key("ground").begin_object();
  json.member("rows", ground.rows()).member("columns", ground.columns());
  json.member("form", to_string(ground.form())).member("metric", ground.metric());
  json.member("greatest", ground.greatest()).member("unit", ground.unit());
  json.member("exact", ground.exact());
  json.end_object();
}

void write_solved_by(io::JsonWriter& json, const emd::SolvedCounts& counts) {
  json.key("solved_by").begin_object();
  for (int i = 0; i < emd::kSolvers; ++i) {
    const auto solver = static_cast<emd::SolvedBy>(i);
    json.member(to_string(solver), counts[solver]);
  }
  json.end_object();
}

std::string solved_by_text(const emd::SolvedCounts& counts) {
  std::string text;
  for (int i = 0; i < emd::kSolvers; ++i) {
    const auto solver = static_cast<emd::SolvedBy>(i);
    if (counts[solver] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(solver), counts[solver]);
  }
  return text;
}

}  // namespace fovea::cli
