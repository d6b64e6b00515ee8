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

// The columns of a region's place in the table.
struct RegionPlace {
  std::string input{};
  std::int64_t frame = 0, region = 0;
};
void describe(FieldVisitor& visit, RegionPlace& place) {
  visit("input", place.input, "the frame's name");
  visit("frame", place.frame, "number of the frame, from 0");
  visit("region", place.region, "number of the region in its frame, from 1");
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

RegionFiles::RegionFiles(const RegionRequest& request, const FrameFacts& facts,
                         FrameResults results)
    : request_(request), single_(facts.single), results_(results), options_(request.options) {
  const std::string& mask = request.found_mask;
  if (!single_ && !mask.empty() && fs::path(mask).has_extension())
    throw InvalidArgument(fmt::format(
        "--found-mask {}: masks of several frames go to a folder; give a name without an ending",
        mask));
  if (results == FrameResults::kApart) {
    part_pictures_.emplace(request.overlay);
    return;
  }
  if (!request.coco.empty()) coco_file_.emplace(request.coco);
  if (!request.csv.empty()) csv_file_.emplace(request.csv);
  if (coco_file_) coco_.emplace(coco_file_->sink());
  if (!request.overlay.empty() && !single_)
    video_.emplace(request.overlay, io::VideoWriteOptions{.frame_rate = facts.rate});
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
  regions.size = {map.width, map.height};
  if (!request_.coco.empty())
    for (std::size_t i = 0; i < regions.found.regions.size(); ++i)
      regions.outlines.push_back(emd::region_rle(regions.found, i));
  if (!request_.overlay.empty()) {
    regions.overlay = scene_picture(frame);
    emd::draw_regions(regions.overlay, regions.found);
    if (part_pictures_) {
      regions.overlay_file = part_pictures_->file(number);
      io::write_image(regions.overlay_file, regions.overlay.view());
    }
  }
  if (!single_ && !request_.found_mask.empty()) {
    regions.mask_file = (fs::path(request_.found_mask) / fmt::format("{:06}.png", number)).string();
    io::write_image(regions.mask_file, emd::region_mask(regions.found));
    masks_.add(regions.mask_file);
  }
  return regions;
}

void RegionFiles::add(const FoundRegions& regions) {
  if (results_ == FrameResults::kApart) {
    if (!regions.mask_file.empty()) masks_.keep(regions.mask_file);
    return;
  }
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
  const auto [width, height] = regions.size;
  for (std::size_t i = 0; i < regions.found.regions.size(); ++i) {
    const emd::Region& region = regions.found.regions[i];
    coco_->begin_object().member("id", ++annotations_).member("image_id", frames_ + 1);
    coco_->member("category_id", 1);
    const std::array<int, 4> box{region.box.x, region.box.y, region.box.width, region.box.height};
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
  RegionPlace place{regions.input, regions.frame};
  emd::Region region;
  const std::array row{record_ref(place), record_ref(region)};
  if (!csv_) csv_.emplace(csv_file_->sink(), io::TableFormat::kCsv, row);
  for (const emd::Region& each : regions.found.regions) {
    ++place.region;
    region = each;
    csv_->row(row);
  }
}

void RegionFiles::finish(const std::string& info) {
  if (frames_ == 0) return;
  if (video_) video_->finish();
  if (csv_file_) {
    csv_->finish();
    csv_file_->commit();
  }
  if (!coco_) return;
  coco_->end_array().key("images").begin_array();
  for (const std::string& image : images_) coco_->raw(image);
  coco_->end_array().key("categories").begin_array().begin_object();
  coco_->member("id", 1).member("name", "target").end_object().end_array();
  coco_->key("info").raw(info);
  coco_->end_object().finish();
  coco_file_->commit();
}

void describe(FieldVisitor& visit, FoundRegions& regions) {
  visit("input", regions.input, "the frame's name");
  visit("frame", regions.frame, "its number");
  visit("size", regions.size, "of the frame");
  visit("threshold", regions.found.threshold, "that was used");
  visit("regions", regions.found.regions, "the best first");
  visit("outlines", regions.outlines, "run lengths");
}

}  // namespace fovea::cli
