// fovea bench ops: the shared operations. Each case is one function here; its rival, if it has one,
// is an entry of the same name in bench/rivals.
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <fovea/ops/convolve.h>
#include <fovea/ops/gradient.h>
#include <fovea/ops/integral.h>
#include <fovea/ops/pyramid.h>
#include <fovea/ops/resize.h>
#include <fovea/ops/window_histogram.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>

#include "bench/bench.h"
#include "bench/natural_scene.h"
#include "cli/beside/beside.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

template <class T>
std::shared_ptr<Image<T>> blank(const RivalShape& shape, Memory memory) {
  return std::make_shared<Image<T>>(shape.width, shape.height, shape.channels, memory);
}

using Picture = std::shared_ptr<const Image<std::uint8_t>>;

// Pictures of any size and number of channels, cut from one drawn street, which is continued as in
// mirrors.
class Pictures {
 public:
  Picture of(const RivalShape& shape) {
    if (street_.empty()) {
      street_ = NaturalScene({1280, 960}).frame();
      gray_ = io::to_gray(street_.view());
    }
    Picture& picture = made_[{shape.width, shape.height, shape.channels}];
    if (!picture) picture = make(shape);
    return picture;
  }

 private:
  // Gray; red and green; RGB; or RGB and gray.
  Picture make(const RivalShape& shape) const {
    auto picture = std::make_shared<Image<std::uint8_t>>(shape.width, shape.height, shape.channels);
    const int colors = shape.channels == 1 ? 0 : std::min(3, shape.channels);
    const int period = 2 * street_.height();  // after which rows come again
    for (int y = 0; y < shape.height; ++y) {
      if (y >= period) {
        std::copy_n(picture->row(y - period), picture->view().row_elements(), picture->row(y));
        continue;
      }
      for (int x = 0; x < shape.width; ++x) {
        const int u = mirrored(x, street_.width()), v = mirrored(y, street_.height());
        std::copy_n(&street_.at(u, v), colors, &picture->at(x, y));
        if (colors < shape.channels) picture->at(x, y, colors) = gray_.at(u, v);
      }
    }
    return picture;
  }
  static int mirrored(int place, int size) {
    const int within = place % (2 * size);
    return within < size ? within : 2 * size - 1 - within;
  }

  Image<std::uint8_t> street_{};  // drawn when it is needed
  Image<std::uint8_t> gray_{};
  std::map<std::array<int, 3>, Picture> made_{};
};

// Of the whole range for integers, of 0 to 1 for floating point; rivals make the same of it.
template <class T>
std::shared_ptr<Image<T>> samples_of(const Picture& picture, Memory memory) {
  Image<T> image(picture->width(), picture->height(), picture->channels());
  for (int y = 0; y < image.height(); ++y)
    std::transform(picture->row(y), picture->row(y) + image.view().row_elements(), image.row(y),
                   [](std::uint8_t value) {
                     if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value) / 255;
                     else return static_cast<T>(value * (std::numeric_limits<T>::max() / 255));
                   });
  return std::make_shared<Image<T>>(clone(image, memory));
}

double pixels(const RivalShape& shape) { return static_cast<double>(shape.width) * shape.height; }

BenchCase gradient_sobel(RivalShape shape, const Picture& picture) {
  return {.name = "gradient_sobel_u8",
          .shape = shape,
          .bytes = pixels(shape) * (1 + 2 + 2),
          .prepare = [shape, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<std::uint8_t>(picture, memory);
            const auto dx = blank<std::int16_t>(shape, memory);
            const auto dy = blank<std::int16_t>(shape, memory);
            return [=](const Exec& exec) {
              gradient(*image, *dx, *dy, {.kernel = GradientKernel::kSobel, .exec = exec});
            };
          },
          .image = picture};
}

BenchCase gradient_polar(RivalShape shape, const Picture& picture) {
  const RivalShape single{shape.width, shape.height};
  return {.name = "gradient_polar_u8",
          .shape = shape,
          .bytes = pixels(shape) * (shape.channels + 4 + 1),
          .prepare = [single, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<std::uint8_t>(picture, memory);
            const auto magnitude = blank<float>(single, memory);
            const auto bin = blank<std::uint8_t>(single, memory);
            return
                [=](const Exec& exec) { polar_gradient(*image, *magnitude, *bin, {.exec = exec}); };
          },
          .image = picture};
}

template <class In, class Out>
BenchCase integral_case(const char* name, RivalShape shape, const Picture& picture) {
  const RivalShape sums{shape.width + 1, shape.height + 1};
  return {.name = name,
          .shape = shape,
          .bytes = pixels(shape) * (sizeof(In) + sizeof(Out)),
          .prepare = [sums, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<In>(picture, memory);
            const auto out = blank<Out>(sums, memory);
            return [=](const Exec& exec) { integral(image->view(), out->view(), {.exec = exec}); };
          },
          .image = picture};
}

