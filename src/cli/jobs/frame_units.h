// The frames of one video, folder or list of images as units of work: ranges of a fixed number of
// frames, whatever the number of shards. A shard reads its units in one pass.
#pragma once
#include <fovea/io/frames.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/recorded_units.h"

namespace fovea::cli {

// What is cut into ranges.
struct FrameSource {
  std::string video{};               // a file; empty where frames are files of their own
  std::vector<std::string> files{};  // one per frame
  std::int64_t frames = 0;           // how many the source states; the last range has the rest
  std::int64_t most = 0;             // frames behind these are not read; 0 reads all
};
// The frames of a reader that was opened as video_options() says. `files` are those of a sequence
// of images. Where the source does not state its length, or --seconds cuts it, all frames are
// fetched to count them.
FrameSource frame_source(const Context& context, io::VideoReader& reader,
                         std::vector<std::string> files);

// Throws InvalidArgument where an input is a pipe, a camera or a stream, before it is opened.
void require_repeatable(const Context& context);

// Whether a merge gives the results again, so that the source need not be there.
bool merges_frames(const Context& context);

class FrameUnits {
 public:
  // Gets what the unit that begins with a frame has given, in the order of the units. A unit that
  // failed may have given something before.
  using Give = std::function<void(std::int64_t first_frame, std::string_view shared)>;
  // What a unit has given so far; the next call gives what came after.
  struct Given {
    std::string shared{};
    std::vector<std::string> files{};  // of the unit alone
  };
  using Collect = std::function<Given()>;
  // The frames that a pass reads; 0 of them stands for all up to the end.
  struct Pass {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };

  // Each unit also reads `overlap` frames of the next. Throws InvalidArgument for a source that
  // cannot be read twice.
  FrameUnits(Context& context, FrameSource source, int overlap, Give give);

  // Calls `work` for frames that are still to be worked on until none are left. It must call
  // reach() with the number of each frame before it adds to what the frame's unit gives. Throws
  // Cancelled.
  void run(const std::function<io::FrameRun(const Pass&)>& work, const Collect& collect);
  // Ends the units before a frame.
  void reach(std::int64_t frame, const Collect& collect);
  // Whether the frame is one of the pass and not only the overlap behind it.
  bool owns(std::int64_t frame) const;

  // Gives what is left, and returns the exit status.
  int finish();

 private:
  struct Failure {
    std::string message{};
    int status = 0;
  };
  std::vector<std::string> names_of_units() const;
  void watch_source(Journal& journal) const;
  std::int64_t end_of(std::size_t unit) const;
  std::optional<Pass> next_pass();
  void end_pass(const io::FrameRun& run, const Collect& collect);
  void take(Given given, const Failure& failure);
  void report(std::size_t unit, std::string_view shared, const std::string& message);

  Context& context_;
  FrameSource source_;
  std::int64_t size_;  // frames of a unit
  std::int64_t overlap_;
  Give give_;
  std::vector<std::string> names_;
  std::size_t given_ = 0, failures_ = 0;
  int first_failure_ = 0;
  std::optional<RecordedUnits> units_{};
  std::size_t at_ = 0;        // the open unit that is worked on
  std::size_t pass_end_ = 0;  // behind the last open unit of the pass
};

// How the frames of a pass are read.
io::VideoReadOptions pass_options(const Context& context, const FrameUnits::Pass& pass);

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
