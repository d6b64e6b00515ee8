#include <gmock/gmock.h>

#include "io/image/codec.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

TEST(ForeignFormat, NamesWhatItSees) {
  const std::vector<std::pair<std::string, const char*>> kinds = {
      {"GIF89a", "a GIF"},
      {"\0\0\0\x0cJXL \r\n"s, "a JPEG XL"},
      {"\xff\x0a", "a JPEG XL"},
      {"\0\0\0\x0cjP  \r\n"s, "a JPEG 2000"},
      {"\xff\x4f\xff\x51", "a JPEG 2000"},
      {"v/1\x01", "an OpenEXR"},
      {"#?RADIANCE\n", "a Radiance HDR"},
      {"#?RGBE\n", "a Radiance HDR"},
      {"8BPS", "a Photoshop"},
      {"gimp xcf file", "a GIMP"},
      {"%PDF-1.7", "a PDF, not an image"},
      {"%!PS-Adobe", "a PostScript"},
      {"\0\0\x01\0"s, "an icon"},
      {"DDS ", "a DDS"},
      {"qoif", "a QOI"},
      {"farbfeld", "a farbfeld"},
      {"FLIF", "a FLIF"},
      {"BPG\xfb", "a BPG"},
      {"\x8aMNG", "an MNG"},
      {"\x8bJNG", "a JNG"},
      {"SIMPLE  =", "a FITS"},
      {std::string(128, '\0') + "DICM", "a DICOM"},
      {"<svg xmlns", "an SVG"},
      {"<!DOCTYPE html>", "an HTML page, not an image"},
      {"<html>", "an HTML page"},
      {"<?xml version", "an XML file"},
      {"version https://git-lfs.github.com", "a Git LFS pointer"},
      {"PK\x03\x04", "a ZIP archive"},
      {"\x1f\x8b", "a gzip"},
      {"\xfd"
       "7zXZ",
       "an xz"},
      {"\x28\xb5\x2f\xfd", "a Zstandard"},
      {"\x89HDF", "an HDF5"},
      {"MATLAB 5.0 MAT-file", "a MATLAB"},
      {"PIEH", "a Middlebury .flo"},
      {"YUV4MPEG2 W1", "a y4m video, not an image"},
      {"\x1a\x45\xdf\xa3", "a Matroska"},
      {"OggS", "an Ogg"},
      {"RIFF....AVI LIST", "an AVI"},
      {"\0\0\0\x20"
       "ftypavif"s,
       "an AVIF"},
      {"\0\0\0\x20"
       "ftypheic"s,
       "a HEIC"},
      {"\0\0\0\x20"
       "ftypisom"s,
       "an MP4 or QuickTime video, not an image"},
  };
  for (const auto& [head, name] : kinds)
    EXPECT_THAT(foreign_format(head), HasSubstr("is "s + name)) << name;
}

TEST(ForeignFormat, IsSilentAboutWhatItDoesNotKnow) {
  for (const std::string& head : {""s, "G"s, "GIF"s, "hello, world"s, "\0\0\0\0"s, "....ftyp"s})
    EXPECT_EQ(foreign_format(head), "") << head;
}

}  // namespace
}  // namespace fovea::io
