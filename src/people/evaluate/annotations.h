// The readers of the two formats of annotations.
#pragma once
#include <fovea/people/annotations.h>

#include <optional>
#include <string_view>

namespace fovea::people {

// Text from a file as a message may show it: one line, printable, of limited length.
std::string annotation_excerpt(std::string_view text);

// A box of finite numbers that is no larger than an image can be; nothing otherwise.
std::optional<Rect<float>> sensible_box(double x, double y, double width, double height);

// All objects, whatever their label.
AnnotatedImage parse_pascal(std::string_view text, const std::string& name);
std::vector<AnnotatedImage> parse_coco(std::string_view text, const std::string& name);

}  // namespace fovea::people
