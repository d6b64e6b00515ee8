// fovea bench emd: compares the exact solver with cv::EMD and LEMON's network simplex, and checks
// its distances against LEMON's.
#include <fovea/core/error.h>
#include <fovea/emd/solver.h>
#include <fovea/io/image_io.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "bench/bench.h"
#include "bench/emd/emd_frames.h"
#include "bench/emd/emd_spectra.h"
#include "bench/emd/emd_track.h"
#include "bench/natural_scene.h"
#include "cli/beside/beside.h"
#include "cli/program/batch.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/rivals/rivals.h"
#include "emd/solve/random_problems.h"

namespace fovea::cli {
namespace {

constexpr int kProblems = 1000;         // per row: its milliseconds are microseconds per problem
constexpr int kCudaProblems = 1 << 21;  // per row on a GPU, which fewer would not fill
constexpr int kWindow = 11;             // pixels on a side

struct EmdBenchOptions {
  BenchOptions bench{};
  std::vector<int> bins{2, 4, 8, 11, 16};
  int problems = 0;
  int verify = 0;
  bool frames = false;
  EmdTrackBenchOptions track{};
  EmdFrameOptions frame{};
  bool spectra = false;
  EmdSpectraOptions cubes{};
};
void describe(OptionVisitor& visit, EmdBenchOptions& options) {
  describe(visit, options.bench);
  visit("bins", options.bins, "numbers of bins of the histograms, one set of rows for each", 2, 64);
  visit("problems", options.problems,
        "problems per row; 0 takes 1000, so that milliseconds per row are microseconds per "
        "problem, or 2097152 with --device cuda",
        0, 1 << 26);
  visit("verify", options.verify,
        "solve this many random problems and compare with LEMON, instead of measuring time", 0,
        100000000);
  visit("frames", options.frames, "measure maps of whole frames, instead of the solver alone");
  describe(visit, options.track);
  describe(visit, options.frame);
  visit("spectra", options.spectra,
        "measure signatures of spectra and maps of whole cubes, instead of the solver alone");
  describe(visit, options.cubes);
}

using Histograms = std::shared_ptr<const Image<std::uint8_t>>;

// Histograms of windows of a drawn street, at places drawn by chance. Those that have occurred are
// passed over as maps do it, unless there seem to be no others. After many the same come again,
// after another number of them for each seed, so that pairs still differ.
Histograms histograms(const Image<std::uint8_t>& gray, int bins, int problems, std::uint64_t seed) {
  constexpr int kTries = 8;
  Image<std::uint8_t> labels(gray.width(), gray.height());
  quantize(gray, labels, {.levels = bins, .exec = {.device = Device::cpu()}});
  auto all = std::make_shared<Image<std::uint8_t>>(bins, problems);
  Random random(seed, static_cast<std::uint64_t>(bins));
  const auto below = [&](int count) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
  };
  std::unordered_set<std::string_view> known;  // of the rows above
  const int most = (1 << 16) - static_cast<int>(seed);
  for (int k = 0; k < problems; ++k) {
    std::uint8_t* const counts = all->row(k);
    if (k >= most) {
      std::copy_n(all->row(k - most), bins, counts);
      continue;
    }
    const auto row = [&] {
      return std::string_view(reinterpret_cast<const char*>(counts),
                              static_cast<std::size_t>(bins));
    };
    for (int tries = 0; tries == 0 || (tries < kTries && known.contains(row())); ++tries) {
      std::fill_n(counts, bins, std::uint8_t{0});
      const int left = below(gray.width() - kWindow), top = below(gray.height() - kWindow);
      for (int y = top; y < top + kWindow; ++y)
        for (int x = left; x < left + kWindow; ++x) ++counts[labels.at(x, y)];
    }
    known.insert(row());
  }
  return all;
}

struct NamedGround {
  std::string name;
  emd::GroundDistance ground;
  emd::SolverOptions options{};
};
std::vector<NamedGround> grounds(int bins) {
  Random random(5, static_cast<std::uint64_t>(bins));
  std::vector<double> costs(static_cast<std::size_t>(bins) * static_cast<std::size_t>(bins));
  for (double& cost : costs) cost = 1 + random.below(1000);
  using emd::GroundDistance;
  const emd::SolverOptions simplex{.solver = emd::SolverKind::kSimplex};
  const emd::SolverOptions paper{.solver = emd::SolverKind::kSimplex,
                                 .start = emd::SimplexStart::kAuxiliary};
  return {{"l1", GroundDistance::l1(bins)},
          {"squared", GroundDistance::squared(bins)},
          {"circular", GroundDistance::circular(bins)},
          {"discrete", GroundDistance::discrete(bins)},
          {"threshold", GroundDistance::thresholded(bins, 3)},
          {"random", GroundDistance(bins, bins, costs)},
          {"l1-simplex", GroundDistance::l1(bins), simplex},
          {"threshold-auxiliary", GroundDistance::thresholded(bins, 3), paper}};
}

// The data of a solver that is made once and run many times, in one memory.
struct SolverRun {
  emd::Solver solver;
  Image<std::uint8_t> first, second;
  Array<double> distance;

