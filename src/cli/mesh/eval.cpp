// fovea mesh eval: compares segmentations with those that people made.
#include "cli/mesh/eval.h"

#include <fovea/core/error.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "cli/jobs/units.h"
#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/parallel.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct MeshEvalRequest {
  std::string meshes{};
  std::string segmentations{};
  std::string counts = "median";
  std::string labels{};
  std::string csv{};
  bool people = true;
  mesh::Method method = mesh::Method::kResistance;
  mesh::Division division = mesh::Division::kKWay;
  mesh::CostKind cost = mesh::CostKind::kKatzTal;
  mesh::ShapeDiameterOptions diameter{};
  mesh::ResistanceOptions resistance{};
  mesh::FuzzyOptions fuzzy{};
  mesh::HierarchyOptions hierarchy{};
};

void describe(OptionVisitor& visit, MeshEvalRequest& request) {
  visit("meshes", request.meshes, "the folder of the meshes",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit("segmentations", request.segmentations,
        "the folder of people's labels: NAME.seg, NAME_*.seg or NAME/*.seg for a mesh NAME",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit("counts", request.counts,
        "how many parts each mesh gets: the median of people's numbers, a number that is chosen "
        "(auto), or those in a file, one per line in the order of the meshes",
        {.value_name = "median|auto|FILE", .words = {"median", "auto"}});
  visit("labels", request.labels,
        "evaluate the segmentations in this folder, NAME.seg for a mesh NAME, and make none",
        {.use = TextUse::kInput, .value_name = "DIR"});
  visit.path("csv", request.csv, TextUse::kOutput, "write the errors as CSV, one line per mesh");
  visit("people", request.people, "compare people with each other as well",
        {.off_help = "do not compare people with each other"});
  visit("method", request.method,
        "resistance groups faces by spectral coordinates of an electrical network; fuzzy uses "
        "shortest paths and memberships, as Katz and Tal do");
  visit("division", request.division,
        "k-way divides a mesh into all parts at once, hierarchical into two parts again and again");
  visit.group("resistance", request.resistance);
  visit.group("fuzzy", request.fuzzy);
  visit.group("hierarchy", request.hierarchy);
  visit("cost", request.cost, "what a step between faces costs besides its length");
  visit.group("diameter", request.diameter);
}

int distinct(const std::vector<std::int32_t>& labels) {
  std::vector<std::int32_t> sorted = labels;
  std::ranges::sort(sorted);
  return static_cast<int>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

std::vector<const MeshCase*> pointers_to(const std::vector<MeshCase>& cases) {
  std::vector<const MeshCase*> pointers;
  pointers.reserve(cases.size());
  for (const MeshCase& each : cases) pointers.push_back(&each);
  return pointers;
}

int median_count(const std::vector<std::vector<std::int32_t>>& people) {
  std::vector<int> counts;
  counts.reserve(people.size());
  for (const auto& labels : people) counts.push_back(distinct(labels));
  std::ranges::sort(counts);
  const std::size_t half = counts.size() / 2;
  return counts.size() % 2 == 1 ? counts[half] : (counts[half - 1] + counts[half] + 1) / 2;
}

bool counts_from_file(const MeshEvalRequest& request) {
  return request.counts != "median" && request.counts != "auto";
}

std::vector<int> counts_in(const std::string& path) {
  std::vector<int> counts;
  for (const std::int32_t count : io::read_labels(path)) counts.push_back(count);
  return counts;
}

std::vector<std::int32_t> read_fitting_labels(const std::string& path, const MeshCase& each,
                                              std::size_t faces) {
  std::vector<std::int32_t> labels = io::read_labels(path);
  if (labels.size() != faces)
    throw FormatError(fmt::format("{}: {} for {}, which has {}; expected one per face", path,
                                  detail::counted(labels.size(), "label"), each.path,
                                  detail::counted(faces, "face")));
  return labels;
}

std::vector<std::vector<std::int32_t>> read_people(const MeshCase& each, std::size_t faces) {
  std::vector<std::vector<std::int32_t>> people;
  for (const std::string& path : each.people)
    people.push_back(read_fitting_labels(path, each, faces));
  return people;
}

mesh::SegmentationReport among(const io::TriangleMesh& mesh,
                               const std::vector<std::vector<std::int32_t>>& people) {
  MeshCase person;
  std::vector<MeshCase> all;
  for (std::size_t i = 0; people.size() > 1 && i < people.size(); ++i) {
    std::vector<std::vector<std::int32_t>> others = people;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    person.errors = mesh::evaluate_segmentation(mesh, people[i], others);
    all.push_back(person);
  }
  return mean_errors(pointers_to(all), false);
}

std::vector<std::int32_t> segmented(const MeshEvalRequest& request, const Exec& exec,
                                    const io::TriangleMesh& mesh, int parts) {
  mesh::SegmentOptions options;
  options.parts = parts;
  options.method = request.method;
  options.division = request.division;
  options.resistance = request.resistance;
  options.fuzzy = request.fuzzy;
  options.hierarchy = request.hierarchy;
  options.cost = request.cost;
  options.diameter = request.diameter;
  options.exec = exec;
  options.exec.threads = 1;
  options.exec.progress = {};
  return mesh::segment(mesh, options).labels;
}

std::string labels_path(const std::string& folder, const MeshCase& each) {
  return fmt::format("{}/{}.seg", folder, each.name);
}

// A mean over some of the meshes would not compare with others: labels to evaluate are there for
// all of them.
void require_labels(const std::string& folder, const std::vector<MeshCase>& cases) {
  std::size_t missing = 0;
  std::string first;
  for (const MeshCase& each : cases) {
    std::error_code error;
    const std::string path = labels_path(folder, each);
    if (std::filesystem::exists(path, error)) continue;
    if (missing++ == 0) first = path;
  }
  if (missing > 0)
    throw IoError(fmt::format(
        "{}: cannot open: labels are missing for {} of {}; expected NAME.seg for each mesh NAME",
        first, missing, detail::counted(cases.size(), "mesh", "meshes")));
}

void measure(const MeshEvalRequest& request, const Exec& exec, MeshCase& each) {
  const io::TriangleMesh mesh = io::read_mesh(each.path, {.polygons = io::Polygons::kRefuse});
  const auto people = read_people(each, mesh.faces.size());
  if (request.counts == "median") each.parts = median_count(people);
  const double start = steady_seconds();
  const std::vector<std::int32_t> labels =
      request.labels.empty()
          ? segmented(request, exec, mesh, each.parts)
          : read_fitting_labels(labels_path(request.labels, each), each, mesh.faces.size());
  each.seconds = steady_seconds() - start;
  each.found = distinct(labels);
  each.errors = mesh::evaluate_segmentation(mesh, labels, people);
  if (request.people) each.among_people = among(mesh, people);
}

// One unit per mesh, which is measured from its labels as well.
UnitList units_of(const MeshEvalRequest& request, const std::vector<MeshCase>& cases) {
  UnitList units{.files = [&](std::size_t unit) {
    const MeshCase& each = cases[unit];
    std::vector<std::string> files = each.people;
    files.push_back(each.path);
    if (!request.labels.empty()) files.push_back(labels_path(request.labels, each));
    if (counts_from_file(request)) files.push_back(request.counts);
    return UnitFiles(std::move(files));
  }};
  for (const MeshCase& each : cases) units.names.push_back(each.path);
  return units;
}

// Measures the meshes, or those of a shard; returns whether all are measured.
bool measure_all(const MeshEvalRequest& request, Context& context, std::vector<MeshCase>& cases) {
  Units units(context, units_of(request, cases), cases);
  const std::vector<std::size_t>& open = units.open();
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(context.exec, static_cast<std::int64_t>(open.size()), 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const std::size_t unit = open[static_cast<std::size_t>(i)];
                   measure(request, context.exec, cases[unit]);
                   const std::lock_guard lock(mutex);
                   units.take(unit, cases[unit]);
                   ++done;
                   if (context.exec.progress)
                     context.exec.progress(
                         {"meshes", static_cast<double>(done), static_cast<double>(open.size())});
                 }
               });
  return units.finish_whole();
}

void write_csv(const std::string& path, const std::vector<MeshCase>& cases,
               const io::WrittenFields& which) {
  io::FileSink file(path);
  io::RecordTable table(file.sink(), io::TableFormat::kCsv, {{record_ref(cases.front())}}, which);
  for (const MeshCase& each : cases) table.row({record_ref(each)});
  table.finish();
  file.commit();
}

MeshErrors errors_of(const std::vector<const MeshCase*>& cases, bool people) {
  MeshErrors errors{.errors = mean_errors(cases, false)};
  if (people) errors.people = mean_errors(cases, true);
  return errors;
}

MeshEvalReport report_of(const std::vector<MeshCase>& cases, std::size_t meshes_found,
                         bool people) {
  const auto found = static_cast<std::int64_t>(meshes_found);
  MeshEvalReport report{std::ssize(cases), found, found - std::ssize(cases),
                        errors_of(pointers_to(cases), people)};
  for (const auto& [name, members] : by_category(cases))
    report.categories.push_back({name, std::ssize(members), errors_of(members, people)});
  return report;
}

void print_words(const std::vector<MeshCase>& cases, bool people, const Context& context) {
  const auto row = [&](const std::string& name, const std::vector<const MeshCase*>& members) {
    const mesh::SegmentationReport ours = mean_errors(members, false);
    context.console.print(fmt::format(
        "{:<12} {:6} {:7.3f} {:>7} {:7.3f} {:7.3f} {:7.3f} {:7.3f}\n", name, members.size(),
        ours.rand, people ? fmt::format("{:.3f}", mean_errors(members, true).rand) : "",
        ours.cut_discrepancy, ours.hamming, ours.global_consistency, ours.local_consistency));
  };
  context.console.print(fmt::format("{:<12} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n",
                                    "category", "meshes", "rand", people ? "people" : "", "cut",
                                    "hamming", "gce", "lce"));
  const std::vector<const MeshCase*> all = pointers_to(cases);
  for (const auto& [name, members] : by_category(cases))
    row(name.empty() ? "other" : name, members);
  row("all", all);
}

int run_mesh_eval(MeshEvalRequest& request, Context& context) {
  if (request.meshes.empty() || request.segmentations.empty())
    throw InvalidArgument("mesh eval needs --meshes FOLDER and --segmentations FOLDER");
  resolve_device(context);
  std::size_t meshes_found = 0;
  std::vector<MeshCase> cases =
      find_mesh_cases(request.meshes, request.segmentations, meshes_found);
  if (cases.size() < meshes_found)
    context.console.note(
        fmt::format("labels in {} are missing for {} of {} in {}, which are left out",
                    request.segmentations, meshes_found - cases.size(),
                    detail::counted(meshes_found, "mesh", "meshes"), request.meshes));
  if (!request.labels.empty()) require_labels(request.labels, cases);
  if (counts_from_file(request)) {
    const std::vector<int> counts = counts_in(request.counts);
    if (counts.size() != cases.size())
      throw FormatError(
          fmt::format("{}: {} numbers for {} meshes with labels; expected one per mesh",
                      request.counts, counts.size(), cases.size()));
    for (std::size_t i = 0; i < cases.size(); ++i) cases[i].parts = counts[i];
  }
  if (!measure_all(request, context, cases)) return kDone;
  if (!request.csv.empty()) write_csv(request.csv, cases, written_fields(context));
  if (context.json)
    print_result(context, record_ref(report_of(cases, meshes_found, request.people)),
                 mesh_evaluation(cases));
  else print_words(cases, request.people, context);
  return kDone;
}

}  // namespace

Command mesh_eval_command() {
  return {
      .system = "mesh",
      .verb = "eval",
      .summary = "compare segmentations with those that people made",
      .text =
          "Segments every mesh of a folder and compares the result with the segmentations that "
          "people made, by the measures of the Princeton benchmark: Rand error, cut discrepancy, "
          "Hamming distance, global and local consistency error. Each is 0 for equal "
          "segmentations. The differences between people are reported as well. fovea view opens "
          "the "
          "output of --json as a page with the worst meshes first. Shards divide the "
          "meshes; their merged result has no times.",
      .examples = {{"fovea mesh eval --meshes off --segmentations seg", "run the benchmark"},
                   {"fovea mesh eval --meshes off --segmentations seg --counts auto",
                    "choose the number of parts"},
                   {"fovea mesh eval --meshes off --segmentations seg --labels theirs",
                    "evaluate another program: theirs/1.seg has labels for off/1.off"}},
      .request = make_request<MeshEvalRequest, run_mesh_eval>,
      .result = {.record = sample_record<MeshEvalReport>, .evaluates = true},
      .shards = true,
      .shared_files = {"csv"}};
}

}  // namespace fovea::cli
