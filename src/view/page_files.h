// The files of the page, which are part of the program.
#pragma once
#include <string_view>

namespace fovea::view {

struct PageFile {
  std::string_view name;  // "app.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view text;
};

// Null where there is none.
const PageFile* find_page_file(std::string_view name);

}  // namespace fovea::view
