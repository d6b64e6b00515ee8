// fovea bench flow: whole fields between two images, compared with OpenCV's methods on the CPU. The
// motion of the pair is known, so that every time is shown with its error.
#include <fovea/core/error.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/follow.h>
#include <fovea/flow/stereo.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/natural_scene.h"
#include "cli/beside/beside.h"
#include "cli/flow/flow.h"
#include "cli/flow/stereo_scene.h"
#include "flow/lk/lucas_kanade_plan.h"

namespace fovea::cli {
namespace {

constexpr std::array<std::string_view, 7> kMethods{"lk_fast", "lk_default", "lk_best",     "bm",
                                                   "follow",  "stereo_sgm", "stereo_block"};

struct FlowBenchOptions {
  BenchOptions bench{};
  std::vector<Extent> sizes{{640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}};
  std::vector<std::string> methods{};  // empty: all
  std::uint64_t memory = 0;
};
void describe(OptionVisitor& visit, FlowBenchOptions& options) {
  describe(visit, options.bench);
  visit("sizes", options.sizes, "sizes of the pair of images, 16x16 at least");
  visit("methods", options.methods,
        "methods to measure: lk_fast, lk_default, lk_best, bm, follow, stereo_sgm and stereo_block",
        {.value_name = "METHOD,...", .absent = "all", .words = {kMethods.begin(), kMethods.end()}});
  visit.bytes("memory", options.memory,
              "greatest amount of device memory that an estimation may take; 0 means no limit");
}

RivalShape shape_of(Extent size) {
  if (size.width < 16 || size.height < 16)
    throw InvalidArgument(
        fmt::format("--sizes holds '{}x{}'; expected 16x16 at least", size.width, size.height));
  return {.width = size.width, .height = size.height};
}

flow::FlowOptions options_of(const std::string& method) {
  flow::FlowOptions options;
  if (method == "lk_fast") options.quality = flow::Quality::kFast;
  else if (method == "lk_default") options.quality = flow::Quality::kDefault;
  else if (method == "lk_best") options.quality = flow::Quality::kBest;
  else if (method == "bm") options.method = flow::Method::kBlockMatching;
  else
    throw InvalidArgument(fmt::format(
        "--methods holds '{}'; expected lk_fast, lk_default, lk_best, bm, follow, stereo_sgm or "
        "stereo_block",
        method));
  return options;
}

// An estimator for the device of the first call, and the field of its last call.
struct Runs {
  flow::FlowOptions options;
  std::optional<flow::Estimator> estimator{};
  flow::Flow field{};

