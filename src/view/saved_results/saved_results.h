// Results that were saved before, which the page shows beside what is computed now.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "view/inputs.h"
#include "view/lru_cache.h"
#include "view/picture.h"
#include "view/saved_results/saved_file.h"
#include "view/system.h"

namespace fovea::view {

class InputFinder;
class Truth;

// All files of results that the command line names. They do not change once they are added, after
// which several threads may ask.
class SavedResults {
 public:
  // Adds a file of results, and the inputs that it names. These are looked for beside the file, as
  // the file names them, and in `folders`. Throws what read_saved() throws. Inputs that are not
  // there are noted, see notes().
  void add(const std::string& path, Inputs& inputs, const std::vector<std::string>& folders) {
    add(read_saved(path), inputs, folders);
  }
  void add(SavedFile content, Inputs& inputs, const std::vector<std::string>& folders);
  // Adds the labels inside of meshes, as results that these inputs name.
  void add_labels_inside(Inputs& inputs);

  // Shows what is true about videos like one more file of results, also about inputs that come
  // later.
  void show_truth(std::shared_ptr<const Truth> truth, const Inputs& inputs);

  // One line per file whose inputs are not all there, for the log.
  const std::vector<std::string>& notes() const { return notes_; }

  // {"files": [{"name", "summary", "least", "greatest", "evaluation"}, ...]}: "least" and
  // "greatest" are the range of all scores, "evaluation" says whether the file is one. The truth is
  // the last one and has "truth".
  std::string list_json() const;
  // What the files say about a frame of an input: boxes, scores of classes, layers, and what
  // happens in the whole of a video.
  std::string input_json(std::string_view id, std::int64_t frame) const;
  // A layer of an image; null where there is none of this name.
  std::shared_ptr<const Picture> layer(std::string_view id, std::string_view name) const;
  // A layer of a mesh, as the colors of its faces; empty where there is none of this name.
  std::vector<report::Color> surface(std::string_view id, std::string_view name) const;
  // {"names", "evaluation"} of a file, with ids in place of files and the names of its inputs;
  // empty where it is no evaluation.
  std::string evaluation_json(std::size_t file) const;
  // A mistake of an evaluation as a small PNG: its box with what is around it, or the whole input.
  // Empty where there is no such mistake, or its input is not there.
  std::string mistake_png(std::size_t file, std::size_t mistake, int side) const;

 private:
  struct Place {  // of something that a file says about an input
    std::size_t file = 0, item = 0;
  };
  struct File {
    SavedFile content{};
    std::string summary{};
    // The inputs of each evaluated one; none where one of them is not there.
    std::vector<std::vector<std::shared_ptr<Input>>> evaluated{};
  };

  static void take_evaluated(File& file, InputFinder& find);
  void place_items(std::size_t file, InputFinder& find);
  // Places events of a file; the names of inputs that are not there are added to the missing ones.
  void place_events(std::size_t file, InputFinder& find, std::set<std::string>& missing,
                    std::set<std::string>& found);
  const SavedItem& item_at(Place place) const {
    return files_[place.file].content.items[place.item];
  }
  std::vector<Layer> layers(std::string_view id) const;
  const SavedItem* layered_item(std::string_view id, std::string_view name) const;

  std::vector<File> files_{};
  std::map<std::string, std::multimap<std::int64_t, Place>, std::less<>> places_{};  // by input
  std::map<std::string, std::vector<Place>, std::less<>> layered_{};                 // by input
  // Events by input and file, as their numbers in it.
  std::map<std::string, std::map<std::size_t, std::vector<std::size_t>>, std::less<>> events_{};
  // Those that items are about, by their ids.
  std::map<std::string, std::shared_ptr<Input>, std::less<>> inputs_{};
  std::vector<std::string> notes_{};
  std::shared_ptr<const Truth> truth_{};
  const Inputs* all_inputs_ = nullptr;  // where there is a truth
  mutable LruCache<std::shared_ptr<const Picture>> pictures_{std::size_t{40} << 20};
};

}  // namespace fovea::view
