#include "view/run_body.h"

#include <fovea/core/error.h>
#include <fovea/core/record.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace fovea::view {
namespace {

constexpr int kMostPlace = 1 << 24;  // of frames and of coordinates
constexpr std::size_t kMostChosen = 8;
constexpr std::size_t kMostClient = 64;  // characters
constexpr std::size_t kMostModel = 512;  // characters

constexpr FieldTraits kMayLack{.later = true};

// The body of a run. Its system may be empty.
struct RunRequest {
  std::string client{}, system{}, model{};
  std::vector<std::string> inputs{};
  int frame = 0;
  std::vector<int> box{};  // none, or four numbers
  std::vector<std::pair<std::string, std::string>> options{};
};
void describe(FieldVisitor& visit, RunRequest& request) {
  visit("client", request.client, "the page that asks", kMayLack);
  visit("system", request.system, "by its name", kMayLack);
  visit("model", request.model, "one of its models", kMayLack);
  visit("inputs", request.inputs, "by their ids", kMayLack);
  visit("frame", request.frame, "of a video", kMayLack);
  visit("box", request.box, "around a target", kMayLack);
  visit("options", request.options, "that are not at their defaults", kMayLack);
}

struct QuestionRequest {
  std::string client{};
  std::optional<std::int64_t> face{};
  std::optional<double> x{}, y{};
  int frame = 0;
};
void describe(FieldVisitor& visit, QuestionRequest& request) {
  visit("client", request.client, "the page that asks", kMayLack);
  visit("face", request.face, "of a mesh");
  visit("x", request.x, "of a place in the picture");
  visit("y", request.y, "of a place in the picture");
  visit("frame", request.frame, "of a video", kMayLack);
}

void check_place(const char* name, int place) {
  if (std::abs(std::int64_t{place}) > kMostPlace)
    throw FormatError(fmt::format("run: {} is {}, which is too large", name, place));
}

void check_length(const char* name, const std::string& text, std::size_t most) {
  if (text.size() > most)
    throw FormatError(fmt::format("run: {} has more than {} characters", name, most));
}

}  // namespace

Question parse_question(std::string_view body) {
  const auto request = io::parse_record<QuestionRequest>(body, "question");
  check_length("client", request.client, kMostClient);
  if (request.face) return {.client = request.client, .face = request.face};
  if (!request.x || !request.y) throw FormatError("question: has neither a place nor a face");
  check_place("frame", request.frame);
  return {.client = request.client, .place = {{*request.x, *request.y}, request.frame}};
}

RunBody parse_run_body(std::string_view body, const Inputs& inputs) {
  const auto request = io::parse_record<RunRequest>(body, "run");
  check_length("client", request.client, kMostClient);
  check_length("model", request.model, kMostModel);
  RunBody result{request.client, request.system, {.model = request.model}};
  if (request.inputs.empty()) throw InvalidArgument("run: no input is chosen");
  if (request.inputs.size() > kMostChosen)
    throw InvalidArgument(fmt::format("run: at most {} inputs can be chosen", kMostChosen));
  for (const std::string& id : request.inputs) {
    result.run.inputs.push_back(inputs.find(id));
    if (!result.run.inputs.back()) throw InvalidArgument("run: there is no such input");
  }
  check_place("frame", request.frame);
  result.run.frame = std::max(0, request.frame);
  for (const int side : request.box) check_place("box", side);
  if (request.box.size() == 4)
    result.run.box = {request.box[0], request.box[1], request.box[2], request.box[3]};
  else if (!request.box.empty()) throw FormatError("run: box has not four numbers");
  result.run.options = {request.options.begin(), request.options.end()};
  return result;
}

}  // namespace fovea::view
