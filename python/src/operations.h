// What the parts of fovea.operations share, and objects of Python that operations take in place of
// the models that their options name.
#pragma once
#include <fovea/io/place.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <span>
#include <string>

#include "operation_call.h"

namespace fovea::python {

namespace nb = nanobind;

// Puts the model of an object among those that are kept. False for an object of another class.
using KeepModel = bool (*)(nb::handle object, const std::string& name, operations::Kept& kept);
void accept_model(KeepModel keep);
template <class Model>
void accept_model() {
  accept_model([](nb::handle object, const std::string& name, operations::Kept& kept) {
    std::shared_ptr<const Model> model;
    if (!nb::try_cast(object, model) || !model) return false;
    kept.put<Model>(name, std::move(model));
    return true;
  });
}

// A result as its operation has it, and where it comes from.
struct SavedItem {
  operations::Call& call;
  std::shared_ptr<void> item;
  io::Place place;
};
// The output of a file: the one of this name or, without a name, the one that the ending belongs
// to. Throws InvalidArgument where there is none.
std::size_t output_of(const operations::Operation& operation, const std::string& path,
                      const std::string& name);
// What a file of results says of what made them.
struct MadeBy {
  std::string device{};
  std::string models{};  // their hashes by their names, as a JSON object; empty: none
};
// Throws InvalidArgument for a name that ends otherwise than files of this output.
void require_ending(const operations::Output& output, const std::string& path);
// Throws InvalidArgument where the options make no such file.
void require_output(const operations::Call& call, std::size_t output);
// Writes one result, or several to a file of all of them.
void write_entries(Session& session, std::span<const SavedItem> entries, std::size_t output,
                   const std::string& path, const MadeBy& by);

// Whether results are those of the frames of a video, which are worked on in order.
inline bool follows_video(const operations::Operation& operation) {
  return operation.input == operations::InputKind::kVideo || operation.takes_sequences();
}
// Whether Python writes it. Lists of all results, and videos, are written by the program alone.
inline bool is_saved(const operations::Operation& operation, const operations::Output& output) {
  return output.list == operations::List::kNo && !output.evaluation &&
         (!follows_video(operation) || !output.picture);
}
// Whether a file of it has several results.
inline bool is_shared(const operations::Operation& operation, const operations::Output& output) {
  return output.share != operations::Share::kPerInput || follows_video(operation);
}
// What the file of an output is: ".ply, .glb", "an image", "a folder".
std::string endings_of(const operations::Output& output);
void bind_files_of_results(nb::module_& operations);

}  // namespace fovea::python
