// The frames of one video, folder or list of images as units of work: ranges of a fixed number of
// frames, whatever the number of shards. A shard reads its units in one pass.
#pragma once
#include <fovea/io/frames.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/jobs/units.h"

namespace fovea::cli {

// What is cut into ranges.
struct FrameSource {
  std::string video{};               // a file; empty where frames are files of their own
  std::vector<std::string> files{};  // one per frame
  std::int64_t frames = 0;           // how many the source states; the last range has the rest
  std::int64_t most = 0;             // frames behind these are not read; 0 reads all
};
// Throws InvalidArgument where the first frames are passed over.
void require_first_frame(const Context& context);
// The frames of a reader that was opened as video_options() says. `files` are those of a sequence
// of images. Where the source does not state its length, or --seconds cuts it, all frames are
// fetched to count them.
FrameSource frame_source(const Context& context, io::VideoReader& reader,
                         std::vector<std::string> files);

// Throws InvalidArgument where an input is a pipe, a camera or a stream, before it is opened.
void require_repeatable(const Context& context);

// The frames that a pass reads; 0 of them stands for all up to the end.
struct FrameRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// What a verb does with the frames of a pass.
class FramePass {
 public:
  virtual ~FramePass() = default;
  // Must call FrameUnits::reach() with the number of each frame before it adds to what the frame's
  // unit gives.
  virtual io::FrameRun pass() = 0;
  // What the unit that is worked on has given so far, and its files; the next call gives what came
  // after.
  virtual UnitResult collect() = 0;
};

class FrameUnits {
 public:
  // Gets what the unit that begins with a frame has given, in the order of the units. A unit that
  // failed may have given something before.
  using Give = std::function<void(std::int64_t first_frame, const UnitResult& given)>;

  // Each unit also reads `overlap` frames of the next. The source need not be there where a merge
  // gives the results again.
  FrameUnits(Context& context, FrameSource source, int overlap, Give give);

  // Makes passes over the frames that are still to be worked on until none are left. Throws
  // Cancelled.
  void run(const std::function<std::unique_ptr<FramePass>(const FrameRange&)>& begin);
  // Ends the units before a frame.
  void reach(std::int64_t frame);
  // Whether the frame is one of the pass and not only the overlap behind it.
  bool owns(std::int64_t frame);

  // Gives what is left, and returns the exit status.
  int finish();

 private:
  std::int64_t end_of(std::size_t unit) const;
  std::optional<FrameRange> next_range();
  void end_pass(const io::FrameRun& run);
  void take(UnitResult given) { units_.take(units_.open()[at_++], std::move(given)); }
  UnitResult collect() { return pass_ ? pass_->collect() : UnitResult{}; }
  void report(std::size_t unit, const UnitResult& given);

  Context& context_;
  std::int64_t size_;  // frames of a unit
  std::int64_t overlap_;
  std::int64_t most_;  // as those of the source
  bool is_video_;      // where nothing behind a broken place can be reached
  Give give_;
  Units units_;
  std::unique_ptr<FramePass> pass_{};
  std::size_t given_ = 0, failures_ = 0;
  int first_failure_ = 0;
  std::size_t at_ = 0;        // the open unit that is worked on
  std::size_t pass_end_ = 0;  // behind the last open unit of the pass
};

// How the frames of a pass are read.
io::VideoReadOptions pass_options(const Context& context, const FrameRange& range);

// Pictures of frames that become one file, such as a video, when all units are there. Until then
// they are images in a folder beside it, FILE.parts; those of a folder have their place at once.
class PartPictures {
 public:
  explicit PartPictures(std::string path);

  const std::string& path() const { return path_; }
  // The file of a frame's picture; the folder is made.
  std::string file(std::int64_t number) const;
  // Whether the pictures are to be joined.
  bool joined() const { return joined_; }

 private:
  std::string path_;
  bool joined_;
};
// Makes one video of pictures with these numbers.
void join_pictures(const Context& context, const PartPictures& pictures,
                   const std::vector<std::int64_t>& numbers, double frame_rate);

}  // namespace fovea::cli
