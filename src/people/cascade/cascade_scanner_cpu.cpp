// Scans with a cascade on the CPU. Work is divided into bands of window rows of all levels; a band
// keeps only as many rows of the integral histogram as a window is high. Sums are integers that
// wrap around, so that it does not matter where a band begins.
#include <algorithm>
#include <limits>
#include <tuple>

#include "core/parallel.h"
#include "people/cascade/cascade_check.h"
#include "people/cascade/cascade_planes.h"
#include "people/level_tasks.h"
#include "people/scanner.h"
#include "people/steps.h"

namespace fovea::people::cpu {
namespace {

// The windows of one band: columns first_column, first_column + every, ..., and the same for rows.
// Where the stride is odd, every other window is shifted by half a patch, and the two kinds are
// separate bands.
struct Band {
  int level;
  int first_row, last_row;  // rows first_row, first_row + every, ... below last_row
  int first_column;
  int every;
};

struct BandResult {
  std::vector<Hit> hits;
  std::int64_t evaluations = 0;
};

// The memory of one band while it runs.
struct Workspace {
  std::vector<std::uint32_t> ring;
  std::vector<const std::uint32_t*> rows;
  std::vector<float> scores;
  Race race;
};

// The rows of the integral histogram that a row of windows needs, computed on the way down.
class SumsRing {
 public:
  SumsRing(Workspace& space, int rows, int patches, const SumsLayout& layout)
      : space_(space), rows_(rows), patches_(patches), layout_(layout) {
    const auto size = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(layout.row_size());
    if (space_.ring.size() < size) space_.ring.resize(size);
    space_.rows.resize(static_cast<std::size_t>(rows_));
    std::fill_n(space_.ring.begin(), layout.row_size(), 0U);
  }

  // Computes the rows of patches up to `row`; their corner is the pixel (x, y).
  void advance(const LevelPlanes& level, int x, int y, int row) {
    for (; made_ < row; ++made_) {
      PatchRow patch_row{0, {}, at(made_), at(made_ + 1), patches_, layout_};
      level.point(patch_row, x, y + made_ * cascade::kPatch);
      add_patch_row(patch_row);
    }
  }
  const std::uint32_t* const* from(int row) {
    for (int i = 0; i < rows_; ++i) space_.rows[static_cast<std::size_t>(i)] = at(row + i);
    return space_.rows.data();
  }

 private:
  std::uint32_t* at(int row) { return space_.ring.data() + row % rows_ * layout_.row_size(); }

  Workspace& space_;
  int rows_;
  int patches_;
  SumsLayout layout_;
  int made_ = 0;
};

class CascadeScanner final : public Scanner {
 public:
  explicit CascadeScanner(const CascadeModel& model) : color_(model.color), plan_(model) {}
  ScanResult scan(const ScanRequest& request, const Exec& exec) override;

 private:
  std::vector<Band> bands(const ScanPlan& plan, int first, int last, int threads) const;
  BandResult run(const ScanRequest& request, const Band& band, const LevelPlanes& planes);

