// Results that were saved before, which the page shows beside what is computed now.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
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

// All files of results that the command line names, or a page has sent. Several threads may use it.
class SavedResults {
 public:
  // Adds a file of results, and the inputs that it names. These are looked for beside the file, as
  // the file names them, and in `folders`. Throws what read_saved() throws. Inputs that are not
  // there are noted, see notes().
  void add(const std::string& path, Inputs& inputs, const std::vector<std::string>& folders) {
    add(read_saved(path), inputs, folders);
  }
  void add(SavedFile content, Inputs& inputs, const std::vector<std::string>& folders);
  // The same for a file that a page has sent: it is only about inputs that are there. Returns the
  // id of one that it is about, or nothing where none is there.
  std::string add_sent(SavedFile content, Inputs& inputs);
  // Adds the labels inside of a mesh, as results that this input names; nothing where it has none.
  void add_labels_inside(const Input& mesh, Inputs& inputs);
  // Looks again for inputs that were missing, among those that have come since.
  void look_again(Inputs& inputs);

  // Shows what is true about videos like one more file of results, also about inputs that come
  // later.
  void show_truth(std::shared_ptr<const Truth> truth, const Inputs& inputs);

  // One line per file whose inputs are not all there, for the log.
  const std::vector<std::string>& notes() const { return notes_; }

  // {"files": [{"name", "summary", "least", "greatest", "evaluation", "missing"}, ...]}: "least"
  // and "greatest" are the range of all scores, "evaluation" says whether the file is one, and
  // "missing" what it says of inputs that are not there. The truth is the last one and has "truth".
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
    std::vector<std::string> folders{};  // in which its inputs are looked for
    bool sent = false;                   // by a page
    std::string summary{};
    // The inputs of each evaluated one; none where one of them is not there.
    std::vector<std::vector<std::shared_ptr<Input>>> evaluated{};
    std::set<std::string> found{};  // ids of inputs
    // What is about inputs that are not there, by its number.
    std::vector<std::size_t> homeless_items{}, homeless_events{};
  };

  const File& add(File file, Inputs& inputs);
  void place(std::size_t file, Inputs& inputs);
  static void add_evaluated_items(File& file);
  static void find_evaluated(File& file, InputFinder& find);
  void place_items(std::size_t file, InputFinder& find);
  void place_events(std::size_t file, InputFinder& find);
  const SavedItem& item_at(Place place) const {
    return files_[place.file].content.items[place.item];
  }
  std::vector<Layer> layers(std::string_view id) const;
  const SavedItem* layered_item(std::string_view id, std::string_view name) const;

  mutable std::recursive_mutex mutex_{};
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
