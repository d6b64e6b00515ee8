#include "operations/shown.h"

#include <fovea/core/record.h>

#include <array>

namespace fovea::operations {

std::span<const Choice> choices(MarkKind) {
  static constexpr std::array<Choice, 6> kChoices{
      {{"plain", 0}, {"hit", 1}, {"false", 2}, {"missed", 3}, {"true", 4}, {"ignored", 5}}};
  return kChoices;
}

void describe(FieldVisitor& visit, Mark& mark) {
  visit("box", mark.box, "pixels");
  visit("label", mark.label, "what stands beside it");
  visit("kind", mark.kind, "what it means where the truth is known");
}

}  // namespace fovea::operations
