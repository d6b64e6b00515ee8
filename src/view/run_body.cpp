#include "view/run_body.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/words.h"
#include "io/text/json_reader.h"

namespace fovea::view {
namespace {

using nlohmann::json;

constexpr int kMostPlace = 1 << 24;  // of frames and of coordinates

std::string text_at(const json& object, const char* key, std::size_t most) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string() || found->get_ref<const std::string&>().size() > most)
    throw FormatError(fmt::format("'{}' is no text of at most {} characters", key, most));
  return found->get<std::string>();
}

int whole_of(const json& value, const char* key) {
  if (!value.is_number_integer() || std::abs(value.get<double>()) > kMostPlace)
    throw FormatError(fmt::format("run: '{}' is no whole number, or too large", key));
  return value.get<int>();
}

const json& array_at(const json& object, const char* key, std::size_t most) {
  static const json kNone = json::array();
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return kNone;
  if (!found->is_array() || found->size() > most)
    throw FormatError(fmt::format("run: '{}' is no array of at most {} elements", key, most));
  return *found;
}

double number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    throw FormatError(fmt::format("question: '{}' is no number", key));
  return found->get<double>();
}

json parse_object(std::string_view body, const char* what) {
  json parsed = io::parse_json(body, what);
  if (!parsed.is_object()) throw FormatError(fmt::format("{}: the body is no JSON object", what));
  return parsed;
}

}  // namespace

Question parse_question(std::string_view body) {
  const json parsed = parse_object(body, "question");
  Question question{.client = text_at(parsed, "client", 64)};
  if (const auto face = parsed.find("face"); face != parsed.end()) {
    if (!face->is_number_integer()) throw FormatError("question: 'face' is no whole number");
    question.face = face->get<std::int64_t>();
    return question;
  }
  question.place = {{number_at(parsed, "x"), number_at(parsed, "y")}};
  if (const auto frame = parsed.find("frame"); frame != parsed.end())
    question.place.frame = whole_of(*frame, "frame");
  return question;
}

RunBody parse_run_body(std::string_view body, const Inputs& inputs) {
  const json parsed = parse_object(body, "run");
  RunBody result{text_at(parsed, "client", 64), text_at(parsed, "system", 32), {}};
  Run& run = result.run;
  for (const json& id : array_at(parsed, "inputs", 8)) {
    const std::shared_ptr<Input> input =
        id.is_string() ? inputs.find(id.get_ref<const std::string&>()) : nullptr;
    if (!input) throw InvalidArgument("run: there is no such input");
    run.inputs.push_back(input);
  }
  if (run.inputs.empty()) throw InvalidArgument("run: no input is chosen");
  run.model = text_at(parsed, "model", 512);
  if (const auto frame = parsed.find("frame"); frame != parsed.end())
    run.frame = std::max(0, whole_of(*frame, "frame"));
  if (const json& box = array_at(parsed, "box", 4); !box.empty()) {
    if (box.size() != 4) throw FormatError("run: 'box' has not four numbers");
    run.box = Rect<int>{whole_of(box[0], "box"), whole_of(box[1], "box"), whole_of(box[2], "box"),
                        whole_of(box[3], "box")};
  }
  const auto options = parsed.find("options");
  if (options == parsed.end()) return result;
  if (!options->is_object() || options->size() > 200)
    throw FormatError("run: 'options' is no object");
  for (const auto& [name, value] : options->items()) {
    if (!value.is_string())
      throw FormatError(fmt::format("run: option '{}' is no text", detail::shown(name)));
    run.options[name] = value.get<std::string>();
  }
  return result;
}

}  // namespace fovea::view
