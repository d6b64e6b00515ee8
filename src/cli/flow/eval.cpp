// fovea flow eval: how far estimated flow is from the true one, for each sequence and on average,
// and how well its confidence predicts that.
#include "cli/flow/eval.h"

#include <fovea/core/error.h>
#include <fovea/flow/show.h>
#include <fovea/flow/summary.h>
#include <fovea/io/record_io.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cli/flow/report.h"
#include "cli/jobs/units.h"
#include "cli/program/batch.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

io::FlowField read_truth(const FlowSequence& sequence, const ImagePair& pair,
                         const Context& context) {
  io::FlowField truth = io::read_flow(sequence.truth, {.max_pixels = context.max_pixels});
  if (truth.width() != pair.first.width() || truth.height() != pair.first.height())
    throw FormatError(fmt::format("{}: is {}x{}, but its images are {}x{}; both must have one size",
                                  sequence.truth, truth.width(), truth.height(), pair.first.width(),
                                  pair.first.height()));
  return truth;
}

// Draws the image, the true and the estimated flow in the same colors, confidence and errors.
Image<std::uint8_t> picture_of(const ImagePair& pair, const flow::Flow& field,
                               const io::FlowField& truth, double greatest) {
  const double longest = flow::summarize(truth).longest_motion;
  flow::WheelOptions colors;
  if (longest > 1e-6) colors.longest = longest;
  const io::FlowFieldView view{field.u, field.v};
  const Image<std::uint8_t> first = picture_bytes(pair.first);
  const auto true_wheel = flow::wheel_picture(truth, colors);
  const auto wheel = flow::wheel_picture(view, colors);
  const auto confidence = flow::confidence_picture(field.confidence);
  const auto errors = flow::error_picture(flow::endpoint_errors(view, truth), greatest);
  const std::vector<report::Tile> tiles{
      {first.view(), "first image"},
      {true_wheel.view(), fmt::format("true flow, up to {:.1f} px", longest)},
      {wheel.view(), "flow"},
      {confidence.view(), "confidence, 0 to 1"},
      {errors.view(), fmt::format("endpoint error, 0 to {:g} px", greatest)}};
  constexpr int kSide = 240;
  const int height = std::clamp(kSide * truth.height() / truth.width(), 16, kSide);
  return report::montage(tiles, {.columns = 5, .cell = {kSide, height}});
}

// What manifests keep of a sequence.
struct KeptSequence {
  flow::FlowReport report{};
  double seconds = 0;
  Extent size{};  // of the picture
  std::string pixels{};
};
void describe(FieldVisitor& visit, KeptSequence& kept) {
  visit("report", kept.report, "its errors");
  visit("seconds", kept.seconds, "how long it took");
  visit("size", kept.size, "of the picture");
  visit("pixels", kept.pixels, "RGB of the picture, row by row");
}

std::size_t picture_row(Extent size) { return static_cast<std::size_t>(size.width) * 3; }

KeptSequence kept_sequence(SequenceResult&& each) {
  const Image<std::uint8_t>& picture = each.picture;
  KeptSequence kept{std::move(each.report), each.seconds, {picture.width(), picture.height()}};
  for (int y = 0; y < picture.height(); ++y)
    kept.pixels.append(reinterpret_cast<const char*>(picture.row(y)), picture_row(kept.size));
  return kept;
}

SequenceResult sequence_of(KeptSequence&& kept, const FlowSequence& sequence) {
  SequenceResult each{sequence, std::move(kept.report), kept.seconds};
  if (kept.pixels.empty()) return each;
  if (kept.pixels.size() != picture_row(kept.size) * static_cast<std::size_t>(kept.size.height))
    throw FormatError("a manifest's picture has another size than it says; begin the job anew");
  each.picture = Image<std::uint8_t>(kept.size.width, kept.size.height, 3);
  const char* from = kept.pixels.data();
  for (int y = 0; y < kept.size.height; ++y, from += picture_row(kept.size))
    std::copy_n(from, picture_row(kept.size), each.picture.row(y));
  return each;
}

// Pairs that are measured one by one; the others of a job are taken from its manifests.
class PairMeasurer {
 public:
  PairMeasurer(const FlowEvalRequest& request, Context& context)
      : request_(request), context_(context), estimator_(request.flow) {}

