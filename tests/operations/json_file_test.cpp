#include "operations/json_file.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/files.h"

namespace fovea::operations {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(JsonFile, NamesWhereItIsWrong) {
  const test::TempFolder folder;
  test::save(folder / "a.json", "{\"a\": [1, 2]}");
  EXPECT_EQ(read_json(folder / "a.json")["a"][1], 2);
  test::save(folder / "b.json", "{\n  \"a\": x}");
  EXPECT_THAT(message_of<FormatError>([&] { read_json(folder / "b.json"); }),
              HasSubstr("is not JSON at line 2, column 8"));
  EXPECT_THAT(message_of<IoError>([&] { read_json(folder / "c.json"); }), HasSubstr("cannot open"));
}

TEST(JsonFile, ManyBracketsAreRefused) {
  const test::TempFolder folder;
  test::save(folder / "deep.json", std::string(200000, '['));
  EXPECT_THAT(message_of<FormatError>([&] { read_json(folder / "deep.json"); }),
              HasSubstr("JSON is nested more than 100 deep"));
}

}  // namespace
}  // namespace fovea::operations
