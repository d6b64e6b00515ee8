// Compares reported events with true ones.
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fovea::actions {
namespace {

double share_in_common(const TrueEvent& truth, const Event& event) {
  const std::int64_t common = std::min(truth.last_frame, event.last_frame) -
                              std::max(truth.first_frame, event.first_frame) + 1;
  const std::int64_t all = std::max(truth.last_frame, event.last_frame) -
                           std::min(truth.first_frame, event.first_frame) + 1;
  return common > 0 ? static_cast<double>(common) / static_cast<double>(all) : 0;
}

constexpr double kNotDefined = std::numeric_limits<double>::quiet_NaN();

bool inside(const TrueEvent& truth, const Event& event) {
  if (truth.area.empty()) return true;
  const float x = event.box.x + event.box.width / 2, y = event.box.y + event.box.height / 2;
  return x >= truth.area.x && x < truth.area.right() && y >= truth.area.y &&
         y < truth.area.bottom();
}

// The event that makes each true one right; -1 where there is none.
std::vector<int> matched_events(std::span<const TrueEvent> truth, std::span<const Event> events,
                                double overlap) {
  struct Pair {
    double share;
    std::size_t truth, event;
  };
  std::vector<Pair> pairs;
  for (std::size_t t = 0; t < truth.size(); ++t)
    for (std::size_t e = 0; e < events.size(); ++e)
      if (truth[t].label == events[e].label && inside(truth[t], events[e]))
        if (const double share = share_in_common(truth[t], events[e]);
            share > 0 && share >= overlap)
          pairs.push_back({share, t, e});
  std::ranges::stable_sort(pairs, std::greater{}, &Pair::share);
  std::vector<int> event_of(truth.size(), -1);
  std::vector<bool> used(events.size(), false);
  for (const Pair& pair : pairs) {
    if (event_of[pair.truth] >= 0 || used[pair.event]) continue;
    event_of[pair.truth] = static_cast<int>(pair.event);
    used[pair.event] = true;
  }
  return event_of;
}

// How many frames lie between an event's middle and a clip; 0 where the clip shows it.
std::int64_t frames_between(const ShownClip& clip, std::int64_t middle) {
  return std::max({clip.first_frame - middle, middle - clip.last_frame, std::int64_t{0}});
}

EventMistake false_event(const Event& event, std::span<const ShownClip> shown) {
  EventMistake mistake{.found = event.label, .score = event.score};
  const std::int64_t middle = (event.first_frame + event.last_frame) / 2;
  const ShownClip* nearest = nullptr;
  for (const ShownClip& clip : shown) {
    const TrueEvent place{.area = clip.area};
    if (inside(place, event) &&
        (nearest == nullptr || frames_between(clip, middle) < frames_between(*nearest, middle)))
      nearest = &clip;
  }
  if (nearest == nullptr) return mistake;
  mistake.between = frames_between(*nearest, middle) > 0;
  if (!mistake.between) mistake.truth = nearest->label;
  mistake.surplus = mistake.truth >= 0;
  mistake.path = nearest->path;
  mistake.frame =
      nearest->first +
      static_cast<std::int32_t>(std::clamp(middle, nearest->first_frame, nearest->last_frame) -
                                nearest->first_frame);
  return mistake;
}

}  // namespace

double EventCounts::precision() const {
  return events > 0 ? static_cast<double>(correct) / events : kNotDefined;
}
double EventCounts::recall() const {
  return truths > 0 ? static_cast<double>(correct) / truths : kNotDefined;
}
double EventCounts::f1() const {
  return events + truths > 0 ? 2.0 * correct / (events + truths) : kNotDefined;
}
double EventCounts::mean_delay() const { return correct > 0 ? delay_frames / correct : 0; }

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  truths += other.truths;
  events += other.events;
  correct += other.correct;
  delay_frames += other.delay_frames;
  if (name.empty()) name = other.name;
  return *this;
}

EventReport& EventReport::operator+=(const EventReport& other) {
  all += other.all;
  classes.resize(std::max(classes.size(), other.classes.size()));
  for (std::size_t c = 0; c < other.classes.size(); ++c) classes[c] += other.classes[c];
  mistakes.insert(mistakes.end(), other.mistakes.begin(), other.mistakes.end());
  return *this;
}

