// All streams that pages have open.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "view/stream/stream.h"

namespace fovea::view {

class Streams {
 public:
  // Cameras and network streams may send nothing for so long.
  Streams(const StreamTools& tools, double timeout_seconds);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Plays an input to a WebSocket, a video file from a frame on. Null where the input does not
  // move. Where too many are open, the WebSocket is told so and closed.
  std::unique_ptr<Listener> listen(const std::shared_ptr<Input>& input, int frame, Send send);
  // Stops all and waits for their threads. None begins afterwards.
  void end();

 private:
  struct Entry {
    std::shared_ptr<Stream> stream;
    std::jthread thread;
  };
  struct Source {
    std::weak_ptr<Feed> feed{};
    std::shared_ptr<SourceTurn> turn = std::make_shared<SourceTurn>();
  };
  std::unique_ptr<FrameSource> open(const Input& input, int frame);
  std::shared_ptr<Feed> feed(const Input& input);

  StreamTools tools_;
  double timeout_seconds_;
  std::mutex mutex_{};
  std::list<Entry> entries_{};
  bool ended_ = false;
  std::mutex sources_mutex_{};
  std::map<std::string, Source> sources_{};  // by the paths of inputs
};

}  // namespace fovea::view
