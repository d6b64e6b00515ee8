// Folders and small text files that verbs write.
#pragma once
#include <fovea/io/csv_writer.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "operations/files.h"

namespace fovea::cli {

using operations::file_bytes;
using operations::make_folder;
using operations::write_text;

// Throws InvalidArgument where the folder that an option names is a file, so that long work does
// not end with it.
void require_no_file(std::string_view option, const std::string& folder);

// Writes a whole table as CSV, whose rows `write` adds. Throws a WriteError that names the file.
void write_csv_file(const std::string& path, const std::vector<std::string>& header,
                    const std::function<void(io::CsvWriter& csv)>& write);

// Files that count only once the results before them do: those that were not kept are removed at
// the end. Several threads may add.
class PendingFiles {
 public:
  PendingFiles() = default;
  ~PendingFiles();
  PendingFiles(const PendingFiles&) = delete;
  PendingFiles& operator=(const PendingFiles&) = delete;

  void add(const std::string& path);
  void keep(const std::string& path);

 private:
  std::mutex mutex_{};
  std::set<std::string> paths_{};
};

// Checks the output file of a training before anything is read. Throws InvalidArgument where its
// name is missing or does not end in .safetensors.
void require_model_output(std::string_view command, const std::string& output);

}  // namespace fovea::cli
