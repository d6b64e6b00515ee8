// fovea.ops over images: sizes, differences, filters, sums, pyramids and histograms.
#include "ops.h"

#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/ops/convolve.h>
#include <fovea/ops/gradient.h>
#include <fovea/ops/integral.h>
#include <fovea/ops/pyramid.h>
#include <fovea/ops/resize.h>
#include <fovea/ops/window_histogram.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <concepts>
#include <limits>
#include <utility>

#include "arrays.h"
#include "errors.h"
#include "systems.h"

namespace fovea::python {
namespace {

using enum io::SampleType;

// Rough operations per sample of the calls below.
constexpr double kFew = 10, kMany = 100;

constexpr double kAnyNumber = std::numeric_limits<double>::max();

template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

// Calls function(view) for the type of the samples, which image_input() has made sure is one of
// these.
template <class... Types, class Function>
nb::object on_samples(const ImageInput& input, Function function) {
  return std::visit(
      [&]<class T>(const ImageView<const T>& view) -> nb::object {
        if constexpr (OneOf<T, Types...>) return function(view);
        else return {};
      },
      input.view);
}

// An image whose channels are treated alike, so that their order does not matter.
ImageInput any_image(nb::handle image, std::initializer_list<io::SampleType> samples) {
  return image_input(image, {"image", samples, {1, 2, 3, 4}, nullptr, false});
}
// Images whose samples single precision holds without rounding.
ImageInput exact_image(nb::handle image) {
  return any_image(image, {kUint8, kUint16, kInt8, kInt16, kFloat32});
}
template <class Function>
nb::object on_exact(const ImageInput& input, Function function) {
  return on_samples<std::uint8_t, std::uint16_t, std::int8_t, std::int16_t, float>(input, function);
}

template <class T>
Extent size_of(ImageView<T> view) {
  return {view.width, view.height};
}
template <class T>
Work work_of(ImageView<T> view, double per_sample) {
  return {per_sample * view.height * view.row_elements()};
}

// An image for a result of the size and channels of the input.
template <class Out, class T>
NewImage<Out> like(const ImageInput& input, ImageView<T> view) {
  return {size_of(view), view.channels, input.array.ndim()};
}

template <class T>
void store(ImageView<const float> values, ImageView<T> out) {
  const Image<T> samples = io::samples_from<T>(values);
  copy(samples.view(), out);
}

struct ResizeKeywords : ResizeOptions {
  ResizeTarget target{};
};
void describe(OptionVisitor& visit, ResizeKeywords& options) {
  describe(visit, options.target);
  describe(visit, static_cast<ResizeOptions&>(options));
}

nb::object resize_image(const ResizeKeywords& options, nb::handle image) {
  const ImageInput input = exact_image(image);
  return on_exact(input, [&]<class T>(ImageView<const T> view) {
    NewImage<T> out(target_size(size_of(view), options.target), view.channels, input.array.ndim());
    const Work work{work_of(view, kFew).operations + work_of(out.view(), kFew).operations};
    run_operation(work, options, nb::none(), [&](const ResizeKeywords& watched) {
      if constexpr (OneOf<T, std::uint8_t, std::uint16_t, float>) {
        resize(view, out.view(), watched);
      } else {
        const ImageView<T> to = out.view();
        Image<float> values(to.width, to.height, to.channels);
        resize(io::samples_as<float>(view), values, watched);
        store<T>(values, to);
      }
    });
    return std::move(out).to_numpy();
  });
}

nb::tuple gradient_of(const GradientOptions& options, nb::handle image) {
  const ImageInput input = any_image(image, {kUint8, kFloat32});
  return nb::borrow<nb::tuple>(
      on_samples<std::uint8_t, float>(input, [&]<class T>(ImageView<const T> view) -> nb::object {
        using Difference = std::conditional_t<std::is_same_v<T, float>, float, std::int16_t>;
        auto dx = like<Difference>(input, view), dy = like<Difference>(input, view);
        run_operation(work_of(view, kFew), options, nb::none(),
                      [&](const auto& watched) { gradient(view, dx.view(), dy.view(), watched); });
        return nb::make_tuple(std::move(dx).to_numpy(), std::move(dy).to_numpy());
      }));
}

nb::tuple polar_gradient_of(const PolarGradientOptions& options, nb::handle image) {
  const ImageInput input = image_input(image, {"image", {kUint8, kFloat32}, {1, 2, 3, 4}});
  return nb::borrow<nb::tuple>(
      on_samples<std::uint8_t, float>(input, [&]<class T>(ImageView<const T> view) -> nb::object {
        NewImage<float> magnitude(size_of(view), 1, 2);
        NewImage<std::uint8_t> bin(size_of(view), 1, 2);
        run_operation(work_of(view, kFew), options, nb::none(), [&](const auto& watched) {
          polar_gradient(view, magnitude.view(), bin.view(), watched);
        });
        return nb::make_tuple(std::move(magnitude).to_numpy(), std::move(bin).to_numpy());
      }));
}

// Whether a filter's results stay float32 instead of being stored in the type of the image.
bool stays_float(const ImageInput& input, const std::string& dtype) {
  const std::string own = io::to_string(static_cast<io::SampleType>(input.view.index()));
  if (dtype == "float32") return true;
  if (!dtype.empty() && dtype != own)
    throw_invalid_type(fmt::format(
        "dtype is {} for an image of {}; expected float32 or the image's own type", dtype, own));
  return own == "float32";
}

// Filters every channel by filter(in, out, options), which takes bytes or float32 and gives
// float32, or bytes from bytes. Other samples go through float32 and are rounded and clipped at the
// end.
template <class Options, class Filter>
nb::object filtered(nb::handle image, const std::string& dtype, const Options& options,
                    double operations, const GainOptions* gain, Filter filter) {
  const ImageInput input = exact_image(image);
  const bool real = stays_float(input, dtype);
  return on_exact(input, [&]<class T>(ImageView<const T> view) {
    const auto to_float = [&](ImageView<float> out, const Options& watched) {
      if constexpr (OneOf<T, std::uint8_t, float>) {
        filter(view, out, watched);
      } else {
        const Image<float> samples = io::samples_as<float>(view);
        filter(samples.view(), out, watched);
      }
      if (gain != nullptr) apply_gain(out, *gain);
    };
    const Work work = work_of(view, operations);
    if (real) {
      auto out = like<float>(input, view);
      run_operation(work, options, nb::none(),
                    [&](const Options& watched) { to_float(out.view(), watched); });
      return std::move(out).to_numpy();
    }
    auto out = like<T>(input, view);
    const bool direct = gain == nullptr || (gain->gain == 1 && gain->offset == 0);
    run_operation(work, options, nb::none(), [&](const Options& watched) {
      if constexpr (std::is_same_v<T, std::uint8_t>) {
        if (direct) {
          filter(view, out.view(), watched);
          return;
        }
      }
      Image<float> values(view.width, view.height, view.channels);
      to_float(values, watched);
      store<T>(values, out.view());
    });
    return std::move(out).to_numpy();
  });
}

struct ConvolveKeywords : ConvolveOptions {
  GainOptions gain{};
};
void describe(OptionVisitor& visit, ConvolveKeywords& options) {
  describe(visit, options.gain);
  describe(visit, static_cast<ConvolveOptions&>(options));
}

nb::object convolve_image(const ConvolveKeywords& options, nb::handle image, nb::handle kernel,
                          const std::string& dtype) {
  const ImageInput weights = image_input(kernel, {"kernel", {kFloat32}, {1}});
  const auto taps = weights.of<float>();
  require_finite(taps, "kernel");
  return filtered(
      image, dtype, options, 1.0 * taps.width * taps.height, &options.gain,
      [&](auto in, auto out, const auto& watched) { convolve(in, out, taps, watched); });
}

// The weights of a kernel along one direction.
struct Taps {
  Taps(nb::handle value, const char* name) : array(dense_array<float>(value, name, {1})) {
    if (array.size() < 1 || array.size() > kMost)
      throw InvalidArgument(
          fmt::format("{} has {} taps; expected 1 to {}", name, array.size(), kMost));
    require_finite(packed_view(data(), static_cast<int>(array.size()), 1), name);
  }
  const float* data() const { return static_cast<const float*>(array.data()); }
  std::span<const float> span() const { return {data(), array.size()}; }