  void operator()(ImageView<const std::uint8_t> first, ImageView<const std::uint8_t> second,
                  const Exec& exec) {
    if (!estimator) {
      options.exec = exec;
      options.exec.stream = nullptr;  // the clock's stream ends with the first measurement
      estimator.emplace(options);
    }
    estimator->estimate<std::uint8_t>(first, second, field);
  }
};

// The least bytes per pixel of the pair that any implementation must move. Each step of
// Lucas-Kanade on a level reads both images and the flow and writes the flow, as floats. Block
// matching reads both images and writes the field, which one pass could do.
double least_bytes(const flow::FlowOptions& options) {
  constexpr double kStepBytes = 6 * sizeof(float);
  constexpr double kFieldBytes = 2 * sizeof(std::uint8_t) + 3 * sizeof(float);
  if (options.method == flow::Method::kBlockMatching) return kFieldBytes;
  const flow::lk::Plan plan = flow::lk::make_plan(options.lk, options.quality);
  const double finest = std::pow(0.25, plan.finest);
  return kFieldBytes + kStepBytes * finest * (plan.fine.steps() + plan.coarse.steps() / 3.0);
}

// Two gray frames of a drawn street, as video gives them, and the true motion of every pixel of the
// first one.
struct Pair {
  Image<std::uint8_t> first;
  Image<std::uint8_t> second;
  NaturalScene::Motion truth;
};
using Scene = std::shared_ptr<const Pair>;

Scene pair_of(const RivalShape& shape, const Exec& exec) {
  constexpr double kCamera = 2.5;  // pixels per frame at a width of 640
  const NaturalScene scene({shape.width, shape.height});
  return std::make_shared<Pair>(Pair{io::to_gray(scene.frame({0, kCamera}, exec).view()),
                                     io::to_gray(scene.frame({1, kCamera}, exec).view()),
                                     scene.motion({0, kCamera}, exec)});
}

double error_of(const io::FlowFieldView& field, const Pair& scene) {
  return flow::evaluate_flow(field, {}, {scene.truth.u, scene.truth.v}).all.endpoint;
}

double error_of_rival(const float* vectors, const Pair& scene) {
  return error_of(field_of(vectors, {scene.first.width(), scene.first.height()}), scene);
}

std::shared_ptr<const Image<std::uint8_t>> shared(const Scene& scene,
                                                  const Image<std::uint8_t>& image) {
  return {scene, &image};
}

BenchCase flow_case(const std::string& method, const RivalShape& shape, const Scene& scene,
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

// Where the points of a grid are in the second image.
struct FollowRun {
  Scene scene;
  std::vector<flow::Position> points{};
  flow::Followed found{};

  // The mean distance from the true places, of the points that are inside there.
  double error_of(const flow::Position* places) const {
    double sum = 0;
    int count = 0;
    const Image<std::uint8_t>& image = scene->second;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto [x, y] = points[i];
      const int column = static_cast<int>(x), row = static_cast<int>(y);
      const float true_x = x + scene->truth.u.at(column, row),
                  true_y = y + scene->truth.v.at(column, row);
      if (true_x < 0 || true_y < 0 || true_x > static_cast<float>(image.width() - 1) ||
          true_y > static_cast<float>(image.height() - 1))
        continue;
      sum += std::hypot(places[i].x - true_x, places[i].y - true_y);
      ++count;
    }
    return sum / std::max(count, 1);
  }
};

BenchCase follow_case(RivalShape shape, const Scene& scene) {
  shape.to_width = 40, shape.to_height = 25;  // the grid of points
  const auto last = std::make_shared<FollowRun>(FollowRun{scene});
  for (int j = 0; j < shape.to_height; ++j)
    for (int i = 0; i < shape.to_width; ++i)
      last->points.push_back({(static_cast<float>(i) + 0.5F) * static_cast<float>(shape.width) /
                                  static_cast<float>(shape.to_width),
                              (static_cast<float>(j) + 0.5F) * static_cast<float>(shape.height) /
                                  static_cast<float>(shape.to_height)});
  return {.name = "flow_follow",
          .shape = shape,
          .bytes = 2.0 * shape.width * shape.height,
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) {
              last->found =
                  flow::follow(scene->first, scene->second, {last->points}, {.exec = exec});
            };
          },
          .image = shared(scene, scene->first),
          .second = shared(scene, scene->second),
          .error = [=] { return last->error_of(last->found.points.data()); },
          .rival_error =
              [=](const float* found) {
                return last->error_of(reinterpret_cast<const flow::Position*>(found));
              },
          .cpu_only = true};
}

// A rectified pair of a drawn scene for stereo; errors are the shares in percent of the pixels that
// both images show whose disparity is wrong by more than 2 pixels or not known.
struct StereoPair {
  StereoScene scene;
  Image<std::uint8_t> visible;

  double error_of(ImageView<const float> found) const {
    const flow::StereoErrors errors =
        flow::evaluate_stereo(found, scene.disparity, visible.view()).visible;
    return 100 * (errors.bad2 + errors.unknown);
  }
};

BenchCase stereo_case(const std::string& method, const RivalShape& shape,
                      const std::shared_ptr<const StereoPair>& pair) {
  flow::StereoOptions options;
  options.method = method == "block" ? flow::StereoMethod::kBlock : flow::StereoMethod::kSemiGlobal;
  options.max_disparity = shape.disparities - 1;
  const double pixels = static_cast<double>(shape.width) * shape.height;
  constexpr double kMapBytes = 2 * sizeof(std::uint8_t) + sizeof(float);
  const auto last = std::make_shared<flow::Disparity>();
  return {.name = "flow_stereo_" + method,
          .shape = shape,
          .bytes = kMapBytes * pixels,
          .prepare = [=](Memory) -> BenchWork {
            return [=](const Exec& exec) {
              flow::StereoOptions now = options;
              now.exec = exec;
              *last = flow::match_stereo(pair->scene.left, pair->scene.right, now);
            };
          },
          .image = {pair, &pair->scene.left},
          .second = {pair, &pair->scene.right},
          .error = [=] { return pair->error_of(last->disparity); },
          .rival_error =
              [=](const float* found) {
                return pair->error_of({found, shape.width, shape.height, 1, shape.width});
              },
          .cpu_only = true};
}

