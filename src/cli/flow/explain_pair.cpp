// fovea flow lk and bm with --explain: why a pixel has its flow.
#include <fovea/core/error.h>
#include <fovea/flow/explain.h>

#include <fmt/format.h>

#include <variant>

#include "cli/flow/estimate.h"
#include "cli/program/batch.h"
#include "cli/program/output_paths.h"

namespace fovea::cli {
namespace {

flow::FlowExplanation explanation_of_pair(const flow::Estimator& estimator, const ImagePair& pair,
                                          flow::FlowPixel pixel) {
  const auto between = [&]<class T>(T) {
    return flow::explain<T>(estimator, std::get<ImageView<const T>>(pair.first.view()),
                            std::get<ImageView<const T>>(pair.second.view()), pixel);
  };
  switch (pair.first.type()) {
    case io::SampleType::kUint8: return between(std::uint8_t{});
    case io::SampleType::kUint16: return between(std::uint16_t{});
    default: return between(float{});
  }
}

}  // namespace

int explain_pair(const EstimateRequest& request, Context& context) {
  if (context.inputs.size() != 2)
    throw InvalidArgument(
        fmt::format("--explain explains a pair of images, but there {} {} input{}",
                    context.inputs.size() == 1 ? "is" : "are", context.inputs.size(),
                    context.inputs.size() == 1 ? "" : "s"));
  if (!request.output.empty() || !request.pictures.empty() || !request.mask.empty())
    throw InvalidArgument(
        "--explain writes no field and takes no mask; leave out -o, --picture and --mask");
  check_outputs(context, {{"--explain-picture", request.explain_picture}});
  const ImagePair pair =
      read_pair(context.inputs[0], context.inputs[1], {}, {.max_pixels = context.max_pixels});
  const ExplainedPixel pixel =
      explained_pixel(request.explain, {pair.first.width(), pair.first.height()});
  flow::FlowOptions options = request.flow;
  options.exec = context.exec_without_progress();
  options.exec.device = Device::cpu();
  const flow::FlowExplanation why =
      explanation_of_pair(flow::Estimator(options), pair, {pixel.x, pixel.y});
  const Image<std::uint8_t> shown = picture_bytes(pair.first);
  return print_explanation(context, present(why),
                           {.picture = request.explain_picture,
                            .image = shown,
                            .drawing = {.margin = 1.5},
                            .members = [&](io::JsonWriter& json) {
                              json.member("first", context.inputs[0]);
                              json.member("second", context.inputs[1]);
                              json.member("u", why.u).member("v", why.v);
                              json.member("confidence", why.confidence);
                            }});
}

}  // namespace fovea::cli
