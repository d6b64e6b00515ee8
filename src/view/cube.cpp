#include "view/cube.h"

#include <fovea/core/error.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

namespace fovea::view {
namespace {

constexpr int kMostImageChannels = 4;

// The factor from the unit of a file's wavelengths to nanometers.
double nanometers_per_unit(const io::CubeFacts& facts) {
  std::string unit = facts.units;
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
  if (unit.starts_with("micro") || unit == "um" || unit == "µm") return 1000;
  if (unit.starts_with("nano") || unit == "nm") return 1;
  // Without a unit the numbers say it: no band lies below 100 nm or above 100 micrometers.
  return facts.wavelengths.front() < 100 ? 1000 : 1;
}

int band_nearest_to(const io::CubeFacts& facts, double nanometers) {
  const double factor = nanometers_per_unit(facts);
  const auto nearest = std::ranges::min_element(facts.wavelengths, {}, [&](double wavelength) {
    return std::abs(wavelength * factor - nanometers);
  });
  return static_cast<int>(nearest - facts.wavelengths.begin());
}

void stretch_band(ImageView<const float> band, ImageView<std::uint8_t> picture, int channel) {
  const report::ValueRange range = report::value_range(band);
  const double scale = range.high > range.low ? 255 / (range.high - range.low) : 0;
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x) {
      const double value = (static_cast<double>(band.at(x, y)) - range.low) * scale;
      // Written so that NaN becomes black.
      picture.at(x, y, channel) =
          static_cast<std::uint8_t>(value > 0 ? std::min(value + 0.5, 255.0) : 0.0);
    }
}

}  // namespace

std::size_t ViewCube::bytes() const {
  return static_cast<std::size_t>(frame.bands.width()) *
         static_cast<std::size_t>(frame.bands.height()) * static_cast<std::size_t>(bands()) *
         sizeof(float);
}

ViewCube read_view_cube(const std::string& path, std::uint64_t most_bytes) {
  io::Cube cube = io::read_cube(path, {.most_bytes = most_bytes});
  ViewCube result;
  result.facts = cube.facts;
  result.frame.name = path;
  result.frame.white = cube.type() == io::SampleType::kUint8 ? 255 : 0;
  result.frame.bands = io::to_float(std::move(cube));
  return result;
}

ShownBands usual_bands(const ViewCube& cube) {
  if (cube.facts.wavelengths.empty()) return {cube.bands() - 1, (cube.bands() - 1) / 2, 0};
  return {band_nearest_to(cube.facts, 640), band_nearest_to(cube.facts, 550),
          band_nearest_to(cube.facts, 460)};
}

Image<std::uint8_t> false_color(const ViewCube& cube, const ShownBands& shown) {
  Image<std::uint8_t> picture(cube.frame.bands.width(), cube.frame.bands.height(), 3);
  int channel = 0;
  for (const int band : {shown.red, shown.green, shown.blue}) {
    if (band < 0 || band >= cube.bands())
      throw InvalidArgument(
          fmt::format("there is no band {}; the cube has bands 0 to {}", band, cube.bands() - 1));
    stretch_band(cube.frame.bands.plane(band), picture.view(), channel++);
  }
  return picture;
}

io::InputKind cube_files() { return {.name = "cube", .extensions = {"hdr", "mat"}}; }

bool is_envi_header(std::string_view name) { return io::has_extension(name, {"", {"hdr"}}); }

std::string envi_header_of(const std::string& samples) {
  std::error_code ignored;
  for (const std::string& header :
       {samples + ".hdr", std::filesystem::path(samples).replace_extension(".hdr").string()})
    if (header != samples && std::filesystem::is_regular_file(header, ignored)) return header;
  return {};
}

bool is_envi_samples(const std::string& path) {
  const io::InputKind samples{"", {"img", "dat", "raw", "bin", "bsq", "bil", "bip", "cube"}};
  return io::has_extension(path, samples) && !envi_header_of(path).empty();
}

bool is_cube(const std::string& path) {
  if (io::has_extension(path, cube_files())) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  if (io::has_extension(path, {"", {"tif", "tiff", "npy"}})) {
    try {
      return io::image_info(path).channels > kMostImageChannels;
    } catch (const Error&) {  // is shown as an image, which then says what is wrong with it
      return false;
    }
  }
  return is_envi_samples(path);
}

}  // namespace fovea::view
