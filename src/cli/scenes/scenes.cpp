#include "cli/scenes/scenes.h"

#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include "cli/program/image_input.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {

Image<std::uint8_t> InputImages::read(int index) const {
  const std::string& path = paths_[static_cast<std::size_t>(index)];
  return io::to_rgb_bytes(read_finite_input(context_, path, io::Orientation::kApply),
                          path == "-" ? "standard input" : path);
}

scenes::ImageFailure SkippedImages::report() {
  return [this](int index, const std::string& why) { report(index, why); };
}

std::string SkippedImages::report(int index, const std::string& why) {
  ++count_;
  const std::string& path = paths_[static_cast<std::size_t>(index)];
  const bool named = why.find(path) != std::string::npos;
  std::string line = named ? why : fmt::format("{}: {}", path, why);
  context_.console.complain(line);
  return line;
}

int SkippedImages::status() const {
  if (count_ == 0) return kDone;
  context_.console.complain(fmt::format("{} of {} could not be read and were left out", count_,
                                        detail::counted(paths_.size(), "image")));
  return kSomeFailed;
}

}  // namespace fovea::cli
