// What a verb does, described once: its words, what it reads, its options, how an input becomes a
// result, the files that can be written of it, and why it is what it is. The program's driver
// (cli/operations) runs any of them.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/options.h>
#include <fovea/core/record.h>
#include <fovea/io/image_io.h>
#include <fovea/io/place.h>
#include <fovea/report/explanation.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operations/output.h"
#include "operations/words.h"

namespace fovea::operations {

enum class InputKind : unsigned char { kImage, kImageOrVideo, kMesh, kFlow, kOther };

// One input, and how the driver reads images.
struct Source {
  std::string name;  // a file, - for standard input, or the address of a stream
  std::function<io::AnyImage(io::Orientation orientation)> image{};
  // Where its own files go, by the name of the output; without those that nobody asked for.
  std::map<std::string, std::string, std::less<>> files{};

  // Empty where nobody asked for it.
  std::string file(std::string_view output) const {
    const auto found = files.find(output);
    return found == files.end() ? std::string() : found->second;
  }
};

// A file of all inputs while it is written, in their order. It appears whole at commit(), or not.
class SharedFile {
 public:
  virtual ~SharedFile() = default;
  virtual void add(const io::Place& place, const void* item) = 0;
  // `origin` is a JSON object that says what made the results.
  virtual void commit(const std::string& origin) = 0;
};

// What a driver knows before it works.
struct Plan {
  std::vector<std::string> inputs{};
  // The files of each output, one per input; a shared file is one. Without an entry where none was
  // asked for.
  std::map<std::string, std::vector<std::string>, std::less<>> files{};
  std::function<io::AnyImage(const std::string& path)> image{};  // reads one that an option names
  std::function<void(const std::string& text)> note{};           // tells the user something
  std::uint64_t max_pixels = 0;  // larger images are refused; 0: no limit
  bool times = true;             // whether lines for people tell how long work took

  bool writes(std::string_view output) const { return files.find(output) != files.end(); }
  // Whether any file of the output meets the condition.
  template <class Condition>
  bool any(std::string_view output, Condition condition) const {
    const auto found = files.find(output);
    return found != files.end() &&
           std::any_of(found->second.begin(), found->second.end(), condition);
  }
};

// Parts of an input that could not be done, though the others were.
struct Faults {
  std::vector<std::string> messages{};
  bool all = false;  // no part of it was done
};

// An answer to --explain.
struct Explained {
  report::Explanation explanation{};
  // Draws it.
  std::function<Image<std::uint8_t>(const report::Explanation& explanation)> picture{};
};

// One call of an operation: its options, and the steps that they make of its inputs. An item is
// what was read of one input and its result; several threads may work on several items.
class Call {
 public:
  virtual ~Call() = default;
  virtual void visit_options(OptionVisitor& visit) = 0;
  // Throws InvalidArgument where options do not go together, before anything else is done.
  virtual void check() const = 0;
  // The same for options and files, before anything is read.
  virtual void settle(const Plan& plan) = 0;
  // Files beside an input that it is read with: no output may replace them.
  virtual std::vector<std::string> read_beside(const std::string& input) const = 0;
  // Takes what runs the workers, and reads what they share, such as a model.
  virtual void begin(const Exec& exec, const Plan& plan) = 0;

  virtual std::shared_ptr<void> make_worker(const Exec& exec) const = 0;
  virtual std::shared_ptr<void> make_item() const = 0;
  virtual void read(const Source& source, void* item) const = 0;
  // Replaces the result of the item: the items of a video's frames are used again.
  virtual void run(void* worker, void* item) const = 0;
  // Of an operation on images: the pixels that are read, as a frame of a video also gives them.
  virtual Image<std::uint8_t>& pixels(void* item) const = 0;
  virtual io::Orientation orientation() const = 0;
  // How much memory an item takes whose file, or decoded image, has so many bytes.
  virtual std::uint64_t memory(std::uint64_t bytes) const = 0;

  virtual RecordRef result(void* item) const = 0;
  // For people, without the name of the input and of its files, which stand around it where the
  // driver names them; empty where its files say it all.
  virtual std::string line(const void* item) const = 0;
  virtual Faults faults(const void* item) const = 0;
  // The same of a video, whose frames tally() got since start_input().
  virtual std::string video_line(std::int64_t frames) const = 0;
  // Draws the result into the pixels.
  virtual void draw(void* item) const = 0;
  // Writes the file of an output and returns the names of what was written.
  virtual std::vector<std::string> write(std::size_t output, const void* item,
                                         const std::string& path) const = 0;
  virtual std::string text(std::size_t output, const void* item) const = 0;
  virtual std::unique_ptr<SharedFile> open(std::size_t output, const std::string& path) const = 0;

  // Called before each input; only a video knows its size then.
  virtual void start_input(Extent size) = 0;
  // Called for every item, in order.
  virtual void tally(const void* item) = 0;
  // What the user should know after an input that did not fail, and after all; may be empty.
  virtual std::string note_after_input(const std::string& input) = 0;
  virtual std::string note_after_all() const = 0;

  virtual bool explains() const = 0;
  virtual std::string explain_picture() const = 0;
  virtual Explained explain(const Source& source) const = 0;
};

struct Operation {
  Words words;
  InputKind input{};
  bool needs_output = false;   // at least one of its outputs must be named
  bool finite_pixels = false;  // images with a pixel that is NaN or infinite are refused
  bool alone_on_gpu = false;   // a single worker may take the whole memory of a GPU
  bool on_processor = false;   // there is nothing of it that a GPU does
  // It takes one input at a time, or none, and its result is all that is printed.
  bool alone = false;
  // The result and the line name the input and its files, so that the driver need not.
  bool names_files = false;
  std::vector<Output> outputs{};
  std::function<std::unique_ptr<Call>()> call{};
  RecordRef (*sample)() = nullptr;  // a result with any values, for its description
};

template <class Record>
RecordRef sample_record() {
  static const Record sample{};
  return record_ref(sample);
}

// The operations of all systems, in the order of the help.
const std::vector<Operation>& operations();

}  // namespace fovea::operations
