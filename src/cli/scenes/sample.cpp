// fovea scenes sample: draws the descriptors from which words are learned.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "cli/scenes/stages.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct SampleVerbRequest {
  std::string output{};
  scenes::DescriptorOptions descriptor{};
  int samples = scenes::DictionaryOptions{}.samples;
};

void describe(OptionVisitor& visit, SampleVerbRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "file for the descriptors, .npy, one per row; FILE.npy.json beside it says how they "
             "were drawn");
  describe(visit, request.descriptor);
  visit("samples", request.samples, "how many places of each image are drawn at random", 1,
        1 << 20);
}

// What the JSON has.
struct SampleReport {
  std::string output{};
  std::int64_t images = 0;
  int failed = 0;
  int samples = 0;
  int dimensions = 0;
};
void describe(FieldVisitor& visit, SampleReport& report) {
  visit.record("SampleReport", "descriptors that were written, or recorded by a shard");
  visit("output", report.output, "the file of the descriptors", {.sparse = true});
  visit("images", report.images, "how many images they were drawn from");
  visit("failed", report.failed, "how many images could not be read");
  visit("samples", report.samples, "how many descriptors there are");
  visit("dimensions", report.dimensions, "numbers of a descriptor");
}

int run_sample(SampleVerbRequest& request, Context& context) {
  require_table_output(context, request.output);
  check_outputs(context, {{"-o", request.output}, {"-o", note_beside(request.output)}});
  resolve_device(context);
  const scenes::Corpus corpus = scenes::read_corpus(context.inputs[0]);
  request.descriptor.exec = context.exec;
  const InputImages images(context, corpus.paths);
  const UnitRows rows = rows_of_units(
      context, corpus.paths,
      [&](std::span<const int> which, const scenes::ImageFailure& failed) -> UnitRows {
        scenes::SampleTable table =
            scenes::draw_samples(images, which, request.descriptor, request.samples, failed);
        return {std::move(table.rows), std::move(table.usable)};
      });
  const int samples = rows.rows.height();
  const auto used = std::count(rows.usable.begin(), rows.usable.end(), true);
  if (writes_shared_files(context)) {
    io::write_image(request.output, rows.rows.view());
    write_text(note_beside(request.output), provenance_json(context) + "\n");
  }
  if (context.json)
    print_result(context,
                 record_ref(SampleReport{writes_shared_files(context) ? request.output : "", used,
                                         rows.failed, samples, rows.rows.width()}));
  else
    context.console.print(written_or_recorded(
        context, request.output,
        fmt::format("{} of {} numbers from {}", detail::counted(samples, "sample"),
                    rows.rows.width(), detail::counted(used, "image"))));
  return rows.failed > 0 ? kSomeFailed : kDone;
}

}  // namespace

Command scenes_sample_command() {
  return {.system = "scenes",
          .verb = "sample",
          .summary = "draw the descriptors that words are learned from",
          .text =
              "Draws places of every image at random and writes their descriptors, as fovea scenes "
              "train does with the same images, options and seed. fovea scenes dictionary learns "
              "words from them.",
          .arguments = {{"INPUT",
                         "folder with one folder of images per class, or a list of files and "
                         "classes"}},
          .examples = {{"fovea scenes sample places -o samples.npy",
                        "write 200 descriptors of every image"}},
          .request = make_request<SampleVerbRequest, run_sample>,
          .result = {.record = sample_record<SampleReport>},
          .reads_images = true,
          .shards = true,
          .shared_files = {"output"}};
}

}  // namespace fovea::cli
