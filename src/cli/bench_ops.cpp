// fovea bench ops: the shared operations. A case is one function here; its rival, if it has one,
// one entry of the same name in bench/rivals.
#include <fovea/gradient.h>
#include <fovea/random.h>

#include <memory>

#include "cli/bench.h"
#include "cli/run.h"

namespace fovea::cli {
namespace {

template <class T>
std::shared_ptr<Image<T>> blank(const BenchShape& shape, Memory memory) {
  return std::make_shared<Image<T>>(shape.width, shape.height, shape.channels, memory);
}

// Whole range for integers, [0, 1) for floating point.
template <class T>
std::shared_ptr<Image<T>> noise(const BenchShape& shape, Memory memory) {
  Image<T> image(shape.width, shape.height, shape.channels);
  Random random(1);
  for (int y = 0; y < shape.height; ++y) {
    for (int i = 0; i < shape.width * shape.channels; ++i) {
      if constexpr (std::is_floating_point_v<T>) image.row(y)[i] = static_cast<T>(random.uniform());
      else image.row(y)[i] = static_cast<T>(random.bits());
    }
  }
  return std::make_shared<Image<T>>(clone(image, memory));
}

double pixels(const BenchShape& shape) { return static_cast<double>(shape.width) * shape.height; }

BenchCase gradient_sobel(BenchShape shape) {
  return {.name = "gradient_sobel_u8",
          .shape = shape,
          .bytes = pixels(shape) * (1 + 2 + 2),
          .prepare = [shape](Memory memory) -> BenchWork {
            const auto image = noise<std::uint8_t>(shape, memory);
            const auto dx = blank<std::int16_t>(shape, memory);
            const auto dy = blank<std::int16_t>(shape, memory);
            return [=](const Exec& exec) {
              gradient(*image, *dx, *dy, {.kernel = GradientKernel::kSobel, .exec = exec});
            };
          }};
}

BenchCase gradient_polar(BenchShape shape) {
  const BenchShape single{shape.width, shape.height};
  return {.name = "gradient_polar_u8",
          .shape = shape,
          .bytes = pixels(shape) * (shape.channels + 4 + 1),
          .prepare = [shape, single](Memory memory) -> BenchWork {
            const auto image = noise<std::uint8_t>(shape, memory);
            const auto magnitude = blank<float>(single, memory);
            const auto bin = blank<std::uint8_t>(single, memory);
            return
                [=](const Exec& exec) { polar_gradient(*image, *magnitude, *bin, {.exec = exec}); };
          }};
}

std::vector<BenchCase> ops_cases() {
  return {
      gradient_sobel({640, 480}),      gradient_sobel({1920, 1080}),
      gradient_sobel({3840, 2160}),    gradient_polar({640, 480, 3}),
      gradient_polar({1920, 1080, 3}), gradient_polar({3840, 2160, 3}),
  };
}

int run_bench_ops(BenchOptions& options, Context& context) {
  return run_bench(options, ops_cases(), context);
}

}  // namespace

Command bench_ops_command() {
  return {
      .system = "bench",
      .verb = "ops",
      .summary = "time the image operations beside rivals and the machine's own limits",
      .text =
          "A row for one CPU thread, one for all of them and one for the GPU. Ours, the rival "
          "and a plain copy of as many bytes take turns in one run; medians count. ratio is the "
          "rival's time over ours: over 1 we are faster. The bound is the slower of that copy "
          "and of the arithmetic at the machine's measured speed. GPU rows are timed on data "
          "that lies on the device.",
      .examples = {{"fovea bench ops", "everything, as a table"},
                   {"fovea bench ops --filter sobel --device cpu --json",
                    "some rows, for programs"},
                   {"fovea bench ops --markdown --repeats 31", "steadier, for a document"}},
      .request = make_request<BenchOptions, run_bench_ops>};
}

}  // namespace fovea::cli
