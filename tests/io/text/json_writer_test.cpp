#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/files.h"

namespace fovea::io {
namespace {

using testing::HasSubstr;

template <class Write>
std::string written(JsonStyle style, Write write) {
  std::string text;
  JsonWriter json(string_sink(text), style);
  write(json);
  json.finish();
  return text;
}

void write_sample(JsonWriter& json) {
  json.begin_object().member("name", "a\"b\n").member("count", 3).member("ok", true);
  json.key("none").value(nullptr).key("list").begin_array().value(1.5).value(-2).end_array();
  json.key("box").values(std::vector<float>{0.1F, 2, 3});
  json.key("empty").begin_object().end_object().end_object();
}

TEST(JsonWriter, CompactHasNoWhiteSpace) {
  EXPECT_EQ(written(JsonStyle::kCompact, write_sample),
            R"({"name":"a\"b\n","count":3,"ok":true,"none":null,"list":[1.5,-2],)"
            R"("box":[0.1,2,3],"empty":{}})");
}

TEST(JsonWriter, PrettyIndentsAndKeepsNumbersOfOneThingTogether) {
  EXPECT_EQ(written(JsonStyle::kPretty, write_sample), R"({
  "name": "a\"b\n",
  "count": 3,
  "ok": true,
  "none": null,
  "list": [
    1.5,
    -2
  ],
  "box": [0.1, 2, 3],
  "empty": {}
}
)");
}

TEST(JsonWriter, LinesHoldOneValueEachAndArriveWhole) {
  std::vector<std::string> pieces;
  JsonWriter json([&](std::string_view piece) { pieces.emplace_back(piece); }, JsonStyle::kLines);
  json.begin_object().member("frame", 0).end_object();
  json.begin_object().key("options").raw("{\n \"bins\": 9\n}").end_object();
  json.finish();
  EXPECT_THAT(pieces, testing::ElementsAre("{\"frame\":0}\n", "{\"options\":{  \"bins\": 9 }}\n"));
}

TEST(JsonWriter, NumbersReadBackTheSame) {
  const double tenth = 0.1 + 0.2;
  const auto text = written(JsonStyle::kCompact, [&](JsonWriter& json) {
    json.begin_array().value(tenth).value(1e300).value(5e-324).value(-0.0);
    json.value(std::numeric_limits<std::uint64_t>::max());
    json.value(std::numeric_limits<std::int64_t>::min()).value(static_cast<std::uint8_t>(65));
    json.end_array();
  });
  const auto parsed = nlohmann::json::parse(text);
  EXPECT_EQ(parsed[0].get<double>(), tenth);
  EXPECT_EQ(parsed[1].get<double>(), 1e300);
  EXPECT_EQ(parsed[2].get<double>(), 5e-324);
  EXPECT_THAT(text, HasSubstr(",-0,"));
  EXPECT_EQ(parsed[4].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed[5].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed[6].get<int>(), 65);
}

TEST(JsonWriter, WhatJsonCannotSayIsNullOrReplaced) {
  EXPECT_EQ(written(JsonStyle::kCompact,
                    [](JsonWriter& json) {
                      json.begin_array().value(std::nan("")).value(-INFINITY).value("a\xFFz\x01");
                      json.end_array();
                    }),
            "[null,null,\"a\xEF\xBF\xBDz\\u0001\"]");
}

TEST(JsonWriter, EveryMisuseThrows) {
  std::string text;
  const auto fresh = [&] { return JsonWriter(string_sink(text), JsonStyle::kCompact); };
  EXPECT_THROW(fresh().key("a"), InvalidArgument);
  EXPECT_THROW(fresh().begin_array().key("a"), InvalidArgument);
  EXPECT_THROW(fresh().begin_object().value(1), InvalidArgument);
  EXPECT_THROW(fresh().begin_object().begin_array(), InvalidArgument);
  EXPECT_THROW(fresh().begin_object().key("a").key("b"), InvalidArgument);
  EXPECT_THROW(fresh().begin_object().key("a").end_object(), InvalidArgument);
  EXPECT_THROW(fresh().begin_object().end_array(), InvalidArgument);
  EXPECT_THROW(fresh().begin_array().end_object(), InvalidArgument);
  EXPECT_THROW(fresh().end_array(), InvalidArgument);
  EXPECT_THROW(fresh().value(1).value(2), InvalidArgument);
  EXPECT_THROW(fresh().finish(), InvalidArgument);
  EXPECT_THROW(fresh().begin_array().finish(), InvalidArgument);
  EXPECT_THROW(fresh().raw("{\"a\": }"), InvalidArgument);
  EXPECT_THROW(fresh().raw("1, 2"), InvalidArgument);
}

TEST(JsonWriter, MillionsOfRowsDoNotStayInMemory) {
  std::size_t largest = 0, total = 0;
  JsonWriter json([&](std::string_view piece) {
    largest = std::max(largest, piece.size());
    total += piece.size();
  });
  json.begin_array();
  for (int i = 0; i < 200000; ++i) json.begin_object().member("i", i).end_object();
  json.end_array().finish();
  EXPECT_GT(total, 4000000U);
  EXPECT_LT(largest, 20000U);
}

TEST(FileSink, AppearsOnCommitOnly) {
  const test::TempFolder folder;
  {
    FileSink file(folder / "a.json");
    file.write("lost");
  }
  EXPECT_EQ(folder.files(), 0U);
  FileSink file(folder / "a.json");
  JsonWriter json(file.sink(), JsonStyle::kCompact);
  json.value("kept").finish();
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
  file.commit();
  EXPECT_EQ(test::load(folder / "a.json"), "\"kept\"");
}

TEST(StreamSink, NamesTheStreamThatCannotBeWritten) {
  std::FILE* full = std::fopen("/dev/full", "wb");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full here";
  std::setvbuf(full, nullptr, _IONBF, 0);
  const Sink sink = stream_sink(full, "results");
  EXPECT_THAT(test::message_of<WriteError>([&] { sink("text"); }), HasSubstr("results: "));
  std::fclose(full);
}

}  // namespace
}  // namespace fovea::io
