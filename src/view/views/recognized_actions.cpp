#include "view/views/recognized_actions.h"

#include <fovea/actions/select_points.h>
#include <fovea/core/error.h>
#include <fovea/core/record.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

namespace fovea::view {
namespace {

constexpr int kReports = 100;  // of progress

// Collects the points of frames as one set.
class PointCollector {
 public:
  void add(std::span<const actions::FramePoints> frames) {
    for (const actions::FramePoints& frame : frames) {
      points_.insert(points_.end(), frame.points.begin(), frame.points.end());
      for (int row = 0; row < frame.descriptors.height(); ++row)
        descriptors_.insert(descriptors_.end(), frame.descriptors.row(row),
                            frame.descriptors.row(row) + actions::kDescriptorSize);
    }
  }
  std::size_t count() const { return points_.size(); }

  void move_to(actions::PointSet& set) {
    set.descriptors = Image<float>(actions::kDescriptorSize, static_cast<int>(points_.size()));
    for (int row = 0; row < set.descriptors.height(); ++row)
      std::copy_n(descriptors_.begin() + std::ptrdiff_t{row} * actions::kDescriptorSize,
                  actions::kDescriptorSize, set.descriptors.row(row));
    set.points = std::move(points_);
  }

 private:
  std::vector<actions::SpaceTimePoint> points_{};
  std::vector<float> descriptors_{};
};

// Reports how far a stage is, some hundred times at most, and ends it after a stop.
class StageProgress {
 public:
  StageProgress(std::string stage, std::int64_t total, const Exec& exec)
      : stage_(std::move(stage)), total_(total), exec_(exec) {}
  void advance(std::int64_t done) {
    throw_if_stopped(exec_);
    if (exec_.progress && done % std::max<std::int64_t>(1, total_ / kReports) == 0)
      exec_.progress({stage_, static_cast<double>(done), static_cast<double>(total_)});
  }

