// A file of a page, such as a script, which cmake/WritePageFiles.cmake makes part of the program.
#pragma once
#include <string_view>

namespace fovea::detail {

struct PageFile {
  std::string_view name;  // "app.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view text;
};

}  // namespace fovea::detail