// The joined event is reported when its last part is. Its distance is that of the nearest part.
std::vector<Event> join_events(std::span<const Event> events, int gap) {
  std::vector<Event> sorted(events.begin(), events.end()), joined;
  std::ranges::stable_sort(sorted, {}, &Event::first_frame);
  for (Event& event : sorted) {
    // The last event of the place, whatever its class: another action in between ends the first.
    const auto last = std::find_if(joined.rbegin(), joined.rend(),
                                   [&](const Event& other) { return other.place == event.place; });
    if (last == joined.rend() || last->label != event.label ||
        event.first_frame - last->last_frame - 1 > gap) {
      joined.push_back(std::move(event));
      continue;
    }
    const std::int64_t reported =
        std::max(last->last_frame + last->latency_frames, event.last_frame + event.latency_frames);
    const float left = std::min(last->box.x, event.box.x), top = std::min(last->box.y, event.box.y);
    last->box = {left, top, std::max(last->box.right(), event.box.right()) - left,
                 std::max(last->box.bottom(), event.box.bottom()) - top};
    last->last_frame = std::max(last->last_frame, event.last_frame);
    last->end_seconds = std::max(last->end_seconds, event.end_seconds);
    last->latency_frames = reported - last->last_frame;
    last->distance = std::min(last->distance, event.distance);
    last->score = std::max(last->score, event.score);
  }
  return joined;
}

EventReport count_events(std::span<const TrueEvent> truth, std::span<const Event> events,
                         int classes, double overlap) {
  EventReport report{.overlap = overlap, .all = {}, .classes = {}};
  report.classes.resize(static_cast<std::size_t>(classes));
  const auto of_class = [&](std::int32_t label) -> EventCounts& {
    if (label < 0 || label >= classes)
      throw InvalidArgument(
          fmt::format("an event has the label {}; there are {} classes", label, classes));
    return report.classes[static_cast<std::size_t>(label)];
  };
  for (const TrueEvent& one : truth) ++of_class(one.label).truths;
  for (const Event& event : events) ++of_class(event.label).events;
  const std::vector<int> event_of = matched_events(truth, events, overlap);
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (event_of[t] < 0) continue;
    const Event& event = events[static_cast<std::size_t>(event_of[t])];
    EventCounts& counts = of_class(event.label);
    ++counts.correct;
    counts.delay_frames +=
        static_cast<double>(event.last_frame + event.latency_frames - truth[t].last_frame);
  }
  for (const EventCounts& counts : report.classes) report.all += counts;
  return report;
}

// An action that was not found is confused with the wrong event that has most frames in common with
// it; wrong events that are left were found where nothing of the kind happens.
std::vector<EventMistake> event_mistakes(std::span<const TrueEvent> truth,
                                         std::span<const Event> events, double overlap,
                                         std::span<const ShownClip> shown) {
  const std::vector<int> event_of = matched_events(truth, events, overlap);
  std::vector<bool> told(events.size(), false);
  for (const int event : event_of)
    if (event >= 0) told[static_cast<std::size_t>(event)] = true;
  std::vector<EventMistake> mistakes;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (event_of[t] >= 0) continue;
    EventMistake mistake{.truth = truth[t].label};
    std::size_t wrong = events.size();
    double most = 0;
    for (std::size_t e = 0; e < events.size(); ++e) {
      if (told[e] || !inside(truth[t], events[e])) continue;
      if (const double share = share_in_common(truth[t], events[e]); share > most) {
        most = share;
        wrong = e;
      }
    }
    if (wrong < events.size()) {
      told[wrong] = true;
      mistake.found = events[wrong].label;
      mistake.score = events[wrong].score;
    }
    if (truth[t].clip >= 0 && static_cast<std::size_t>(truth[t].clip) < shown.size()) {
      const ShownClip& clip = shown[static_cast<std::size_t>(truth[t].clip)];
      mistake.path = clip.path;
      mistake.frame = clip.first;
    }
    mistakes.push_back(std::move(mistake));
  }
  for (std::size_t e = 0; e < events.size(); ++e)
    if (!told[e]) mistakes.push_back(false_event(events[e], shown));
  return mistakes;
}

}  // namespace fovea::actions
