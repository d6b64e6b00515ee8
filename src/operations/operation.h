// What a verb does, described once: its words, what it reads, its options, how an input becomes a
// result, the files that can be written of it, what is shown of it, and why it is what it is. The
// drivers of the program (cli/operations), of the page (view/run_operation) and of Python
// (python/src/operations) run any of them.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/options.h>
#include <fovea/core/record.h>
#include <fovea/io/image_io.h>
#include <fovea/io/place.h>
#include <fovea/io/video.h>
#include <fovea/report/explanation.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/kept.h"
#include "operations/output.h"
#include "operations/shown.h"
#include "operations/totals.h"
#include "operations/truth.h"
#include "operations/words.h"

namespace fovea::io {
class CsvWriter;
class JsonWriter;
struct TriangleMesh;
}  // namespace fovea::io

namespace fovea::report {
struct Evaluation;
}

namespace fovea::operations {

enum class InputKind : unsigned char {
  kImage,
  kImageOrVideo,  // the frames of a video are images
  kMesh,
  kFlow,
  kClip,    // a video that is worked on as a whole, or a file of its points
  kFrames,  // all inputs are one sequence, such as a video or a folder, or what is_still() says;
            // of an operation that is alone, each input is one
  kVideo,   // each input is a sequence: a video, or the images of a folder or a glob
  kOther
};

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
  std::shared_ptr<const Source> second{};  // of a pair
  std::size_t number = 0;                  // its place among the inputs

  // What a caller has in memory, and keeps until the item is done: the pixels, which image()
  // copies; the mesh; and values in place of files that options name, by the name of the option.
  const io::AnyView* pixels = nullptr;
  const io::TriangleMesh* mesh = nullptr;
  std::map<std::string, io::AnyView, std::less<>> given{};

  // Null where the option's file counts.
  const io::AnyView* value_of(std::string_view option) const {
    const auto found = given.find(option);
    return found == given.end() ? nullptr : &found->second;
  }
};

// A frame of a sequence. What is made of neighboring frames shares it.
class Frame {
 public:
  virtual ~Frame() = default;
  virtual std::int64_t number() const = 0;
  virtual double seconds() const = 0;
  // Whoever needs the pixels first decodes them; several threads may call it.
  virtual const Image<std::uint8_t>& pixels() = 0;
  // What Call::decode() has found; empty for others.
  virtual const Image<std::uint8_t>& mask() {
    static const Image<std::uint8_t> kNone;
    return kNone;
  }
};

// The frames of a sequence, in their order.
class Frames {
 public:
  virtual ~Frames() = default;
  virtual std::shared_ptr<Frame> next() = 0;  // null at the end
  // An estimate of the memory that a step takes.
  virtual std::uint64_t bytes(const Frame& frame) const = 0;
  virtual std::int64_t expected() const = 0;  // how many there are; 0 where it is not known
  virtual double rate() const = 0;            // per second
  virtual io::VideoReader* video() = 0;       // null where they are no video
};

// A step along a sequence.
struct Step {
  std::shared_ptr<Frame> before{};  // null for the first frame, and where no pairs are wanted
  std::shared_ptr<Frame> now{};
  bool in_order = false;  // one worker gets all steps, one after the other
  bool stays = false;     // why will be asked of its result
};

// A file of all inputs or frames while it is written, in their order. It appears whole at commit(),
// or not. Of a video, an output of each input is such a file too, unless it is a picture.
class SharedFile {
 public:
  virtual ~SharedFile() = default;
  virtual void add(const io::Place& place, RecordRef result) = 0;
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
  // How videos are read, and what opens one.
  io::VideoReadOptions reading{};
  std::function<io::VideoReader(const std::string& input, const io::VideoReadOptions& options)>
      video{};
  std::function<void(const std::string& text)> note{};  // tells the user something
  std::uint64_t most_bytes = 0;  // most memory that the work on one input may take; 0: no limit
  bool may_replace = false;      // whether files may replace those that are read
  std::uint64_t max_pixels = 0;  // larger images are refused; 0: no limit
  bool times = true;             // whether lines for people tell how long work took
  bool json = false;             // the result is printed as JSON
  bool shows = false;            // what is shown of each result will be asked for
  bool asks = false;             // why will be asked of each result: it keeps what that needs
  Kept* kept = nullptr;  // what earlier calls have left; null where the driver makes one call

