#include "cli/actions/annotated.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include "cli/actions/verbs.h"

namespace fovea::cli {
namespace {

actions::Event event_of(std::int64_t first, std::int64_t last) {
  actions::Event event;
  event.name = "walk";
  event.first_frame = first;
  event.last_frame = last;
  event.box = {20, 20, 40, 30};
  return event;
}

bool is_colored(const Image<std::uint8_t>& image) {
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (std::abs(image.at(x, y, 0) - image.at(x, y, 2)) > 40) return true;
  return false;
}

// Which frames of a video have something drawn into them.
std::vector<bool> drawn_in(const std::string& path) {
  io::VideoReader reader(path);
  std::vector<bool> drawn;
  for (io::Frame frame; reader.next(frame);) drawn.push_back(is_colored(frame.image));
  return drawn;
}

TEST(Annotated, AFileIsReadAgainAndAPipeIsKept) {
  const test::TempFolder folder;
  const std::string source = folder / "gray.y4m", fifo = folder / "fifo";
  actions::write_swings(source, {0}, 1, 6);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(can_be_read_again(source));
  EXPECT_FALSE(can_be_read_again(fifo));
  EXPECT_FALSE(can_be_read_again("-"));
  const std::vector<bool> expected{false, true, true, false, true, false};
  for (const std::string& from : {source, fifo}) {
    AnnotatedVideo video({.path = folder / "out.y4m", .source = from, .memory = 1 << 20});
    Image<std::uint8_t> black(96, 72, 3);
    for (int y = 0; y < black.height(); ++y) std::fill_n(black.row(y), 3 * 96, std::uint8_t{0});
    for (int i = 0; i < 6; ++i) video.keep(black);
    video.add(event_of(1, 2));
    video.write_until(3);
    EXPECT_EQ(video.kept_events(), 0);  // drawn, and forgotten
    video.add(event_of(4, 4));
    video.write_until(6);
    video.finish();
    EXPECT_EQ(video.early_frames(), 0);
    EXPECT_EQ(drawn_in(folder / "out.y4m"), expected) << from;
  }
}

}  // namespace
}  // namespace fovea::cli
