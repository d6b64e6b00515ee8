#include "io/text/source.h"

#include <fcntl.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "io/text/pipe_read.h"
#include "support/files.h"
#include "support/waiting.h"

namespace fovea::io {
namespace {

std::string read_at(const Source& source, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(source.read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

void expect_alphabet(const Source& source) {
  EXPECT_EQ(source.size(), 6U);
  EXPECT_EQ(read_at(source, 0, 6), "abcdef");
  EXPECT_EQ(read_at(source, 4, 6), "ef");
  EXPECT_EQ(read_at(source, 6, 1), "");
  EXPECT_EQ(read_at(source, ~0ULL, 1), "");
}

TEST(Source, FilesMemoryAndPipesReadAlike) {
  const test::TempFolder folder;
  test::save(folder / "file", "abcdef");
  expect_alphabet(Source(folder / "file"));
  expect_alphabet(Source(test::as_bytes("abcdef"), "memory"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { test::save(folder / "pipe", "abcdef"); });
  expect_alphabet(Source(folder / "pipe"));
  writer.join();
}

TEST(Source, AStopEndsTheWaitForAPipe) {
  const test::TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);  // which nobody opens for writing
  std::stop_source stop;
  const std::jthread stopper = test::stop_once_asleep(stop);
  EXPECT_THROW(Source(folder / "pipe", stop.get_token()), Cancelled);
}

TEST(PipeRead, GivesWhatIsThereAndThenTheEnd) {
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  close(ends[1]);
  std::array<std::byte, 8> text{};
  EXPECT_EQ(read_or_stop(ends[0], text, {}), 3);
  EXPECT_EQ(read_or_stop(ends[0], text, {}), 0);
  close(ends[0]);
  EXPECT_EQ(read_or_stop(ends[0], text, {}), -1);
  EXPECT_EQ(errno, EBADF);
}

TEST(PipeRead, WaitsAlsoWhereTheDescriptorDoesNotBlock) {
  int ends[2] = {};
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  std::array<std::byte, 8> text{};
  std::stop_source stop;
  {
    const std::jthread stopper = test::stop_once_asleep(stop);
    EXPECT_EQ(read_or_stop(ends[0], text, stop.get_token()), -1);
    EXPECT_EQ(errno, ECANCELED);
  }
  {
    const std::jthread writer([&, reader = gettid()] {
      while (!test::asleep(reader)) std::this_thread::yield();
      EXPECT_EQ(write(ends[1], "abc", 3), 3);
    });
    EXPECT_EQ(read_or_stop(ends[0], text, {}), 3);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(Cursor, ReadsOnAcrossItsBuffer) {
  std::string text(200000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 % 251);
  const Source source(test::as_bytes(text), "memory");
  Cursor cursor(source);
  std::string found;
  for (const std::size_t bytes : {1U, 65535U, 3U, 70000U, 10U, 1000U}) {
    found += static_cast<char>(cursor.get());
    std::string piece(bytes, '\0');
    cursor.read_all(std::as_writable_bytes(std::span(piece)));
    found += piece;
    EXPECT_EQ(cursor.position(), found.size());
    EXPECT_EQ(cursor.remaining(), text.size() - found.size());
  }
  EXPECT_EQ(found, text.substr(0, found.size()));
}

TEST(Cursor, SaysWhereItEnds) {
  const Source source(test::as_bytes("abc"), "memory");
  Cursor cursor(source, 1);
  std::string piece(3, '\0');
  EXPECT_THAT(test::message_of<FormatError>(
                  [&] { cursor.read_all(std::as_writable_bytes(std::span(piece))); }),
              "memory: is truncated: 3 bytes were expected at byte 1, 2 are there");
  EXPECT_EQ(cursor.get(), -1);
}

}  // namespace
}  // namespace fovea::io
