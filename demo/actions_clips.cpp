#include "demo/actions_clips.h"

#include <fovea/actions/classify.h>
#include <fovea/actions/explain.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/recognize.h>
#include <fovea/actions/show.h>

#include <fmt/format.h>

#include <algorithm>

#include "demo/act_videos.h"
#include "demo/figures.h"

namespace fovea::cli {
namespace {

using namespace report;

actions::PointSet points_of_act(Act act, int person, const DemoRun& run,
                                const actions::PointOptions& found_with) {
  actions::PointOptions options = found_with;
  options.exec = run.exec;
  const ActVideo frames = gray_video(draw_act_video(act, {person}, run.act_frames));
  return actions::find_points(frame_views(frames), options);
}

std::string name_of_class(const actions::Model& model, std::int32_t label) {
  return label < 0 ? "none" : model.classes[static_cast<std::size_t>(label)];
}

// Why the clip of a walk is one: the chain that was matched, over the frame in its middle.
void add_why_of_clip(Page& page, const DemoRun& run, actions::Classifier& classifier,
                     const actions::PointSet& walk, int person) {
  Explanation why = actions::present(classifier.explain(walk));
  std::vector<int> frames;
  for (const Shape& shape : why.shapes)
    if (shape.frame >= 0) frames.push_back(shape.frame);
  if (frames.empty()) return;
  std::ranges::sort(frames);
  const int middle = frames[frames.size() / 2];
  for (Shape& shape : why.shapes)
    if (shape.frame == middle) shape.frame = -1;
  const ActVideo video = draw_act_video(Act::kWalk, {person}, run.act_frames);
  page.figure(why_figure(
      draw_explanation(video[static_cast<std::size_t>(middle)], why, {.whole_image = true}), why,
      "fovea actions classify clips/walk.y4m --model acts.safetensors "
      "--reject 0 --explain --explain-picture why.png"));
}

}  // namespace

std::vector<actions::Event> recognized(const std::shared_ptr<const actions::Model>& model,
                                       const ActVideo& video, int places, const Exec& exec) {
  actions::Recognizer recognizer(model, {.reject = 0, .places = places, .exec = exec});
  std::vector<actions::Event> events;
  const auto keep = [&](std::span<const actions::Event> some) {
    events.insert(events.end(), some.begin(), some.end());
  };
  for (const Image<std::uint8_t>& frame : video) keep(recognizer.push(frame));
  keep(recognizer.finish());
  return events;
}

Image<std::uint8_t> seen_frames(const ActVideo& video, std::span<const actions::Event> events,
                                const std::vector<int>& numbers) {
  ActVideo marked;
  for (const int number : numbers) {
    marked.push_back(clone(video[static_cast<std::size_t>(number)]));
    actions::draw_events(marked.back().view(), events, number);
  }
  return sheet(marked, 2);
}

void add_demo_clip_classes(Page& page, const DemoRun& run,
                           const std::shared_ptr<const actions::Model>& model, int person) {
  std::vector<actions::PointSet> clips;
  ActVideo shown;
  for (std::size_t i = 0; i < kActNames.size(); ++i) {
    const auto act = static_cast<Act>(i);
    ActVideo video = draw_act_video(act, {person}, run.act_frames);
    write_act_video(fmt::format("{}/clips/{}.y4m", run.folder, kActNames[i]), video);
    clips.push_back(points_of_act(act, person, run, model->points));
    shown.push_back(std::move(video[static_cast<std::size_t>(run.act_frames / 3)]));
  }
  actions::Classifier classifier(model, {.reject = 0, .exec = run.exec});
  const std::vector<actions::ClipClass> found = classifier.classify(clips);
  Table table{.caption = "the distance of each clip to each action; the least is the answer",
              .columns = {{"clip"}, {"class"}, {"runner-up"}}};
  for (const std::string& name : model->classes) table.columns.push_back({name});
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<Cell> row{kActNames[i], found[i].name, name_of_class(*model, found[i].runner_up)};
    row.insert(row.end(), found[i].distances.begin(), found[i].distances.end());
    table.rows.push_back(std::move(row));
  }
  page.figure(Figure::picture(
      sheet(shown),
      {"whole clips of the stranger, each classified by its distances to all prototypes",
       "fovea actions classify clips --model acts.safetensors --reject 0"},
      2));
  page.table(table);
  add_why_of_clip(page, run, classifier, clips[static_cast<std::size_t>(Act::kWalk)], person);
}

void add_demo_match_graph(Page& page, const DemoRun& run, const actions::Model& model, int person) {
  const actions::PointSet example = points_of_act(Act::kWalk, 0, run, model.points);
  const actions::PointSet scene = points_of_act(Act::kWalk, person, run, model.points);
  actions::ExampleOptions options{.scene_points = model.scene_points,
                                  .features = model.features,
                                  .cut = {.nodes = 12},
                                  .match = model.match};
  options.match.exec = run.exec;
  const auto match = actions::match_example(example, scene, options);
  if (!match) return;
  page.figure(Figure::chart(
      actions::match_graph_svg({.model = &match->model,
                                .scene = &match->scene,
                                .match = &match->match,
                                .model_size = example.size,
                                .scene_size = scene.size}),
      {"the same walks as graphs in space and time: a node is joined to the two before it, and "
       "each three of them are a hyperedge, drawn as a triangle",
       "fovea actions match lessons/walk/person0_walk.y4m clips/walk.y4m --nodes 12 --graph "
       "graph.svg"}));
}

void add_demo_two_people(Page& page, const DemoRun& run,
                         const std::shared_ptr<const actions::Model>& model, int person) {
  const ActVideo video = side_by_side(draw_act_video(Act::kWave, {1}, run.act_frames),
                                      draw_act_video(Act::kBend, {person}, run.act_frames));
  write_act_video(run.folder + "/two.y4m", video);
  const auto events = recognized(model, video, 2, run.exec);
  page.figure(Figure::picture(
      seen_frames(video, events, {run.act_frames * 2 / 6, run.act_frames * 4 / 6}),
      {"two people at once, one waving and one bending: points of different places are matched "
       "apart from each other",
       "fovea actions recognize two.y4m --model acts.safetensors --reject 0 --places 2 --annotated "
       "two.mp4"},
      2));
}

}  // namespace fovea::cli
