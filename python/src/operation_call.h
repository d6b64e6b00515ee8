// A call of an operation as Python makes it: its options from keywords, its input from an array, a
// path or a mesh.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "operations/operation.h"
#include "options.h"

namespace fovea::python {

// "people detect"
std::string name_of(const operations::Operation& operation);
// Throws InvalidArgument for a name that no operation has.
const operations::Operation& operation_of(const std::string& name);

// The options of a call, and where it runs.
struct Session {
  explicit Session(const std::string& name);

  // Call function(field) for options that a result depends on besides files, for those by which
  // files of a result are written, and for those that name files or models to read.
  void each_control(const EachField& function);
  void each_file_option(const EachField& function);
  void each_source(const EachField& function);

  const operations::Operation& operation;
  std::unique_ptr<operations::Call> call;
  Exec exec{};
};
template <void (Session::*kEach)(const EachField&)>
OptionsRef options_of(const Session& session) {
  return {const_cast<Session*>(&session), [](void* of, const EachField& function) {
            (static_cast<Session*>(of)->*kEach)(function);
          }};
}
inline OptionsRef run_options(const Session& session) {
  return options_of<&Session::each_control>(session);
}

// Calls the function. Where it refuses options, the message has them as keywords of Python.
void in_words_of_python(const std::function<void()>& function);

// Whether a value names a file.
bool is_path(nb::handle value);

// Files and models that options name, and what Python has in place of them; a model is a pair of
// the object and its name.
struct Sources {
  Sources(Session& session, const nb::dict& named);

  operations::Kept models{};
  std::vector<std::pair<std::string, nb::object>> values{};  // by the name of the option
};

// An array as an image of any kind, and a copy of one as the program has it of a file that says
// nothing but its samples.
ImageInput any_image(nb::handle value);
io::AnyImage copied(const io::AnyView& view);
// The image of a file. Throws InvalidArgument for numbers that the operation refuses.
io::AnyImage read_file(const operations::Operation& operation, const std::string& path,
                       io::Orientation orientation);

// An input of Python's, which it keeps alive, as an operation reads it.
class Input {
 public:
  // `stream` awaits arrays on a GPU; null where these are refused.
  Input(const operations::Operation& operation, nb::handle value, const Stream* stream);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // A value in place of a file that an option names.
  void add(const operations::Operation& operation, const std::string& option, nb::handle value);

  // Whether an image has colors, and the input, unless it is a file, is of its kind.
  bool is_like(const io::AnyImage& image) const;

  operations::Source source{};
  double elements = 1e12;  // pixels or faces; those of a file are not known

 private:
  bool is_file_ = false;
  ImageInput image_{};
  std::vector<ImageInput> masks_{};
  std::vector<std::vector<float>> numbers_{};  // moving a vector moves no number
};

}  // namespace fovea::python