 private:
  std::string stage_;
  std::int64_t total_;
  const Exec& exec_;
};

Exec without_progress(Exec exec) {
  exec.progress = {};
  return exec;
}

void check_size(const std::string& path, Extent size, const VideoBounds& bounds) {
  if (std::int64_t{size.width} * size.height <= bounds.pixels) return;
  throw InvalidArgument(fmt::format(
      "{}: its frames have {}x{} pixels; the view recognizes actions in frames of up to {} pixels. "
      "Make the video smaller, or use fovea actions recognize",
      path, size.width, size.height, bounds.pixels));
}

// Places of points are those of pixels' centers.
report::Point center_of(float x, float y) {
  return {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
}

// A circle as large as the point's extent in space.
LayerShape ring_of(const actions::SpaceTimePoint& point) {
  constexpr int kCorners = 20;
  const report::Point middle = center_of(point.x, point.y);
  const double radius = 2 * std::sqrt(static_cast<double>(point.sigma2));
  report::Shape ring{
      .kind = report::ShapeKind::kPolygon, .weight = 0.15, .color = report::palette(2)};
  for (int i = 0; i < kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    ring.points.push_back(
        {middle.x + radius * std::cos(angle), middle.y + radius * std::sin(angle)});
  }
  return {"points", std::move(ring)};
}

// All of the chain as a line, and the nodes of this frame as dots.
void add_chain(const actions::ChainShares& chain, int frame, std::vector<LayerShape>& drawn) {
  if (!chain.found) return;
  std::map<int, report::Shape> lines;  // by strand
  report::Shape dots{.kind = report::ShapeKind::kDots, .color = report::palette(1)};
  for (const actions::NodeShare& node : chain.nodes) {
    if (!node.seen) continue;
    lines[node.strand].points.push_back(center_of(node.x, node.y));
    if (node.frame == frame) dots.points.push_back(center_of(node.x, node.y));
  }
  for (auto& [strand, line] : lines) {
    line.kind = report::ShapeKind::kLine;
    line.weight = 0.3;
    line.color = report::palette(strand);
    drawn.push_back({"chain", std::move(line)});
  }
  if (!dots.points.empty()) drawn.push_back({"chain", std::move(dots)});
}

LayerShape box_of(const actions::Event& event) {
  const Rect<float>& box = event.box;
  return {"events",
          {.kind = report::ShapeKind::kBox,
           .points = {{box.x, box.y}, {box.right(), box.bottom()}},
           .name = fmt::format("{} {:.2f}", event.name, event.score),
           .weight = 0.4,
           .color = report::palette(event.label)}};
}

bool covers(const actions::Event& event, int frame) {
  return frame >= event.first_frame && frame <= event.last_frame;
}

}  // namespace

VideoPoints find_video_points(const std::string& path, const actions::Model& model,
                              const Exec& exec, const VideoBounds& bounds) {
  io::VideoReader reader(
      path,
      {.color = io::VideoColor::kGray, .orientation = io::Orientation::kApply, .stop = exec.stop});
  check_size(path, reader.info().size, bounds);
  VideoPoints found{.video_frames = reader.info().frame_count};
  actions::PointSet& set = found.set;
  set.size = reader.info().size;
  if (reader.info().rate.numerator > 0) set.frame_rate = reader.info().rate.value();
  set.detector = model.points.detector;
  set.votes = model.points.votes;
  set.found_with = actions::point_words(model.points);
  actions::PointOptions options = model.points;
  options.descriptors = true;
  options.exec = without_progress(exec);
  actions::PointStream stream(options);
  PointCollector points;
  StageProgress progress("find points",
                         std::clamp<std::int64_t>(found.video_frames, 0, bounds.frames), exec);
  for (io::Frame frame; reader.next(frame); ++set.frames) {
    found.whole = set.frames < bounds.frames && points.count() < bounds.points;
    if (!found.whole) break;
    progress.advance(set.frames);
    points.add(stream.push(frame.image));
  }
  if (set.frames == 0) throw FormatError(fmt::format("{}: the video has no frames", path));
  points.add(stream.finish());
  points.move_to(set);
  return found;
}

std::string summary_of(const actions::ClipExplanation& clip, std::size_t events) {
  const actions::ClipClass& found = clip.result;
  const std::string recognized = events == 0   ? std::string("no action was recognized")
                                 : events == 1 ? std::string("one action was recognized")
                                               : fmt::format("{} actions were recognized", events);
  const auto alone = [](std::string sentence) {
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    return sentence + " over time.";
  };
  if (found.nearest < 0) return "No action of the model fits into the clip. " + alone(recognized);
  const std::string& nearest = clip.names[static_cast<std::size_t>(found.nearest)];
  // How probable a class is among those of the model says nothing of a clip that is none of them.
  if (found.label < 0)
    return fmt::format(
        "The clip as a whole is too far from each of the model's actions, of which '{}' is the "
        "nearest{} {} over time{}.",
        nearest, events == 0 ? ", and" : "; but", recognized,
        events == 0 ? "" : ", in parts of it");
  std::string text = fmt::format("The clip shows '{}'", nearest);
  if (found.probability) text += fmt::format(", with a probability of {:.2f}", *found.probability);
  if (found.runner_up >= 0)
    text += fmt::format(", before '{}'", clip.names[static_cast<std::size_t>(found.runner_up)]);
  return text + ". " + alone(recognized);
}

void describe(FieldVisitor& visit, SavedActions& saved) {
  visit("clip", saved.clip, "the class of the whole video", {.flat = true});
  visit("events", saved.events, "what happens when");
}

std::vector<actions::EventExplanation> recognize_events(
    const actions::PointSet& points, const std::shared_ptr<const actions::Model>& model,
    const actions::RecognizeOptions& options) {
  actions::RecognizeOptions quiet = options;
  quiet.explain = true;
  quiet.frame_rate = points.frame_rate;
  quiet.exec = without_progress(options.exec);
  actions::Recognizer recognizer(model, quiet);
  std::vector<actions::EventExplanation> events;
  const auto keep = [&](std::span<const actions::Event> found) {
    for (const actions::Event& event : found) {
      events.push_back(actions::explain(*model, event));
      events.back().event.evidence = nullptr;  // is large, and has been explained
    }
  };
  StageProgress progress("recognize", points.frames, options.exec);
  actions::PointFrames frames(points);
  for (std::int64_t i = 0; i < points.frames; ++i) {
    progress.advance(i);
    keep(recognizer.push(frames.next(), points.size));
  }
  keep(recognizer.finish());
  std::ranges::stable_sort(
      events, {}, [](const actions::EventExplanation& why) { return why.event.first_frame; });
  return events;
}

const actions::EventExplanation* RecognizedActions::event_at(report::Point place, int frame) const {
  const actions::EventExplanation* best = nullptr;
  for (const actions::EventExplanation& why : events) {
    const Rect<float>& box = why.event.box;
    const auto x = static_cast<float>(place.x), y = static_cast<float>(place.y);
    const bool inside = x >= box.x && x < box.right() && y >= box.y && y < box.bottom();
    if (inside && covers(why.event, frame) &&
        (best == nullptr || why.event.score > best->event.score))
      best = &why;
  }
  return best;
}

std::vector<LayerShape> RecognizedActions::shapes(int frame) const {
  std::vector<LayerShape> drawn;
  const auto frame_of = &actions::SpaceTimePoint::frame;
  const auto first = std::ranges::lower_bound(points, frame, {}, frame_of),
             last = std::ranges::upper_bound(points, frame, {}, frame_of);
  std::transform(first, last, std::back_inserter(drawn), ring_of);
  bool any = false;
  for (const actions::EventExplanation& why : events) {
    if (!covers(why.event, frame)) continue;
    any = true;
    drawn.push_back(box_of(why.event));
    add_chain(why.match, frame, drawn);
  }
  if (!any) add_chain(clip.match, frame, drawn);
  return drawn;
}

}  // namespace fovea::view
