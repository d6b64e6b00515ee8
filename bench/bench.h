// Measures operations of every system and compares them with rivals and with the limits of the
// machine. A system's bench verb passes a function that makes a list of cases to run_bench().
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/rivals/rivals.h"

namespace fovea::cli {

// Returns a text such as "1920x1080", "1920x1080x3", "1920x1080 to 640x480", "1920x1080 7 taps",
// "640x480 ratio 1.05", "640x480 64 disparities" or "640x480 11 channels 15.3% distinct".
std::string to_string(const RivalShape& shape);

// Work that is set up once and run many times, with the settings that it is given.
using BenchWork = std::function<void(const Exec&)>;

struct PublishedTime {
  std::string source;
  double seconds = 0;
};

// One thing to measure. It becomes a row with one CPU thread, a row with all of them, and a row for
// the GPU; with several rivals, each has a row of its own.
struct BenchCase {
  std::string name;  // "gradient_sobel_u8"; a rival of the same name is measured beside it
  RivalShape shape;
  double bytes = 0;       // the least that any implementation must read and write
  double operations = 0;  // floating-point operations that it must do; 0 where they are no limit
  // Allocates buffers in host or device memory and returns the work on them.
  std::function<BenchWork(Memory)> prepare;
  // The input of both sides, where the time depends on it; otherwise each makes its own noise.
  std::shared_ptr<const Image<std::uint8_t>> image{};
  std::shared_ptr<const Image<std::uint8_t>> second{};  // the second image of a pair
  // What rivals of other kinds of work need; each is empty where a case does not have it.
  std::vector<double> ground{};  // a ground distance between histograms, row by row
  std::shared_ptr<const Graph> graph{};
  std::shared_ptr<const io::TriangleMesh> mesh{};
  // The time that a paper reports for the same work on a GPU; it is shown in the GPU's row.
  std::optional<PublishedTime> published{};
  // The error of the last run of the work, and of a rival's result; empty where errors are not
  // measured.
  std::function<double()> error{};
  std::function<double(const float* result)> rival_error{};
  bool cpu_only = false;  // it has no row for a GPU
  // How many frames a run of the work maps on a GPU, where they overlap. Rows have the time of one;
  // no frame begins before the clock does or ends behind it.
  int frames_on_gpu = 1;

  RivalCase contest() const { return {name, shape, image, second, ground, graph, mesh}; }
};

struct BenchOptions {
  bool csv = false;       // one row per line
  bool markdown = false;  // a table for documents
  int repeats = 11;       // timed runs per row, each of 10 ms or more
  std::string filter{};   // only cases whose name and size contain this text
  std::string rivals{};   // JSON file of rivals' rows measured by another program
};
void describe(OptionVisitor& visit, BenchOptions& options);

struct BenchRow {
  std::string name;
  std::string device;
  int threads = 0;  // 0 for a GPU
  std::string size;
  double seconds = 0;  // median time
  double spread = 0;   // interquartile range divided by the median
  std::string rival;   // empty where there is none
  std::optional<double> rival_seconds;
  std::string bound;              // the limit that is nearest: "copy" or "arithmetic"
  double bound_fraction = 0;      // share of that limit's speed
  std::optional<double> error{};  // error of the result, where it is measured
  std::optional<double> rival_error{};

  // A ratio over 1 means that ours is faster.
  std::optional<double> ratio() const {
    return rival_seconds ? std::optional(*rival_seconds / seconds) : std::nullopt;
  }
};

struct BenchCeiling {
  std::string device;
  int threads = 0;
  double copied_bytes_per_second = 0;  // bytes read plus bytes written
  double operations_per_second = 0;
};

struct BenchReport {
  std::string command;
  std::string device;
  std::uint64_t seed = 0;
  std::string options_json;
  double seconds = 0;   // time of the whole run
  std::string date;     // UTC, ISO 8601
  std::string machine;  // "Linux 6.1.0 x86_64"
  std::string cpu;
  std::string gpu;  // empty where none is used
  std::string simd;
  std::string rival_library;  // empty where no module of rivals was found
  int repeats = 0;
  bool interrupted = false;
  std::vector<BenchCeiling> ceilings;
  std::vector<BenchRow> rows;
};

std::string bench_json(const BenchReport& report);
std::string bench_csv(const BenchReport& report);
std::string bench_markdown(const BenchReport& report);
std::string bench_text(const BenchReport& report);

// Adds times from another program's file to our rows. The file holds a list of objects, or an
// object with a list "rows", each with name, size, device, rival and seconds. Where a row already
// has a rival, the faster one is kept. Returns how many rows were matched; throws IoError or
// FormatError.
int merge_rivals(const std::string& path, std::vector<BenchRow>& rows);

// Throws InvalidArgument where more than one format is asked for.
void check_formats(const BenchOptions& options, const Context& context);

// Makes the cases, measures them, prints the report on standard output and returns the exit status.
// Formats are checked before anything else. When it is interrupted, it prints the rows that are
// finished.
int run_bench(const BenchOptions& options, Context& context,
              const std::function<std::vector<BenchCase>()>& make_cases);

// The verbs of fovea-bench; each is defined in the file that implements it.
Command bench_ops_command();
Command bench_people_command();
Command bench_pipeline_command();
Command bench_flow_command();
Command bench_emd_command();
Command bench_scenes_command();
Command bench_mesh_command();
Command bench_actions_command();

}  // namespace fovea::cli
