#include "bench/actions/actions_paper.h"

#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/actions/actions_input.h"
#include "bench/actions/actions_trellis.h"
#include "bench/stage_table.h"
#include "cli/actions/actions.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"

namespace fovea::cli {
namespace {

using actions::Variant;

constexpr int kSeveral = 3;  // points per frame of table 4

// One row of a table of the paper. Times are of all models together.
struct PaperRow {
  int table = 0;
  std::string name;
  SceneShape scene = kPaperVideo;
  int models = 1;
  std::optional<double> one{}, threads{}, gpu{};  // seconds
  std::optional<double> paper_cpu{}, paper_gpu{};
  std::optional<double> accuracy{}, paper_accuracy{};
  std::string complexity{};  // of table 4

  double frames() const { return scene.frames; }
};

// Matches random models; the matcher is made by the first call for each device.
std::function<void(const Exec&)> matching(const SceneShape& scene, int models, Variant variant,
                                          const actions::MatchOptions& options) {
  const int several = variant == Variant::kSingle ? 1 : kSeveral;
  const auto input = random_match(scene, models, 1, several);
  const auto matcher = std::make_shared<std::unique_ptr<actions::FrameMatcher>>();
  return [=](const Exec& exec) {
    if (!*matcher) {
      actions::MatchOptions own = options;
      own.exec = exec;
      own.exec.stream = nullptr;  // the clock's stream ends with the first measurement
      *matcher = std::make_unique<actions::FrameMatcher>(input->models, variant, own);
    }
    (*matcher)->scores(input->scenes);
  };
}

// How a row's work is made, so that each place has its own.
struct PaperCase {
  PaperRow row;
  std::function<std::function<void(const Exec&)>()> make;
  bool one_thread_only = false;
  bool on_gpu = true;
};

actions::MatchOptions paper_match(int window = 10) { return {.window = window, .dummies = false}; }

PaperCase match_case(PaperRow row, Variant variant, const actions::MatchOptions& options) {
  const SceneShape scene = row.scene;
  const int models = row.models;
  return {std::move(row), [=] { return matching(scene, models, variant, options); }, false, true};
}

PaperCase trellis_case(PaperRow row, const TrellisSteps& steps) {
  return {std::move(row),
          [=] {
            const auto input = random_match(kPaperVideo, 1, 1);
            return [=](const Exec&) {
              trellis_energy(input->models[0], input->scenes[0], paper_match(), steps);
            };
          },
          true, false};
}

// The paper's numbers are those of its CPU, a Core 2 Duo E8600, and of its GTX 580.
std::vector<PaperCase> table_2() {
  std::vector<PaperCase> cases;
  const auto add = [&](const SceneShape& scene, int models, std::optional<double> cpu, double gpu) {
    cases.push_back(match_case({.table = 2,
                                .name = models == 1 ? "one model" : "all 50 models",
                                .scene = scene,
                                .models = models,
                                .paper_cpu = cpu,
                                .paper_gpu = gpu},
                               Variant::kSingle, paper_match()));
  };
  add(kPaperVideo, 1, 2.9, 0.178);
  add(kPaperVideo, kPaperModels, 0.2005 * kPaperVideo.frames, 0.021 * kPaperVideo.frames);
  add(kPaperBlock, 1, {}, 0.004);
  add(kPaperBlock, kPaperModels, {}, 0.0035 * kPaperBlock.frames);
  return cases;
}

std::vector<PaperCase> table_3() {
  std::vector<PaperCase> cases;
  cases.push_back(trellis_case({.table = 3, .name = "pruned trellis (3.2) alone"},
                               {.unary_table = false, .bounds = false}));
  cases.push_back(trellis_case({.table = 3,
                                .name = "and appearance computed once (3.3)",
                                .paper_cpu = 2.9,
                                .paper_gpu = 0.794},
                               {.unary_table = true, .bounds = false}));
  cases.push_back(
      trellis_case({.table = 3, .name = "and bounds computed once (3.4)", .paper_gpu = 0.326},
                   {.unary_table = true, .bounds = true}));
  cases.push_back(
      match_case({.table = 3, .name = "and for the architecture (3.5 to 3.8)", .paper_gpu = 0.178},
                 Variant::kSingle, paper_match()));
  cases.push_back(match_case({.table = 3, .name = "the same without a window", .paper_gpu = 1.853},
                             Variant::kSingle, paper_match(0)));
  return cases;
}

struct Method {
  Variant variant;
  const char* name;
  const char* complexity;
  double accuracy;  // on KTH, as printed
};
constexpr std::array<Method, 3> kMethods{
    {{Variant::kSingle, "one point per frame", "S M T^2", 0.910},
     {Variant::kGreedy, "3 points, method 1 (greedy)", "S' M' T^2 R N", 0.902},
     {Variant::kChains, "3 points, method 2 (chains)", "S M T^2 N", 0.908}}};

std::vector<PaperCase> table_4() {
  std::vector<PaperCase> cases;
  cases.reserve(kMethods.size());
  const SceneShape scene{kSeveral * kPaperVideo.frames, kPaperVideo.frames};
  for (const Method& method : kMethods)
    cases.push_back(match_case({.table = 4,
                                .name = method.name,
                                .scene = scene,
                                .paper_accuracy = method.accuracy,
                                .complexity = method.complexity},
                               method.variant, paper_match()));
  return cases;
}

PaperRow measured(const PaperCase& the, const StagePlaces& places, int repeats,
                  const std::stop_token& stop) {
  PaperRow row = the.row;
  const Exec one{.device = Device::cpu(), .threads = 1};
  const Exec many{.device = Device::cpu(), .threads = places.threads};
  std::vector<Runner> runners{runner_of(the.make(), one)};
  const bool threads = places.threads > 0 && !the.one_thread_only;
  if (threads) runners.push_back(runner_of(the.make(), many));
  const std::vector<Timing> timings = time_in_turns(runners, repeats, stop);
  row.one = timings[0].seconds;
  if (threads) row.threads = timings[1].seconds;
  if (places.gpu && the.on_gpu)
    row.gpu = time_in_turns({runner_of(the.make(), *places.gpu)}, repeats, stop)[0].seconds;
  return row;
}

// Leaves out each subject in turn, with the default features and score.
void add_rates(const ActionsPaperOptions& options, Context& context, std::vector<PaperRow>& rows) {
  actions::TrainOptions base;
  base.late_fusion = false;
  Exec exec = context.exec;
  exec.device = Device::cpu();
  Context own = context;
  own.exec = exec;
  const ClipSet clips =
      load_clips(actions::read_corpus(options.corpus), base.points, options.cut_first, own);
  const std::vector<actions::Fold> folds = actions::leave_one_subject_out(clips.corpus);
  for (const Method& method : kMethods) {
    actions::TrainOptions train = base;
    train.cut.variant = method.variant;
    if (method.variant != Variant::kSingle) train.cut.points = train.scene_points = kSeveral;
    const std::vector<actions::Recipe> recipes{{method.name, train}};
    const actions::MethodReport report =
        actions::evaluate(clips.corpus, clips.points, folds, recipes,
                          {.baselines = false, .exec = exec})
            .recipes[0];
    for (PaperRow& row : rows)
      if (row.table == 4 && row.name == method.name) row.accuracy = report.accuracy();
  }
}

std::string ms_text(const std::optional<double>& seconds, double frames = 1) {
  if (!seconds) return "-";
  const double value = *seconds * 1e3 / frames;
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}
std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

StageTable table_of(int number, const std::vector<PaperRow>& rows, const StagePlaces& places) {
  const std::string threads =
      places.threads > 0 ? fmt::format("{} threads", places.threads) : "all threads";
  StageTable table;
  table.words = 2;
  if (number == 3) table.head = {"optimizations", "scene", "1 thread", threads, "GPU"};
  else
    table.head = {number == 2 ? "matched" : "method", "scene", "1 thread/frame", threads + "/frame",
                  "GPU/frame"};
  if (number == 2)
    table.head.insert(table.head.end(),
                      {"1 thread", "GPU", "paper: CPU/frame", "paper: GPU/frame"});
  if (number == 3) table.head.insert(table.head.end(), {"paper: CPU", "paper: GPU"});
  if (number == 4) table.head.insert(table.head.end(), {"complexity", "rate", "paper: KTH"});
  for (const PaperRow& row : rows) {
    if (row.table != number) continue;
    const double frames = number == 3 ? 1 : row.frames();
    std::vector<std::string> cells{
        row.name, fmt::format("{} points in {} frames", row.scene.points, row.scene.frames),
        ms_text(row.one, frames), ms_text(row.threads, frames), ms_text(row.gpu, frames)};
    if (number == 2) cells.insert(cells.end(), {ms_text(row.one), ms_text(row.gpu)});
    if (number == 4)
      cells.insert(cells.end(),
                   {row.complexity, percent(row.accuracy), percent(row.paper_accuracy)});
    else
      cells.insert(cells.end(), {ms_text(row.paper_cpu, frames), ms_text(row.paper_gpu, frames)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void print_tables(const ActionsPaperOptions& options, Context& context,
                  const std::vector<PaperRow>& rows, const StagePlaces& places) {
  static constexpr std::array<const char*, 3> kTitles{
      "Table 2: matching, milliseconds", "Table 3: contribution of optimizations, milliseconds",
      "Table 4: several points per frame, milliseconds and recognition rates"};
  for (int table = 2; table <= 4; ++table) {
    if (!options.bench.csv)
      context.console.print(fmt::format("{}{}\n\n", table > 2 ? "\n" : "",
                                        kTitles[static_cast<std::size_t>(table) - 2]));
    print_table(options.bench, context, table_of(table, rows, places));
  }
}

void write_row(io::JsonWriter& json, const PaperRow& row) {
  json.begin_object().member("table", row.table).member("name", row.name);
  json.member("points", row.scene.points).member("frames", row.scene.frames);
  json.member("models", row.models);
  write_optional(json, "seconds_1_thread", row.one);
  write_optional(json, "seconds_threads", row.threads);
  write_optional(json, "seconds_gpu", row.gpu);
  write_optional(json, "paper_seconds_cpu", row.paper_cpu);
  write_optional(json, "paper_seconds_gpu", row.paper_gpu);
  if (row.table == 4) {
    json.member("complexity", row.complexity);
    write_optional(json, "rate", row.accuracy);
    write_optional(json, "paper_rate", row.paper_accuracy);
  }
  json.end_object();
}

}  // namespace

void describe(OptionVisitor& visit, ActionsPaperOptions& options) {
  describe(visit, options.bench);
  visit("paper", options.paper,
        "print tables 2, 3 and 4 of the paper instead: each optimization on and off, and several "
        "points per frame");
  visit.path("corpus", options.corpus, TextUse::kInput,
             "with --paper: clips for the rates of table 4, as actions eval takes them");
  visit("cut-first", options.cut_first,
        "with --corpus: cut clips out of their videos before points are found");
}

int run_actions_paper(const ActionsPaperOptions& options, Context& context) {
  check_formats(options.bench, context);
  const StagePlaces places = stage_places(context);
  std::vector<PaperCase> cases = table_2();
  for (auto table : {table_3(), table_4()})
    for (PaperCase& each : table) cases.push_back(std::move(each));
  std::erase_if(cases, [&](const PaperCase& each) {
    return fmt::format("table {} {} {}x{}", each.row.table, each.row.name, each.row.scene.points,
                       each.row.models)
               .find(options.bench.filter) == std::string::npos;
  });
  if (cases.empty())
    throw InvalidArgument(
        fmt::format("--filter is '{}', which no row contains; rows are named "
                    "like \"table 2 one model 754x1\"",
                    options.bench.filter));
  std::vector<PaperRow> rows;
  rows.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (context.exec.progress)
      context.exec.progress(
          {"measuring", static_cast<double>(i), static_cast<double>(cases.size())});
    rows.push_back(measured(cases[i], places, options.bench.repeats, context.exec.stop));
  }
  if (!options.corpus.empty()) add_rates(options, context, rows);
  context.console.end_progress();
  if (context.json)
    print_result(context, [&](io::JsonWriter& json) {
      json.member("threads", std::max(places.threads, 1)).key("rows").begin_array();
      for (const PaperRow& row : rows) write_row(json, row);
      json.end_array();
    });
  else print_tables(options, context, rows, places);
  return kDone;
}

}  // namespace fovea::cli
