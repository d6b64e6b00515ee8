#include "cli/actions/actions.h"

#include <fovea/core/error.h>
#include <fovea/core/record.h>

#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, ClipTraining& request) {
  visit("paper", request.paper,
        "use the paper's value for every option that is not given beside it");
  visit("cut-first", request.cut_first,
        "cut clips out of their videos before points are found, so that frames around a clip have "
        "no influence");
  describe(visit, request.train);
}

void preset_chosen(ClipTraining& request) {
  if (request.paper) request.train = actions::paper_options();
}

void finish_after(const io::FrameRun& run, const std::function<void()>& finish) {
  try {
    finish();
  } catch (const Error&) {
    if (run.whole()) throw;
  }
}

int ClipSet::status() const { return failed > 0 ? kSomeFailed : kDone; }

void describe(FieldVisitor& visit, FailedClip& failed) {
  visit("clip", failed.clip, "its place in the data set");
  visit("why", failed.why, "it cannot be read");
}

std::vector<FailedClip> listed(const ClipFailures& failures) {
  std::vector<FailedClip> all;
  for (const auto& [clip, why] : failures) all.push_back({clip, why});
  return all;
}

ClipFailures by_clip(const std::vector<FailedClip>& listed) {
  ClipFailures failures;
  for (const FailedClip& failed : listed) failures.emplace(failed.clip, failed.why);
  return failures;
}

void complain_of(const ClipFailures& failures, std::size_t clips, Context& context) {
  if (failures.empty()) return;
  for (const auto& [clip, why] : failures) context.console.complain(why);
  context.console.complain(fmt::format("{} of {} could not be read and were left out",
                                       failures.size(), detail::counted(clips, "clip")));
}

ClipSet readable_clips(actions::Corpus corpus, ClipFailures failures) {
  ClipSet set;
  const std::size_t count = corpus.clips.size();
  set.corpus.classes = std::move(corpus.classes);
  for (std::size_t i = 0; i < count; ++i) {
    const bool bad = failures.contains(static_cast<int>(i));
    set.place.push_back(bad ? -1 : static_cast<std::int32_t>(set.corpus.clips.size()));
    if (!bad) set.corpus.clips.push_back(std::move(corpus.clips[i]));
  }
  set.failed = static_cast<int>(failures.size());
  set.failures = std::move(failures);
  if (set.corpus.clips.empty())
    throw FormatError(fmt::format("none of {} could be read", detail::counted(count, "clip")));
  return set;
}

UnitList clip_units(const actions::Corpus& corpus) {
  std::vector<std::string> names;
  names.reserve(corpus.clips.size());
  for (const actions::Clip& clip : corpus.clips)
    names.push_back(
        clip.frames > 0 || clip.first > 0
            ? fmt::format("{} {}-{}", clip.path, clip.first + 1, clip.first + clip.frames)
            : clip.path);
  return units_from(std::move(names), clip_files(corpus));
}

std::vector<std::string> clip_files(const actions::Corpus& corpus) {
  std::vector<std::string> files;
  for (const actions::Clip& clip : corpus.clips)
    if (files.empty() || files.back() != clip.path) files.push_back(clip.path);
  return files;
}

ClipSet load_clips(actions::Corpus corpus, const actions::PointOptions& points_wanted,
                   bool cut_first, Context& context) {
  const double start = steady_seconds();
  ClipFailures failures;
  actions::ClipOptions options;
  options.points = points_wanted;
  options.exec = context.exec;
  options.cut_first = cut_first;
  options.max_pixels = context.max_pixels;
  actions::PackedClips points =
      actions::packed_clip_points(corpus.clips, options, [&](int clip, const std::string& why) {
        failures.emplace(clip, why);
        context.console.complain(why);
      });
  const std::size_t count = corpus.clips.size();
  ClipSet set = readable_clips(std::move(corpus), std::move(failures));
  points.keep(set.place);
  set.points = std::move(points);
  if (set.failed > 0)
    context.console.complain(fmt::format("{} of {} could not be read and were left out", set.failed,
                                         detail::counted(count, "clip")));
  set.seconds = steady_seconds() - start;
  return set;
}

}  // namespace fovea::cli
