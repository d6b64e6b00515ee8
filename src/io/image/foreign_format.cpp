// Names of formats that are not read, recognized by their first bytes, so that an error can say
// what a file is instead of only what it is not.
#include <fmt/format.h>

#include <array>

#include "io/image/codec.h"

namespace fovea::io {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view name;
  std::size_t offset = 0;
  bool picture = true;
};

constexpr std::array kMagics{
    Magic{"GIF8"sv, "a GIF"sv},
    Magic{"\0\0\0\x0c"
          "JXL "sv,
          "a JPEG XL"sv},
    Magic{"\xff\x0a"sv, "a JPEG XL"sv},
    Magic{"\0\0\0\x0cjP  "sv, "a JPEG 2000"sv},
    Magic{"\xff\x4f\xff\x51"sv, "a JPEG 2000"sv},
    Magic{"v/1\x01"sv, "an OpenEXR file"sv},
    Magic{"#?RADIANCE"sv, "a Radiance HDR"sv},
    Magic{"#?RGBE"sv, "a Radiance HDR"sv},
    Magic{"8BPS"sv, "a Photoshop file"sv},
    Magic{"gimp xcf"sv, "a GIMP file"sv},
    Magic{"%PDF"sv, "a PDF"sv, 0, false},
    Magic{"%!PS"sv, "a PostScript file"sv, 0, false},
    Magic{"\0\0\x01\0"sv, "an icon"sv},
    Magic{"DDS "sv, "a DDS"sv},
    Magic{"qoif"sv, "a QOI"sv},
    Magic{"farbfeld"sv, "a farbfeld"sv},
    Magic{"FLIF"sv, "a FLIF"sv},
    Magic{"BPG\xfb"sv, "a BPG"sv},
    Magic{"\x8aMNG"sv, "an MNG"sv},
    Magic{"\x8bJNG"sv, "a JNG"sv},
    Magic{"SIMPLE  ="sv, "a FITS file"sv},
    Magic{"DICM"sv, "a DICOM file"sv, 128},
    Magic{"<svg"sv, "an SVG"sv},
    Magic{"<!DOCTYPE"sv, "an HTML page"sv, 0, false},
    Magic{"<html"sv, "an HTML page"sv, 0, false},
    Magic{"<?xml"sv, "an XML file"sv, 0, false},
    Magic{"version https://git-lfs"sv, "a Git LFS pointer and not the file itself"sv, 0, false},
    Magic{"PK\x03\x04"sv, "a ZIP archive (or .npz)"sv, 0, false},
    Magic{"\x1f\x8b"sv, "a gzip archive"sv, 0, false},
    Magic{"\xfd"
          "7zXZ"sv,
          "an xz archive"sv, 0, false},
    Magic{"\x28\xb5\x2f\xfd"sv, "a Zstandard archive"sv, 0, false},
    Magic{"\x89HDF"sv, "an HDF5 file"sv, 0, false},
    Magic{"MATLAB 5.0"sv, "a MATLAB file"sv, 0, false},
    Magic{"PIEH"sv, "a Middlebury .flo flow field"sv, 0, false},
    Magic{"YUV4MPEG2"sv, "a y4m video"sv, 0, false},
    Magic{"\x1a\x45\xdf\xa3"sv, "a Matroska or WebM video"sv, 0, false},
    Magic{"OggS"sv, "an Ogg file"sv, 0, false},
    Magic{"AVI "sv, "an AVI video"sv, 8, false},
};

// ISO base media files name their kind after "ftyp".
Magic media_kind(std::string_view brand) {
  if (brand == "avif" || brand == "avis") return {brand, "an AVIF"};
  for (const std::string_view heif : {"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"}) {
    if (brand == heif) return {brand, "a HEIC"};
  }
  return {brand, "an MP4 or QuickTime video", 0, false};
}

std::string phrase(const Magic& magic) {
  return fmt::format(
      "is {}, {}", magic.name,
      magic.picture ? "which is not read; convert it to PNG, for example with ffmpeg -i IN OUT.png"
                    : "not an image");
}

}  // namespace

std::string foreign_format(std::string_view head) {
  if (head.size() >= 12 && head.substr(4, 4) == "ftyp")
    return phrase(media_kind(head.substr(8, 4)));
  for (const Magic& magic : kMagics) {
    if (head.size() >= magic.offset + magic.bytes.size() &&
        head.substr(magic.offset, magic.bytes.size()) == magic.bytes)
      return phrase(magic);
  }
  return {};
}

}  // namespace fovea::io
