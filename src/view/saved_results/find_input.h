// Finds the inputs that a file of results is about.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/inputs.h"
#include "view/saved_results/saved_file.h"

namespace fovea::view {

// The number at the end of a frame's name: 12 of walk_000012 for the video walk. Nothing where it
// is none.
std::optional<std::int64_t> frame_number(std::string_view name, std::string_view video);

class InputFinder {
 public:
  // `beside` is the file of results, `folders` are those that the command line names. No file is
  // looked for where the results came from a page, `sent`, which must not name files of the
  // machine.
  InputFinder(Inputs& inputs, std::string beside, std::vector<std::string> folders,
              bool sent = false);

  // The first file that exists: beside the file of results, as it is named, in one of the folders,
  // or in one of the folders by its last name alone.
  std::optional<std::string> file(const std::string& named) const;

  // The input of this name, which is added where it is new; or the only one that is there with the
  // same last name. Null where there is none, or where the file is neither an image nor a video nor
  // a mesh.
  std::shared_ptr<Input> named(const std::string& name);

  // The input of something that names none, among those that are there: one that has the name of
  // the file of results but for its end; else, for motion the first image of its size, for parts
  // the first mesh with as many faces, for tracks the only video, or the image of that number where
  // there is no video. Null where there is none.
  std::shared_ptr<Input> fitting(const SavedItem& item) const;

  // The image or video of an item's stem, among those that are there; where the stem ends in the
  // number of a frame of a video, the item gets it. Null where there is none.
  std::shared_ptr<Input> stemmed(SavedItem& item);

 private:
  std::shared_ptr<Input> called(const std::string& last_name);
  std::shared_ptr<Input> namesake(InputKind kind) const;
  std::vector<std::shared_ptr<Input>> all_of(InputKind kind) const;

  Inputs& inputs_;
  std::string beside_;
  std::vector<std::string> folders_;
  bool sent_;
  std::vector<std::shared_ptr<Input>> there_;                           // before anything was added
  std::map<std::string, std::shared_ptr<Input>, std::less<>> known_{};  // frames repeat their video
  // The inputs that are there, by their names without ends; made when it is asked for.
  std::map<std::string, std::shared_ptr<Input>, std::less<>> images_{}, videos_{};
  // By their last names; null where several have the same.
  std::map<std::string, std::shared_ptr<Input>, std::less<>> last_names_{};
};

}  // namespace fovea::view
