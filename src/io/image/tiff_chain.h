// Whether a TIFF of several pages was cut off behind the one that is read. Its pages are a chain:
// each directory says where the next one stands. libtiff looks at no page but the one it reads.
#pragma once
#include <cstdint>
#include <optional>

#include "io/text/source.h"

namespace fovea::io {

// A place beyond the end of the file where a page or the pixels of the last page should stand;
// nothing where all are there, or where the chain is not understood.
std::optional<std::uint64_t> missing_tiff_page(const Source& source);

}  // namespace fovea::io
