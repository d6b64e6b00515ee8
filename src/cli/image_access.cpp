// Binary PGM (P5) and PPM (P6) of 8 bits.
#include "cli/image_access.h"

#include <fovea/error.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "io/output_file.h"

namespace fovea::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_to_read(const std::string& path) {
  if (path == "-") return {stdin, [](std::FILE*) { return 0; }};
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw IoError(path + ": cannot read: Is a directory");
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return file;
}

// The next number of a header, after blanks and comments; -1 where there is none.
int header_number(std::FILE* file) {
  int c = std::fgetc(file);
  while (std::isspace(c) != 0 || c == '#') {
    if (c == '#')
      while (c != '\n' && c != EOF) c = std::fgetc(file);
    c = std::fgetc(file);
  }
  int number = -1;
  for (; std::isdigit(c) != 0 && number < 1000000; c = std::fgetc(file))
    number = (number < 0 ? 0 : number) * 10 + (c - '0');
  return number;  // and the one blank after it has been taken
}

}  // namespace

Image<std::uint8_t> read_image(const std::string& path) {
  const File file = open_to_read(path);
  const int magic = std::fgetc(file.get()), kind = std::fgetc(file.get());
  if (magic != 'P' || (kind != '5' && kind != '6'))
    throw FormatError(path + ": is not a binary PGM or PPM image");
  const int width = header_number(file.get()), height = header_number(file.get());
  const int greatest = header_number(file.get());
  constexpr int kMostSide = 65536;
  if (width < 1 || height < 1 || width > kMostSide || height > kMostSide)
    throw FormatError(fmt::format("{}: claims {}x{} pixels; expected 1x1 to {}x{}", path, width,
                                  height, kMostSide, kMostSide));
  if (greatest != 255)
    throw FormatError(fmt::format("{}: has maximum value {}; expected 255", path, greatest));
  const int channels = kind == '6' ? 3 : 1;
  // Rows are collected as they arrive, so that a lying header costs no more than the file is long.
  const auto row_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  std::string pixels;
  std::string row(row_bytes, '\0');
  for (int y = 0; y < height; ++y) {
    if (std::fread(row.data(), 1, row_bytes, file.get()) != row_bytes)
      throw FormatError(fmt::format("{}: ends in row {} of {}", path, y, height));
    pixels += row;
  }
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    std::memcpy(image.row(y), pixels.data() + static_cast<std::size_t>(y) * row_bytes, row_bytes);
  return image;
}

void write_image(const std::string& path, ImageView<const std::uint8_t> image) {
  io::OutputFile file(path);
  file.write(
      fmt::format("P{}\n{} {}\n255\n", image.channels == 3 ? 6 : 5, image.width, image.height));
  for (int y = 0; y < image.height; ++y)
    file.write(image.row(y), static_cast<std::size_t>(image.row_elements()));
  file.commit();
}

}  // namespace fovea::cli