  static constexpr std::size_t kMost = 255;
  AnyArray array;
};

nb::object convolve_separable_image(const ConvolveOptions& options, nb::handle image,
                                    nb::handle row_kernel, nb::handle column_kernel,
                                    const std::string& dtype) {
  const Taps row(row_kernel, "row_kernel"), column(column_kernel, "column_kernel");
  return filtered(image, dtype, options,
                  static_cast<double>(row.array.size() + column.array.size()), nullptr,
                  [&](auto in, auto out, const auto& watched) {
                    convolve_separable(in, out, row.span(), column.span(), watched);
                  });
}

// A Gaussian is symmetric about its middle: there is neither an anchor nor anything to flip.
struct BlurKeywords : ConvolveOptions {};
template <class Function>
void for_each_keyword(BlurKeywords& options, Function function) {
  const auto unless_of_kernels = [&](const OptionField& field) {
    if (!field.name.starts_with("anchor") && field.name != "flip") function(field);
  };
  for_each_option(static_cast<ConvolveOptions&>(options), unless_of_kernels);
  for_each_option(options.exec, function);
}

nb::object blur_image(const BlurKeywords& options, nb::handle image, nb::handle sigma,
                      const std::string& dtype) {
  const auto width = number_argument<double>(sigma, "sigma", 0, kAnyNumber);
  return filtered(image, dtype, options, 2 * 9 * std::min(width, 31.0), nullptr,
                  [&](auto in, auto out, const ConvolveOptions& watched) {
                    gaussian_blur(in, out, width, watched);
                  });
}

double sigma_of(nb::handle sigma) { return number_argument<double>(sigma, "sigma", 0, kAnyNumber); }
int taps_of(nb::handle size) { return number_argument<int>(size, "size", 0, kAnyInt); }

nb::object gaussian_taps(nb::handle sigma, nb::handle size) {
  return to_numpy(gaussian_kernel(sigma_of(sigma), taps_of(size)));
}
nb::object derivative_taps(nb::handle sigma, nb::handle order, nb::handle size) {
  return to_numpy(gaussian_derivative_kernel(
      sigma_of(sigma), number_argument<int>(order, "order", 1, 2), taps_of(size)));
}
nb::object laplacian_taps(nb::handle sigma, nb::handle size) {
  return to_numpy(laplacian_of_gaussian_kernel(sigma_of(sigma), taps_of(size)));
}
nb::object box_taps(nb::handle size) { return to_numpy(box_kernel(taps_of(size))); }

template <class Sum>
nb::object integral_as(const ImageInput& input, nb::handle image, const char* sums_type,
                       const IntegralOptions& options) {
  return std::visit(
      [&]<class T>(const ImageView<const T>& view) -> nb::object {
        constexpr bool kDirect = requires(ImageView<Sum> sums) { integral(view, sums, options); };
        if constexpr (kDirect || std::is_floating_point_v<Sum>) {
          const int border = options.kind == IntegralKind::kExclusive ? 1 : 0;
          NewImage<Sum> sums({view.width + border, view.height + border}, view.channels,
                             input.array.ndim());
          run_operation(work_of(view, kFew), options, nb::none(), [&](const auto& watched) {
            if constexpr (kDirect) {
              integral(view, sums.view(), watched);
            } else {
              const Image<Sum> samples = io::samples_as<Sum>(view);
              integral(samples.view(), sums.view(), watched);
            }
          });
          return std::move(sums).to_numpy();
        } else {
          throw_invalid_type(fmt::format(
              "image is {}, whose sums are not computed in {}; pass dtype=numpy.float64",
              array_text(image), sums_type));
        }
      },
      input.view);
}

nb::object integral_of(const IntegralOptions& options, nb::handle image, const std::string& dtype) {
  const ImageInput input =
      any_image(image, {kInt32, kUint8, kUint16, kUint32, kInt8, kInt16, kFloat32, kFloat64});
  if (dtype == "float64") return integral_as<double>(input, image, "float64", options);
  if (dtype == "float32") return integral_as<float>(input, image, "float32", options);
  if (dtype == "uint32") return integral_as<std::uint32_t>(input, image, "uint32", options);
  if (dtype == "int32") return integral_as<std::int32_t>(input, image, "int32", options);
  if (dtype == "uint64") return integral_as<std::uint64_t>(input, image, "uint64", options);
  throw_invalid_type(
      fmt::format("dtype is {}; expected float64, float32, uint32, int32 or uint64", dtype));
}

nb::object integral_histogram_of(const IntegralHistogramOptions& options, nb::handle bin,
                                 nb::handle bins, nb::handle weight) {
  const int count = number_argument<int>(bins, "bins", 1, 255);
  const ImageInput input = image_input(bin, {"bin", {kUint8}, {1}});
  ImageInput weights;
  if (!weight.is_none()) weights = image_input(weight, {"weight", {kFloat32}, {1}});
  const auto view = input.of<std::uint8_t>();
  const auto planes = static_cast<std::size_t>(count),
             rows = static_cast<std::size_t>(view.height) + 1,
             columns = static_cast<std::size_t>(view.width) + 1;
  auto data = std::make_unique_for_overwrite<std::uint32_t[]>(
      fovea::detail::byte_count(rows * columns, planes));
  const StackView<std::uint32_t> sums{data.get(),
                                      view.width + 1,
                                      view.height + 1,
                                      count,
                                      1,
                                      static_cast<std::ptrdiff_t>(columns),
                                      static_cast<std::ptrdiff_t>(rows * columns)};
  run_operation(work_of(view, 4.0 * count), options, nb::none(), [&](const auto& watched) {
    if (weight.is_none()) integral_histogram(view, sums, watched);
    else integral_histogram(view, weights.of<float>(), sums, watched);
  });
  return detail::owned_array(std::move(data), {planes, rows, columns});
}

template <class Stored, class T>
nb::list levels_of(ImageView<const T> view, std::size_t axes, const PyramidOptions& options) {
  Pyramid<T> pyramid =
      run_operation(work_of(view, kMany), options, nb::none(), [&](const PyramidOptions& watched) {
        Pyramid<T> made(watched);
        made.build(view);
        return made;
      });
  nb::list levels;
  for (int i = 0; i < pyramid.levels(); ++i) {
    const ImageView<const T> level = pyramid.level(i);
    NewImage<Stored> out(size_of(level), level.channels, axes);
    if constexpr (std::is_same_v<Stored, T>) copy(level, out.view());
    else store<Stored>(level, out.view());
    levels.append(std::move(out).to_numpy());
  }
  return levels;
}

nb::list pyramid_of(const PyramidOptions& options, nb::handle image) {
  const ImageInput input = exact_image(image);
  const std::size_t axes = input.array.ndim();
  return nb::borrow<nb::list>(on_exact(input, [&]<class T>(ImageView<const T> view) -> nb::object {
    if constexpr (OneOf<T, std::uint8_t, float>) {
      return levels_of<T>(view, axes, options);
    } else {
      const Image<float> samples = io::samples_as<float>(view);
      return levels_of<T, float>(samples.view(), axes, options);
    }
  }));
}

nb::list pyramid_extents(nb::handle width, nb::handle height, const nb::dict& keywords) {
  PyramidOptions options;
  set_keywords(options, keywords, "pyramid_sizes");
  nb::list sizes;
  for (const Extent& size :
       pyramid_sizes(number_argument<int>(width, "width", 1, kAnyInt),
                     number_argument<int>(height, "height", 1, kAnyInt), options))
    sizes.append(nb::make_tuple(size.width, size.height));
  return sizes;
}

nb::object halve_image(const ExecOnly& options, nb::handle image) {
  const ImageInput input = any_image(image, {kUint8, kFloat32});
  return on_samples<std::uint8_t, float>(input, [&]<class T>(ImageView<const T> view) {
    NewImage<T> out({view.width / 2 + view.width % 2, view.height / 2 + view.height % 2},
                    view.channels, input.array.ndim());
    run_operation(work_of(view, kFew), options, nb::none(),
                  [&](const ExecOnly& watched) { gaussian_halve(view, out.view(), watched.exec); });
    return std::move(out).to_numpy();
  });
}

nb::object quantize_image(const QuantizeOptions& options, nb::handle image) {
  const ImageInput input = any_image(image, {kUint8, kUint16, kFloat32});
  return on_samples<std::uint8_t, std::uint16_t, float>(
      input, [&]<class T>(ImageView<const T> view) {
        auto bin = like<std::uint8_t>(input, view);
        run_operation(work_of(view, kFew), options, nb::none(),
                      [&](const auto& watched) { quantize(view, bin.view(), watched); });
        return std::move(bin).to_numpy();
      });
}

template <class Count>
nb::object window_counts(ImageView<const std::uint8_t> bin, int bins,
                         const WindowHistogramOptions& options) {
  NewImage<Count> counts(size_of(bin), bins);
  run_operation(work_of(bin, 4.0 * bins), options, nb::none(),
                [&](const auto& watched) { window_histogram(bin, counts.view(), watched); });
  return std::move(counts).to_numpy();
}

nb::object window_histogram_of(const WindowHistogramOptions& options, nb::handle bin,
                               nb::handle bins, const std::string& dtype) {
  const int count = number_argument<int>(bins, "bins", 1, 64);
  const ImageInput input = image_input(bin, {"bin", {kUint8}, {1}});
  const auto view = input.of<std::uint8_t>();
  if (dtype == "uint16") return window_counts<std::uint16_t>(view, count, options);
  if (dtype == "uint8") return window_counts<std::uint8_t>(view, count, options);
  throw_invalid_type(fmt::format("dtype is {}; expected uint16 or uint8", dtype));
}

}  // namespace

void bind_image_operations(nb::module_& m) {
  define_operation(m, "resize", &resize_image);
  define_operation(m, "gradient", &gradient_of);
  define_operation(m, "polar_gradient", &polar_gradient_of);
  define_operation(m, "convolve", &convolve_image);
  define_operation(m, "convolve_separable", &convolve_separable_image);
  define_operation(m, "gaussian_blur", &blur_image);
  m.def("gaussian_kernel", &gaussian_taps);
  m.def("gaussian_derivative_kernel", &derivative_taps);
  m.def("laplacian_of_gaussian_kernel", &laplacian_taps);
  m.def("box_kernel", &box_taps);
  define_operation(m, "integral", &integral_of);
  define_operation(m, "integral_histogram", &integral_histogram_of);
  define_operation(m, "pyramid", &pyramid_of);
  m.def("pyramid_sizes", &pyramid_extents);
  define_operation(m, "gaussian_halve", &halve_image);
  define_operation(m, "quantize", &quantize_image);
  define_operation(m, "window_histogram", &window_histogram_of);
}

void bind_ops(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("ops");
  bind_image_operations(m);
  bind_number_operations(m);
}

}  // namespace fovea::python
