// fovea bench ops: the shared operations. Each case is one function here; its rival, if it has one,
// is an entry of the same name in bench/rivals.
#include <fovea/core/random.h>
#include <fovea/ops/convolve.h>
#include <fovea/ops/gradient.h>
#include <fovea/ops/integral.h>
#include <fovea/ops/pyramid.h>
#include <fovea/ops/resize.h>
#include <fovea/ops/window_histogram.h>

#include <memory>

#include "cli/bench/bench.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

template <class T>
std::shared_ptr<Image<T>> blank(const BenchShape& shape, Memory memory) {
  return std::make_shared<Image<T>>(shape.width, shape.height, shape.channels, memory);
}

// Random values over the whole range of integers, and in [0, 1) for floating point.
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

template <class In, class Out>
BenchCase integral_case(const char* name, BenchShape shape) {
  const BenchShape sums{shape.width + 1, shape.height + 1};
  return {.name = name,
          .shape = shape,
          .bytes = pixels(shape) * (sizeof(In) + sizeof(Out)),
          .prepare = [shape, sums](Memory memory) -> BenchWork {
            const auto image = noise<In>(shape, memory);
            const auto out = blank<Out>(sums, memory);
            return [=](const Exec& exec) { integral(image->view(), out->view(), {.exec = exec}); };
          }};
}