  void operator()() {
    solver.solve<std::uint8_t>(first.view(), second.view(), emd::SolutionsView{distance.data()});
  }
};

std::vector<double> units_of(const emd::GroundDistance& ground) {
  return {ground.units().begin(), ground.units().end()};
}

BenchCase solver_case(const NamedGround& named, const Histograms& first, const Histograms& second) {
  const int bins = first->width(), problems = first->height();
  return {
      .name = "emd_solver_" + named.name,
      .shape = {.width = bins, .height = problems},
      .bytes = problems * (2.0 * bins + sizeof(double)),
      .prepare = [=](Memory memory) -> BenchWork {
        const auto run = std::make_shared<std::unique_ptr<SolverRun>>();
        return [=](const Exec& exec) {
          if (!*run) {
            emd::SolverOptions options = named.options;
            options.exec = exec;
            options.exec.stream = nullptr;  // it belongs to the clock of the first measurement
            *run = std::make_unique<SolverRun>(SolverRun{
                emd::Solver(named.ground, options), clone(*first, memory), clone(*second, memory),
                Array<double>(static_cast<std::size_t>(problems), memory)});
          }
          (**run)();
        };
      },
      .image = first,
      .second = second,
      .ground = units_of(named.ground)};
}

std::vector<BenchCase> solver_cases(std::span<const int> all_bins, int problems) {
  const auto street = [](std::uint64_t seed) {
    return io::to_gray(NaturalScene({1280, 960}, seed).frame().view());
  };
  const std::array streets{street(1), street(2)};
  std::vector<BenchCase> cases;
  for (const int bins : all_bins) {
    const Histograms first = histograms(streets[0], bins, problems, 1),
                     second = histograms(streets[1], bins, problems, 2);
    for (const NamedGround& named : grounds(bins))
      cases.push_back(solver_case(named, first, second));
  }
  return cases;
}

// How much two solvers differed.
struct Agreement {
  std::int64_t problems = 0, apart = 0, unproved = 0;
  double worst = 0;  // greatest relative difference

  void add(double ours, double theirs, emd::Status status) {
    constexpr double kClose = 1e-6;
    const double difference = std::abs(ours - theirs) / std::max(1e-300, std::abs(theirs));
    const double relative = ours == theirs ? 0 : difference;
    ++problems;
    apart += relative <= kClose ? 0 : 1;
    unproved += status == emd::Status::kOptimal ? 0 : 1;
    worst = std::max(worst, relative);
  }
};

// Solves `count` pairs with one ground distance by all solvers.
void verify_round(Random& random, int count, const Rivals& rivals, const Exec& exec,
                  Agreement& agreement) {
  namespace problems = emd::random_problems;
  const int rows = problems::between(random, 2, 16);
  const int columns = problems::between(random, 0, 3) > 0 ? rows : problems::between(random, 2, 16);
  const emd::GroundDistance ground = problems::random_ground(random, rows, columns);
  auto pairs = problems::random_pairs<std::uint8_t>(random, ground, count);
  const RivalCase rival_case{.name = "emd_solver_verify",
                             .shape = {.width = rows, .height = count, .to_width = columns},
                             .image = std::make_shared<Image<std::uint8_t>>(clone(pairs.first)),
                             .second = std::make_shared<Image<std::uint8_t>>(clone(pairs.second)),
                             .ground = units_of(ground)};
  const float* theirs = nullptr;
  const auto works = rivals.prepare(rival_case, 1);  // runs each rival once
  for (const Rivals::Work& work : works)
    if (work.rival == "LEMON") theirs = work.result();
  if (theirs == nullptr)
    throw InvalidArgument("--verify needs the module of rivals with LEMON; install liblemon-dev");
  for (const auto& [kind, start] :
       {std::pair(emd::SolverKind::kAuto, emd::SimplexStart::kGreedy),
        std::pair(emd::SolverKind::kSimplex, emd::SimplexStart::kGreedy),
        std::pair(emd::SolverKind::kSimplex, emd::SimplexStart::kAuxiliary)}) {
    emd::Solver solver(ground, {.solver = kind, .start = start, .exec = exec});
    const emd::Solutions found =
        solver.solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
      agreement.add(found.distance[k] / ground.unit(), static_cast<double>(theirs[k]),
                    found.status[k]);
  }
}

int verify(int count, Context& context) {
  resolve_device(context);
  const Rivals rivals;
  if (!rivals.absence().empty())
    throw InvalidArgument("--verify needs the module of rivals: " + rivals.absence());
  Agreement agreement;
  Random random(context.exec.seed);
  for (int done = 0; done < count; done += kProblems) {
    throw_if_stopped(context.exec);
    if (context.exec.progress)
      context.exec.progress({"verifying", static_cast<double>(done), static_cast<double>(count)});
    verify_round(random, std::min(kProblems, count - done), rivals, context.exec, agreement);
  }
  context.console.end_progress();
  const std::int64_t problems = agreement.problems / 3;
  if (context.json) {
    print_result(context, [&](io::JsonWriter& json) {
      json.member("problems", problems).member("solutions", agreement.problems);
      json.member("apart", agreement.apart).member("unproved", agreement.unproved);
      json.member("worst_relative_difference", agreement.worst);
    });
  } else {
    context.console.print(fmt::format(
        "{} problems, each solved in 3 ways: {} solutions differ from LEMON's by more than 1e-6, "
        "{} are not proved optimal; greatest relative difference {:.2g}\n",
        problems, agreement.apart, agreement.unproved, agreement.worst));
  }
  return agreement.apart + agreement.unproved == 0 ? kDone : kFailed;
}

int problems_of(const EmdBenchOptions& options, const Context& context) {
  if (options.problems > 0) return options.problems;
  return context.exec.device.kind == DeviceKind::kCuda ? kCudaProblems : kProblems;
}

int run_bench_emd(EmdBenchOptions& options, Context& context) {
  check_formats(options.bench, context);
  if (options.verify > 0) return verify(options.verify, context);
  if (options.track.track + options.frames + options.spectra > 1)
    throw InvalidArgument(
        "--frames, --spectra and --track are different measurements; give one of them");
  if (!options.frame.charts.empty() && !options.frames)
    throw InvalidArgument("--charts shows whole frames; add --frames");
  if (!options.frame.charts.empty() && (options.bench.csv || options.bench.markdown))
    throw InvalidArgument("--charts writes a table as CSV itself; print text or --json");
  if (!options.frame.charts.empty())
    return run_emd_experiment(options.frame, options.bench.repeats, context);
  return run_bench(options.bench, context, [&] {
    if (options.spectra) return emd_spectra_cases(options.cubes, context);
    if (options.track.track) return emd_track_cases(options.track);
    return options.frames ? emd_frame_cases(options.frame, context)
                          : solver_cases(options.bins, problems_of(options, context));
  });
}

}  // namespace

