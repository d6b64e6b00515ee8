// The list of an operation's results: rows or lines on the standard output, or a file of rows or of
// JSON. See operations::List.
#pragma once
#include <fovea/io/csv_writer.h>
#include <fovea/io/sink.h>

#include <optional>

#include "cli/operations/job.h"

namespace fovea::cli {

class ListOutput {
 public:
  // Begins it, after Call::begin(). A shard leaves the file to fovea merge.
  explicit ListOutput(const Job& job);
  ListOutput(const ListOutput&) = delete;
  ListOutput& operator=(const ListOutput&) = delete;

  // Whether the operation has a list, which needs the result of every input.
  bool wanted() const { return wanted_; }
  // Where JSON goes besides the standard output; empty where it goes nowhere.
  io::Sink json_file();
  void add(const io::Place& place, const void* item);
  // Completes the file.
  void commit();

 private:
  const Job& job_;
  bool wanted_ = false;
  bool lines_ = false;
  bool json_ = false;
  std::optional<io::FileSink> file_{};
  std::optional<io::CsvWriter> csv_{};
};

}  // namespace fovea::cli
