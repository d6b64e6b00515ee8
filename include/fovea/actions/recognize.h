#pragma once
#include <fovea/actions/model.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::actions {

// An action that was seen in a stream.
struct Event {
  std::int32_t label = 0;
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  std::array<float, 4> box{};  // x0, y0, x1, y1 around the matched points and their extent
  double distance = 0;
  double margin = 0;  // to the best other class at that time, over the distance
  int prototype = 0;
  int dummies = 0;
  std::int64_t latency = 0;  // frames from its last one to when it was told
  std::vector<MatchedNode>
      path;  // points by their place in their frame, the most confident being 0
};

// stream: exact over an endless video. blocks: the paper's, matched one by one, overlapping.
enum class StreamMode : unsigned char { kStream, kBlocks };
FOVEA_API std::span<const Choice> choices(StreamMode);

struct RecognizeOptions {
  StreamMode mode = StreamMode::kStream;
  int block = 60;     // frames of a block,
  int overlap = 30;   // of which this many are the last one's
  double reject = 1;  // factor of the prototypes' reject levels; greater tells more, 0: all that
                      // is nearer than dummies alone
  int patience = 15;  // frames without anything better before an event is told; of overlapping
                      // events the nearest counts
};
FOVEA_API void describe(OptionVisitor& visit, RecognizeOptions& options);

// Tells actions while they happen, in bounded memory. Single matches tell: of the model's scores
// neither the mean of several prototypes nor fusion nor symmetry count here. The model must live as
// long.
class FOVEA_API Recognizer {
 public:
  Recognizer(const Model& model, const RecognizeOptions& options = {}, const Exec& exec = {});
  ~Recognizer();
  Recognizer(Recognizer&&) noexcept;
  Recognizer& operator=(Recognizer&&) noexcept;

  // Events that are certain now; valid until the next call.
  std::span<const Event> push(ImageView<const std::uint8_t> gray);
  std::span<const Event> finish();
  // Frames between a frame and its points.
  int latency() const;
  // The least distance of each class over the last `patience` frames whose points have come (of a
  // block: in it), for timelines; infinite where there is none.
  std::span<const double> class_distances() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::actions