Command bench_emd_command() {
  return {
      .system = "bench",
      .verb = "emd",
      .summary = beside_summary("bench", "emd"),
      .text =
          "Each row solves 1000 pairs of histograms, so that its milliseconds are microseconds per "
          "problem. They are those of different windows of 11x11 pixels, each pair from two "
          "streets "
          "that are drawn with the statistics of photographs. With --device cuda a row has 2097152 "
          "pairs, which stay on "
          "the GPU. On the CPU cv::EMD and LEMON's network simplex (whose graph and solver are "
          "reused from problem to problem) take turns with ours. --verify compares distances with "
          "LEMON's on random problems of 2 to 16 bins: sparse and degenerate ones, equal and "
          "unequal masses, metric and random costs. Each is solved by the closed form, by the "
          "simplex and from the auxiliary sink; small differences remain, because LEMON's results "
          "are rounded to 24 bits. --frames measures maps of whole frames against the number of "
          "channels, as Shaffer's paper does: windows have 11x11 pixels, costs are min(|i - j|, "
          "3) or those of --ground, and the frames show such a street or the corner of a --scene. "
          "Cold rows keep "
          "nothing from frame to frame, people walk in them and each frame has noise of its own; "
          "in "
          "warm rows nothing changes. On a GPU, labels come from pinned host memory and distances "
          "go back to it, "
          "with at most three frames at a time. --charts instead repeats the paper's experiment: "
          "it "
          "maps the first frame with nothing known and once more, and then the frames that follow, "
          "one at a time. It draws the time against channels and against the number of the frame, "
          "the share of pixels whose distance was known, and which solver took how many problems. "
          "The frame rates that the paper gives are beside them. --spectra measures cubes, as "
          "frames of a multispectral video: the signatures alone, and whole frames from host "
          "memory to maps in host memory. Each pixel mixes smooth spectra by the colors of such a "
          "street; in cold rows each frame has noise of its own and nothing is kept, in warm rows "
          "nothing changes. On a GPU three cubes go up and become signatures while another is "
          "mapped. --track follows a target of 48x48 "
          "pixels through frames of a drawn street, with the filter of edges and by colors alone, "
          "and through drawn cubes of floats, one frame per run.",
      .examples =
          {{"fovea bench emd --device cpu --threads 1 --bins 11", "time 11 bins with one thread"},
           {"fovea bench emd --filter threshold --json", "time one ground distance and print JSON"},
           {"fovea bench emd --verify 1000000", "compare a million random problems with LEMON"},
           {"fovea bench emd --frames --sizes 1920x1080 --channels 4,11",
            "time maps of whole frames, cold and warm"},
           {"fovea bench emd --track",
            "time the tracker on images and on cubes of 11 and 100 bands"},
           {"fovea bench emd --frames --start both --charts paper/ --repeats 3",
            "repeat the paper's experiment from both starts and draw it"},
           {"fovea bench emd --spectra --cubes 1920x1080x11 --repeats 5",
            "time cubes of 11 bands, signatures alone and whole frames"},
           {"fovea bench emd --frames --scene a.png --target b.png --start auxiliary",
            "the paper's method on pictures of your own"}},
      .request = make_request<EmdBenchOptions, run_bench_emd>,
      .reads_images = true};
}

}  // namespace fovea::cli
