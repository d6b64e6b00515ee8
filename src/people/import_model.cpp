// Reads models of other programs: OpenCV's HOGDescriptor as its FileStorage writes it (YAML, XML,
// JSON), a bare list of its numbers, and liblinear's model files. All are text with a few named
// values, so that one search for names serves the three notations of OpenCV.
#include "people/import_model.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

#include "io/text/source.h"
#include "people/model_parts.h"

namespace fovea::people {
namespace {

constexpr std::uint64_t kMostModelBytes = 64U << 20U;
constexpr std::size_t kShown = 24;  // characters of a word that a message shows
constexpr std::string_view kSpace = " \t\r\n";

// The text of one file, and its name for messages.
struct Text {
  std::string_view text;
  const std::string& name;

  [[noreturn]] void damaged(const std::string& cause) const {
    throw FormatError(fmt::format("{}: {}", name, cause));
  }
  [[noreturn]] void unfit(const std::string& cause) const {
    throw ModelError(fmt::format("{}: {}", name, cause));
  }
};

// A word as a message may show it.
std::string shown(std::string_view word) {
  std::string result(word.substr(0, kShown));
  std::ranges::replace_if(
      result, [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

double parse_number(const Text& file, std::string_view word) {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range ||
      (error == std::errc{} && !std::isfinite(static_cast<float>(value))))
    file.unfit(fmt::format("the number \"{}\" is not finite", shown(word)));
  if (error != std::errc{} || end != digits.data() + digits.size())
    file.damaged(fmt::format("\"{}\" stands where a number is expected", shown(word)));
  return value;
}

// All numbers of a list that is separated by spaces and commas.
std::vector<double> parse_numbers(const Text& file, std::string_view list) {
  constexpr std::string_view kBetween = " \t\r\n,";
  std::vector<double> numbers;
  for (std::size_t at = list.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(list.find_first_of(kBetween, at), list.size());
    numbers.push_back(parse_number(file, list.substr(at, end - at)));
    at = list.find_first_not_of(kBetween, end);
  }
  return numbers;
}

// The text after <key> in XML, up to the next tag.
std::optional<std::string_view> xml_value(const Text& file, std::string_view key) {
  for (std::size_t at = file.text.find(key); at != std::string_view::npos;
       at = file.text.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if (at == 0 || file.text[at - 1] != '<' || end >= file.text.size() || file.text[end] != '>')
      continue;
    const std::size_t close = file.text.find('<', end);
    if (close == std::string_view::npos) file.damaged(fmt::format("ends inside of {}", key));
    return file.text.substr(end + 1, close - end - 1);
  }
  return std::nullopt;
}

// The text after key: in YAML or JSON, a list in brackets or one word.
std::optional<std::string_view> plain_value(const Text& file, std::string_view key) {
  for (std::size_t at = file.text.find(key); at != std::string_view::npos;
       at = file.text.find(key, at + 1)) {
    const bool begins = at == 0 || kSpace.find(file.text[at - 1]) != std::string_view::npos ||
                        file.text[at - 1] == '"';
    std::size_t end = at + key.size();
    if (end < file.text.size() && file.text[end] == '"') ++end;
    if (!begins || end >= file.text.size() || file.text[end] != ':') continue;
    const std::size_t value = file.text.find_first_not_of(kSpace, end + 1);
    if (value == std::string_view::npos) file.damaged(fmt::format("ends behind {}", key));
    const bool list = file.text[value] == '[';
    const std::size_t close = file.text.find_first_of(list ? "]" : " ,\t\r\n}", value);
    if (close == std::string_view::npos && list)
      file.damaged(fmt::format("ends inside of {}", key));
    const std::size_t from = list ? value + 1 : value;
    return file.text.substr(from, std::min(close, file.text.size()) - from);
  }
  return std::nullopt;
}

class OpenCvFile {
 public:
  explicit OpenCvFile(const Text& file) : file_(file), xml_(file.text.starts_with('<')) {}

  std::optional<std::vector<double>> list(std::string_view key) const {
    const auto value = xml_ ? xml_value(file_, key) : plain_value(file_, key);
    if (!value) return std::nullopt;
    return parse_numbers(file_, *value);
  }
  double number(std::string_view key, double absent) const {
    const auto values = list(key);
    if (!values) return absent;
    if (values->size() != 1)
      file_.damaged(fmt::format("{} holds {} numbers, expected 1", key, values->size()));
    return values->front();
  }
  int integer(std::string_view key, double value) const {
    constexpr double kMost = 1 << 20;
    if (value != std::floor(value) || std::abs(value) > kMost)
      file_.unfit(fmt::format("{} is {:g}, expected a whole number of some use", key, value));
    return static_cast<int>(value);
  }
  Extent size(std::string_view key) const {
    const auto values = list(key);
    if (!values) file_.damaged(fmt::format("no {}: this is no HOGDescriptor of OpenCV", key));
    if (values->size() != 2)
      file_.damaged(fmt::format("{} holds {} numbers, expected 2", key, values->size()));
    return {integer(key, values->at(0)), integer(key, values->at(1))};
  }
  int square(std::string_view key) const {
    const Extent extent = size(key);
    if (extent.width != extent.height || extent.width < 1)
      file_.unfit(fmt::format("{} is {}x{}, expected a square", key, extent.width, extent.height));
    return extent.width;
  }

 private:
  const Text& file_;
  bool xml_;
};

// OpenCV's default where a descriptor does not name one.
float default_sigma(const HogOptions& hog) { return static_cast<float>(hog.cell * hog.block) / 4; }

HogOptions read_geometry(const Text& file, const OpenCvFile& storage) {
  HogOptions hog;
  const Extent window = storage.size("winSize");
  hog.window.width = window.width;
  hog.window.height = window.height;
  hog.cell = storage.square("cellSize");
  const int block = storage.square("blockSize");
  if (block % hog.cell != 0)
    file.unfit(
        fmt::format("blocks of {} pixels are no whole number of cells of {}", block, hog.cell));
  hog.block = block / hog.cell;
  hog.block_stride = storage.square("blockStride");
  hog.bins = storage.integer("nbins", storage.number("nbins", hog.bins));
  hog.signed_angle = storage.number("signedGradient", 0) != 0;
  hog.gamma = storage.number("gammaCorrection", 1) != 0 ? Gamma::kSquareRoot : Gamma::kNone;
  hog.norm = BlockNorm::kL2Hys;
  hog.clip = static_cast<float>(storage.number("L2HysThreshold", 0.2));
  const double sigma = storage.number("winSigma", -1);
  hog.sigma = sigma >= 0 ? static_cast<float>(sigma) : default_sigma(hog);
  if (storage.number("histogramNormType", 0) != 0)
    file.unfit("a histogramNormType other than 0 (L2-Hys)");
  return hog;
}

void require_geometry(const Text& file, const HogOptions& hog) {
  try {
    check_geometry(hog);
  } catch (const InvalidArgument& error) {
    file.unfit(error.what());
  }
}

// The numbers as weights, and one more as bias.
LinearModel make_linear(const Text& file, const HogOptions& hog, std::vector<double> numbers) {
  require_geometry(file, hog);
  const auto size = static_cast<std::size_t>(descriptor_size(hog));
  if (numbers.size() != size && numbers.size() != size + 1)
    file.unfit(fmt::format("{} numbers, expected {} and a bias for a window of {}x{} with {} bins",
                           numbers.size(), size, hog.window.width, hog.window.height, hog.bins));
  LinearModel model;
  model.hog = hog;
  if (numbers.size() > size) model.bias = static_cast<float>(numbers.back());
  for (std::size_t i = 0; i < size; ++i) model.weights.push_back(static_cast<float>(numbers[i]));
  return model;
}

LinearModel parse_opencv(const Text& file) {
  const OpenCvFile storage(file);
  const HogOptions hog = read_geometry(file, storage);
  auto numbers = storage.list("SVMDetector");
  if (!numbers)
    file.damaged("no SVMDetector: the descriptor was saved before setSVMDetector() was called");
  return make_linear(file, hog, std::move(*numbers));
}

// The line "key value ..." of a liblinear file.
std::string_view liblinear_line(const Text& file, std::string_view head, const std::string& key) {
  const std::size_t at = head.find("\n" + key + " ");
  if (at == std::string_view::npos)
    file.damaged(fmt::format("no line \"{}\" in a liblinear model", key));
  const std::size_t from = at + key.size() + 2;
  return head.substr(from, head.find('\n', from) - from);
}

LinearModel parse_liblinear(const Text& file, const HogOptions& hog) {
  const std::size_t weights = file.text.find("\nw\n");
  const std::size_t carriage = file.text.find("\nw\r\n");
  if (weights == std::string_view::npos && carriage == std::string_view::npos)
    file.damaged("no line \"w\" in a liblinear model");
  const std::size_t split = std::min(weights, carriage);
  const std::string_view head = file.text.substr(0, split + 1);
  const auto one = [&](const char* key) {
    const auto values = parse_numbers(file, liblinear_line(file, head, key));
    if (values.size() != 1)
      file.damaged(fmt::format("line \"{}\" holds {} numbers, expected 1", key, values.size()));
    return values[0];
  };
  if (one("nr_class") != 2) file.unfit(fmt::format("{:g} classes, expected 2", one("nr_class")));
  const auto labels = parse_numbers(file, liblinear_line(file, head, "label"));
  if (labels.size() != 2 || labels[0] == labels[1])
    file.damaged("line \"label\" does not hold two labels");
  const double bias = one("bias");
  std::vector<double> numbers = parse_numbers(file, file.text.substr(split + 2));
  const double features = one("nr_feature");
  if (static_cast<double>(numbers.size()) != features + (bias >= 0 ? 1 : 0))
    file.damaged(fmt::format("{} weights for {:g} features{}", numbers.size(), features,
                             bias >= 0 ? " and a bias" : ""));
  require_geometry(file, hog);
  if (features != descriptor_size(hog))
    file.unfit(fmt::format("{:g} features, but the descriptor of a window of {}x{} has {} numbers",
                           features, hog.window.width, hog.window.height, descriptor_size(hog)));
  // The weights are for the label that is named first; people have the greater label.
  const double sign = labels[0] > labels[1] ? 1 : -1;
  for (double& number : numbers) number *= sign;
  if (bias >= 0) numbers.back() *= bias;
  else numbers.push_back(0);
  for (const double number : numbers)
    if (!std::isfinite(static_cast<float>(number))) file.unfit("a bias that is not finite");
  return make_linear(file, hog, std::move(numbers));
}

LinearModel parse_list(const Text& file, HogOptions hog) {
  hog.sigma = default_sigma(hog);
  return make_linear(file, hog, parse_numbers(file, file.text));
}

}  // namespace

Model parse_foreign_model(std::string_view text, const std::string& name, const HogOptions& hog) {
  const Text whole{text, name};
  const std::size_t start = std::min(text.find_first_not_of(kSpace), text.size());
  if (start == text.size()) whole.damaged("is empty");
  const Text file{text.substr(start), name};
  constexpr std::string_view kNumber = "+-.0123456789";
  Model model;
  const char* origin = "list of numbers";
  if (file.text.starts_with("solver_type")) {
    model.classifier = parse_liblinear(file, hog);
    origin = "model of liblinear";
  } else if (kNumber.find(file.text[0]) != std::string_view::npos &&
             !file.text.starts_with("---")) {
    model.classifier = parse_list(file, hog);
  } else if (file.text.starts_with('<') || file.text.starts_with('{') ||
             file.text.starts_with("%YAML") || file.text.starts_with("---")) {
    model.classifier = parse_opencv(file);
    origin = "HOGDescriptor of OpenCV";
  } else {
    file.damaged(
        fmt::format("begins with \"{}\"; expected a HOGDescriptor of OpenCV (YAML, XML or "
                    "JSON), a list of numbers or a model of liblinear",
                    shown(file.text.substr(0, file.text.find('\n')))));
  }
  model.facts["origin"] = origin;
  return model;
}

Model import_model(const std::string& path, const HogOptions& hog) {
  const io::Source source(path);
  if (source.size() > kMostModelBytes)
    throw FormatError(fmt::format("{}: {} bytes are more than a model has", path, source.size()));
  std::string text(static_cast<std::size_t>(source.size()), '\0');
  text.resize(source.read_at(0, std::as_writable_bytes(std::span(text))));
  Model model = parse_foreign_model(text, path, hog);
  model.facts["file"] = std::filesystem::path(path).filename().string();
  return model;
}

}  // namespace fovea::people
