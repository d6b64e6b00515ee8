// What fovea flow lk and bm share between a pair of images and a video.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/flow/show.h>
#include <fovea/flow/summary.h>

#include <string>
#include <vector>

#include "cli/flow/flow.h"
#include "cli/program/explain.h"

namespace fovea::cli {

// The format of the fields of a video; the enumerators have the order of their words.
enum class FieldFormat : unsigned char { kFlo, kPng, kPfm, kNpy, kTif };
std::span<const Choice> choices(FieldFormat);

struct EstimateRequest {
  flow::FlowOptions flow{};
  std::string output{};
  std::vector<WordAndFile> pictures{};
  std::string mask{};
  flow::WheelOptions wheel{};
  FieldFormat format = FieldFormat::kFlo;
  io::FlowWriteOptions writing{};
  ExplainNumbers explain{};
  std::string explain_picture{};

  // Whether the alpha of each image is its mask; a file of that name is given as ./alpha.
  bool alpha() const { return mask == "alpha"; }
};

// With the files that a request names.
flow::FlowResult estimate_report(const EstimateRequest& request, const Context& context,
                                 Extent size);

// Explains the flow of a pixel of a pair.
int explain_pair(const EstimateRequest& request, Context& context);

// Writes fields and pictures along a video, a folder or a list of images. Where the source breaks
// or the run is stopped, the finished results are kept and reported before the error is thrown.
int estimate_video(const EstimateRequest& request, Context& context);
// The same for a run with a manifest, whose units are ranges of frames.
int estimate_in_ranges(const EstimateRequest& request, Context& context);

}  // namespace fovea::cli
