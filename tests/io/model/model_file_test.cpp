#include <fovea/core/error.h>
#include <fovea/io/model_file.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "io/model/crc32.h"
#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ModelFile sample() {
  ModelFile model;
  model.set_schema("people.hog", 1);
  model.set_metadata("options", R"({"bins": 9})");
  const std::array flags{true, false, true};
  model.add("flags", {3}, std::span<const bool>(flags));
  model.add("weights", {2, 3}, std::vector<float>{1, -2, 3.5F, 0, 1e-30F, 7});
  model.add("bias", {}, std::vector<double>{0.25});
  model.add("words", {2}, std::vector<std::int16_t>{-1, 300});
  model.add("none", {0, 4}, std::vector<float>{});
  return model;
}

// A file made by hand, as another program might write it.
std::string container(const std::string& json, const std::string& data) {
  std::string bytes(8, '\0');
  const std::uint64_t length = json.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes + json + data;
}

ModelFile parse(std::string_view bytes) {
  return ModelFile::parse(std::as_bytes(std::span(bytes)), "m.safetensors");
}

std::string refusal(const std::string& json, const std::string& data = "") {
  return message_of<FormatError>([&] { parse(container(json, data)); });
}

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Crc32, HasItsCheckValueHoweverItIsSplit) {
  const std::string_view text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes), 0xCBF43926U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32(bytes.subspan(cut), crc32(bytes.first(cut))), 0xCBF43926U);
}

TEST(ModelFile, ComesBackAsItWasWritten) {
  const test::TempFolder folder;
  sample().write(folder / "m.safetensors");
  const ModelFile model = ModelFile::read(folder / "m.safetensors");
  model.require_schema("people.hog", 1);
  model.require_finite();
  EXPECT_THAT(model.names(), ElementsAre("bias", "flags", "none", "weights", "words"));
  EXPECT_THAT(model.tensor<float>("weights", {2, kAnySize}),
              ElementsAre(1, -2, 3.5F, 0, 1e-30F, 7));
  EXPECT_THAT(model.tensor<double>("bias", {}), ElementsAre(0.25));
  EXPECT_THAT(model.tensor<bool>("flags"), ElementsAre(true, false, true));
  EXPECT_THAT(model.tensor<std::int16_t>("words"), ElementsAre(-1, 300));
  EXPECT_TRUE(model.tensor<float>("none", {0, 4}).empty());
  EXPECT_EQ(model.metadata().at("options"), R"({"bins": 9})");
  EXPECT_TRUE(model.metadata().contains("fovea_version"));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(ModelFile, SameContentGivesSameBytesInWhateverOrderItWasMade) {
  ModelFile other;
  other.add("words", {2}, std::vector<std::int16_t>{-1, 300});
  other.add("none", {0, 4}, std::vector<float>{});
  other.add("weights", {1}, std::vector<float>{9});  // replaced below
  other.add("weights", {2, 3}, std::vector<float>{1, -2, 3.5F, 0, 1e-30F, 7});
  const std::array flags{true, false, true};
  other.add("flags", {3}, std::span<const bool>(flags));
  other.add("bias", {}, std::vector<double>{0.25});
  other.set_metadata("options", R"({"bins": 9})");
  other.set_schema("people.hog", 1);
  EXPECT_EQ(as_text(other.bytes()), as_text(sample().bytes()));
  EXPECT_EQ(as_text(parse(as_text(sample().bytes())).bytes()), as_text(sample().bytes()));
}

TEST(ModelFile, DataIsAlignedForItsTypeInTheFile) {
  const std::string bytes = as_text(sample().bytes());
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  EXPECT_EQ(header % 8, 0U);
  const std::string json = bytes.substr(8, header);
  EXPECT_THAT(json, HasSubstr(R"("bias":{"dtype":"F64","shape":[],"data_offsets":[0,8]})"));
  EXPECT_THAT(json, HasSubstr(R"("weights":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]})"));
  EXPECT_THAT(json, HasSubstr(R"("words":{"dtype":"I16","shape":[2],"data_offsets":[32,36]})"));
  EXPECT_THAT(json, HasSubstr(R"("flags":{"dtype":"BOOL","shape":[3],"data_offsets":[36,39]})"));
}

TEST(ModelFile, ReadsWhatOtherProgramsWrite) {
  // No metadata, spaces, an odd header length (so that the data is misaligned), fields in any
  // order.
  const ModelFile model =
      parse(container(R"( {"b": {"data_offsets": [0, 4], "shape": [1], "dtype": "F32"},)"
                      R"("a":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}  )",
                      std::string("\0\0\x80\x3f\7\x8", 6)));
  EXPECT_THAT(model.tensor<float>("b"), ElementsAre(1));
  EXPECT_THAT(model.tensor<std::uint8_t>("a"), ElementsAre(7, 8));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(model.tensor<float>("b").data()) % 64, 0U);
  EXPECT_TRUE(model.metadata().empty());
  EXPECT_TRUE(parse(container("{}", "")).names().empty());
}

