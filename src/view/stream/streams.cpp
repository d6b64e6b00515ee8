#include "view/stream/streams.h"

#include <fmt/format.h>

namespace fovea::view {
namespace {

constexpr std::size_t kMostStreams = 8;

// Ends a stream when its WebSocket closes; does not wait for it.
class StreamListener final : public Listener {
 public:
  StreamListener(std::shared_ptr<Stream> stream, std::stop_source stop)
      : stream_(std::move(stream)), stop_(std::move(stop)) {}
  ~StreamListener() override { stop_.request_stop(); }
  void message(std::string_view text) override { stream_->hear(text); }
  bool sends_bytes() const override { return true; }

 private:
  std::shared_ptr<Stream> stream_;
  std::stop_source stop_;
};

// Hears nothing: there is no stream behind it.
class RefusedListener final : public Listener {
 public:
  void message(std::string_view) override {}
  bool sends_bytes() const override { return true; }
};

}  // namespace

Streams::Streams(const StreamTools& tools, double timeout_seconds)
    : tools_(tools), timeout_seconds_(timeout_seconds) {}

Streams::~Streams() { end(); }

void Streams::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Entry& entry : entries_) entry.thread.request_stop();
  entries_.clear();
}

std::unique_ptr<Listener> Streams::listen(const std::shared_ptr<Input>& input, int frame,
                                          Send send) {
  if (input->kind() != InputKind::kVideo && input->kind() != InputKind::kLive) return nullptr;
  const std::lock_guard lock(mutex_);
  if (ended_) return nullptr;
  std::erase_if(entries_, [](const Entry& entry) { return entry.stream->done(); });
  if (entries_.size() >= kMostStreams) {
    send(state_message("failed", fmt::format("{} streams are open, which is the most; close "
                                             "another page of this program",
                                             kMostStreams)),
         true);
    return std::make_unique<RefusedListener>();
  }
  auto stream = std::make_shared<Stream>(
      tools_, input, [this, input, frame] { return open(*input, frame); }, std::move(send));
  std::jthread thread([stream](const std::stop_token& stop) { stream->work(stop); });
  auto listener = std::make_unique<StreamListener>(stream, thread.get_stop_source());
  entries_.push_back({std::move(stream), std::move(thread)});
  return listener;
}

std::unique_ptr<FrameSource> Streams::open(const Input& input, int frame) {
  if (input.kind() == InputKind::kVideo) return std::make_unique<FilmSource>(input.path(), frame);
  return std::make_unique<FeedSource>(feed(input));
}

// A camera can be opened once: all who watch it share one feed. One that has ended is opened again,
// and so is one that the last who watched has just left, as soon as it is closed.
std::shared_ptr<Feed> Streams::feed(const Input& input) {
  const std::lock_guard lock(sources_mutex_);
  Source& source = sources_[input.path()];
  std::shared_ptr<Feed> feed = source.feed.lock();
  if (feed && !feed->ended()) return feed;
  feed = std::make_shared<Feed>(input.path(), timeout_seconds_, source.turn);
  source.feed = feed;
  return feed;
}

}  // namespace fovea::view
