#include "cli/operations/sequence_pass.h"

#include <fovea/core/error.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/operations/report.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace fs = std::filesystem;

void describe(FieldVisitor& visit, RangeGiven& range) {
  visit("frames", range.frames, "that were read");
  visit("results", range.results, "of their steps");
  visit("size", range.size, "of the frames");
  visit("frame_rate", range.frame_rate, "of the video");
}

void describe(FieldVisitor& visit, StepGiven& step) {
  visit("place", step.place, "where it comes from");
  visit("result", step.result, "what was found");
}

SequencePass::SequencePass(Job& job, const std::optional<RangePass>& ranges)
    : job_(job),
      call_(job.call),
      context_(job.context),
      ranges_(ranges),
      reader_(ranges ? StepReader(job, ranges->frames) : StepReader(job)),
      plan_(reader_.plan()),
      pictures_(job.pictures()),
      shared_(job, !ranges) {
  const Exec exec = job.exec_of(plan_);
  call_.begin(exec, job.plan);
  for (int i = 0; i < plan_.count; ++i) workers_.push_back(call_.make_worker(exec));
  if (ranges_) return;
  for (const AskedPicture& picture : pictures_)
    writers_.emplace_back(picture.path,
                          io::VideoWriteOptions{.frame_rate = reader_.frames().rate()});
}

int SequencePass::run() {
  const io::FrameRun run = pass();
  if (results_ > 0) {
    for (io::VideoWriter& writer : writers_) writer.finish();
    shared_.commit(provenance_json(context_));
  }
  context_.console.end_progress();
  if (const io::VideoReader* const video = reader_.frames().video())
    note_reading(context_, context_.inputs[0], *video);
  if (results_ == 0 && run.whole()) throw_without_results(job_);
  if (call_.explains()) {
    run.rethrow();
    return job_.print_why(last_);
  }
  for (std::size_t i = 0; i < job_.outputs().size() && results_ > 0; ++i)
    if (job_.outputs()[i].evaluation && !job_.named[i].empty())
      write_evaluation_result(job_.named[i].path, context_, call_.evaluation());
  if (results_ > 0) print_report(job_, ended(run));
  run.rethrow();
  return kDone;
}

operations::Ended SequencePass::ended(const io::FrameRun& run) const {
  operations::Ended ended = ended_of(job_);
  ended.frames = run.frames;
  ended.results = results_;
  if (const io::VideoReader* const video = reader_.frames().video())
    ended.dropped = video->dropped();
  ended.size = size_;
  ended.whole = run.whole();
  ended.seconds = run.seconds;
  return ended;
}

io::FrameRun SequencePass::pass() {
  return io::run_frames<Slot, std::shared_ptr<void>>(
      workers_,
      {.read = [&](Slot& slot) { return read(slot); },
       .bytes = [&](const Slot& slot) { return reader_.frames().bytes(*slot.step.now); },
       .prepare = [&](Slot& slot) { call_.take(slot.step, slot.item.get()); },
       .work = [&](std::shared_ptr<void>& worker,
                   Slot& slot) { call_.run(worker.get(), slot.item.get()); },
       .complete =
           [&](Slot& slot) {
             if (has_result(slot) && !call_.follows()) make_files(slot);
           },
       .write = [&](Slot& slot) { write(slot); }},
      reader_.options(plan_));
}

bool SequencePass::read(Slot& slot) {
  if (!slot.item) slot.item = call_.make_item();
  slot.step.in_order = plan_.count == 1;
  return reader_.read(slot.step);
}

std::string SequencePass::numbered_path(std::size_t output, std::int64_t number) const {
  return (fs::path(job_.named[output].path) /
          fmt::format("{:06}.{}", number, call_.frame_ending(output)))
      .string();
}

// Writes the files that are the step's alone, and draws its pictures.
void SequencePass::make_files(Slot& slot) {
  const std::int64_t number = frame_of(slot).number();
  slot.files.clear();
  slot.pictures.clear();
  for (std::size_t i = 0; i < job_.outputs().size(); ++i) {
    if (!job_.writes_own(i)) continue;
    std::call_once(folders_made_, [&] {
      for (std::size_t each = 0; each < job_.outputs().size(); ++each)
        if (job_.writes_own(each)) make_folder(job_.named[each].path);
    });
    slot.files.push_back(numbered_path(i, number));
    call_.write(i, slot.item.get(), slot.files.back());
    written_.add(slot.files.back());
  }
  for (const AskedPicture& picture : pictures_)
    slot.pictures.push_back(call_.paint(picture.output, picture.kind, slot.item.get()));
  for (std::size_t i = 0; ranges_ && i < pictures_.size(); ++i) {
    slot.files.push_back(ranges_->pictures[i].file(number));
    io::write_image(slot.files.back(), slot.pictures[i].view());
  }
}

io::Place SequencePass::place_of(const Slot& slot) const {
  const operations::Frame& frame = frame_of(slot);
  return {context_.inputs[0], io::FrameTime{frame.number(), frame.seconds()}};
}

void SequencePass::write(Slot& slot) {
  const Image<std::uint8_t>& pixels = slot.step.now->pixels();
  size_ = {pixels.width(), pixels.height()};
  if (has_result(slot) && call_.follows()) {
    call_.follow(slot.item.get());
    make_files(slot);
  }
  if (ranges_) add_to_range(slot);
  else if (has_result(slot)) add(slot);
  slot.step = {};
}

void SequencePass::add(Slot& slot) {
  for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i].write(slot.pictures[i]);
  for (const std::string& file : slot.files) written_.keep(file);
  shared_.add(place_of(slot), call_.result(slot.item.get()));
  call_.tally(slot.item.get());
  if (call_.explains()) last_ = slot.item;
  ++results_;
}

// What is made of two frames belongs to the range of the first.
void SequencePass::add_to_range(Slot& slot) {
  const std::int64_t number = slot.step.now->number();
  if (slot.step.before == nullptr) ranges_->units.reach(number);
  if (has_result(slot)) {
    note_size();
    ++range_.results;
    for (const std::string& file : slot.files) written_.keep(file);
    files_.insert(files_.end(), slot.files.begin(), slot.files.end());
    if (shared_.wanted())
      given_ += io::pack_record(
          record_ref(StepGiven{place_of(slot), io::pack_record(call_.result(slot.item.get()))}));
  }
  ranges_->units.reach(number);
  if (!ranges_->units.owns(number)) return;
  note_size();  // of another range, where this frame begins one
  ++range_.frames;
}

void SequencePass::note_size() {
  range_.size = size_;
  range_.frame_rate = reader_.frames().rate();
}

UnitResult SequencePass::collect() {
  const RangeGiven range = std::exchange(range_, {});
  if (range.frames == 0 && range.results == 0) return {};
  return {.shared = io::pack_record(record_ref(range)) + std::exchange(given_, {}),
          .files = std::exchange(files_, {})};
}

}  // namespace fovea::cli
