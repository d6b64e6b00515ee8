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

  void add(std::string_view shared) {
    Unpacker in(shared);
    report_.width = in.number<int>();
    report_.height = in.number<int>();
    facts_.rate = in.number<double>();
    facts_.expected = in.number<std::int64_t>();
    mapper_.target = in.text();
    mapper_.ground = in.text();
    mapper_.range.low = in.number<float>();
    mapper_.range.high = in.number<float>();
    const auto count = in.number<std::size_t>();
    for (std::size_t i = 0; i < count; ++i)
      report_.frame_numbers.push_back(in.number<std::int64_t>());
    const std::string packed = in.text();
    for (Unpacker regions(packed); !regions.at_end();) {
      FoundRegions found = unpack_regions(regions);
      if (files_) files_->add(found);
      report_.regions.push_back(std::move(found.found));
    }
  }

  void finish(int status) {
    const std::vector<std::int64_t>& frames = report_.frame_numbers;
    if (!files_) {
      if (!context_.json)
        context_.console.print(
            fmt::format("{}: maps of {} recorded; fovea merge joins all shards\n",
                        context_.inputs[0], detail::counted(frames.size(), "frame")));
      return;
    }
    if (frames.empty()) {
      if (status != kDone) return;
      throw FormatError(fmt::format("{}: has no frame", context_.inputs[0]));
    }
    // Videos come first: where frames have several sizes they fail, and nothing else is written.
    join_pictures(context_, PartPictures(request_.picture), frames, facts_.rate);
    join_pictures(context_, PartPictures(request_.regions.overlay), frames, facts_.rate);
    join_maps(context_, request_, frames, facts_);
    files_->finish(provenance_json(context_));
    print_report(report_, request_, mapper_, context_);
  }

 private:
  const MapRequest& request_;
  Context& context_;
  RegionRequest tables_;
  std::optional<RegionFiles> files_{};
  MapReport report_{};
  FrameFacts facts_{};
  MapperFacts mapper_{};
};

FrameSource source_of(BandFrames& frames, const Context& context) {
  if (frames.video() != nullptr) return frame_source(context, *frames.video(), {});
  return {.files = frames.files(), .frames = static_cast<std::int64_t>(frames.files().size())};
}

}  // namespace

int map_in_ranges(const MapRequest& request, Context& context,
                  const std::function<std::unique_ptr<MapPass>(const MapRange&)>& begin) {
  FrameSource source;
  FrameFacts facts;
  if (!merges_frames(context)) {
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
  FrameUnits units(context, std::move(source), 0,
                   [&](std::int64_t, std::string_view shared) { joined.add(shared); });
  std::unique_ptr<MapRange> range;
  std::unique_ptr<MapPass> run;  // is asked for its last range after its pass
  units.run(
      [&](const FrameUnits::Pass& pass) {
        run.reset();
        range = std::make_unique<MapRange>(MapRange{units, pass, facts});
        run = begin(*range);
        return run->pass();
      },
      [&] { return run ? run->collect() : FrameUnits::Given{}; });
  const int status = units.finish();
  joined.finish(status);
  return status;
}

}  // namespace fovea::cli
