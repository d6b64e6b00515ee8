// What is known to be true about one input, or about the frame of a video that a result is about.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::io {
struct FlowField;
}
namespace fovea::people {
struct Annotation;
}

namespace fovea::operations {

// Each function says nothing where nothing is known, and throws FormatError where a file of truth
// is damaged or does not fit.
class Truth {
 public:
  virtual ~Truth() = default;
  virtual std::optional<std::vector<people::Annotation>> people() const = 0;
  virtual std::optional<io::FlowField> flow() const = 0;
  // Labels that people gave the faces of a mesh.
  virtual std::vector<std::vector<std::int32_t>> parts(std::size_t faces) const = 0;
  // The class of an image; empty where it is none of `classes`.
  virtual std::string place(const std::vector<std::string>& classes) const = 0;
};

}  // namespace fovea::operations