BenchCase window_histogram_case(RivalShape shape, int bins, const Picture& picture) {
  const RivalShape counts{shape.width, shape.height, bins};
  return {.name = "window_histogram_11x11_" + std::to_string(bins) + "_bins",
          .shape = shape,
          .bytes = pixels(shape) * (1 + bins),
          .prepare = [shape, counts, bins, picture](Memory memory) -> BenchWork {
            Image<std::uint8_t> levels(shape.width, shape.height);
            quantize(*picture, levels, {.levels = bins, .exec = {.device = Device::cpu()}});
            const auto bin = std::make_shared<Image<std::uint8_t>>(clone(levels, memory));
            const auto out = blank<std::uint8_t>(counts, memory);
            return [=](const Exec& exec) {
              window_histogram(bin->view(), out->view(), {.window = {11, 11}, .exec = exec});
            };
          },
          .image = picture};
}

BenchCase integral_histogram_case(RivalShape shape, int bins, const Picture& picture) {
  return {.name = "integral_histogram_" + std::to_string(bins) + "_bins",
          .shape = shape,
          .bytes = pixels(shape) * (1 + 4 + 4.0 * bins),
          .prepare = [shape, bins, picture](Memory memory) -> BenchWork {
            Image<float> magnitude(shape.width, shape.height);
            Image<std::uint8_t> orientation(shape.width, shape.height);
            polar_gradient(*picture, magnitude, orientation,
                           {.bins = bins, .exec = {.device = Device::cpu()}});
            const auto bin = std::make_shared<Image<std::uint8_t>>(clone(orientation, memory));
            const auto weight = std::make_shared<Image<float>>(clone(magnitude, memory));
            const auto sums = std::make_shared<Stack<std::uint32_t>>(
                shape.width + 1, shape.height + 1, bins, 1, memory);
            return
                [=](const Exec& exec) { integral_histogram(*bin, *weight, *sums, {.exec = exec}); };
          },
          .image = picture};
}

template <class T>
BenchCase resize_case(const char* name, RivalShape shape, const Picture& picture) {
  const RivalShape to{shape.to_width, shape.to_height, shape.channels};
  return {.name = name,
          .shape = shape,
          .bytes = (pixels(shape) + pixels(to)) * shape.channels * sizeof(T),
          .prepare = [to, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<T>(picture, memory);
            const auto out = blank<T>(to, memory);
            return [=](const Exec& exec) { resize(image->view(), out->view(), {.exec = exec}); };
          },
          .image = picture};
}

template <class T>
BenchCase halve_case(const char* name, RivalShape shape, const Picture& picture) {
  const RivalShape half{(shape.width + 1) / 2, (shape.height + 1) / 2, shape.channels};
  return {.name = name,
          .shape = shape,
          .bytes = (pixels(shape) + pixels(half)) * shape.channels * sizeof(T),
          .prepare = [half, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<T>(picture, memory);
            const auto out = blank<T>(half, memory);
            return [=](const Exec& exec) { gaussian_halve(image->view(), out->view(), exec); };
          },
          .image = picture};
}

// All levels of a fine pyramid, as a detector scans them.
BenchCase pyramid_case(RivalShape shape, double ratio, const Picture& picture) {
  PyramidOptions options{.ratio = ratio, .min_size = {64, 128}};
  double bytes = 0;
  for (const Extent& level : pyramid_sizes(shape.width, shape.height, options))
    bytes += level.width * static_cast<double>(level.height) * shape.channels;
  return {.name = "pyramid_u8_ratio_1.05",
          .shape = shape,
          .bytes = bytes,
          .prepare = [options, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<std::uint8_t>(picture, memory);
            // Made anew when the settings change: a pyramid runs as it was made.
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
          },
          .image = picture};
}

BenchCase separable_case(RivalShape shape, const Picture& picture) {
  return {.name = "convolve_separable_f32",
          .shape = shape,
          .bytes = pixels(shape) * 8,
          .operations = pixels(shape) * 4 * shape.taps,
          .prepare = [shape, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<float>(picture, memory),
                       out = blank<float>(shape, memory);
            const auto kernel = gaussian_kernel(shape.taps / 6.0, shape.taps);
            return [=](const Exec& exec) {
              convolve_separable(image->view(), out->view(), kernel, kernel,
                                 {.border = Border::kRepeat, .exec = exec});
            };
          },
          .image = picture};
}

