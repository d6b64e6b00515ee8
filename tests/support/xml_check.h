// A small check that text is well-formed XML: tags nest, attributes are quoted and given once,
// entities are known, nothing stray.
#pragma once
#include <string>
#include <string_view>

namespace fovea::test {

// Empty where the text is well formed, else what is wrong and where.
std::string xml_problem(std::string_view text);

}  // namespace fovea::test