  bool color_;
  CascadePlan plan_;
  SourcePlanes source_;
  std::vector<LevelPlanes> levels_;
  FreeList<Workspace> spaces_;
};

// Divides levels [first, last) so that no band has more than its share of the work.
std::vector<Band> CascadeScanner::bands(const ScanPlan& plan, int first, int last,
                                        int threads) const {
  const std::int64_t pixels = level_pixels(plan, first, last);
  const std::int64_t share =
      threads == 1 ? pixels : std::max<std::int64_t>(pixels / (2 * threads), 1);
  std::vector<Band> bands;
  for (int i = first; i < last; ++i) {
    const ScanLevel& level = plan.levels[static_cast<std::size_t>(i)];
    // A band reads a window's height more than it has rows, so that smaller bands are not worth it.
    const std::int64_t least = std::max(plan_.window.height / plan.stride, 1);
    const std::int64_t wanted = (level_pixels(plan, i) + share - 1) / share;
    const auto parts = static_cast<int>(
        std::clamp<std::int64_t>(level.rows / least, 1, std::max<std::int64_t>(wanted, 1)));
    const int every = plan.stride % cascade::kPatch == 0 ? 1 : 2;
    for (int part = 0; part < parts; ++part) {
      const int begin = static_cast<int>(static_cast<std::int64_t>(level.rows) * part / parts);
      const int end = static_cast<int>(static_cast<std::int64_t>(level.rows) * (part + 1) / parts);
      for (int y = 0; y < every && begin + y < end; ++y)
        for (int x = 0; x < every && x < level.columns; ++x)
          bands.push_back({i, begin + y, end, x, every});
    }
  }
  return bands;
}

BandResult CascadeScanner::run(const ScanRequest& request, const Band& band,
                               const LevelPlanes& planes) {
  const ScanPlan& plan = request.plan;
  const ScanLevel& level = plan.levels[static_cast<std::size_t>(band.level)];
  const int columns = (level.columns - band.first_column + band.every - 1) / band.every;
  const int step = plan.stride * band.every / cascade::kPatch;
  const int window_rows = plan_.window.height / cascade::kPatch;
  const int x = plan.origin + band.first_column * plan.stride;
  const int y = plan.top(level) + band.first_row * plan.stride;
  const auto space = spaces_.take(columns);
  space->scores.resize(static_cast<std::size_t>(columns));
  const int patches = (columns - 1) * step + plan_.window.width / cascade::kPatch;
  const SumsLayout layout(patches, step % SumsLayout::kParts == 0);
  SumsRing ring(*space, window_rows + 1, patches, layout);
  BandResult result;
  for (int row = band.first_row, top = 0; row < band.last_row; row += band.every, top += step) {
    {
      const StepTimer timer(request.clock, Step::kSums);
      ring.advance(planes, x, y, top + window_rows);
    }
    WindowRow windows{plan_,
                      ring.from(top),
                      layout,
                      columns,
                      step,
                      request.threshold <= cascade::kBestRejected,
                      space->scores.data(),
                      space->race,
                      0,
                      request.clock};
    score_windows(windows);
    result.evaluations += windows.evaluations;
    for (int c = 0; c < columns; ++c) {
      const float score = space->scores[static_cast<std::size_t>(c)];
      if (score >= request.threshold && score > -std::numeric_limits<float>::infinity())
        result.hits.push_back({band.level, band.first_column + c * band.every, row, score});
    }
  }
  return result;
}

ScanResult CascadeScanner::scan(const ScanRequest& request, const Exec& exec) {
  const ScanPlan& plan = request.plan;
  {
    const StepTimer timer = shared_step(request.clock, Step::kPlanes);
    source_.set(request.image, color_, exec);
  }
  ScanResult result;
  const int count = static_cast<int>(plan.levels.size());
  // A single thread is fastest with one level at a time, which is still in its cache.
  const std::int64_t group = thread_count(exec) == 1 ? 1 : kGroupPixels;
  for (int first = 0; first < count;) {
    const int last = group_end(plan, first, group);
    if (levels_.size() < static_cast<std::size_t>(last - first))
      levels_.resize(static_cast<std::size_t>(last - first));
    const LevelTasks tasks(exec, level_pixels(plan, first, last), request.clock != nullptr);
    tasks.run(exec, last - first, [&](int i) {
      const int level = first + i;
      const StepTimer timer(request.clock, Step::kLevels);
      levels_[static_cast<std::size_t>(i)].build(source_, plan,
                                                 plan.levels[static_cast<std::size_t>(level)],
                                                 tasks.within(level_pixels(plan, level)));
    });
    const std::vector<Band> work = bands(plan, first, last, thread_count(exec));
    std::vector<BandResult> results(work.size());
    tasks.run(exec, static_cast<int>(work.size()), [&](int k) {
      const Band& band = work[static_cast<std::size_t>(k)];
      results[static_cast<std::size_t>(k)] =
          run(request, band, levels_[static_cast<std::size_t>(band.level - first)]);
    });
    for (const BandResult& part : results) {
      result.hits.insert(result.hits.end(), part.hits.begin(), part.hits.end());
      result.counts.evaluations += part.evaluations;
    }
    first = last;
  }
  for (const ScanLevel& level : plan.levels)
    result.counts.windows += static_cast<std::int64_t>(level.columns) * level.rows;
  if (plan.stride % cascade::kPatch != 0)
    std::sort(result.hits.begin(), result.hits.end(), [](const Hit& a, const Hit& b) {
      return std::tie(a.level, a.row, a.column) < std::tie(b.level, b.row, b.column);
    });
  return result;
}

}  // namespace

std::unique_ptr<Scanner> make_cascade_scanner(const CascadeModel& model) {
  check_cascade(model);
  return std::make_unique<CascadeScanner>(model);
}

}  // namespace fovea::people::cpu