  // What earlier calls have made under this name, or what make() makes.
  template <class Value, class Make>
  std::shared_ptr<const Value> keep(const std::string& name, const Make& make) const {
    if (kept != nullptr) return kept->get<Value>(name, make);
    return make();
  }

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

// What a driver knows when a still or a sequence is done.
struct Ended {
  const Plan& plan;
  std::string named{};  // the first file that an option names, or else the first input
  bool still = false;
  std::optional<std::int64_t> first_frame{};          // of a still that is a part of a video
  std::int64_t frames = 0, results = 0, dropped = 0;  // of a sequence
  Extent size{};                                      // of its frames
  bool whole = true;
  double seconds = 0;     // that the sequence took
  std::size_t input = 0;  // the number of a video among the inputs
};

// A place of the picture, or a face of a mesh, that somebody asks about.
struct Question {
  report::Point place{};
  int frame = 0;                       // of a video, that is shown
  std::optional<std::int64_t> face{};  // -1 asks about the mesh as a whole
};

// What an explanation is made for.
struct Asked {
  const Exec& exec;
  const Question* question = nullptr;  // null: the options say what is explained
};

// An answer to --explain, or to a question.
struct Explained {
  report::Explanation explanation{};
  // Draws it.
  std::function<Image<std::uint8_t>(const report::Explanation& explanation)> picture{};
  // Numbers that stand before the explanation.
  std::vector<std::pair<std::string_view, float>> numbers{};
  // Writes other members that stand there.
  std::function<void(io::JsonWriter& json)> members{};
};

// One call of an operation: its options, and the steps that they make of its inputs. An item is
// what was read of one input and its result; several threads may work on several items.
class Call {
 public:
  virtual ~Call() = default;
  virtual void visit_options(OptionVisitor& visit) = 0;
  // Those of them that a result depends on, besides those for files: a page shows them as controls,
  // and they are keywords of Python.
  virtual void visit_controls(OptionVisitor& visit) = 0;
  // Those by which files of a result are written.
  virtual void visit_file_options(OptionVisitor& visit) = 0;
  // Sets the options that Operation::preset stands for, before those that are given beside it.
  virtual void apply_preset() = 0;
  // Throws InvalidArgument where a word for an input is none, before files are looked for.
  virtual void check_inputs(const std::vector<std::string>& words) const = 0;
  // The names of the inputs, for operations that find them by themselves. `merged` are those of the
  // job that is merged; null where none is.
  virtual std::optional<std::vector<std::string>> find_inputs(
      const std::vector<std::string>& words, const std::vector<std::string>* merged) = 0;
  // Throws InvalidArgument where options do not go together, before anything else is done.
  virtual void check() const = 0;
  // The same for options and files, before anything is read.
  virtual void settle(const Plan& plan) = 0;
  // Why the call works on the processor alone, such as "fields are divided"; empty where a GPU may
  // do it too.
  virtual std::string cpu_only(const Plan& plan) const = 0;
  // Throws InvalidArgument where the file of an output cannot be written under its name.
  virtual void check_file(std::size_t output, const std::string& path) const = 0;
  // Files beside an input that it is read with: no output may replace them.
  virtual std::vector<std::string> read_beside(const std::string& input) const = 0;
  // Takes what runs the workers, and reads what they share, such as a model.
  virtual void begin(const Exec& exec, const Plan& plan) = 0;

  virtual std::shared_ptr<void> make_worker(const Exec& exec) const = 0;
  virtual std::shared_ptr<void> make_item() const = 0;
  virtual void read(const Source& source, void* item) const = 0;
  // Replaces the result of the item: the items of a video's frames are used again.
  virtual void run(void* worker, void* item) const = 0;

