// fovea bench flow: whole fields between two frames, beside OpenCV's methods on the CPU. Motion of
// the pair is known, so that every time stands beside its error.
#include <fovea/core/error.h>
#include <fovea/flow/evaluate.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/bench/bench.h"
#include "cli/flow/flow.h"
#include "cli/flow/scene.h"
#include "flow/lk/lucas_kanade_plan.h"

namespace fovea::cli {
namespace {

struct FlowBenchOptions {
  BenchOptions bench{};
  std::string sizes = "640x480,1280x720,1920x1080,3840x2160";
  std::string methods = "lk_fast,lk_default,lk_best,bm";
  std::uint64_t memory = 0;
};
void describe(OptionVisitor& visit, FlowBenchOptions& options) {
  describe(visit, options.bench);
  visit("sizes", options.sizes, "sizes of the pair, such as 640x480,1920x1080");
  visit("methods", options.methods, "of lk_fast, lk_default, lk_best and bm, parted by commas");
  visit.bytes("memory", options.memory, "most device memory to use; 0 is no limit");
}

std::vector<std::string> parted(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

BenchShape parse_size(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%c", &width, &height, &rest) != 2 || width < 16 ||
      height < 16)
    throw InvalidArgument(
        fmt::format("--sizes holds '{}'; expected WIDTHxHEIGHT of at least 16x16", text));
  return {.width = width, .height = height};
}

flow::FlowOptions options_of(const std::string& method) {
  flow::FlowOptions options;
  if (method == "lk_fast") options.lk.quality = flow::Quality::kFast;
  else if (method == "lk_default") options.lk.quality = flow::Quality::kDefault;
  else if (method == "lk_best") options.lk.quality = flow::Quality::kBest;
  else if (method == "bm") options.method = flow::Method::kBlockMatching;
  else
    throw InvalidArgument(
        fmt::format("--methods holds '{}'; expected lk_fast, lk_default, lk_best or bm", method));
  return options;
}

// An estimator made for the place that the first call names, and the field of its last call.
struct Runs {
  flow::FlowOptions options;
  std::optional<flow::Estimator> estimator{};
  flow::Flow field{};

  void operator()(ImageView<const std::uint8_t> first, ImageView<const std::uint8_t> second,
                  const Exec& exec) {
    if (!estimator) {
      options.exec = exec;
      options.exec.stream = nullptr;  // a clock's own, gone with the first measurement
      estimator.emplace(options);
    }
    estimator->estimate<std::uint8_t>(first, second, field);
  }
};

// That must be moved for a pixel of the pair, at least. Each step of Lucas-Kanade on a level reads
// both images and the flow and writes the flow, as floats; matching blocks reads both images and
// writes the field, which it could do in one pass.
double least_bytes(const flow::FlowOptions& options) {
  constexpr double kStepBytes = 6 * sizeof(float);
  constexpr double kFieldBytes = 2 * sizeof(std::uint8_t) + 3 * sizeof(float);
  if (options.method == flow::Method::kBlockMatching) return kFieldBytes;
  const flow::lk::Plan plan = flow::lk::make_plan(options.lk);
  const double finest = std::pow(0.25, plan.finest);
  return kFieldBytes + kStepBytes * finest * (plan.fine.steps() + plan.coarse.steps() / 3.0);
}

using Scene = std::shared_ptr<const FlowScene>;

double error_of(const io::FlowFieldView& field, const FlowScene& scene) {
  return flow::evaluate_flow(field, {}, {scene.u, scene.v}).all.endpoint;
}

double error_of_rival(const float* vectors, const FlowScene& scene) {
  Image<float> u(scene.u.width(), scene.u.height()), v(scene.u.width(), scene.u.height());
  for (int y = 0; y < u.height(); ++y) {
    for (int x = 0; x < u.width(); ++x, vectors += 2) {
      u.at(x, y) = vectors[0];
      v.at(x, y) = vectors[1];
    }
  }
  return error_of({u, v}, scene);
}

std::shared_ptr<const Image<std::uint8_t>> shared(const Scene& scene,
                                                  const Image<std::uint8_t>& image) {
  return {scene, &image};
}

BenchCase flow_case(const std::string& method, const BenchShape& shape, const Scene& scene,
                    std::uint64_t memory_bytes) {
  flow::FlowOptions options = options_of(method);
  options.memory_bytes = memory_bytes;
  const double pixels = static_cast<double>(shape.width) * shape.height;
  const auto last = std::make_shared<std::shared_ptr<Runs>>();
  return {.name = "flow_" + method,
          .shape = shape,
          .bytes = least_bytes(options) * pixels,
          .prepare = [=](Memory memory) -> BenchWork {
            const auto first = std::make_shared<Image<std::uint8_t>>(clone(scene->first, memory));
            const auto second = std::make_shared<Image<std::uint8_t>>(clone(scene->second, memory));
            const auto runs = std::make_shared<Runs>(Runs{options});
            *last = runs;
            return [=](const Exec& exec) { (*runs)(*first, *second, exec); };
          },
          .image = shared(scene, scene->first),
          .second = shared(scene, scene->second),
          .error =
              [=] {
                const flow::Flow& field = (*last)->field;
                return error_of({clone(field.u), clone(field.v)}, *scene);
              },
          .rival_error = [=](const float* found) { return error_of_rival(found, *scene); }};
}

int run_bench_flow(FlowBenchOptions& options, Context& context) {
  const auto methods = parted(options.methods);
  for (const std::string& method : methods) options_of(method);  // a wrong word is said at once
  std::vector<BenchCase> cases;
  for (const std::string& text : parted(options.sizes)) {
    const BenchShape shape = parse_size(text);
    const Scene scene =
        std::make_shared<FlowScene>(flow_scene(shape.width, shape.height, context.exec));
    for (const std::string& method : methods)
      cases.push_back(flow_case(method, shape, scene, options.memory));
  }
  return run_bench(options.bench, cases, context);
}

}  // namespace

Command bench_flow_command() {
  return {.system = "bench",
          .verb = "flow",
          .summary = "time the estimators of flow beside OpenCV's, with their errors",
          .text =
              "Whole fields between two gray frames of textured discs over a textured ground, all "
              "in motion that is known: errors are mean endpoint errors in pixels, ours and the "
              "rival's, of the same pair in the same run. On the CPU OpenCV's DIS and Farneback's "
              "method take turns with ours. On a GPU the frames lie in its memory and the field "
              "stays there; of bound is what share of the time it takes to move the bytes that the "
              "iterations of a pyramid must move.",
          .examples = {{"fovea bench flow --device cpu --threads 1", "one thread, four sizes"},
                       {"fovea bench flow --filter 1920x1080 --methods lk_default --json",
                        "one row, for programs"},
                       {"fovea bench flow --sizes 8192x8192 --memory 512M --methods lk_fast",
                        "in tiles"}},
          .request = make_request<FlowBenchOptions, run_bench_flow>};
}

}  // namespace fovea::cli
