// fovea bench emd --frames: whole frames, as in Shaffer's paper (2011). Rows measure time against
// channels; the experiment follows a video frame by frame and draws charts.
#pragma once
#include <fovea/emd/map.h>

#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

enum class FrameStarts : unsigned char { kGreedy, kAuxiliary, kBoth };
std::span<const Choice> choices(FrameStarts);

struct EmdFrameOptions {
  std::vector<Extent> sizes{{1280, 720}, {1920, 1080}};
  std::vector<int> channels{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16};
  std::string scene{};
  std::string target{};
  emd::Ground ground{"threshold:3"};
  FrameStarts start = FrameStarts::kGreedy;
  emd::SolverKind solver = emd::SolverKind::kAuto;
  double noise = 0;
  float threshold = 0;
  std::string charts{};
  int count = 30;

  std::vector<emd::SimplexStart> starts() const;
  emd::MapOptions map_options(emd::SimplexStart start) const;
};
void describe(OptionVisitor& visit, EmdFrameOptions& options);

// At most `count` gray frames of the scene, with noise where the options ask for it. A picture is
// the same in all of them.
std::vector<Image<std::uint8_t>> emd_frames(const EmdFrameOptions& options, Extent size, int count,
                                            const Context& context);
// The target in gray.
Image<std::uint8_t> emd_target(const EmdFrameOptions& options, const Context& context);
Image<std::uint8_t> emd_labels(ImageView<const std::uint8_t> gray, int channels);

// "emd_map_cold_tableau" keeps nothing from frame to frame; in "emd_map_warm_tableau" all
// histograms are known. Names end in the solver that ran, as emd::to_string() has it. Windows have
// 11x11 pixels; a row's size names the channels and the share of distinct histograms.
std::vector<BenchCase> emd_frame_cases(const EmdFrameOptions& options, const Context& context);

// Maps a video and writes charts, a page and a table of it to the folder options.charts; returns
// the exit status. Each time is the median of `repeats` runs.
int run_emd_experiment(const EmdFrameOptions& options, int repeats, Context& context);

}  // namespace fovea::cli