  // Of an operation on frames: whether the inputs are no sequence but a still, which read() takes.
  virtual bool is_still(const std::vector<std::string>& inputs) const = 0;
  // What reads the frames of a sequence; null where they are those of a video, as it is read.
  virtual std::unique_ptr<Frames> frames(const Plan& plan) const = 0;
  // Whether one worker must get all steps, one after the other.
  virtual bool in_order() const = 0;
  // Whether nothing else may run beside the work on a step, so that times can be compared.
  virtual bool measures() const = 0;
  // Why frames must be images, whose files decode() reads: "--mask alpha takes images with an alpha
  // channel". Empty where they may be those of any video.
  virtual std::string images_only() const = 0;
  virtual void decode(io::AnyImage image, Image<std::uint8_t>& pixels,
                      Image<std::uint8_t>& mask) const = 0;
  // Takes the place of read(), several at a time. The step stays until the item's files are
  // written.
  virtual void take(const Step& step, void* item) const = 0;
  // Joins the result of a step with those before it, in order. Where a call does so, the files of
  // the step are written afterwards, in order too.
  virtual bool follows() const = 0;
  virtual void follow(void* item) = 0;
  // The ending of files that have the numbers of frames.
  virtual std::string frame_ending(std::size_t output) const = 0;
  // Draws a picture, of the kind of this number where its output has several.
  virtual Image<std::uint8_t> paint(std::size_t output, std::size_t kind,
                                    const void* item) const = 0;
  // What is printed of a still or a sequence, after tally() has got its items.
  virtual RecordRef report(const Ended& ended) = 0;
  virtual std::string report_text(const Ended& ended) = 0;
  // How well that fits what is true, after the report's items.
  virtual report::Evaluation evaluation() const = 0;
  // How many frames an input has whose frames have no pixels; nothing for one that has pixels.
  virtual std::optional<std::int64_t> blind_frames(const std::string& input) const = 0;
  // Says where the pixels are from, before run().
  virtual void place(const io::FrameTime& time, void* item) const = 0;
  // What is printed of a video besides its frames, where Operation::sample_video is not null.
  virtual RecordRef video(const Ended& ended) = 0;

  // Of an operation on images: the pixels that are read, as a frame of a video also gives them.
  virtual Image<std::uint8_t>& pixels(void* item) const = 0;
  virtual io::Orientation orientation() const = 0;
  // How much memory an item takes whose file, or decoded image, has so many bytes; of a step, what
  // it takes besides its frame of RGB.
  virtual std::uint64_t memory(std::uint64_t bytes) const = 0;
  // The same of an image, where more than its bytes counts.
  virtual std::uint64_t image_memory(const io::ImageInfo& image) const = 0;
  // How many operations run() takes per pixel or face, roughly.
  virtual double work() const = 0;

  virtual RecordRef result(void* item) const = 0;
  // The images that are part of the result; null where there are none.
  virtual std::vector<io::AnyImage>* images(void* item) const = 0;
  // For people, without the name of the input and of its files, which stand around it where the
  // driver names them; empty where its files say it all.
  virtual std::string line(const void* item) const = 0;
  virtual Faults faults(const void* item) const = 0;
  // The same of a video, whose frames tally() got since start_input().
  virtual std::string video_line(std::int64_t frames) const = 0;
  // Draws the result into the pixels.
  virtual void draw(void* item) const = 0;
  // Adds to what is shown what the record does not say by itself, and may put it in other words.
  virtual void show(const void* item, Shown& shown) const = 0;
  // Compares what is shown with the truth, and says so.
  virtual void compare(const void* item, const Truth& truth, Shown& shown) const = 0;
  // What is saved of the item where the result alone would not open again; else the result.
  virtual RecordRef saved(void* item) const = 0;
  // A page of its own, with an explanation where that is not null; empty where it has none.
  virtual std::string page(const void* item, const report::Explanation* why) const = 0;
  // The memory that the item keeps, as far as that is worth counting.
  virtual std::size_t held_bytes(const void* item) const = 0;
  // Why an output cannot be written with these options, in one line; empty where it can.
  virtual std::string obstacle(std::size_t output) const = 0;
  // Writes the file of an output and returns the names of what was written.
  virtual std::vector<std::string> write(std::size_t output, const void* item,
                                         const std::string& path) const = 0;
  virtual std::string text(std::size_t output, const void* item) const = 0;
  virtual std::unique_ptr<SharedFile> open(std::size_t output, const std::string& path) const = 0;
  // Of a list: the names of its columns, and the fields of one row.
  virtual std::vector<std::string> columns() const = 0;
  virtual void write_row(io::CsvWriter& csv, const io::Place& place, const void* item) const = 0;
  // Members of the JSON that stand before the list of results and behind it; may be empty.
  virtual std::string members_before() const = 0;
  virtual std::string members_after(const Totals& totals) const = 0;

