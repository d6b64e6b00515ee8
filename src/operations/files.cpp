#include "operations/files.h"

#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "core/words.h"

namespace fovea::operations {

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw WriteError(
        fmt::format("{}: cannot make the folder: {}", detail::shown(folder), error.message()));
}

void write_text(const std::string& path, std::string_view text) {
  io::FileSink file(path);
  file.write(text);
  file.commit();
}

std::string live_stem(const std::string& input) {
  constexpr std::size_t kLongest = 100;
  std::string stem;
  for (const char letter : input) {
    const bool kept = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-';
    if (kept) stem += letter;
    else if (!stem.empty() && stem.back() != '_') stem += '_';
  }
  while (stem.ends_with('_')) stem.pop_back();
  return stem.substr(0, kLongest);
}

std::uint64_t file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

std::optional<io::ImageInfo> known_image(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};  // a pipe is read only once
  try {
    return io::image_info(path);
  } catch (const Error&) {
    return {};  // whoever reads it says why
  }
}

std::uint64_t image_bytes(const std::string& path) {
  const std::optional<io::ImageInfo> image = known_image(path);
  return image ? io::decoded_bytes(*image) : 0;
}

}  // namespace fovea::operations
