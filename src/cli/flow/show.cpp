// fovea flow show: draws a flow file, compares it with a true flow, and converts it to other
// formats.
#include <fovea/core/error.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/show.h>
#include <fovea/flow/summary.h>
#include <fovea/io/image_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/flow/flow.h"
#include "cli/flow/report.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
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
  flow::WheelOptions wheel{};
  flow::ArrowOptions arrows{};
  double greatest = 3;
  io::FlowWriteOptions writing{};
};

void describe(OptionVisitor& visit, ShowRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "picture to write");
  visit("kind", request.kind, "what the picture shows");
  visit.path("image", request.image, TextUse::kInput,
             "first image of the pair, which --kind arrows draws over");
  visit.path("second", request.second, TextUse::kInput,
             "second image of the pair, which --kind warp warps back");
  visit.path("truth", request.truth, TextUse::kInput,
             "file of the true flow: errors are reported, and --kind error draws them");
  visit.path("field", request.field, TextUse::kOutput,
             "file to write the field to: .flo, .png (KITTI), .pfm, .npy or .tif");
  describe(visit, request.writing);
  describe(visit, request.wheel);
  visit.group("arrow", request.arrows);
  visit("greatest-error", request.greatest, "error in pixels that --kind error draws brightest",
        1e-3, 1e6);
}

Image<std::uint8_t> read_bytes(const Context& context, const char* option, const char* kind,
                               const std::string& path) {
  if (path.empty()) throw InvalidArgument(fmt::format("--kind {} needs --{} FILE", kind, option));
  return picture_bytes(flow_image(read_input(context, path)));
}

Image<std::uint8_t> draw(const ShowRequest& request, const io::FlowField& field,
                         const io::FlowField* truth, const Context& context) {
  switch (request.kind) {
    case FlowPicture::kArrows:
      return flow::arrows_picture(read_bytes(context, "image", "arrows", request.image), field,
                                  request.arrows);
    case FlowPicture::kWarp:
      return flow::warp_picture(read_bytes(context, "second", "warp", request.second), field,
                                context.exec);
    case FlowPicture::kError:
      if (truth == nullptr) throw InvalidArgument("--kind error needs --truth FILE");
      return flow::error_picture(flow::endpoint_errors(field, *truth), request.greatest);
    case FlowPicture::kConfidence:
      if (field.confidence.empty())
        throw InvalidArgument(
            fmt::format("{}: holds no confidence; .pfm, .npy and .tif of fovea flow lk and bm do",
                        context.inputs[0]));
      return flow::confidence_picture(field.confidence);
    case FlowPicture::kWheel: break;
  }
  return flow::wheel_picture(field, {.longest = request.wheel.longest, .exec = context.exec});
}

// The error below which this share of the pixels stays.
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

// What is printed: the motion, and its errors where the true one is given.
struct ShowReport {
  struct Errors {
    PrintedErrors printed{};
    double of_99 = 0, of_99_9 = 0, greatest = 0;
  };
  std::string input{};
  Extent size{};
  flow::MotionSummary motion{};
  std::optional<Errors> errors{};
  std::optional<std::string> field{}, output{};
};
void describe(FieldVisitor& visit, ShowReport::Errors& errors) {
  describe(visit, errors.printed);
  visit("endpoint_error_99", errors.of_99, "error that 99 % of the pixels stay below",
        {.unit = "pixels"});
  visit("endpoint_error_99_9", errors.of_99_9, "error that 99.9 % of the pixels stay below",
        {.unit = "pixels"});
  visit("endpoint_error_max", errors.greatest, "the greatest error", {.unit = "pixels"});
}
void describe(FieldVisitor& visit, ShowReport& report) {
  visit.record("ShownFlow", "what a flow file holds");
  visit("input", report.input, "the file");
  visit("width", report.size.width, "of the field", {.unit = "pixels"});
  visit("height", report.size.height, "of the field", {.unit = "pixels"});
  describe(visit, report.motion);
  visit("errors", report.errors, "where the true flow is given", {.flat = true});
  visit("field", report.field, "file that the field was written to");
  visit("output", report.output, "the picture that was written");
}

int run_show(ShowRequest& request, Context& context) {
  if (request.output.empty() && request.truth.empty() && request.field.empty())
    throw InvalidArgument("flow show needs -o OUT, --truth FILE or --field FILE");
  if (!request.output.empty()) io::require_image_path(request.output);
  if (!request.field.empty()) io::require_flow_path(request.field);
  check_outputs(context, {{"-o", request.output}, {"--field", request.field}},
                {request.image, request.second, request.truth});
  resolve_device(context);
  const io::FlowReadOptions reading{.max_pixels = context.max_pixels};
  const io::FlowField field = io::read_flow(context.inputs[0], reading);
  io::FlowField truth;
  if (!request.truth.empty()) truth = io::read_flow(request.truth, reading);
  const io::FlowField* known = request.truth.empty() ? nullptr : &truth;
  ShowReport report{.input = context.inputs[0],
                    .size = {field.width(), field.height()},
                    .motion = flow::summarize(field),
                    .field = written_file(request.field),
                    .output = written_file(request.output)};
  std::string line = fmt::format("{}: {}x{}, mean motion {:.2f} px, longest {:.2f}",
                                 context.inputs[0], field.width(), field.height(),
                                 report.motion.mean_motion, report.motion.longest_motion);
  if (known != nullptr) {
    const flow::FlowReport result = flow::evaluate_flow(field, field.confidence, truth);
    const Image<float> errors = flow::endpoint_errors(field, truth);
    report.errors = {printed_errors(result, !field.confidence.empty()),
                     error_quantile(errors, 0.99), error_quantile(errors, 0.999),
                     error_quantile(errors, 1)};
    report.errors->printed.density = result.density;
    line += fmt::format("; endpoint error {:.4f} px, angular {:.3f} degrees, above 1 px {:.2f} %",
                        result.all.endpoint, result.all.angular, 100 * result.all.r1);
  }
  if (!request.field.empty()) io::write_flow(request.field, field, request.writing);
  if (!request.output.empty())
    io::write_image(request.output, draw(request, field, known, context));
  if (context.json) print_result(context, record_ref(report));
  else context.console.print(line + "\n");
  return kDone;
}

}  // namespace

Command flow_show_command() {
  return {
      .system = "flow",
      .verb = "show",
      .summary = "draw a flow file, compare it with another, or convert it",
      .text =
          "Draws a field in Middlebury's colors, as arrows over the first image, as the second "
          "image warped back to the first, as its confidence, or as its errors against the true "
          "flow. It reads .flo, KITTI's PNG, .pfm, .npy and .tif and writes each of them with "
          "--field. A .npy file holds float32 or float64 of shape (rows, columns, 2), (rows, "
          "columns, 3), whose third channel is the confidence, or (2, rows, columns). A vector "
          "with a value that is NaN, infinite or beyond 1e9 is not "
          "known: it is black in the picture and left out of every number.",
      .arguments = {{"FLOW", "flow file: .flo, .png (KITTI), .pfm, .npy or .tif", 1, 1}},
      .examples = {{"fovea flow show ab.flo -o wheel.png", "draw the field in colors"},
                   {"fovea flow show ab.flo --kind arrows --image a.png -o arrows.png",
                    "draw the field as arrows"},
                   {"fovea flow show ab.flo --truth true.flo --kind error -o error.png --json",
                    "print the errors and draw them"},
                   {"fovea flow show ab.flo --field ab.png", "write the field in another format"}},
      .request = make_request<ShowRequest, run_show>,
      .result = {sample_record<ShowReport>},
      .reads_images = true};
}

}  // namespace fovea::cli
