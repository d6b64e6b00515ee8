// Maps as files: one file, a folder of files or the pages of one TIFF, and pictures or a video of
// them. Each map is written when it is ready, so that memory does not grow with the number of
// frames.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/emd/map.h"

namespace fovea::cli {
namespace fs = std::filesystem;
namespace {

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return ending;
}

bool is_tiff(const std::string& path) {
  return ending_of(path) == ".tif" || ending_of(path) == ".tiff";
}

bool names_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || ending_of(path).empty() || fs::is_directory(path, ignored);
}

void check_output(const std::string& path, bool single) {
  if (path == "-")
    throw InvalidArgument("-o - : a map cannot be written to standard output; name a .tif file");
  const bool floats = ending_of(path) == ".npy" || ending_of(path) == ".pfm";
  if (path.empty() || names_folder(path) || is_tiff(path) || (single && floats)) return;
  throw InvalidArgument(
      single ? fmt::format("-o {}: a map holds fractional distances; name a file that ends in "
                           ".tif, .tiff, .npy or .pfm. For an image to look at use --picture",
                           path)
             : fmt::format("-o {}: maps of several frames go to one file that ends in .tif or "
                           ".tiff, with one page per frame, or to a folder. For a video to look at "
                           "use --picture",
                           path));
}

constexpr const char* kPartsEnding = ".parts";

io::TiffWriter pages_of(const MapRequest& request, ImageView<const float> first,
                        std::int64_t frames) {
  const auto bytes = static_cast<std::uint64_t>(first.width) *
                     static_cast<std::uint64_t>(first.height) * sizeof(float);
  // The lowest compression level takes half the time of zlib's usual one (6) and makes files of
  // maps about a tenth larger.
  return io::TiffWriter(request.output, io::ImageWriteOptions{.level = 1},
                        bytes * static_cast<std::uint64_t>(frames), Exec{.threads = 1});
}

}  // namespace

std::string map_part(const MapRequest& request, std::int64_t frame) {
  const std::string folder = request.output + (joins_maps(request) ? kPartsEnding : "");
  return (fs::path(folder) / fmt::format("{:06}.tif", frame)).string();
}

bool joins_maps(const MapRequest& request) {
  return !request.output.empty() && !names_folder(request.output);
}

void join_maps(const Context& context, const MapRequest& request,
               const std::vector<std::int64_t>& frames, const FrameFacts& facts) {
  if (!joins_maps(request) || frames.empty()) return;
  std::optional<io::TiffWriter> pages;
  for (const std::int64_t frame : frames) {
    throw_if_stopped(context.exec);
    const Image<float> map =
        io::to_float(io::read_image(map_part(request, frame), {.max_pixels = 0}));
    if (!pages) pages.emplace(pages_of(request, map.view(), facts.expected));
    pages->write(map.view());
  }
  pages->finish();
  context.journal->remove_partial_output(request.output);
}

MapFiles::MapFiles(const MapRequest& request, const FrameFacts& facts, FrameResults results)
    : request_(request),
      results_(results),
      folder_(names_folder(request.output)),
      single_(facts.single),
      expected_frames_(facts.expected) {
  check_output(request.output, single_);
  if (results == FrameResults::kApart) part_pictures_.emplace(request.picture);
  else if (!request.picture.empty() && !single_)
    video_.emplace(request.picture, io::VideoWriteOptions{.frame_rate = facts.rate});
}

void MapFiles::begin(ImageView<const float> first) {
  if (!request_.picture.empty()) {  // small distances are bright
    const report::ValueRange range = report::value_range(first);
    colors_ = report::ColorMapOptions{.automatic = false, .low = range.high, .high = range.low};
  }
  if (request_.output.empty()) return;
  if (folder_) make_folder(request_.output);
  else if (results_ == FrameResults::kApart) make_folder(request_.output + kPartsEnding);
  else if (!single_) pages_.emplace(pages_of(request_, first, expected_frames_));
}

MapFiles::Encoded MapFiles::encode(ImageView<const float> map, std::int64_t frame) {
  Encoded encoded;
  if (colors_) encoded.picture = report::apply_color_map(map, *colors_);
  if (pages_) encoded.page = pages_->encode(map);
  if (part_pictures_ && colors_) {
    encoded.picture_file = part_pictures_->file(frame);
    io::write_image(encoded.picture_file, encoded.picture.view());
  }
  if (!request_.output.empty() && (folder_ || results_ == FrameResults::kApart)) {
    encoded.file = map_part(request_, frame);
    io::write_image(encoded.file, map);
    written_.add(encoded.file);
  }
  return encoded;
}

void MapFiles::add(ImageView<const float> map, const Encoded& encoded) {
  if (results_ == FrameResults::kApart) {
    if (!encoded.file.empty()) written_.keep(encoded.file);
    return;
  }
  if (video_) video_->write(encoded.picture);
  else if (colors_) io::write_image(request_.picture, encoded.picture.view());
  if (pages_) pages_->write(*encoded.page);
  else if (folder_) written_.keep(encoded.file);
  else if (!request_.output.empty()) io::write_image(request_.output, map);
  ++frames_;
}

void MapFiles::finish() {
  if (frames_ == 0) return;
  if (video_) video_->finish();
  if (pages_) pages_->finish();
}

}  // namespace fovea::cli
