#include "cli/program/files.h"

#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <filesystem>

#include "core/words.h"

namespace fovea::cli {

void require_no_file(std::string_view option, const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored))
    throw InvalidArgument(fmt::format("{} {} is a file; expected a folder", option, folder));
}

void write_csv_file(const std::string& path, const std::vector<std::string>& header,
                    const std::function<void(io::CsvWriter& csv)>& write) {
  io::FileSink file(path);
  io::CsvWriter csv(file.sink(), header);
  write(csv);
  file.commit();
}

PendingFiles::~PendingFiles() {
  std::error_code ignored;
  for (const std::string& path : paths_) std::filesystem::remove(path, ignored);
}

void PendingFiles::add(const std::string& path) {
  const std::lock_guard lock(mutex_);
  paths_.insert(path);
}

void PendingFiles::keep(const std::string& path) {
  const std::lock_guard lock(mutex_);
  paths_.erase(path);
}

void require_model_output(std::string_view command, const std::string& output) {
  if (output.empty())
    throw InvalidArgument(fmt::format("{} needs -o MODEL, the file to write", command));
  if (std::filesystem::path(output).extension() != ".safetensors")
    throw InvalidArgument(
        fmt::format("-o {}: the name of a model ends in .safetensors", detail::shown(output)));
}

}  // namespace fovea::cli
