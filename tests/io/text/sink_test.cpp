#include <fovea/core/error.h>
#include <fovea/io/sink.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(Sink, StringsGrow) {
  std::string text = "a";
  const Sink sink = string_sink(text);
  sink("b");
  sink("");
  sink("c");
  EXPECT_EQ(text, "abc");
}

TEST(FileSink, AppearsOnCommitOnly) {
  const test::TempFolder folder;
  { FileSink(folder / "a").write("lost"); }
  EXPECT_EQ(folder.files(), 0U);
  FileSink file(folder / "a");
  file.write("one ");
  file.sink()("two");
  FileSink moved = std::move(file);
  moved.write(" three");
  moved.commit();
  EXPECT_EQ(test::load(folder / "a"), "one two three");
}

TEST(FileSink, ADashIsStandardOutput) {
  testing::internal::CaptureStdout();
  FileSink file("-");
  file.write("text\n");
  file.commit();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text\n");
}

TEST(FileSink, WhoReadsAPipeGetsEveryPieceAtOnce) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  FileSink file("-");
  const bool written = message_of<WriteError>([&] { file.write("row\n"); }).empty();
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(ends[1]);  // nothing but what was written before commit() can be in the pipe
  EXPECT_TRUE(written);
  char text[8] = {};
  EXPECT_EQ(read(ends[0], text, sizeof text), 4);
  EXPECT_STREQ(text, "row\n");
  close(ends[0]);
}

TEST(FileSink, SoIsItsDevice) {
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  EXPECT_FALSE(is_standard_output("./-"));
  testing::internal::CaptureStdout();  // into a file, which must not be replaced
  FileSink file("/dev/stdout");
  file.write("text\n");
  file.commit();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text\n");
}

TEST(FileSink, FailuresNameThePath) {
  const test::TempFolder folder;
  EXPECT_THAT(message_of<WriteError>([&] { FileSink(folder / "no/a"); }), HasSubstr("no/a: "));
  FileSink full("/dev/full");
  full.write("text");
  EXPECT_THAT(message_of<WriteError>([&] { full.commit(); }), HasSubstr("/dev/full: cannot write"));
}

}  // namespace
}  // namespace fovea::io
