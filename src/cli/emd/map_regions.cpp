// Regions as COCO, CSV, masks and pictures. Each frame's are written as soon as they are found.
#include "cli/emd/map_regions.h"

#include <fovea/core/error.h>
#include <fovea/emd/show.h>
#include <fovea/io/image_io.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kChannels = 3;

std::array<int, 4> numbers_of(const Rect<int>& box) {
  return {box.x, box.y, box.width, box.height};
}

}  // namespace

Image<std::uint8_t> scene_picture(const BandFrame& frame) {
  const StackView<const float> bands = frame.bands;
  Image<std::uint8_t> picture(bands.width, bands.height, kChannels);
  for (int c = 0; c < kChannels; ++c) {
    const ImageView<const float> band =
        bands.plane(bands.count == 1 ? 0 : c * (bands.count - 1) / (kChannels - 1));
    const report::ValueRange range = report::value_range(band);
    const bool bytes = frame.white > 0;
    const float low = bytes ? 0 : range.low, high = bytes ? 255 : range.high;
    const float scale = high > low ? 255 / (high - low) : 0;
    for (int y = 0; y < bands.height; ++y)
      for (int x = 0; x < bands.width; ++x) {
        const float value = (band.at(x, y) - low) * scale;
        picture.at(x, y, c) = static_cast<std::uint8_t>(value >= 255 ? 255
                                                        : value >= 0 ? value + 0.5F
                                                                     : 0);
      }
  }
  return picture;
}

void describe(OptionVisitor& visit, RegionRequest& request) {
  visit("detect", request.detect,
        "find the regions with small distances and report them; implied by the outputs below");
  visit.group("detect", request.options);
  visit.path("coco", request.coco, TextUse::kOutput,
             "file for all regions as COCO JSON with run-length segmentations");
  visit.path("csv", request.csv, TextUse::kOutput,
             "file for all regions as CSV with one row per region");
  visit.path("found-mask", request.found_mask, TextUse::kOutput,
             "image of the pixels of all regions, 255 inside; for several frames a folder");
  visit.path("overlay", request.overlay, TextUse::kOutput,
             "picture of the frame with all regions and their scores; for several frames a video "
             "or a folder");
}

RegionFiles::RegionFiles(const RegionRequest& request, const BandFrames& frames)
    : request_(request), single_(frames.single()), options_(request.options) {
  const std::string& mask = request.found_mask;
  if (!single_ && !mask.empty() && fs::path(mask).has_extension())
    throw InvalidArgument(fmt::format(
        "--found-mask {}: masks of several frames go to a folder; give a name without an ending",
        mask));
  if (!request.coco.empty()) coco_file_.emplace(request.coco);
  if (!request.csv.empty()) csv_file_.emplace(request.csv);
  if (coco_file_) coco_.emplace(coco_file_->sink());
  if (!request.overlay.empty() && !single_)
    video_.emplace(request.overlay, io::VideoWriteOptions{.frame_rate = frames.frame_rate()});
}

void RegionFiles::begin(ImageView<const float> first, const emd::SceneMapper& mapper,
                        const emd::SceneMapOptions& map) {
  // The target of spectra is a sample of a material, whose size says nothing.
  if (!map.spectral() || options_.kind == emd::RegionKind::kBoxes)
    target_.size = mapper.target_size();
  const auto exact = static_cast<double>(map.threshold);
  if (!options_.threshold && exact > 0) options_.threshold = exact;
  if (!options_.threshold) {
    const double chosen = emd::choose_threshold(first, options_, {mapper.box(), target_.size});
    if (std::isfinite(chosen)) options_.threshold = chosen;
  }
  if (!single_ && !request_.found_mask.empty()) make_folder(request_.found_mask);
}