TEST(ModelFile, HalvesReadAsFloats) {
  const std::vector<Half> halves = {{0x3C00}, {0xC000}, {0x0001}, {0x7BFF}, {0x8000}, {0x0400}};
  ModelFile model;
  model.add("h", {6}, halves);
  model.add("d", {1}, std::vector<double>{0.5});
  model.add("i", {1}, std::vector<int>{1});
  EXPECT_THAT(model.floats("h", {6}),
              ElementsAre(1, -2, std::ldexp(1.0F, -24), 65504, -0.0F, std::ldexp(1.0F, -14)));
  EXPECT_THAT(model.floats("d", {kAnySize}), ElementsAre(0.5F));
  EXPECT_THROW(model.floats("i", {1}), ModelError);
  EXPECT_THROW(model.floats("h", {5}), ModelError);
  model.require_finite();
  model.add("h", {1}, std::vector<Half>{{0x7C00}});
  EXPECT_THROW(model.require_finite(), ModelError);
}

TEST(ModelFile, MisfitsNameFileTensorAndBothShapes) {
  const ModelFile model = parse(as_text(sample().bytes()));
  EXPECT_THAT(message_of<ModelError>([&] {
                model.tensor<double>("weights", {2, 4});
              }),
              AllOf(HasSubstr("m.safetensors: "), HasSubstr("'weights'"), HasSubstr("F32 [2, 3]"),
                    HasSubstr("F64 [2, 4]")));
  EXPECT_THAT(message_of<ModelError>([&] {
                model.tensor<float>("weights", {kAnySize, 4});
              }),
              AllOf(HasSubstr("[2, 3]"), HasSubstr("[*, 4]")));
  EXPECT_THAT(message_of<ModelError>([&] { model.tensor<int>("weights"); }), HasSubstr("I32"));
  EXPECT_THAT(message_of<ModelError>([&] { model.tensor<int>("absent"); }), HasSubstr("'absent'"));
}

TEST(ModelFile, SchemaMustFit) {
  const ModelFile model = parse(as_text(sample().bytes()));
  EXPECT_THAT(
      message_of<ModelError>([&] { model.require_schema("people.hog", 2); }),
      AllOf(HasSubstr("m.safetensors: "), HasSubstr("version \"1\""), HasSubstr("version 2")));
  EXPECT_THROW(model.require_schema("flow.x", 1), ModelError);
  EXPECT_THAT(message_of<ModelError>([&] { parse(container("{}", "")).require_schema("a", 1); }),
              HasSubstr("does not say"));
}

TEST(ModelFile, NonFiniteNumbersAreNamed) {
  ModelFile model;
  model.add("w", {3}, std::vector<float>{0, NAN, 1});
  EXPECT_THAT(message_of<ModelError>([&] { model.require_finite(); }),
              AllOf(HasSubstr("'w'"), HasSubstr("element 1 of 3")));
}

TEST(ModelFile, AddChecksItsArguments) {
  ModelFile model;
  EXPECT_THROW(model.add("a", {2, 2}, std::vector<float>{1, 2, 3}), InvalidArgument);
  EXPECT_THROW(model.add("a", {-1}, std::vector<float>{}), InvalidArgument);
  EXPECT_THROW(model.add("__metadata__", {1}, std::vector<float>{1}), InvalidArgument);
  EXPECT_THROW(model.add("\xFF", {1}, std::vector<float>{1}), InvalidArgument);
  EXPECT_THROW(model.set_metadata("a", "\xC0\x80"), InvalidArgument);
  EXPECT_THROW(model.set_metadata("crc32", "0"), InvalidArgument);
}

