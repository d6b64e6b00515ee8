#include "operations/flow/images.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <memory>

#include "core/words.h"

namespace fovea::operations {
namespace {

bool is_flow_type(io::SampleType type) {
  return type == io::SampleType::kUint8 || type == io::SampleType::kUint16 ||
         type == io::SampleType::kFloat32;
}

io::AnyImage as_float(io::AnyImage image) {
  const io::ImageFacts facts{image.facts.format, 32, 1, 1, false, image.facts.alpha};
  return {io::to_float(std::move(image)), facts};
}

// Runs `make`; what it finds wrong is a fault of the file.
template <class Make>
auto of_file(const std::string& path, const Make& make) {
  try {
    return make();
  } catch (const InvalidArgument& error) {
    throw FormatError(path + ": " + error.what());
  }
}

// Brings both images to one kind of sample.
void require_alike(const Source& source, ImagePair& pair) {
  if (pair.first.width() != pair.second.width() || pair.first.height() != pair.second.height())
    throw FormatError(fmt::format("{} is {}x{}, but {} is {}x{}; a pair has one size", source.name,
                                  pair.first.width(), pair.first.height(), source.second->name,
                                  pair.second.width(), pair.second.height()));
  const bool alike =
      pair.first.type() == pair.second.type() && pair.first.facts.white == pair.second.facts.white;
  if (alike) return;
  pair.first = as_float(std::move(pair.first));
  pair.second = as_float(std::move(pair.second));
}

// Throws FormatError that names the file and the first pixel that is NaN or infinite.
void require_finite_pixels(const std::string& path, const io::AnyImage& image,
                           ImageView<const std::uint8_t> mask) {
  try {
    flow::require_finite(path, std::get<ImageView<const float>>(image.view()), mask);
  } catch (const InvalidArgument& error) {
    throw FormatError(error.what());
  }
}

void require_finite_pixels(const Source& source, const ImagePair& pair,
                           ImageView<const std::uint8_t> mask) {
  if (pair.first.type() != io::SampleType::kFloat32) return;
  const bool fits = mask.width == pair.first.width() && mask.height == pair.first.height();
  require_finite_pixels(source.name, pair.first, fits ? mask : ImageView<const std::uint8_t>{});
  require_finite_pixels(source.second->name, pair.second, pair.second_mask);
}

}  // namespace

io::AnyImage flow_image(io::AnyImage image) {
  if (image.channels() == 2) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3 && image.channels() != 4)
    throw InvalidArgument(
        fmt::format("the image has {} channels; flow is estimated between gray or RGB images",
                    image.channels()));
  return is_flow_type(image.type()) ? std::move(image) : as_float(std::move(image));
}

Source pair_source(const std::string& first, const std::string& second,
                   const io::ImageReadOptions& options) {
  const auto file = [&](const std::string& path) {
    return Source{.name = path, .image = [path, options](io::Orientation orientation) {
                    io::ImageReadOptions reading = options;
                    reading.orientation = orientation;
                    return io::read_image(path, reading);
                  }};
  };
  Source source = file(first);
  source.second = std::make_shared<const Source>(file(second));
  return source;
}

ImagePair read_pair(const Source& source, ImageView<const std::uint8_t> mask) {
  const auto read = [](const Source& one) {
    return of_file(one.name, [&] { return flow_image(one.image(io::Orientation::kIgnore)); });
  };
  ImagePair pair{read(source), read(*source.second)};
  require_alike(source, pair);
  require_finite_pixels(source, pair, mask);
  return pair;
}

ImagePair read_alpha_pair(const Source& source) {
  ImagePair pair;
  const auto read = [](const Source& one, Image<std::uint8_t>& mask) {
    io::AnyImage image = one.image(io::Orientation::kIgnore);
    return of_file(one.name, [&] {
      mask = alpha_mask(image);
      return flow_image(std::move(image));
    });
  };
  pair.first = read(source, pair.first_mask);
  pair.second = read(*source.second, pair.second_mask);
  require_alike(source, pair);
  require_finite_pixels(source, pair, pair.first_mask);
  return pair;
}

Image<std::uint8_t> alpha_mask(const io::AnyImage& image) {
  const int channels = image.channels();
  if (image.facts.alpha == io::Alpha::kNone || (channels != 2 && channels != 4))
    throw InvalidArgument(
        fmt::format("has {} without alpha, which --mask alpha needs; write the image "
                    "with an alpha channel, or give --mask a file",
                    detail::counted(channels, "channel")));
  Image<std::uint8_t> mask(image.width(), image.height());
  std::visit(
      [&](const auto& pixels) {
        for (int y = 0; y < mask.height(); ++y)
          for (int x = 0; x < mask.width(); ++x)
            mask.at(x, y) = pixels.at(x, y, channels - 1) > 0 ? 255 : 0;
      },
      image.view());
  return mask;
}

Image<std::uint8_t> picture_bytes(const io::AnyImage& image) {
  return image.channels() == 4 ? io::to_bytes(io::drop_alpha(image)) : io::to_bytes(image);
}

Image<std::uint8_t> as_mask(const std::string& path, io::AnyImage image) {
  if (image.channels() > 4)
    throw FormatError(
        fmt::format("{}: has {} channels; a mask is gray or RGB", path, image.channels()));
  return io::to_gray(io::to_bytes(std::move(image)).view());
}

flow::Flow estimate_pair(flow::Estimator& estimator, const ImagePair& pair,
                         ImageView<const std::uint8_t> mask) {
  return with_pixels(pair, [&]<class T>(ImageView<const T> first, ImageView<const T> second) {
    return mask.empty() ? estimator.estimate<T>(first, second, pair.first_mask, pair.second_mask)
                        : estimator.estimate<T>(first, second, mask);
  });
}

std::span<const Choice> choices(FlowPicture) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"wheel", static_cast<int>(FlowPicture::kWheel)},
       {"arrows", static_cast<int>(FlowPicture::kArrows)},
       {"warp", static_cast<int>(FlowPicture::kWarp)},
       {"confidence", static_cast<int>(FlowPicture::kConfidence)},
       {"error", static_cast<int>(FlowPicture::kError)}}};
  return kChoices;
}

}  // namespace fovea::operations