std::shared_ptr<Image<std::uint8_t>> random_bins(const BenchShape& shape, int bins, Memory memory) {
  Image<std::uint8_t> image(shape.width, shape.height);
  Random random(2);
  for (int y = 0; y < shape.height; ++y)
    for (int x = 0; x < shape.width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>(random.below(static_cast<unsigned>(bins)));
  return std::make_shared<Image<std::uint8_t>>(clone(image, memory));
}

BenchCase window_histogram_case(BenchShape shape, int bins) {
  const BenchShape counts{shape.width, shape.height, bins};
  return {.name = "window_histogram_11x11_" + std::to_string(bins) + "_bins",
          .shape = shape,
          .bytes = pixels(shape) * (1 + bins),
          .prepare = [shape, counts, bins](Memory memory) -> BenchWork {
            const auto bin = random_bins(shape, bins, memory);
            const auto out = blank<std::uint8_t>(counts, memory);
            return [=](const Exec& exec) {
              window_histogram(bin->view(), out->view(),
                               {.window_width = 11, .window_height = 11, .exec = exec});
            };
          }};
}

BenchCase integral_histogram_case(BenchShape shape, int bins) {
  return {.name = "integral_histogram_" + std::to_string(bins) + "_bins",
          .shape = shape,
          .bytes = pixels(shape) * (1 + 4 + 4.0 * bins),
          .prepare = [shape, bins](Memory memory) -> BenchWork {
            const auto bin = random_bins(shape, bins, memory);
            const auto weight = noise<float>(shape, memory);
            const auto sums = std::make_shared<Stack<std::uint32_t>>(
                shape.width + 1, shape.height + 1, bins, 1, memory);
            return
                [=](const Exec& exec) { integral_histogram(*bin, *weight, *sums, {.exec = exec}); };
          }};
}

template <class T>
BenchCase resize_case(const char* name, BenchShape shape) {
  const BenchShape to{shape.to_width, shape.to_height, shape.channels};
  return {.name = name,
          .shape = shape,
          .bytes = (pixels(shape) + pixels(to)) * shape.channels * sizeof(T),
          .prepare = [shape, to](Memory memory) -> BenchWork {
            const auto image = noise<T>(shape, memory);
            const auto out = blank<T>(to, memory);
            return [=](const Exec& exec) { resize(image->view(), out->view(), {.exec = exec}); };
          }};
}

template <class T>
BenchCase halve_case(const char* name, BenchShape shape) {
  const BenchShape half{(shape.width + 1) / 2, (shape.height + 1) / 2, shape.channels};
  return {.name = name,
          .shape = shape,
          .bytes = (pixels(shape) + pixels(half)) * shape.channels * sizeof(T),
          .prepare = [shape, half](Memory memory) -> BenchWork {
            const auto image = noise<T>(shape, memory);
            const auto out = blank<T>(half, memory);
            return [=](const Exec& exec) { gaussian_halve(image->view(), out->view(), exec); };
          }};
}

// All levels of a fine pyramid, like those that a detector scans.
BenchCase pyramid_case(BenchShape shape, double ratio) {
  PyramidOptions options{.ratio = ratio, .min_width = 64, .min_height = 128};
  double bytes = 0;
  for (const Extent& level : pyramid_sizes(shape.width, shape.height, options))
    bytes += level.width * static_cast<double>(level.height);
  return {.name = "pyramid_u8_ratio_1.05",
          .shape = shape,
          .bytes = bytes,
          .prepare = [shape, options](Memory memory) -> BenchWork {
            const auto image = noise<std::uint8_t>(shape, memory);
            // A pyramid keeps its settings, so it is made again when they change.
            struct Made {
              int threads = -1;
              void* stream = nullptr;
              std::unique_ptr<Pyramid<std::uint8_t>> pyramid;
            };
            const auto made = std::make_shared<Made>();
            return [=](const Exec& exec) {
              if (!made->pyramid || made->threads != exec.threads || made->stream != exec.stream) {
                PyramidOptions own = options;
                own.exec = exec;
                *made = {exec.threads, exec.stream,
                         std::make_unique<Pyramid<std::uint8_t>>(own, memory)};
              }
              made->pyramid->build(*image);
            };
          }};
}

BenchCase separable_case(BenchShape shape) {
  return {.name = "convolve_separable_f32",
          .shape = shape,
          .bytes = pixels(shape) * 8,
          .operations = pixels(shape) * 4 * shape.taps,
          .prepare = [shape](Memory memory) -> BenchWork {
            const auto image = noise<float>(shape, memory), out = blank<float>(shape, memory);
            const auto kernel = gaussian_kernel(shape.taps / 6.0, shape.taps);
            return [=](const Exec& exec) {
              convolve_separable(image->view(), out->view(), kernel, kernel,
                                 {.border = Border::kRepeat, .exec = exec});
            };
          }};
}

BenchCase general_case(BenchShape shape) {
  return {.name = "convolve_f32",
          .shape = shape,
          .bytes = pixels(shape) * 8,
          .operations = pixels(shape) * 2 * shape.taps * shape.taps,
          .prepare = [shape](Memory memory) -> BenchWork {
            const auto image = noise<float>(shape, memory), out = blank<float>(shape, memory);
            const auto kernel = noise<float>({shape.taps, shape.taps}, Memory::kHost);
            return [=](const Exec& exec) {
              convolve(image->view(), out->view(), kernel->view(),
                       {.border = Border::kRepeat, .exec = exec});
            };
          }};
}

constexpr BenchShape kVga{640, 480}, kFullHd{1920, 1080}, kUltraHd{3840, 2160};

BenchShape resized(BenchShape shape, int to_width, int to_height, int channels = 1) {
  shape.channels = channels;
  shape.to_width = to_width;
  shape.to_height = to_height;
  return shape;
}
BenchShape with_taps(BenchShape shape, int taps) {
  shape.taps = taps;
  return shape;
}

std::vector<BenchCase> ops_cases() {
  std::vector<BenchCase> cases;
  for (const BenchShape& shape : {kVga, kFullHd, kUltraHd}) {
    cases.push_back(gradient_sobel(shape));
    cases.push_back(gradient_polar({shape.width, shape.height, 3}));
  }
  for (const BenchShape& shape : {kVga, kFullHd, BenchShape{2048, 2048}, BenchShape{8192, 8192}}) {
    cases.push_back(integral_case<std::uint8_t, std::int32_t>("integral_u8_s32", shape));
    cases.push_back(integral_case<std::uint8_t, double>("integral_u8_f64", shape));
    cases.push_back(integral_case<float, float>("integral_f32_f32", shape));
    cases.push_back(integral_case<float, double>("integral_f32_f64", shape));
  }
  cases.push_back(integral_histogram_case({1280, 960}, 9));
  cases.push_back(window_histogram_case(kFullHd, 11));
  for (const int channels : {1, 3}) {
    for (const BenchShape& shape :
         {resized(kFullHd, 1280, 720, channels), resized(kFullHd, 640, 480, channels),
          resized(kVga, 1280, 960, channels), resized({1280, 960}, 1219, 914, channels)}) {
      cases.push_back(resize_case<std::uint8_t>("resize_u8", shape));
      if (channels == 1) cases.push_back(resize_case<float>("resize_f32", shape));
    }
  }
  for (const int channels : {1, 2, 3, 4}) {
    const BenchShape shape = resized(kFullHd, 960, 540, channels);
    cases.push_back(resize_case<std::uint8_t>("resize_u8", shape));
    cases.push_back(resize_case<std::uint16_t>("resize_u16", shape));
    cases.push_back(resize_case<float>("resize_f32", shape));
  }
  cases.push_back(halve_case<std::uint8_t>("pyramid_down_u8", kFullHd));
  cases.push_back(halve_case<float>("pyramid_down_f32", kFullHd));
  cases.push_back(pyramid_case({1280, 960}, 1.05));
  for (const int taps : {7, 31}) cases.push_back(separable_case(with_taps(kFullHd, taps)));
  cases.push_back(general_case(with_taps(kFullHd, 7)));
  return cases;
}

int run_bench_ops(BenchOptions& options, Context& context) {
  return run_bench(options, ops_cases(), context);
}

}  // namespace

Command bench_ops_command() {
  return {.system = "bench",
          .verb = "ops",
          .summary =
              "time the image operations, compared with other libraries and the hardware's limits",
          .text =
              "Each case has one row for one CPU thread, one for all threads and one for the GPU. "
              "This library, the rival and a plain copy of as many bytes take turns in one run, "
              "and medians are reported. The ratio is the rival's time divided by ours: above 1 "
              "this library is faster. The bound is the longer of two times: that of the copy, and "
              "that of the arithmetic at the measured speed of the machine. GPU rows are timed on "
              "data that is already on the device.",
          .examples = {{"fovea bench ops", "print all cases as a table"},
                       {"fovea bench ops --filter sobel --device cpu --json",
                        "print some rows as JSON"},
                       {"fovea bench ops --markdown --repeats 31",
                        "repeat more often and print a table for a document"}},
          .request = make_request<BenchOptions, run_bench_ops>};
}

}  // namespace fovea::cli