  SequenceResult measure(const FlowSequence& sequence, bool with_picture) {
    const ImagePair pair = read_pair(
        pair_source(sequence.first, sequence.second, {.max_pixels = context_.max_pixels}));
    const io::FlowField truth = read_truth(sequence, pair, context_);
    const double start = steady_seconds();
    const flow::Flow field = estimate_pair(estimator_, pair, {});
    SequenceResult each;
    each.seconds = steady_seconds() - start;
    each.report =
        flow::evaluate_flow({field.u, field.v}, field.confidence, truth, request_.measure);
    if (with_picture) each.picture = picture_of(pair, field, truth, request_.greatest);
    return each;
  }

 private:
  const FlowEvalRequest& request_;
  Context& context_;
  flow::Estimator estimator_;
};

// Nothing where this is a shard of a job.
std::optional<MethodResult> measure(const std::vector<FlowSequence>& sequences,
                                    const FlowEvalRequest& request, Context& context) {
  UnitList pairs{.files = [&](std::size_t i) {
    return UnitFiles({sequences[i].truth, sequences[i].first, sequences[i].second});
  }};
  for (const FlowSequence& sequence : sequences) pairs.names.push_back(sequence.truth);
  std::vector<KeptSequence> kept(sequences.size());
  Units units(context, std::move(pairs), kept);
  std::optional<PairMeasurer> measurer;
  if (!units.open().empty()) measurer.emplace(request, context);
  std::size_t done = 0;
  for (const std::size_t i : units.open()) {
    throw_if_stopped(context.exec);
    const bool with_picture =
        !request.output.empty() && i < static_cast<std::size_t>(request.sheet);
    units.take(i, kept_sequence(measurer->measure(sequences[i], with_picture)));
    if (context.exec.progress)
      context.exec.progress(
          {"sequences", static_cast<double>(++done), static_cast<double>(units.open().size())});
  }
  if (!units.finish_whole()) return {};
  MethodResult result{request.flow.method == flow::Method::kLucasKanade ? "lk" : "bm"};
  result.sequences.reserve(sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i)
    result.sequences.push_back(sequence_of(std::move(kept[i]), sequences[i]));
  return result;
}

// What is printed of a method.
struct PrintedMethod {
  struct Confidence {
    double endpoint = 0, sparsification_error = 0;
    std::vector<flow::SparsificationPoint> curve{};
  };
  struct Sequence {
    std::string name{};
    PrintedErrors errors{};
    std::optional<double> seconds{};
  };
  std::string method{};
  flow::FlowErrors means{};
  std::optional<Confidence> confidence{};
  std::vector<Sequence> sequences{};
  std::optional<double> estimate_seconds{};
};
void describe(FieldVisitor& visit, PrintedMethod::Confidence& confidence) {
  visit("confident_endpoint_error_mean", confidence.endpoint,
        "mean endpoint error of confident pixels", {.unit = "pixels"});
  visit("sparsification_error_mean", confidence.sparsification_error,
        "how badly the confidence predicts errors; 0 is best");
  visit("sparsification", confidence.curve, "the mean curve");
}
void describe(FieldVisitor& visit, PrintedMethod::Sequence& sequence) {
  visit.record("SequenceErrors", "the errors of one pair");
  visit("name", sequence.name, "the name of the sequence");
  describe(visit, sequence.errors);
  visit("seconds", sequence.seconds, "how long the estimation took", {.unit = "seconds"});
}
// The same fields as those of a sequence, by names that say so; the number of pixels has no mean.
void describe_means(FieldVisitor& visit, flow::FlowErrors& means) {
  for_each_field(record_ref(means), [&](const Field& field) {
    const std::string name = fmt::format("{}_mean", field.name);
    FieldValue value = field.value;
    if (field.name != "pixels") visit(name, value, field.help, field.traits);
  });
}
void describe(FieldVisitor& visit, PrintedMethod& printed) {
  visit.record("FlowMethod", "the errors of a method over all sequences");
  visit("method", printed.method, "its name");
  describe_means(visit, printed.means);
  visit("confidence", printed.confidence, "where the method has a confidence", {.flat = true});
  visit("sequences", printed.sequences, "the errors of each sequence");
  visit("estimate_seconds", printed.estimate_seconds, "time of all estimations",
        {.unit = "seconds"});
}

