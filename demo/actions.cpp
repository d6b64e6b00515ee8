// The gallery's section on actions: a model is trained on a few drawn people, and the actions of
// another one are recognized while they happen.
#include <fovea/actions/recognize.h>
#include <fovea/actions/show.h>
#include <fovea/actions/train.h>
#include <fovea/report/chart.h>

#include <fmt/format.h>

#include "demo/act_videos.h"
#include "demo/actions_clips.h"
#include "demo/actor.h"
#include "demo/demo.h"
#include "demo/figures.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr int kKnownPeople = 3;
constexpr int kStranger = 7;

// Every action of every known person, as one folder of files per action and as points.
struct Lessons {
  actions::Corpus corpus;
  std::vector<actions::PointSet> points;
};

Lessons draw_lessons(const DemoRun& run, const actions::TrainOptions& options) {
  Lessons lessons;
  lessons.corpus.classes.assign(kActNames.begin(), kActNames.end());
  for (std::size_t act = 0; act < kActNames.size(); ++act) {
    for (int person = 0; person < kKnownPeople; ++person) {
      const ActVideo video =
          draw_act_video(static_cast<Act>(act), {person, person % 2 == 1}, run.act_frames);
      const std::string path = fmt::format("{}/lessons/{}/person{}_{}.y4m", run.folder,
                                           kActNames[act], person, kActNames[act]);
      write_act_video(path, video);
      const auto frames = gray_video(video);
      lessons.points.push_back(actions::find_points(frame_views(frames), options.points));
      actions::Clip& clip = lessons.corpus.clips.emplace_back();
      clip.path = path;
      clip.label = static_cast<std::int32_t>(act);
      clip.subject = fmt::format("person{}", person);
    }
  }
  return lessons;
}

// Several actions one after the other, by a person who is not in the training data.
ActVideo draw_stranger(int frames) {
  ActVideo video;
  for (const Act act : {Act::kWave, Act::kBend, Act::kWalk, Act::kJump})
    for (Image<std::uint8_t>& frame : draw_act_video(act, {kStranger}, frames))
      video.push_back(std::move(frame));
  return video;
}

// One frame of each training video of the first person.
Image<std::uint8_t> lesson_frames(int frames_each) {
  ActVideo frames;
  for (std::size_t act = 0; act < kActNames.size(); ++act)
    frames.push_back(
        std::move(draw_act_video(static_cast<Act>(act), {0, false},
                                 frames_each)[static_cast<std::size_t>(frames_each / 3)]));
  return sheet(frames);
}

// A known person's walk and the stranger's, with lines between the matched points.
Image<std::uint8_t> matched_walks(const actions::Model& model, const DemoRun& run) {
  const auto known = gray_video(draw_act_video(Act::kWalk, {0}, run.act_frames));
  const auto stranger = gray_video(draw_act_video(Act::kWalk, {kStranger}, run.act_frames));
  const auto known_views = frame_views(known), stranger_views = frame_views(stranger);
  const auto points_of = [&](const auto& frames) {
    actions::PointOptions options = model.points;
    options.exec = run.exec;
    return actions::find_points(frames, options);
  };
  actions::Chain chain = actions::make_nodes(points_of(known_views), 1, model.features);
  chain.nodes.resize(std::min<std::size_t>(chain.nodes.size(), 20));
  chain.features = clone(chain.features.view().crop(0, 0, chain.features.width(), chain.size()));
  const actions::Scene scene =
      actions::make_scene(points_of(stranger_views), model.scene_points, model.features);
  actions::MatchOptions options = model.match;
  options.exec = run.exec;
  const auto matches = actions::Matcher({&chain, 1}, options).match(scene);
  return actions::match_picture({.model_frames = known_views,
                                 .scene_frames = stranger_views,
                                 .model = &chain,
                                 .scene = &scene,
                                 .match = matches.data()});
}

}  // namespace

void add_demo_actions(Page& page, const DemoRun& run) {
  actions::TrainOptions options;
  options.points.harris.threshold = 1e-11;  // drawings are smoother than videos of people
  options.points.exec = options.exec = run.exec;
  const Lessons lessons = draw_lessons(run, options);
  const auto model = std::make_shared<const actions::Model>(
      actions::train(lessons.corpus, lessons.points, options));
  const ActVideo video = draw_stranger(run.act_frames);
  write_act_video(run.folder + "/stranger.y4m", video);
  const auto events = recognized(model, video, 4, run.exec);

  page.paragraph(fmt::format(
      "A drawn person acts; {} others showed each act once. Interest points of the videos form "
      "short chains, which are the prototypes, and every prototype is matched to the stream "
      "exactly: the match has the least energy of all that are possible. Drawings are easy; "
      "`docs/actions.md` has the accuracy on real videos.",
      kKnownPeople));
  page.figure(
      Figure::picture(lesson_frames(run.act_frames),
                      {"what one of the known people showed: a model is trained on such videos",
                       "fovea actions train lessons -o acts.safetensors --harris-threshold 1e-11"},
                      2));
  std::vector<int> middles;
  for (int piece = 0; piece < 4; ++piece)
    middles.push_back(piece * run.act_frames + run.act_frames / 2);
  const Image<std::uint8_t> seen = seen_frames(video, events, middles);
  run.show("actions: what people do, while they do it", seen);
  page.figures(
      {Figure::picture(seen,
                       {"what a person not seen in training does, recognized while it happens",
                        "fovea actions recognize stranger.y4m --model acts.safetensors --reject 0 "
                        "--annotated seen.mp4 --timeline seen.svg"},
                       2),
       Figure::picture(matched_walks(*model, run),
                       {"a known person's walk matched to the stranger's",
                        "fovea actions match lessons/walk/person0_walk.y4m stranger.y4m -o "
                        "match.png"})},
      2);
  page.figure(Figure::chart(
      actions::timeline_svg(events, model->classes, static_cast<std::int64_t>(video.size()), 25),
      {fmt::format("the same over time: the stranger waves, bends, walks and jumps, {} frames each",
                   run.act_frames)}));
  add_demo_match_graph(page, run, *model, kStranger);
  add_demo_clip_classes(page, run, model, kStranger);
  add_demo_two_people(page, run, model, kStranger);
}

}  // namespace fovea::cli
