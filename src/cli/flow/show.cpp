// fovea flow show: pictures of a flow file, its errors, and other formats of it.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/show.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/flow/flow.h"
#include "cli/flow/report.h"
#include "cli/program/batch.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct ShowRequest {
  std::string output{};
  FlowPicture kind = FlowPicture::kWheel;
  std::string image{};
  std::string second{};
  std::string truth{};
  std::string field{};
  double longest = 0;
  double most = 3;
};

void describe(OptionVisitor& visit, ShowRequest& request) {
  visit("output", request.output, "picture to write");
  visit("kind", request.kind, "of picture");
  visit("image", request.image, "first image file, under the arrows");
  visit("second", request.second, "second image file, to be warped back");
  visit("truth", request.truth, "file of the true flow: errors are told, and may be drawn");
  visit("field", request.field, "file to write the field to: .flo, .png (KITTI), .pfm or .npy");
  visit("longest", request.longest,
        "motion in pixels with the wheel's full color; 0: the longest of the field", 0, 1e6);
  visit("most", request.most, "error in pixels that is drawn brightest", 1e-3, 1e6);
}

Image<std::uint8_t> read_bytes(const char* option, const char* kind, const std::string& path) {
  if (path.empty()) throw InvalidArgument(fmt::format("--kind {} needs --{} FILE", kind, option));
  const io::AnyImage image = flow_image(io::read_image(path));
  return image.channels() == 4 ? io::to_bytes(io::drop_alpha(image)) : io::to_bytes(image);
}

Image<std::uint8_t> draw(const ShowRequest& request, const io::FlowField& field,
                         const io::FlowField* truth, const Exec& exec) {
  switch (request.kind) {
    case FlowPicture::kArrows:
      return flow::arrows_picture(read_bytes("image", "arrows", request.image), field);
    case FlowPicture::kWarp:
      return flow::warp_picture(read_bytes("second", "warp", request.second), field, exec);
    case FlowPicture::kError:
      if (truth == nullptr) throw InvalidArgument("--kind error needs --truth FILE");
      return flow::error_picture(flow::endpoint_errors(field, *truth), request.most);
    case FlowPicture::kConfidence:
      throw InvalidArgument(
          "a flow file holds no confidence; fovea flow lk A B --picture confidence FILE draws it");
    case FlowPicture::kWheel: break;
  }
  return flow::wheel_picture(field, request.longest, exec);
}

// The error that all but so many of the pixels stay below.
double error_quantile(const Image<float>& errors, double share) {
  std::vector<float> values;
  for (int y = 0; y < errors.height(); ++y)
    for (int x = 0; x < errors.width(); ++x)
      if (!std::isnan(errors.at(x, y))) values.push_back(errors.at(x, y));
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(
      std::min(share * static_cast<double>(values.size()), static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

struct FieldFacts {
  double known = 0;  // share
  double mean_motion = 0, longest_motion = 0;
};
FieldFacts facts_of(const io::FlowField& field) {
  FieldFacts facts;
  std::int64_t count = 0;
  for (int y = 0; y < field.height(); ++y) {
    for (int x = 0; x < field.width(); ++x) {
      if (field.known.at(x, y) == 0) continue;
      const double length = std::hypot(field.u.at(x, y), field.v.at(x, y));
      facts.mean_motion += length;
      facts.longest_motion = std::max(facts.longest_motion, length);
      ++count;
    }
  }
  facts.known = static_cast<double>(count) / (static_cast<double>(field.width()) * field.height());
  if (count > 0) facts.mean_motion /= static_cast<double>(count);
  return facts;
}

int run_show(ShowRequest& request, Context& context) {
  if (request.output.empty() && request.truth.empty() && request.field.empty())
    throw InvalidArgument("flow show needs -o OUT, --truth FILE or --field FILE");
  settle_device(context);
  const io::FlowField field = io::read_flow(context.inputs[0]);
  io::FlowField truth;
  if (!request.truth.empty()) truth = io::read_flow(request.truth);
  const io::FlowField* known = request.truth.empty() ? nullptr : &truth;
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
  json.member("device", to_string(context.exec.device)).key("options").raw(context.options_json);
  const FieldFacts facts = facts_of(field);
  json.member("input", context.inputs[0]);
  json.member("width", field.width()).member("height", field.height());
  json.member("known_share", facts.known).member("mean_motion", facts.mean_motion);
  json.member("longest_motion", facts.longest_motion);
  std::string line =
      fmt::format("{}: {}x{}, mean motion {:.2f} px, longest {:.2f}", context.inputs[0],
                  field.width(), field.height(), facts.mean_motion, facts.longest_motion);
  if (known != nullptr) {
    const flow::FlowEvaluation result = flow::evaluate_flow(field, {}, truth);
    const Image<float> errors = flow::endpoint_errors(field, truth);
    write_errors(json, result.all);
    json.member("density", result.density);
    json.member("endpoint_error_99", error_quantile(errors, 0.99));
    json.member("endpoint_error_99_9", error_quantile(errors, 0.999));
    json.member("endpoint_error_most", error_quantile(errors, 1));
    line += fmt::format("; endpoint error {:.4f} px, angular {:.3f} degrees, above 1 px {:.2f} %",
                        result.all.endpoint, result.all.angular, 100 * result.all.r1);
  }
  if (!request.field.empty()) {
    io::write_flow(request.field, field);
    json.member("field", request.field);
  }
  if (!request.output.empty()) {
    io::write_image(request.output, draw(request, field, known, context.exec));
    json.member("output", request.output);
  }
  json.end_object().finish();
  context.console.print(context.json ? text : line + "\n");
  return kDone;
}

}  // namespace

Command flow_show_command() {
  return {.system = "flow",
          .verb = "show",
          .summary = "pictures of a flow file, and how far it is from another",
          .text =
              "Draws a field in Middlebury's colors, as arrows over the first image, as the "
              "second image warped back to the first, or its errors against the true flow. Reads "
              ".flo, KITTI's PNG, .pfm and .npy, and writes each of them with --field.",
          .arguments = {{"FLOW", "flow file: .flo, .png (KITTI), .pfm or .npy", 1, 1}},
          .examples = {{"fovea flow show ab.flo -o wheel.png", "in colors"},
                       {"fovea flow show ab.flo --kind arrows --image a.png -o arrows.png",
                        "as arrows"},
                       {"fovea flow show ab.flo --truth true.flo --kind error -o error.png --json",
                        "errors, as numbers and as a picture"},
                       {"fovea flow show ab.flo --field ab.png", "in another format"}},
          .request = make_request<ShowRequest, run_show>};
}

}  // namespace fovea::cli
