// The files of the page, which are part of the program.
#pragma once
#include <string_view>

#include "core/page_file.h"

namespace fovea::view {

using detail::PageFile;

// Null where there is none.
const PageFile* find_page_file(std::string_view name);

}  // namespace fovea::view