FoundRegions RegionFiles::find(ImageView<const float> map, const BandFrame& frame,
                               std::int64_t number) {
  FoundRegions regions{.input = frame.name, .frame = number};
  regions.found = emd::find_regions(map, options_, target_);
  if (coco_)
    for (std::size_t i = 0; i < regions.found.regions.size(); ++i)
      regions.outlines.push_back(emd::region_rle(regions.found, i));
  if (!request_.overlay.empty()) {
    regions.overlay = scene_picture(frame);
    emd::draw_regions(regions.overlay, regions.found);
  }
  if (!single_ && !request_.found_mask.empty()) {
    regions.mask_file = (fs::path(request_.found_mask) / fmt::format("{:06}.png", number)).string();
    io::write_image(regions.mask_file, emd::region_mask(regions.found));
    masks_.add(regions.mask_file);
  }
  return regions;
}

void RegionFiles::add(const FoundRegions& regions) {
  if (coco_) add_coco(regions);
  if (csv_file_) add_csv(regions);
  if (video_) video_->write(regions.overlay);
  else if (!request_.overlay.empty()) io::write_image(request_.overlay, regions.overlay);
  if (!regions.mask_file.empty()) masks_.keep(regions.mask_file);
  else if (!request_.found_mask.empty())
    io::write_image(request_.found_mask, emd::region_mask(regions.found));
  ++frames_;
}

void RegionFiles::add_coco(const FoundRegions& regions) {
  if (frames_ == 0) coco_->begin_object().key("annotations").begin_array();
  const int width = regions.found.labels.width(), height = regions.found.labels.height();
  for (std::size_t i = 0; i < regions.found.regions.size(); ++i) {
    const emd::Region& region = regions.found.regions[i];
    coco_->begin_object().member("id", ++annotations_).member("image_id", frames_ + 1);
    coco_->member("category_id", 1);
    const std::array<int, 4> box = numbers_of(region.box);
    coco_->key("bbox").values(std::span<const int>(box));
    const std::array<int, 2> size{height, width};
    coco_->key("segmentation").begin_object();
    coco_->key("size").values(std::span<const int>(size));
    coco_->member("counts", regions.outlines[i]).end_object();
    coco_->member("area", region.area).member("iscrowd", 0).member("score", region.score);
    coco_->end_object();
  }
  std::string text;
  io::JsonWriter image(io::string_sink(text), io::JsonStyle::kCompact);
  image.begin_object().member("id", frames_ + 1).member("file_name", regions.input);
  image.member("width", width).member("height", height).member("frame", regions.frame);
  image.end_object().finish();
  images_.push_back(std::move(text));
}

void RegionFiles::add_csv(const FoundRegions& regions) {
  if (!csv_)
    csv_.emplace(
        csv_file_->sink(),
        std::vector<std::string>{"input", "frame", "region", "x", "y", "width", "height", "area",
                                 "score", "peak_x", "peak_y", "distance", "mean_distance"});
  for (std::size_t i = 0; i < regions.found.regions.size(); ++i) {
    const emd::Region& region = regions.found.regions[i];
    csv_->field(regions.input).field(regions.frame).field(i + 1);
    for (const int number : numbers_of(region.box)) csv_->field(number);
    csv_->field(region.area).field(region.score).field(region.peak_x).field(region.peak_y);
    csv_->field(region.distance).field(region.mean_distance).end_row();
  }
}

void RegionFiles::finish(const std::string& info) {
  if (frames_ == 0) return;
  if (video_) video_->finish();
  if (csv_file_) csv_file_->commit();
  if (!coco_) return;
  coco_->end_array().key("images").begin_array();
  for (const std::string& image : images_) coco_->raw(image);
  coco_->end_array().key("categories").begin_array().begin_object();
  coco_->member("id", 1).member("name", "target").end_object().end_array();
  coco_->key("info").raw(info);
  coco_->end_object().finish();
  coco_file_->commit();
}

void write_regions(io::JsonWriter& json, const emd::RegionSet& found) {
  json.key("regions").begin_array();
  for (const emd::Region& region : found.regions) {
    const std::array<int, 4> box = numbers_of(region.box);
    const std::array<int, 2> peak{region.peak_x, region.peak_y};
    json.begin_object().key("box").values(std::span<const int>(box));
    json.member("area", region.area).member("score", region.score);
    json.key("peak").values(std::span<const int>(peak));
    json.member("distance", region.distance).member("mean_distance", region.mean_distance);
    json.end_object();
  }
  json.end_array();
}

}  // namespace fovea::cli
