#include "cli/actions/actions.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {

void finish_after(const io::FrameRun& run, const std::function<void()>& finish) {
  try {
    finish();
  } catch (const Error&) {
    if (run.whole()) throw;
  }
}

int ClipSet::status() const { return failed > 0 ? kSomeFailed : kDone; }

ClipSet load_clips(actions::Corpus corpus, const actions::PointOptions& points_wanted,
                   bool cut_first, Context& context) {
  const double start = steady_seconds();
  std::vector<bool> bad(corpus.clips.size(), false);
  actions::ClipOptions options;
  options.points = points_wanted;
  options.exec = context.exec;
  options.cut_first = cut_first;
  options.max_pixels = context.max_pixels;
  actions::PackedClips points =
      actions::packed_clip_points(corpus.clips, options, [&](int clip, const std::string& why) {
        bad[static_cast<std::size_t>(clip)] = true;
        context.console.complain(why);
      });
  ClipSet set;
  set.corpus.classes = std::move(corpus.classes);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    set.place.push_back(bad[i] ? -1 : static_cast<std::int32_t>(set.corpus.clips.size()));
    if (bad[i]) {
      ++set.failed;
      continue;
    }
    set.corpus.clips.push_back(std::move(corpus.clips[i]));
  }
  if (set.corpus.clips.empty())
    throw FormatError(fmt::format("none of {} could be read", detail::counted(bad.size(), "clip")));
  points.keep(set.place);
  set.points = std::move(points);
  if (set.failed > 0)
    context.console.complain(fmt::format("{} of {} could not be read and were left out", set.failed,
                                         detail::counted(bad.size(), "clip")));
  set.seconds = steady_seconds() - start;
  return set;
}

}  // namespace fovea::cli