struct PrintedEvaluation {
  PrintedMethod own{};
  std::optional<std::vector<PrintedMethod>> rivals{};
  std::optional<std::uint64_t> peak_memory_bytes{};
  std::optional<std::string> page{};
  report::Evaluation evaluation{};
};
void describe(FieldVisitor& visit, PrintedEvaluation& printed) {
  describe(visit, printed.own);
  visit("rivals", printed.rivals, "methods of other libraries");
  visit("peak_memory_bytes", printed.peak_memory_bytes, "most memory of the process",
        {.unit = "bytes"});
  visit("page", printed.page, "the page that was written");
  visit("evaluation", printed.evaluation, "what fovea view shows");
}

PrintedMethod printed_method(const MethodResult& result, bool timed) {
  PrintedMethod printed{.method = result.name, .means = mean_errors(result)};
  const bool has_confidence = !result.sequences.front().report.curve.empty();
  if (has_confidence)
    printed.confidence = {mean_errors(result, true).endpoint, mean_sparsification_error(result),
                          mean_curve(result)};
  double seconds = 0;
  for (const SequenceResult& each : result.sequences) {
    printed.sequences.push_back({each.sequence.name, printed_errors(each.report, has_confidence),
                                 timed ? std::optional(each.seconds) : std::nullopt});
    seconds += each.seconds;
  }
  if (timed) printed.estimate_seconds = seconds;
  return printed;
}

void print_json(const FlowEvalRequest& request, const Context& context,
                const std::vector<MethodResult>& results) {
  const bool timed = reports_times(context);
  PrintedEvaluation printed{printed_method(results.front(), timed)};
  if (request.rivals) {
    printed.rivals.emplace();
    for (std::size_t i = 1; i < results.size(); ++i)
      printed.rivals->push_back(printed_method(results[i], timed));
  }
  if (timed) printed.peak_memory_bytes = peak_memory_bytes();
  if (!request.output.empty())
    printed.page = (std::filesystem::path(request.output) / "index.html").string();
  printed.evaluation = report::without_times(flow_evaluation(results));
  print_result(context, record_ref(printed));
}

std::string results_text(const MethodResult& result, bool timed) {
  std::string text = fmt::format("{:<20} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>9}{}\n",
                                 result.name, "EPE px", "AAE deg", "R0.5 %", "R1 %", "R2 %", "Fl %",
                                 "confident", timed ? "  seconds" : "");
  const auto line = [&](const std::string& name, const flow::FlowErrors& all,
                        const flow::FlowErrors& confident, double seconds) {
    text += fmt::format("{:<20} {:>8.3f} {:>8.2f} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>9.3f}{}\n",
                        name, all.endpoint, all.angular, 100 * all.r05, 100 * all.r1, 100 * all.r2,
                        100 * all.fl, confident.endpoint,
                        timed ? fmt::format(" {:>8.3f}", seconds) : "");
  };
  double seconds = 0;
  for (const SequenceResult& each : result.sequences) {
    line(each.sequence.name, each.report.all, each.report.confident, each.seconds);
    seconds += each.seconds;
  }
  line("mean", mean_errors(result), mean_errors(result, true),
       seconds / static_cast<double>(result.sequences.size()));
  return text;
}

int run_eval(FlowEvalRequest& request, Context& context) {
  if (request.rivals && context.journal != nullptr)
    throw InvalidArgument(
        "--rivals compares times of one run; leave out --shard, --resume and --manifest");
  resolve_device(context, cpu_only(request.flow));
  request.flow.exec = context.exec_without_progress();
  const auto sequences = find_sequences(context.inputs);
  std::optional<MethodResult> own = measure(sequences, request, context);
  if (!own) return kDone;
  std::vector<MethodResult> results;
  results.push_back(std::move(*own));
  if (request.rivals) {
    for (MethodResult& rival : measure_flow_rivals(sequences, request, context))
      results.push_back(std::move(rival));
  }
  context.console.end_progress();
  if (!request.output.empty()) write_flow_eval_folder(request, context, results);
  if (context.json) {
    print_json(request, context, results);
  } else {
    for (const MethodResult& result : results)
      context.console.print(results_text(result, reports_times(context)));
  }
  return kDone;
}

}  // namespace

