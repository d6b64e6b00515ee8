// Figures of the gallery on whole clips, matches and people side by side.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/actions/recognize.h>
#include <fovea/report/page.h>

#include <memory>
#include <span>
#include <vector>

#include "demo/act_videos.h"
#include "demo/actor.h"
#include "demo/demo.h"

namespace fovea::cli {

// What a model recognizes in a video, in so many places at a time.
std::vector<actions::Event> recognized(const std::shared_ptr<const actions::Model>& model,
                                       const ActVideo& video, int places, const Exec& exec);
// Some frames of a video with the events in them, two per row.
Image<std::uint8_t> seen_frames(const ActVideo& video, std::span<const actions::Event> events,
                                const std::vector<int>& numbers);

// The classes of whole clips of a person who is not in the training data.
void add_demo_clip_classes(report::Page& page, const DemoRun& run,
                           const std::shared_ptr<const actions::Model>& model, int person);
// The walks of two people as graphs in space and time.
void add_demo_match_graph(report::Page& page, const DemoRun& run, const actions::Model& model,
                          int person);
// Two people side by side who do different things at the same time.
void add_demo_two_people(report::Page& page, const DemoRun& run,
                         const std::shared_ptr<const actions::Model>& model, int person);

}  // namespace fovea::cli
