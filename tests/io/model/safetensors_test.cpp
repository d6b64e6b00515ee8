#include "io/model/safetensors.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::io {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view json, std::uint64_t bytes) {
  return test::message_of<FormatError>([&] { parse_safetensors_header(json, bytes, "m"); });
}

TEST(Safetensors, TypesHaveNamesAndSizes) {
  for (const char* name :
       {"BOOL", "U8", "I8", "U16", "I16", "F16", "U32", "I32", "F32", "U64", "I64", "F64"}) {
    const auto type = parse_tensor_type(name);
    ASSERT_TRUE(type.has_value()) << name;
    EXPECT_STREQ(to_string(*type), name);
    const std::string bits = name[0] == 'B' ? "8" : name + 1;
    EXPECT_EQ(size_of(*type) * 8, std::stoul(bits)) << name;
  }
  EXPECT_FALSE(parse_tensor_type("f32").has_value());
}

TEST(Safetensors, ShapesCountWithoutOverflow) {
  EXPECT_EQ(shape_elements({}, TensorType::kF32), 1U);
  EXPECT_EQ(shape_elements({2, 3, 4}, TensorType::kF32), 24U);
  EXPECT_EQ(shape_elements({2, 0}, TensorType::kF32), 0U);
  EXPECT_FALSE(shape_elements({-1}, TensorType::kU8).has_value());
  EXPECT_FALSE(shape_elements({INT64_MAX, 4}, TensorType::kU8).has_value());
  EXPECT_FALSE(shape_elements({INT64_MAX}, TensorType::kF32).has_value());
  EXPECT_EQ(shape_text({3, kAnySize}), "[3, *]");
}

TEST(Safetensors, EntriesComeInTheOrderOfTheirData) {
  const SafetensorsHeader header = parse_safetensors_header(
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
      7, "m");
  ASSERT_EQ(header.entries.size(), 2U);
  EXPECT_EQ(header.entries[0].name, "a");
  EXPECT_EQ(header.entries[1].begin, 4U);
  EXPECT_EQ(header.metadata.at("k"), "v");
}

TEST(Safetensors, GapsAndOverlapsAreRefused) {
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})", 4),
              HasSubstr("begins at byte 1"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 4),
              HasSubstr("has 4 bytes of data, but its tensors take 3"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})", 2),
              HasSubstr("truncated"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,3]}})", 3),
              HasSubstr("F32 [3] but has 3 bytes"));
  EXPECT_THAT(refusal("{", 0), HasSubstr("m: not a usable safetensors file"));
}

}  // namespace
}  // namespace fovea::io