void describe(OptionVisitor& visit, FlowEvalRequest& request) {
  visit.path("output", request.output, TextUse::kFolder,
             "folder for the page, the curve and the errors");
  visit("rivals", request.rivals, "also measure the methods of OpenCV on the same images");
  visit("sheet", request.sheet, "number of sequences with pictures in the page", 0, 1000);
  visit("greatest-error", request.greatest, "error in pixels that pictures draw brightest", 1e-3,
        1e6);
  describe(visit, request.measure);
  visit("preset", request.flow.preset,
        "options of the methods as a paper has them: paper is Marras et al. 2010; what is given "
        "beside it counts");
  describe(visit, request.flow);
}

void preset_chosen(FlowEvalRequest& request) { use_preset(request.flow, request.flow.preset); }

flow::FlowErrors mean_errors(const MethodResult& result, bool confident) {
  flow::FlowErrors mean;
  std::int64_t measured = 0;
  for (const SequenceResult& each : result.sequences) {
    const flow::FlowErrors& errors = confident ? each.report.confident : each.report.all;
    if (errors.pixels == 0) continue;
    ++measured;
    mean.pixels += errors.pixels;
    mean.endpoint += errors.endpoint;
    mean.angular += errors.angular;
    mean.r05 += errors.r05;
    mean.r1 += errors.r1;
    mean.r2 += errors.r2;
    mean.fl += errors.fl;
  }
  const auto count = static_cast<double>(std::max<std::int64_t>(1, measured));
  for (double* sum : {&mean.endpoint, &mean.angular, &mean.r05, &mean.r1, &mean.r2, &mean.fl})
    *sum /= count;
  return mean;
}

std::vector<flow::SparsificationPoint> mean_curve(const MethodResult& result) {
  std::vector<flow::SparsificationPoint> mean = result.sequences.front().report.curve;
  const auto count = static_cast<double>(result.sequences.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i].endpoint = mean[i].oracle = 0;
    for (const SequenceResult& each : result.sequences) {
      mean[i].endpoint += each.report.curve[i].endpoint / count;
      mean[i].oracle += each.report.curve[i].oracle / count;
    }
  }
  return mean;
}

double mean_sparsification_error(const MethodResult& result) {
  double sum = 0;
  for (const SequenceResult& each : result.sequences) sum += each.report.sparsification_error;
  return sum / static_cast<double>(std::max<std::size_t>(1, result.sequences.size()));
}

Command flow_eval_command() {
  return {
      .system = "flow",
      .verb = "eval",
      .summary = "measure the errors of estimated flow",
      .text =
          "Measures the endpoint error (the distance in pixels between the ends of the estimated "
          "and the true vector), the angular error, the shares of pixels above 0.5, 1 and 2 "
          "pixels, and KITTI's outliers (above 3 pixels and 5 % of the motion): for every sequence "
          "and on average over sequences, for all pixels whose true flow is known and for those "
          "that are confident. The sparsification curve removes the least confident pixels first. "
          "The closer it lies to the oracle, which removes the worst pixels first, the better "
          "confidence predicts errors. The folder -o gets a page with pictures, and "
          "evaluation.json, which "
          "fovea view opens as a page with the curve and the worst sequences; so it does with the "
          "output of --json. The first input that cannot be read ends the run, because a mean over "
          "fewer sequences would be another "
          "measure. Shards divide the sequences; their merged result has no times.",
      .arguments =
          {{"INPUT",
            "folder of folders with frame10, frame11 and flow10.flo; or a list whose lines "
            "name first image, second image and flow file",
            1, kAnyNumber}},
      .examples = {{"fovea flow eval --method lk --quality best middlebury -o report",
                    "evaluate Middlebury's training pairs"},
                   {"fovea flow eval --method bm pairs.txt --json", "evaluate a list of pairs"},
                   {"fovea flow eval middlebury --rivals", "also evaluate OpenCV's methods"}},
      .request = make_request<FlowEvalRequest, run_eval>,
      .preset = "preset",
      .result = {sample_record<PrintedEvaluation>},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
