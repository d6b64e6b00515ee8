# Run at build time: writes the files in FOLDER into the source OUTPUT, each as one string. HEADER declares its function
# find_page_file() in NAMESPACE.
file(GLOB files ${FOLDER}/*)
list(SORT files)
set(types_html "text/html; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_svg "image/svg+xml")
set(source "// Made by cmake/WritePageFiles.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

constexpr PageFile kPageFiles[] = {
")
foreach(file ${files})
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY extension)
  string(SUBSTRING ${extension} 1 -1 extension)
  file(READ ${file} text)
  string(APPEND source "    {\"${name}\", \"${types_${extension}}\", R\"fovea_page(${text})fovea_page\"},\n")
endforeach()
string(APPEND source "};

}  // namespace

const PageFile* find_page_file(std::string_view name) {
  for (const PageFile& file : kPageFiles)
    if (file.name == name) return &file;
  return nullptr;
}

}  // namespace ${NAMESPACE}
")
file(WRITE ${OUTPUT} "${source}")
