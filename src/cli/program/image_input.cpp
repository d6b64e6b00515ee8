#include "cli/program/image_input.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace fovea::cli {
namespace {

std::vector<std::byte> read_standard_input() {
  std::vector<std::byte> data;
  std::size_t used = 0;
  do {
    data.resize(std::max<std::size_t>(65536, 2 * used));
    used += std::fread(data.data() + used, 1, data.size() - used, stdin);
  } while (used == data.size());
  if (std::ferror(stdin) != 0)
    throw IoError(fmt::format("standard input: cannot read: {}", std::strerror(errno)));
  data.resize(used);
  return data;
}

}  // namespace

io::AnyImage read_input(const Context& context, const std::string& path,
                        io::Orientation orientation) {
  const io::ImageReadOptions options{.orientation = orientation, .max_pixels = context.max_pixels};
  if (path != "-") return io::read_image(path, options);
  return io::read_image(read_standard_input(), "standard input", options);
}

std::uint64_t image_bytes(const std::string& path) {
  constexpr std::array<std::uint64_t, 8> kSampleBytes{1, 2, 4, 1, 2, 4, 4, 8};
  if (path == "-") return 0;
  try {
    const io::ImageInfo info = io::image_info(path);
    return static_cast<std::uint64_t>(info.width) * static_cast<std::uint64_t>(info.height) *
           static_cast<std::uint64_t>(info.channels) *
           kSampleBytes[static_cast<std::size_t>(info.type)];
  } catch (const Error&) {
    return 0;  // whoever reads it says why
  }
}

}  // namespace fovea::cli
