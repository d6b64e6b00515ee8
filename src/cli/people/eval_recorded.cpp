// Evaluations in shards: what every model finds in an image is recorded, and measured when all
// images are there.
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/jobs/recorded_units.h"
#include "cli/people/eval.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// Searches images for the recorded units of one run.
class EvalSearch {
 public:
  EvalSearch(const std::vector<EvalModel>& models, const EvalImages& images,
             const EvalRequest& request, const Context& context)
      : models_(models), images_(images), request_(request), context_(context) {}

  // What an image gives, or why it cannot be searched.
  struct Found {
    std::string bytes{};
    std::string message{};
  };

  std::vector<Found> search(std::span<const std::size_t> units) const {
    std::vector<Found> found;
    found.reserve(units.size());
    try {
      for (std::string& bytes : search_all(units)) found.push_back({std::move(bytes), {}});
    } catch (const Cancelled&) {
      throw;
    } catch (const DeviceError&) {
      throw;
    } catch (const Error& error) {
      if (units.size() == 1) return {{{}, error.what()}};
      found.clear();  // find out which one it is
      for (const std::size_t unit : units)
        found.push_back(std::move(search(std::span(&unit, 1)).front()));
    }
    return found;
  }

 private:
  // The bytes that every image gives.
  std::vector<std::string> search_all(std::span<const std::size_t> units) const {
    std::vector<int> which;
    which.reserve(units.size());
    for (const std::size_t unit : units) which.push_back(static_cast<int>(unit));
    std::vector<std::string> bytes(units.size());
    for (std::size_t m = 0; m < models_.size(); ++m) {
      people::MeasureOptions options = measure_options(request_, context_.exec, m);
      options.exec.progress = {};
      const std::vector<people::ImageFindings> found =
          people::find_in_images(models_[m].model, images_.files, images_.truth, which, options);
      for (std::size_t i = 0; i < found.size(); ++i)
        bytes[i] += io::pack_record(record_ref(found[i]));
    }
    return bytes;
  }

  const std::vector<EvalModel>& models_;
  const EvalImages& images_;
  const EvalRequest& request_;
  const Context& context_;
};

// Images that could not be searched: the others are recorded all the same, but there is no result
// without all of them.
class EvalFailures {
 public:
  EvalFailures(const EvalImages& images, const Context& context)
      : images_(images), context_(context) {}

  void add(std::size_t unit, const std::string& message, int status) {
    const std::string& path = images_.paths[unit];
    std::string text = message.starts_with(path) ? message : fmt::format("{}: {}", path, message);
    if (!last_.empty()) {
      context_.console.end_progress();
      context_.console.complain(last_);
    }
    last_ = std::move(text);
    status_ = status;
  }
  // Throws FormatError, or WriteError where the disk is full, with the last one; those before it
  // are reported already.
  void end() const {
    if (last_.empty()) return;
    if (status_ == kFailed) throw WriteError(last_);
    throw FormatError(last_);
  }

 private:
  const EvalImages& images_;
  const Context& context_;
  std::string last_{};
  int status_ = kDone;
};

}  // namespace

std::vector<EvalResult> measure_recorded(const std::vector<EvalModel>& models,
                                         const EvalImages& images, const EvalRequest& request,
                                         Context& context) {
  constexpr std::size_t kTogether = 64;  // images between two records
  std::vector<std::vector<people::ImageFindings>> findings(models.size());
  EvalFailures failures(images, context);
  RecordedUnits units(context, images.paths,
                      [&](std::size_t unit, std::string_view shared, const std::string& message) {
                        if (!message.empty()) return failures.add(unit, message, units.status());
                        for (auto& each : findings)
                          io::unpack_record(shared, record_ref(each.emplace_back()));
                      });
  const EvalSearch search(models, images, request, context);
  const std::span<const std::size_t> open = units.open();
  for (std::size_t first = 0; first < open.size(); first += kTogether) {
    const auto some = open.subspan(first, std::min(kTogether, open.size() - first));
    std::vector<EvalSearch::Found> found = search.search(some);
    for (std::size_t i = 0; i < some.size(); ++i)
      units.take(some[i], std::move(found[i].bytes), std::move(found[i].message));
    if (context.exec.progress)
      context.exec.progress(
          {"images", static_cast<double>(first + some.size()), static_cast<double>(open.size())});
  }
  units.finish();
  context.console.end_progress();
  failures.end();
  std::vector<EvalResult> results;
  if (!writes_shared_files(context)) {
    context.console.note(fmt::format("{} searched; fovea merge measures what was found",
                                     detail::counted(findings.front().size(), "image")));
    return results;
  }
  for (std::size_t m = 0; m < models.size(); ++m) {
    people::MeasureOptions options = measure_options(request, context.exec, m);
    options.exec.progress = {};
    people::ImageMeasurement measured =
        people::measure_findings(*models[m].model, images.truth, std::move(findings[m]), options);
    const bool lower = people::needs_lower_scores(measured, options);
    results.push_back({.model = models[m],
                       .counts = measured.counts,
                       .lowest_score = measured.lowest_score,
                       .lower = options.lower + (lower ? 1 : 0),
                       .unfinished = lower,
                       .found = std::move(measured.found),
                       .images = std::move(measured.report),
                       .stages = std::move(measured.stages)});
  }
  return results;
}

}  // namespace fovea::cli
