// fovea people mine: searches images without people for windows that look like people, as a
// training asks for it.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>
#include <fovea/people/mine.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/jobs/units.h"
#include "cli/people/people.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

struct MineVerbRequest {
  std::string search{};
  std::string output{};
};

void describe(OptionVisitor& visit, MineVerbRequest& request) {
  visit.path("search", request.search, TextUse::kInput,
             "what to search for: the file search.safetensors that fovea people train --mined "
             "writes");
  visit.path("output", request.output, TextUse::kOutput,
             "file for the windows, .safetensors; by default where the training looks for it, next "
             "to the file of --search");
}

// What the search of all images gave.
struct MineResult {
  std::string output{};
  std::size_t images = 0;
  std::int64_t windows = 0, found = 0;
};
void describe(FieldVisitor& visit, MineResult& result) {
  visit("output", result.output, "the file with the windows");
  visit("images", result.images, "how many were searched");
  visit("windows", result.windows, "how many were evaluated");
  visit("found", result.found, "how many are kept");
}

// The search of the images of one run, some at a time, so that what was found is recorded.
class MineVerb {
 public:
  MineVerb(const people::SearchRequest& search, const std::vector<std::string>& paths,
           Context& context)
      : search_(search),
        paths_(paths),
        context_(context),
        images_(paths, context.max_pixels),
        asked_(paths.size()) {
    if (paths.size() != search.checksums.size())
      throw InvalidArgument(fmt::format(
          "the training has {}, but here {}; give the same images",
          detail::counted(search.checksums.size(), "negative"),
          paths.size() == 1 ? "is 1 image" : fmt::format("are {} images", paths.size())));
    for (const int image : search.images) asked_[static_cast<std::size_t>(image)] = 1;
  }

  void run() {
    Units units(context_, {paths_}, [&](std::size_t, const UnitResult& given) {
      if (!given.message.empty()) {
        context_.console.complain(given.message);
        ++failed_;
      } else if (!given.shared.empty()) {
        given.read(record_ref(found_.emplace_back()));
      }
    });
    const std::vector<std::size_t>& open = units.open();
    total_ = static_cast<std::size_t>(
        std::ranges::count_if(open, [&](std::size_t unit) { return asked_[unit] != 0; }));
    const std::size_t together =
        context_.journal != nullptr ? kTogether : std::max<std::size_t>(1, open.size());
    units.take_groups(together, [&](std::span<const std::size_t> some) { return search(some); });
    units.finish();
  }

  std::size_t failed() const { return failed_; }
  std::size_t searched() const { return found_.size(); }
  std::vector<people::MinedImage> merged() {
    return people::merge_mined(search_, std::move(found_));
  }

 private:
  static constexpr std::size_t kTogether = 64;  // images between two records

  Exec exec() const {
    Exec exec = context_.exec;
    if (exec.progress)
      exec.progress = [this, report = context_.exec.progress](const Progress& now) {
        report({search_.what, static_cast<double>(done_) + now.done, static_cast<double>(total_)});
      };
    return exec;
  }

  // Images that the training does not ask for give nothing.
  std::vector<std::string> search(std::span<const std::size_t> units) {
    std::vector<int> which;
    for (const std::size_t unit : units)
      if (asked_[unit] != 0) which.push_back(static_cast<int>(unit));
    std::vector<people::MinedImage> found;
    if (!which.empty()) found = people::mine(search_, images_, which, exec());
    done_ += which.size();
    std::vector<std::string> given(units.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < units.size(); ++i)
      if (asked_[units[i]] != 0) given[i] = io::pack_record(record_ref(found[next++]));
    return given;
  }

  const people::SearchRequest& search_;
  const std::vector<std::string>& paths_;
  Context& context_;
  io::ImageFileSet images_;
  std::vector<char> asked_;
  std::vector<people::MinedImage> found_{};
  std::size_t failed_ = 0, done_ = 0, total_ = 0;
};

void report_mined(const Context& context, const std::string& output,
                  std::span<const people::MinedImage> mined) {
  MineResult result{.output = output, .images = mined.size()};
  for (const people::MinedImage& image : mined) {
    result.windows += image.windows;
    result.found += static_cast<std::int64_t>(image.found.size());
  }
  if (context.json) print_result(context, record_ref(result));
  else
    context.console.print(fmt::format("{}: {} of {}\n", output,
                                      detail::counted(result.found, "window"),
                                      detail::counted(mined.size(), "image")));
}

int run_mine(MineVerbRequest& request, Context& context) {
  if (request.search.empty())
    throw InvalidArgument(
        "people mine needs --search FILE, which fovea people train --mined FOLDER writes");
  const people::SearchRequest search = people::read_request(request.search);
  const std::string output =
      request.output.empty()
          ? mined_file(std::filesystem::path(request.search).parent_path().string(), search)
          : request.output;
  require_model_output(context.command.name(), output);
  check_outputs(context, {{"-o", output}}, {request.search});
  resolve_device(context);
  const std::vector<std::string> paths = unit_inputs(context, io::image_files());
  MineVerb verb(search, paths, context);
  verb.run();
  if (!writes_shared_files(context)) {
    context.console.note(fmt::format("{} searched; fovea merge writes what was found",
                                     detail::counted(verb.searched(), "image")));
  } else if (verb.failed() == 0) {
    const std::vector<people::MinedImage> mined = verb.merged();
    people::write_mined(output, search, mined);
    report_mined(context, output, mined);
  } else {
    context.console.complain(fmt::format(
        "{} is not written, because a training needs the windows of all images", output));
  }
  return exit_status(context, {verb.failed(), verb.failed() + verb.searched(), kBadInput});
}

}  // namespace

std::string mined_file(const std::string& folder, const people::SearchRequest& search) {
  const std::string name = fmt::format("mined-{:016x}.safetensors", people::identity_of(search));
  return (std::filesystem::path(folder) / name).string();
}

Command people_mine_command() {
  return {
      .system = "people",
      .verb = "mine",
      .summary = "search images without people for windows that look like people",
      .text =
          "The search of the negatives is the long part of a training, and this does it elsewhere. "
          "fovea people train --mined FOLDER learns as far as it can, writes into the folder, as "
          "search.safetensors, what to search for, and ends with status 6. This command searches "
          "the same images, whole or in shards, and then the same training goes on. The model has "
          "the bytes of a training that searches by itself. Images are searched on the GPU where "
          "there is one.",
      .arguments = {{"INPUT", "the negatives of the training: a folder, files, globs or @list", 1,
                     kAnyNumber}},
      .examples = {{"fovea people mine scenes --search r/search.safetensors",
                    "do what fovea people train --negatives scenes --mined r asks for"},
                   {"fovea people mine scenes --search r/search.safetensors --shard 0/8",
                    "search the first of eight parts; fovea merge joins them"}},
      .request = make_request<MineVerbRequest, run_mine>,
      .result = {sample_record<MineResult>},
      .reads_images = true,
      .shards = true,
      .shared_files = {"output"}};
}

}  // namespace fovea::cli