TEST(ModelFile, HostileHeadersAreRefusedWithOneLine) {
  const std::string tensor = R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  EXPECT_THAT(refusal("{" + tensor + "}", "1"), HasSubstr("truncated"));
  EXPECT_THAT(refusal("{" + tensor + "}", "123"), HasSubstr("its tensors take 2"));
  EXPECT_THAT(refusal("{" + tensor + "," + tensor + "}", "12"), HasSubstr("twice"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "12"),
              HasSubstr("begins at byte 1"));
  EXPECT_THAT(
      refusal("{" + tensor + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "123"),
      HasSubstr("begins at byte 1"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[2,0]}})", "12"),
              HasSubstr("bytes 2 to 0"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,2]}})", "12"),
              HasSubstr("F32 [2] but has 2 bytes"));
  // 2^32 * 2^32 is 0 in 64 bits.
  EXPECT_THAT(
      refusal(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
      HasSubstr("has 0 bytes"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F8_E4M3","shape":[],"data_offsets":[0,1]}})", "1"),
              HasSubstr("F8_E4M3"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}})", "12"),
              HasSubstr("negative"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,2]}})", "12"),
              HasSubstr("not whole"));
  EXPECT_THAT(
      refusal(R"({"a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,2]}})", "12"),
      HasSubstr("64 bits"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[2]}})", "12"), HasSubstr("lacks"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0]}})", "12"),
              HasSubstr("two numbers"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1,2]}})", "12"),
              HasSubstr("two numbers"));
  EXPECT_THAT(
      refusal(R"({"a":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "12"),
      HasSubstr("dtype twice"));
  EXPECT_THAT(refusal(R"({"a":{"x":1,"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "12"),
              HasSubstr("unknown field"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"a":1}})"), HasSubstr("a number"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"a":"1","a":"2"}})"), HasSubstr("twice"));
  EXPECT_THAT(refusal(R"({"__metadata__":{},"__metadata__":{}})"), HasSubstr("twice"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\2"),
              HasSubstr("BOOL"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("a list"));
  EXPECT_THAT(refusal("3"), HasSubstr("a number"));
  EXPECT_THAT(refusal("{\"a\":"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("{} x"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(""), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(std::string(1000000, '[')), HasSubstr("a list"));
  EXPECT_THAT(refusal("{\"a\":" + std::string(1000000, '{')), HasSubstr("not JSON"));
}

TEST(ModelFile, HeaderLengthsThatLieAllocateNothing) {
  std::string bytes = container("{}", "");
  for (const std::uint64_t length :
       {std::uint64_t{3}, std::uint64_t{100'000'001}, std::numeric_limits<std::uint64_t>::max()}) {
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_THAT(message_of<FormatError>([&] { parse(bytes); }), HasSubstr("header of"));
  }
}

TEST(ModelFile, EveryTruncationIsRefused) {
  const std::string whole = as_text(sample().bytes());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse(whole.substr(0, length)), FormatError) << length;
  EXPECT_THROW(parse(whole + 'x'), FormatError);
}

TEST(ModelFile, EveryChangedByteIsNoticedOrHarmless) {
  const ModelFile original = sample();
  const std::string whole = as_text(original.bytes());
  const std::size_t key = whole.find("crc32");
  int accepted = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      try {
        const ModelFile model = parse(changed);
        ++accepted;
        // Only white space, or the checksum's own name, can change unseen: the tensors are the
        // same.
        EXPECT_TRUE((i >= key && i < key + 5) || whole[i] == ' ') << i;
        EXPECT_THAT(model.tensor<float>("weights"),
                    testing::ElementsAreArray(original.tensor<float>("weights")));
      } catch (const FormatError&) {
      }
    }
  }
  EXPECT_LT(accepted, 60);
}

TEST(ModelFile, AbsentFilesAndFoldersAreNamed) {
  const test::TempFolder folder;
  EXPECT_THAT(message_of<IoError>([&] { ModelFile::read(folder / "absent"); }),
              AllOf(HasSubstr("absent: cannot open"), HasSubstr("No such file")));
  EXPECT_THAT(message_of<IoError>([&] { ModelFile::read(folder.path()); }),
              HasSubstr("regular file"));
}

TEST(ModelFile, TwoWritersLeaveOneWholeFile) {
  const test::TempFolder folder;
  const std::string path = folder / "m.safetensors";
  const auto write = [&](float value) {
    ModelFile model;
    model.add("w", {5000}, std::vector<float>(5000, value));
    for (int i = 0; i < 20; ++i) model.write(path);
  };
  std::thread a(write, 1.0F), b(write, 2.0F);
  a.join();
  b.join();
  const auto weights = ModelFile::read(path);
  const auto values = weights.tensor<float>("w", {5000});
  EXPECT_THAT(values, testing::Each(values[0]));
  EXPECT_EQ(folder.files(), 1U);
}

}  // namespace
}  // namespace fovea::io
