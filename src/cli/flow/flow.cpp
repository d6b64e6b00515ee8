#include "cli/flow/flow.h"

#include <fovea/core/error.h>
#include <fovea/flow/show.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

template <class T>
ImageView<const T> pixels_of(const io::AnyImage& image) {
  return std::get<ImageView<const T>>(image.view());
}

bool is_flow_type(io::SampleType type) {
  return type == io::SampleType::kUint8 || type == io::SampleType::kUint16 ||
         type == io::SampleType::kFloat32;
}

std::uint64_t highest_peak = 0;  // the highest of the peaks that were reset

// The value of a line in the process's status, such as "VmHWM:  1234 kB"; 0 where there is none.
std::uint64_t status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  }
  return 0;
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
void require_pair(const std::string& first, const std::string& second, ImagePair& pair) {
  if (pair.first.width() != pair.second.width() || pair.first.height() != pair.second.height())
    throw FormatError(fmt::format("{} is {}x{}, but {} is {}x{}; a pair has one size", first,
                                  pair.first.width(), pair.first.height(), second,
                                  pair.second.width(), pair.second.height()));
  const bool alike =
      pair.first.type() == pair.second.type() && pair.first.facts.white == pair.second.facts.white;
  if (alike) return;
  pair.first = as_float(std::move(pair.first));
  pair.second = as_float(std::move(pair.second));
}

}  // namespace

Device resolve_flow_device(const flow::FlowOptions& options, Context& context) {
  const std::string_view reason = cpu_only(options);
  if (!reason.empty()) {
    if (context.exec.device.kind == DeviceKind::kAuto) context.exec.device = {DeviceKind::kCpu, 0};
    if (context.exec.device.kind == DeviceKind::kCuda)
      throw InvalidArgument(
          fmt::format("{} on the CPU only; use --device cpu instead of cuda", reason));
  }
  return resolve_device(context);
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  highest_peak = std::max(highest_peak, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
  return highest_peak;
}

MemoryWatch::MemoryWatch() {
  peak_memory_bytes();                          // keeps the peak, which is reset next
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak to the memory in use now
  before_ = status_bytes("VmRSS:");
}

std::uint64_t MemoryWatch::working_bytes(std::uint64_t kept_bytes) const {
  const std::uint64_t peak = status_bytes("VmHWM:"), known = before_ + kept_bytes;
  return peak > known ? peak - known : 0;
}

io::AnyImage flow_image(io::AnyImage image) {
  if (image.channels() == 2) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3 && image.channels() != 4)
    throw InvalidArgument(
        fmt::format("the image has {} channels; flow is estimated between gray or RGB images",
                    image.channels()));
  return is_flow_type(image.type()) ? std::move(image) : as_float(std::move(image));
}

ImagePair read_pair(const std::string& first, const std::string& second,
                    ImageView<const std::uint8_t> mask, const io::ImageReadOptions& options) {
  const auto read = [&](const std::string& path) {
    return of_file(path, [&] { return flow_image(io::read_image(path, options)); });
  };
  ImagePair pair{read(first), read(second)};
  require_pair(first, second, pair);
  if (pair.first.type() == io::SampleType::kFloat32) {
    const bool fits = mask.width == pair.first.width() && mask.height == pair.first.height();
    require_finite_file(first, pair.first, fits ? mask : ImageView<const std::uint8_t>{});
    require_finite_file(second, pair.second, {});
  }
  return pair;
}

ImagePair read_alpha_pair(const std::string& first, const std::string& second,
                          const io::ImageReadOptions& options) {
  ImagePair pair;
  const auto read = [&](const std::string& path, Image<std::uint8_t>& mask) {
    io::AnyImage image = io::read_image(path, options);
    return of_file(path, [&] {
      mask = alpha_mask(image);
      return flow_image(std::move(image));
    });
  };
  pair.first = read(first, pair.first_mask);
  pair.second = read(second, pair.second_mask);
  require_pair(first, second, pair);
  if (pair.first.type() == io::SampleType::kFloat32) {
    require_finite_file(first, pair.first, pair.first_mask);
    require_finite_file(second, pair.second, pair.second_mask);
  }
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

Image<std::uint8_t> read_mask(const std::string& path, const io::ImageReadOptions& options) {
  if (path.empty()) return {};
  io::AnyImage image = io::read_image(path, options);
  if (image.channels() > 4)
    throw FormatError(
        fmt::format("{}: has {} channels; a mask is gray or RGB", path, image.channels()));
  return io::to_gray(io::to_bytes(std::move(image)).view());
}

flow::Flow estimate_pair(flow::Estimator& estimator, const ImagePair& pair,
                         ImageView<const std::uint8_t> mask) {
  const auto between = [&]<class T>(T) {
    const auto first = pixels_of<T>(pair.first), second = pixels_of<T>(pair.second);
    if (!mask.empty()) return estimator.estimate<T>(first, second, mask);
    return estimator.estimate<T>(first, second, pair.first_mask, pair.second_mask);
  };
  switch (pair.first.type()) {
    case io::SampleType::kUint8: return between(std::uint8_t{});
    case io::SampleType::kUint16: return between(std::uint16_t{});
    default: return between(float{});
  }
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

std::vector<PictureFile> picture_files(std::span<const WordAndFile> words) {
  std::vector<PictureFile> pictures;
  for (const WordAndFile& each : words) {
    const std::string& word = each.first;
    const auto kinds = choices(FlowPicture{});
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Choice& choice) {
      return word == choice.word &&
             choice.value != static_cast<int>(FlowPicture::kError);  // it needs a true flow
    });
    if (kind == kinds.end())
      throw InvalidArgument(fmt::format(
          "--picture is '{}'; expected wheel, arrows, warp or confidence, and a file", word));
    pictures.push_back({static_cast<FlowPicture>(kind->value), each.second});
  }
  return pictures;
}

Image<std::uint8_t> draw_flow(FlowPicture kind, const PictureSource& source, const Exec& exec) {
  switch (kind) {
    case FlowPicture::kArrows: return flow::arrows_picture(source.first, source.field);
    case FlowPicture::kWarp: return flow::warp_picture(source.second, source.field, exec);
    case FlowPicture::kConfidence: return flow::confidence_picture(source.confidence);
    default: return flow::wheel_picture(source.field, {.longest = source.longest, .exec = exec});
  }
}

io::FlowField field_of(const float* vectors, Extent size) {
  io::FlowField field{Image<float>(size.width, size.height), Image<float>(size.width, size.height),
                      Image<std::uint8_t>(size.width, size.height)};
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x, vectors += 2) {
      field.u.at(x, y) = vectors[0];
      field.v.at(x, y) = vectors[1];
      field.known.at(x, y) = 255;
    }
  }
  return field;
}

}  // namespace fovea::cli
