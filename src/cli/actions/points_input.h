// Verbs of fovea actions whose input is a file of points instead of a video.
#pragma once
#include <fovea/actions/recognize.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// An event as a line of JSON, with its end, and with its explanation where it has evidence. The
// explanation counts frames as the recognizer does.
std::string event_line(const actions::Event& event, const actions::Model& model);

// Recognizes actions in the points of the first input, frame by frame.
struct RecognizePoints {
  std::string model{};
  std::string annotated{};  // is refused, because there are no frames to draw on
  std::string timeline{};
  actions::RecognizeOptions recognize{};
};
int recognize_points(const RecognizePoints& request, Context& context);

// Reads the points of the first input and writes those that are wanted.
struct ConvertPoints {
  std::string output{};     // .csv, or else the text format of STIP-2.0; empty prints that
  std::string annotated{};  // is refused as above
  int most_per_frame = 0;
  double least_confidence = 0;
  bool descriptors = true;
};
int convert_points(const ConvertPoints& request, Context& context);

}  // namespace fovea::cli
