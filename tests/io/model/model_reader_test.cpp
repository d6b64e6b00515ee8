#include "io/model/model_reader.h"

#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

template <class Function>
std::string why_not(Function function) {
  return message_of<ModelError>(function);
}

TEST(ModelReader, FindsWhatWasAdded) {
  ModelFile file;
  file.set_schema("test.model", 2);
  add_number(file, "size", 7);
  add_floats(file, "bias", {1, 2.5F});
  Image<float> rows(3, 2);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) rows.at(x, y) = static_cast<float>(10 * y + x);
  add_rows(file, "rows", rows.view());
  add_labels(file, "labels", {0, 1, 0});
  const std::vector<std::string> names{"beach", "city"};
  add_classes(file, names);
  add_facts(file, "test.", {{"data", "drawn"}});
  add_options(file, "option.words.", KmeansOptions{.clusters = 12, .start = KmeansStart::kSpread});

  const ModelReader reader(file);
  EXPECT_EQ(reader.version("test.model", 2), 2);
  EXPECT_EQ(reader.version("test.model", 3), 2);
  EXPECT_EQ(reader.number("size", 1, 7), 7);
  EXPECT_EQ(reader.floats("bias", 2), (std::vector<float>{1, 2.5F}));
  EXPECT_EQ(reader.rows("rows", 3).at(2, 1), 12);
  EXPECT_EQ(reader.row_count("rows", 2, 2), 2);
  EXPECT_EQ(reader.labels("labels", 3, 2), (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(reader.schema(), "test.model");
  EXPECT_EQ(reader.fact("test.data"), "drawn");
  EXPECT_EQ(reader.classes(), names);
  EXPECT_EQ(reader.facts("test."), (ModelFacts{{"data", "drawn"}}));
  KmeansOptions options;
  reader.options("option.words.", options);
  EXPECT_EQ(options.clusters, 12);
  EXPECT_EQ(options.start, KmeansStart::kSpread);
  EXPECT_EQ(file.metadata().at("option.words.start"), "spread");
}

TEST(ModelReader, SaysWhatDoesNotFit) {
  ModelFile file;
  file.set_schema("test.model", 4);
  add_number(file, "size", 7);
  add_number(file, "start", 3);
  file.set_metadata("class.0", "alone");
  file.set_metadata("option.words.clusters", "0");
  const ModelReader reader(file);
  EXPECT_THAT(why_not([&] { reader.version("test.model", 3); }), HasSubstr("version 3"));
  EXPECT_THAT(why_not([&] { reader.version("other", 4); }), HasSubstr("other"));
  EXPECT_EQ(why_not([&] { reader.number("size", 0, 6); }), "model: size is 7, expected 0 to 6");
  EXPECT_THAT(why_not([&] { reader.numbered_choice<KmeansStart>("start"); }),
              HasSubstr("expected 0 to 2"));
  EXPECT_THAT(why_not([&] { reader.rows("size", 3); }), HasSubstr("size"));
  EXPECT_EQ(why_not([&] { reader.row_count("size", 2, 9); }),
            "model: size has 1 rows, expected 2 to 9");
  EXPECT_EQ(why_not([&] { reader.labels("size", 1, 7); }),
            "model: size: number 0 is class 7, but there are 7 classes");
  EXPECT_THAT(why_not([&] { reader.fact("test.data"); }), HasSubstr("model: has no test.data"));
  const ModelFile empty;
  EXPECT_EQ(why_not([&] { ModelReader(empty).schema(); }),
            "model: not a model of Fovea: it names no schema");
  EXPECT_THAT(why_not([&] { reader.classes(); }), HasSubstr("names 1 class,"));
  KmeansOptions options;
  EXPECT_THAT(why_not([&] { reader.options("option.words.", options); }),
              AllOf(HasSubstr("option.words.clusters"), HasSubstr("0")));
  EXPECT_THAT(why_not([&] { reader.options("points.", options); }),
              HasSubstr("has no points.clusters"));
}

TEST(ModelReader, WhatAFileSaysReachesNoTerminalUnchecked) {
  ModelFile file;
  file.set_schema(std::string(100000, 'x'), 1);
  file.set_metadata("class.0", "beach");
  file.set_metadata("class.1", "\x1b[2Jcity");
  const ModelReader reader(file);
  EXPECT_LT(why_not([&] { reader.version("test.model", 1); }).size(), 400U);
  EXPECT_THAT(why_not([&] { reader.classes(); }),
              AllOf(HasSubstr("class 1"), HasSubstr("has a control character"),
                    testing::Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace fovea::io
