// What the page saves of a result of an operation: the JSON that the program prints, and the files
// of all outputs, with the bytes that the program writes.
#pragma once
#include <fovea/io/result_json.h>

#include <string>
#include <vector>

#include "operations/operation.h"
#include "view/system.h"

namespace fovea::view {

// A result in the hands of whoever saves it. The pixels of images are in the item.
struct DoneWork {
  const operations::Operation& operation;
  operations::Call& call;
  void* item;
  const Task& task;
};

// All files that the options of the call make. Labels for other programs are called as these want
// it, after the input alone.
std::vector<SavedAs> files_to_save(const operations::Operation& operation,
                                   const operations::Call& call, const Task& task);
// One of them. Where it is several files, such as a mesh with its materials, a zip of these.
SavedBytes saved_file(const DoneWork& work, const SavedAs& as);
// What the program prints with --json, without times.
std::string saved_json(const DoneWork& work);
// The same where one result stands for all inputs.
std::string one_result_json(const io::ResultOrigin& origin, RecordRef result);

}  // namespace fovea::view