  // Called before each input; only a video knows its size then.
  virtual void start_input(Extent size) = 0;
  // Called for every item, in order, when its files are written.
  virtual void tally(void* item) = 0;
  // What the user should know after an input that did not fail, and after all; may be empty.
  virtual std::string note_after_input(const std::string& input) = 0;
  virtual std::string note_after_all(const Totals& totals) const = 0;

  virtual bool explains() const = 0;
  virtual std::string explain_picture() const = 0;
  // Of an item that was read; where there is a question, it was run as well. Of sequences, it is
  // the last step's.
  virtual Explained explain(const std::shared_ptr<const void>& item, const Asked& asked) const = 0;
};

// How a page presents an operation. One without a title is not on it by itself.
struct OnPage {
  std::string_view title{};   // "People"
  std::string_view name{};    // in addresses; empty: that of the system
  std::string_view hint{};    // what a click asks, where it explains: "Click a person to see why."
  std::string_view verbs{};   // the control whose words are verbs of the system: that one runs
  std::string_view python{};  // the function of Python; empty: it is called as the verb
  // Of sequences: the options for a box that is drawn around a target, and for the frame it is in.
  std::string_view box{}, begins{};
  // Controls that begin with another value, and those that are not shown.
  std::vector<std::pair<std::string_view, std::string_view>> start{};
  std::vector<std::string_view> hidden{};
};

// An option for a file in place of which a caller may give a value with each input.
struct Given {
  std::string_view option;
  bool numbers = false;  // float values in one row; otherwise a mask of bytes
};

struct Operation {
  Words words;
  OnPage on_page{};
  InputKind input{};
  bool needs_output = false;   // at least one of its outputs must be named
  bool finite_pixels = false;  // images with a pixel that is NaN or infinite are refused
  bool alone_on_gpu = false;   // a single worker may take the whole memory of a GPU
  bool on_processor = false;   // there is nothing of it that a GPU does
  // It takes one input at a time, or none, and its result is all that is printed.
  bool alone = false;
  // The result and the line name the input and its files, so that the driver need not.
  bool names_files = false;
  // Images that a caller has in memory are bytes of 1, 3 or 4 channels, also on a GPU, and are not
  // copied. Those of other operations are of any kind.
  bool takes_bytes = false;
  std::vector<Given> given{};
  bool explains_on_processor = false;
  std::string_view preset{};  // its option that sets others; empty: none
  // Of frames: what is made of each and the one before it, "flow"; empty where each is alone.
  std::string_view pairs{};
  // What a step gives, "field", where ranges of frames may be units of work; else empty.
  std::string_view unit{};
  std::vector<Output> outputs{};
  std::function<std::unique_ptr<Call>()> call{};
  RecordRef (*sample)() = nullptr;         // what is printed, with any values, for its description
  RecordRef (*sample_beside)() = nullptr;  // the same of members around a list of results
  RecordRef (*sample_video)() = nullptr;   // and of Call::video(); null: it has only what all have

  // Whether all inputs have one result together.
  bool has_one_result() const { return alone || input == InputKind::kFrames; }
  // Whether each input is a sequence with one result.
  bool takes_sequences() const { return alone && input == InputKind::kFrames; }
};

template <class Record>
RecordRef sample_record() {
  static const Record sample{};
  return record_ref(sample);
}

// The options of a verb: those of the call, and one per output, which are `named`.
std::vector<OptionField> option_fields(const Operation& operation, Call& call,
                                       std::vector<NamedOutput>& named);

// The operations of all systems, in the order of the help.
const std::vector<Operation>& operations();

}  // namespace fovea::operations
