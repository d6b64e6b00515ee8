#include "operation_call.h"

#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "errors.h"
#include "operations.h"

namespace fovea::python {
namespace {

using operations::Given;
using operations::Operation;

std::vector<KeepModel>& kinds_of_models() {
  static std::vector<KeepModel> all;
  return all;
}

// A message of an operation in the words of Python: "--keep-memberships" is keep_memberships.
std::string in_keywords(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size(); ++at) {
    const bool begins = at == 0 || message[at - 1] == ' ' || message[at - 1] == '(';
    if (!begins || !message.substr(at).starts_with("--")) {
      text += message[at];
      continue;
    }
    const auto is_name = [](unsigned char letter) { return std::isalnum(letter) || letter == '-'; };
    for (at += 2; at < message.size() && is_name(message[at]); ++at)
      text += message[at] == '-' ? '_' : message[at];
    --at;
  }
  return text;
}

}  // namespace

void accept_model(KeepModel keep) { kinds_of_models().push_back(keep); }

bool is_path(nb::handle value) {
  return PyUnicode_Check(value.ptr()) || nb::hasattr(value, "__fspath__");
}

std::string name_of(const Operation& operation) {
  return fmt::format("{} {}", operation.words.system, operation.words.verb);
}

const Operation& operation_of(const std::string& name) {
  std::string known;
  for (const Operation& each : operations::operations()) {
    if (name_of(each) == name) return each;
    known += (known.empty() ? "" : ", ") + name_of(each);
  }
  throw InvalidArgument(fmt::format("there is no operation '{}'; expected {}", name, known));
}

Session::Session(const std::string& name) : operation(operation_of(name)), call(operation.call()) {}

void Session::each_control(const EachField& function) {
  fovea::detail::FieldVisitor<CallEach> visitor(CallEach{function});
  call->visit_controls(visitor);
  if (!operation.on_processor) for_each_option(exec, CallEach{function});
}

void Session::each_file_option(const EachField& function) {
  fovea::detail::FieldVisitor<CallEach> visitor(CallEach{function});
  call->visit_file_options(visitor);
}

void Session::each_source(const EachField& function) {
  const auto choose = [&](const OptionField& field) {
    const TextUse use = field.traits.use;
    if (use == TextUse::kInput || use == TextUse::kModel) function(field);
  };
  fovea::detail::FieldVisitor<decltype(choose)> visitor(choose);
  call->visit_options(visitor);
}

void in_words_of_python(const std::function<void()>& function) {
  try {
    function();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(in_keywords(error.what()));
  }
}

Sources::Sources(Session& session, const nb::dict& named) {
  session.each_source([&](const OptionField& field) {
    const std::string keyword = keyword_of(field);
    if (!named.contains(keyword.c_str())) return;
    const nb::object value = named[keyword.c_str()];
    if (value.is_none()) return;
    const bool several = std::holds_alternative<std::vector<std::string>*>(field.value);
    if (several && is_path(value)) return set_option(field, text_of(value));
    if (several || is_path(value)) return set_option_value(field, value);
    if (field.traits.use != TextUse::kModel) {
      values.emplace_back(field.name, value);
      return;
    }
    // An object and its name.
    const auto model = nb::isinstance<nb::tuple>(value) ? nb::tuple(value) : nb::tuple();
    const std::string name = nb::len(model) == 2 ? text_of(nb::object(model[1])) : "";
    const auto keeps = [&](KeepModel keep) { return keep(nb::object(model[0]), name, models); };
    if (name.empty() || std::ranges::none_of(kinds_of_models(), keeps))
      throw_invalid_type(keyword + " is " + shown(value) + "; expected a name, a file or a model");
    set_option(field, name);
  });
}

ImageInput any_image(nb::handle value) {
  using enum io::SampleType;
  return image_input(
      value, {"image", {kUint8, kUint16, kUint32, kInt8, kInt16, kInt32, kFloat32, kFloat64}, {}});
}

io::AnyImage copied(const io::AnyView& view) {
  return std::visit(
      []<class T>(const ImageView<const T>& from) {
        io::ImageFacts facts;
        facts.format = io::ImageFormat::kNpy;
        facts.bits = 8 * static_cast<int>(sizeof(T));
        facts.white = std::is_integral_v<T> ? double(std::numeric_limits<T>::max()) : 1;
        return io::AnyImage{clone(from), facts};
      },
      view);
}

io::AnyImage read_file(const Operation& operation, const std::string& path,
                       io::Orientation orientation) {
  io::AnyImage image = io::read_image(path, {.orientation = orientation});
  if (operation.finite_pixels && image.type() == io::SampleType::kFloat32)
    require_finite(std::get<Image<float>>(image.pixels), path.c_str());
  return image;
}

Input::Input(const Operation& operation, nb::handle value, const Stream* stream) {
  if (is_path(value)) {
    is_file_ = true;
    source.name = nb::cast<std::string>(nb::steal(PyOS_FSPath(value.ptr())));
    source.image = [&operation, path = source.name](io::Orientation orientation) {
      return read_file(operation, path, orientation);
    };
  } else if (operation.input == operations::InputKind::kMesh) {
    source.mesh = &nb::cast<const io::TriangleMesh&>(value);
    elements = static_cast<double>(source.mesh->faces.size());
  } else {
    image_ = operation.takes_bytes ? byte_image(value, "image", stream) : any_image(value);
    source.pixels = &image_.view;
    source.image = [this](io::Orientation) { return copied(image_.view); };
    elements =
        std::visit([](const auto& view) { return 1.0 * view.width * view.height; }, image_.view);
  }
}

bool Input::is_like(const io::AnyImage& image) const {
  if (image.channels() != 3 && image.channels() != 4) return false;
  if (!source.image || is_file_) return true;
  const int channels = std::visit([](const auto& view) { return view.channels; }, image_.view);
  return image_.view.index() == image.pixels.index() && channels == image.channels();
}

void Input::add(const Operation& operation, const std::string& option, nb::handle value) {
  const auto known = std::ranges::find(operation.given, option, &Given::option);
  if (known == operation.given.end())
    throw_invalid_type(fmt::format("{} is {}; expected a path", option, shown(value)));
  if (known->numbers) {
    const auto& numbers = numbers_.emplace_back(real_numbers<float>(value, option.c_str()));
    source.given[option] = ImageView<const float>(
        packed_view(numbers.data(), static_cast<int>(numbers.size()), numbers.empty() ? 0 : 1));
  } else {
    source.given[option] = masks_.emplace_back(mask_input(value, option.c_str())).view;
  }
}

}  // namespace fovea::python
