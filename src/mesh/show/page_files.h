// Style and modules of pages that show meshes, which are part of the library.
#pragma once
#include <string_view>

#include "core/page_file.h"

namespace fovea::mesh {

using fovea::detail::PageFile;

// Null where there is none.
const PageFile* find_page_file(std::string_view name);

}  // namespace fovea::mesh