std::shared_ptr<const StereoPair> stereo_pair_of(const RivalShape& shape, const Exec& exec) {
  StereoScene scene = stereo_scene(
      {.size = {shape.width, shape.height}, .nearest = 0.75 * shape.disparities, .exec = exec});
  Image<std::uint8_t> visible = flow::visible_pixels(scene.disparity);
  // OpenCV does not match the columns at the left, where not every disparity lies inside.
  for (int y = 0; y < shape.height; ++y)
    std::fill_n(visible.view().row(y), std::min(shape.disparities, shape.width), std::uint8_t{0});
  return std::make_shared<const StereoPair>(StereoPair{std::move(scene), std::move(visible)});
}

std::vector<BenchCase> cases_of(const FlowBenchOptions& options, const Exec& exec) {
  // An unknown method is reported before anything is measured.
  const auto is_stereo = [](const std::string& method) { return method.starts_with("stereo_"); };
  const std::vector<std::string> methods =
      options.methods.empty() ? std::vector<std::string>(kMethods.begin(), kMethods.end())
                              : options.methods;
  for (const std::string& method : methods)
    if (method != "stereo_sgm" && method != "stereo_block" && method != "follow")
      options_of(method);
  // Pictures are drawn only where a case needs them.
  const auto wanted = [&](const std::string& method) {
    return options.bench.filter.empty() ||
           options.bench.filter.find("stereo") == std::string::npos || is_stereo(method);
  };
  std::vector<BenchCase> cases;
  for (const Extent size : options.sizes) {
    RivalShape shape = shape_of(size);
    Scene scene;
    std::shared_ptr<const StereoPair> pair;
    for (const std::string& method : methods) {
      if (!wanted(method)) continue;
      if (is_stereo(method)) {
        shape.disparities = std::clamp(shape.width / 10, 2, 1024);
        if (!pair) pair = stereo_pair_of(shape, exec);
        cases.push_back(stereo_case(method.substr(std::strlen("stereo_")), shape, pair));
        shape.disparities = 0;
        continue;
      }
      if (!scene) scene = pair_of(shape, exec);
      cases.push_back(method == "follow" ? follow_case(shape, scene)
                                         : flow_case(method, shape, scene, options.memory));
    }
  }
  return cases;
}

int run_bench_flow(FlowBenchOptions& options, Context& context) {
  return run_bench(options.bench, context, [&] { return cases_of(options, context.exec); });
}

}  // namespace

Command bench_flow_command() {
  return {
      .system = "bench",
      .verb = "flow",
      .summary = beside_summary("bench", "flow"),
      .text =
          "Estimates whole fields between two gray frames of a street, which is drawn with the "
          "statistics of photographs and whose motion is known: the camera moves and people walk. "
          "Errors are mean endpoint errors in pixels, ours and the "
          "rival's, for the same pair in the same run. On the CPU, OpenCV's DIS and Farneback's "
          "method take turns with ours. \"follow\" follows 1000 points, beside "
          "calcOpticalFlowPyrLK; its errors are mean distances from the true places. Stereo is "
          "measured on a rectified pair of slanted shapes, "
          "with a tenth of the width as range of disparities; its errors are the percentage of the "
          "pixels that both images show which are wrong by more than 2 pixels or not known, "
          "but for as many columns at the left, which OpenCV does not match; its rivals are "
          "StereoBM and StereoSGBM. Neither has rows for a GPU. On a GPU the images "
          "and the field stay in its memory. The "
          "column \"bound share\" compares with the time that it takes to move the bytes that the "
          "iterations over a pyramid must move: 50 % means twice that time.",
      .examples = {{"fovea bench flow --device cpu --threads 1", "time four sizes with one thread"},
                   {"fovea bench flow --filter 1920x1080 --methods lk_default --json",
                    "time one row and print JSON"},
                   {"fovea bench flow --sizes 8192x8192 --memory 512M --methods lk_fast",
                    "time a pair that is estimated in tiles"},
                   {"fovea bench flow --filter stereo --threads 1", "time stereo alone"}},
      .request = make_request<FlowBenchOptions, run_bench_flow>};
}

}  // namespace fovea::cli
