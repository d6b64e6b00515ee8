#include "cli/actions/annotated.h"

#include <fovea/actions/show.h>
#include <fovea/io/inputs.h>

#include <filesystem>

namespace fovea::cli {
namespace {

std::uint64_t bytes_of(ImageView<const std::uint8_t> image) {
  return static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height) *
         static_cast<std::uint64_t>(image.channels);
}

}  // namespace

bool can_be_read_again(const std::string& source) {
  std::error_code error;
  const auto type = std::filesystem::status(source, error).type();
  using Type = std::filesystem::file_type;
  return source != "-" && !io::is_live_source(source) && type != Type::fifo &&
         type != Type::character && type != Type::socket;
}

AnnotatedVideo::AnnotatedVideo(const Request& request)
    : writer_(request.path, {.frame_rate = request.frame_rate}), memory_(request.memory) {
  if (can_be_read_again(request.source)) again_.emplace(request.source, request.reading);
}

void AnnotatedVideo::keep(ImageView<const std::uint8_t> rgb) {
  if (again_) return;
  waiting_.push_back(clone(rgb));
  waiting_bytes_ += bytes_of(rgb);
}

bool AnnotatedVideo::next() {
  if (again_) return again_->next(frame_);
  if (waiting_.empty()) return false;
  frame_.image = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= bytes_of(frame_.image);
  return true;
}

bool AnnotatedVideo::write_next() {
  if (!next()) return false;
  actions::draw_events(frame_.image, events_, written_);
  writer_.write(frame_.image);
  ++written_;
  std::erase_if(events_, [&](const auto& event) { return event.last_frame < written_; });
  return true;
}

void AnnotatedVideo::write_until(std::int64_t end) {
  while (written_ < end && write_next()) {
  }
}

void AnnotatedVideo::make_room() {
  while (waiting_bytes_ > memory_ && write_next()) ++early_;
}

void AnnotatedVideo::finish() {
  if (written_ > 0) writer_.finish();
}

}  // namespace fovea::cli
