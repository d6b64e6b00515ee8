// Any bytes as a flow field: refused with one line, or planes of one size and finite numbers.
#include <fovea/core/error.h>
#include <fovea/io/flow_io.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const fovea::io::FlowField field =
        fovea::io::read_flow({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    if (field.v.width() != field.width() || field.known.height() != field.height()) std::abort();
    for (int y = 0; y < field.height(); ++y)
      for (int x = 0; x < field.width(); ++x)
        if (!std::isfinite(field.u.at(x, y) + field.v.at(x, y))) std::abort();
  } catch (const fovea::FormatError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