BenchCase general_case(RivalShape shape, const Picture& picture) {
  return {.name = "convolve_f32",
          .shape = shape,
          .bytes = pixels(shape) * 8,
          .operations = pixels(shape) * 2 * shape.taps * shape.taps,
          .prepare = [shape, picture](Memory memory) -> BenchWork {
            const auto image = samples_of<float>(picture, memory),
                       out = blank<float>(shape, memory);
            Image<float> weights(shape.taps, shape.taps);
            Random random(1);
            for (int y = 0; y < shape.taps; ++y)
              for (int x = 0; x < shape.taps; ++x) weights.at(x, y) = random.uniform();
            const auto kernel = std::make_shared<Image<float>>(std::move(weights));
            return [=](const Exec& exec) {
              convolve(image->view(), out->view(), kernel->view(),
                       {.border = Border::kRepeat, .exec = exec});
            };
          },
          .image = picture};
}

constexpr RivalShape kVga{640, 480}, kFullHd{1920, 1080}, kUltraHd{3840, 2160};

RivalShape resized(RivalShape shape, int to_width, int to_height, int channels = 1) {
  shape.channels = channels;
  shape.to_width = to_width;
  shape.to_height = to_height;
  return shape;
}
RivalShape with_taps(RivalShape shape, int taps) {
  shape.taps = taps;
  return shape;
}

// Cases that the filter leaves out get no picture.
std::vector<BenchCase> ops_cases(const std::string& filter) {
  std::vector<BenchCase> cases;
  Pictures pictures;
  const auto add = [&](const RivalShape& shape, const auto& make_case) {
    BenchCase made = make_case(shape, nullptr);
    const std::string name = made.name + " " + to_string(made.shape);
    if (name.find(filter) != std::string::npos) made = make_case(shape, pictures.of(shape));
    cases.push_back(std::move(made));
  };
  const auto add_named = [&](const char* name, const RivalShape& shape, const auto& make_case) {
    add(shape, [&](const RivalShape& own, const Picture& picture) {
      return make_case(name, own, picture);
    });
  };
  for (const RivalShape& shape : {kVga, kFullHd, kUltraHd}) {
    add(shape, gradient_sobel);
    add({shape.width, shape.height, 3}, gradient_polar);
  }
  for (const RivalShape& shape : {kVga, kFullHd, RivalShape{2048, 2048}, RivalShape{8192, 8192}}) {
    add_named("integral_u8_s32", shape, integral_case<std::uint8_t, std::int32_t>);
    add_named("integral_u8_f64", shape, integral_case<std::uint8_t, double>);
    add_named("integral_f32_f32", shape, integral_case<float, float>);
    add_named("integral_f32_f64", shape, integral_case<float, double>);
  }
  add({1280, 960}, [](const RivalShape& shape, const Picture& picture) {
    return integral_histogram_case(shape, 9, picture);
  });
  add(kFullHd, [](const RivalShape& shape, const Picture& picture) {
    return window_histogram_case(shape, 11, picture);
  });
  for (const int channels : {1, 3}) {
    for (const RivalShape& shape :
         {resized(kFullHd, 1280, 720, channels), resized(kFullHd, 640, 480, channels),
          resized(kVga, 1280, 960, channels), resized({1280, 960}, 1219, 914, channels)}) {
      add_named("resize_u8", shape, resize_case<std::uint8_t>);
      if (channels == 1) add_named("resize_f32", shape, resize_case<float>);
    }
  }
  for (const int channels : {1, 2, 3, 4}) {
    const RivalShape shape = resized(kFullHd, 960, 540, channels);
    add_named("resize_u8", shape, resize_case<std::uint8_t>);
    add_named("resize_u16", shape, resize_case<std::uint16_t>);
    add_named("resize_f32", shape, resize_case<float>);
  }
  for (const int channels : {1, 3})
    add_named("pyramid_down_u8", {kFullHd.width, kFullHd.height, channels},
              halve_case<std::uint8_t>);
  add_named("pyramid_down_f32", kFullHd, halve_case<float>);
  for (const int channels : {1, 3})
    add({1280, 960, channels}, [](const RivalShape& shape, const Picture& picture) {
      return pyramid_case(shape, 1.05, picture);
    });
  for (const int taps : {7, 31}) add(with_taps(kFullHd, taps), separable_case);
  add(with_taps(kFullHd, 7), general_case);
  return cases;
}

int run_bench_ops(BenchOptions& options, Context& context) {
  return run_bench(options, context, [&] { return ops_cases(options.filter); });
}

}  // namespace

Command bench_ops_command() {
  return {.system = "bench",
          .verb = "ops",
          .summary = beside_summary("bench", "ops"),
          .text =
              "Images are cut from a street that is drawn with the statistics of photographs. "
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
