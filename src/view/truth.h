// What is known to be true about inputs: the file or folder that --truth names, in the formats and
// by the names that the eval verbs of the program take.
#pragma once
#include <fovea/io/flow_io.h>
#include <fovea/people/annotations.h>
#include <fovea/scenes/train.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "view/inputs.h"
#include "view/truth_video.h"

namespace fovea::view {

// Several threads may use it. Functions throw FormatError where a file that belongs to the input is
// damaged or does not fit.
class Truth {
 public:
  // Throws IoError where there is no such file or folder, and FormatError where a file is damaged.
  // What a folder holds is read when it is asked for.
  explicit Truth(std::string path);

  // The people in an image, from PASCAL or COCO annotations, or in a frame of a video, see
  // read_video_truth(); nothing where it has none. Labels of people in videos are their numbers.
  std::optional<std::vector<people::Annotation>> people(const Input& input,
                                                        std::int64_t frame = 0) const;
  // What happens in a video.
  std::vector<SavedEvent> events(const Input& video) const;
  // The motion from an image to the next one: the file itself, or in the folder, or in its folder
  // of the name of the image's folder, a flow file of the image's name. Middlebury's frame10 has
  // flow10.
  std::optional<io::FlowField> flow(const Input& first) const;
  // Labels that people gave the faces of a mesh: the file itself, or NAME.seg, NAME_*.seg and
  // NAME/*.seg in the folder.
  std::vector<std::vector<std::int32_t>> parts(const Input& mesh, std::size_t faces) const;
  // The class of an image, by a folder with one folder per class or by a list; empty where it is
  // none of `classes`.
  std::string place(const Input& image, const std::vector<std::string>& classes) const;

  const std::string& path() const { return path_; }

 private:
  // What is known about a video is read once, and what is wrong with it is kept.
  struct KnownVideo {
    VideoTruth truth{};
    std::string error{};
  };
  const VideoTruth& video(const Input& video) const;
  const scenes::Corpus& corpus() const;

  std::string path_;
  bool folder_;
  mutable std::mutex mutex_{};
  mutable std::map<std::string, std::optional<std::vector<people::Annotation>>>
      people_{};                                        // by path
  mutable std::map<std::string, KnownVideo> videos_{};  // by path
  mutable std::optional<scenes::Corpus> corpus_{};
};

}  // namespace fovea::view
