// Verbs of fovea actions whose input is a file of points instead of a video.
#pragma once
#include <fovea/actions/recognize.h>
#include <fovea/report/explanation.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// A line of JSON that recognize prints. The explanation counts frames as the recognizer does.
struct EventLine {
  actions::Event event{};
  std::optional<report::Explanation> explanation{};  // where the event has evidence
};
void describe(FieldVisitor& visit, EventLine& line);
// The line of an event, with its end.
std::string event_line(const actions::Event& event, const actions::Model& model);

// What recognize prints after the events.
struct RecognizeResult {
  std::string model{};
  std::string input{};
  std::int64_t frames = 0;
  std::int64_t dropped = 0;
  bool whole = true;
  std::int64_t events = 0;
};
void describe(FieldVisitor& visit, RecognizeResult& result);
// Says how many events there were and how long it took, with --json as a line too.
void report_recognized(const RecognizeResult& result, double seconds, const std::string& dropped,
                       const Context& context);

// Recognizes actions in the points of the first input, frame by frame.
struct RecognizePoints {
  std::string model{};
  std::string annotated{};  // is refused, because there are no frames to draw on
  std::string timeline{};
  actions::RecognizeOptions recognize{};
};
int recognize_points(const RecognizePoints& request, Context& context);

// What points prints as JSON: of a video the points come while it runs, between two parts.
struct PointsHead {
  std::string input{};
  std::string output{};
  std::string annotated{};
  Extent size{};
  double frame_rate = 25;
};
void describe(FieldVisitor& visit, PointsHead& head);
struct PointsFoot {
  std::int64_t frames = 0;
  std::int64_t dropped = 0;
  bool whole = true;
  std::int64_t read = -1;  // of a file of points
};
void describe(FieldVisitor& visit, PointsFoot& foot);
struct PointsResult {
  PointsHead head{};
  std::vector<actions::SpaceTimePoint> points{};
  PointsFoot foot{};
};
void describe(FieldVisitor& visit, PointsResult& result);

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
