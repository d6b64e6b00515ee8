// fovea emd map with a manifest: ranges of frames are mapped apart, and what they give is joined.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <utility>

#include "cli/emd/map.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// The results of all ranges together.
class JoinedMaps {
 public:
  JoinedMaps(const MapRequest& request, Context& context)
      : request_(request), context_(context), tables_(request.regions) {
    tables_.overlay.clear();  // pictures and masks are files of their ranges
    tables_.found_mask.clear();
    if (writes_shared_files(context)) files_.emplace(tables_, FrameFacts{});
  }

  void add(MappedRange&& range) {
    report_.size = range.size;
    report_.mapper = std::move(range.mapper);
    facts_.rate = range.rate;
    facts_.expected = range.expected;
    frames_.insert(frames_.end(), range.frames.begin(), range.frames.end());
    for (FoundRegions& found : range.regions) {
      if (files_) files_->add(found);
      report_.add_regions(found.frame, std::move(found.found));
    }
  }

  void finish(int status) {
    if (!files_) {
      if (!context_.json)
        context_.console.print(
            fmt::format("{}: maps of {} recorded; fovea merge joins all shards\n",
                        context_.inputs[0], detail::counted(frames_.size(), "frame")));
      return;
    }
    if (frames_.empty()) {
      if (status != kDone) return;
      throw FormatError(fmt::format("{}: has no frame", context_.inputs[0]));
    }
    // Videos come first: where frames have several sizes they fail, and nothing else is written.
    join_pictures(context_, PartPictures(request_.picture), frames_, facts_.rate);
    join_pictures(context_, PartPictures(request_.regions.overlay), frames_, facts_.rate);
    join_maps(context_, request_, frames_, facts_);
    files_->finish(provenance_json(context_));
    report_.frames = static_cast<std::int64_t>(frames_.size());
    print_report(report_, request_, context_);
  }

 private:
  const MapRequest& request_;
  Context& context_;
  RegionRequest tables_;
  std::optional<RegionFiles> files_{};
  MapReport report_{};
  FrameFacts facts_{};
  std::vector<std::int64_t> frames_{};  // their numbers
};

FrameSource source_of(BandFrames& frames, const Context& context) {
  if (frames.video() != nullptr) return frame_source(context, *frames.video(), {});
  require_first_frame(context);
  return {.files = frames.files(), .frames = static_cast<std::int64_t>(frames.files().size())};
}

}  // namespace

void describe(FieldVisitor& visit, MappedRange& range) {
  visit("size", range.size, "of the maps");
  visit("rate", range.rate, "of the video");
  visit("expected", range.expected, "frames of all ranges");
  visit("mapper", range.mapper, "the same for all ranges");
  visit("frames", range.frames, "their numbers");
  visit("regions", range.regions, "of each of them, where they are wanted");
}

int map_in_ranges(const MapRequest& request, Context& context,
                  const std::function<std::unique_ptr<FramePass>(const MapRange&)>& begin) {
  FrameSource source;
  FrameFacts facts;
  if (merged_units(context) == nullptr) {
    require_repeatable(context);
    BandFrames frames = map_frames(request, context, video_options(context));
    facts = frames.facts();
    if (facts.single)
      throw InvalidArgument(
          fmt::format("{} is one cube, which cannot be cut into ranges of frames; give --each",
                      context.inputs[0]));
    if (!request.truth.empty())
      throw InvalidArgument("--truth is one image and needs one frame, but there are several");
    source = source_of(frames, context);
  }
  JoinedMaps joined(request, context);
  FrameUnits units(context, std::move(source), 0, [&](std::int64_t, const UnitResult& given) {
    joined.add(given.record<MappedRange>());
  });
  units.run([&](const FrameRange& frames) { return begin({units, frames, facts}); });
  const int status = units.finish();
  joined.finish(status);
  return status;
}

}  // namespace fovea::cli
