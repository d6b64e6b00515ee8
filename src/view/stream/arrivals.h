// Tells all pages how many inputs there are whenever one has come, so that what one page uploads
// appears in all of them. A page also sees by this WebSocket that the program has gone.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>

#include "view/http.h"

namespace fovea::view {

class Arrivals {
 public:
  // Sends {"inputs": count} now, and at each tell().
  std::unique_ptr<Listener> listen(std::size_t count, Send send);
  void tell(std::size_t count);

 private:
  struct Ear;
  struct Ears {
    std::mutex mutex{};
    std::set<const Ear*> all{};
  };
  std::shared_ptr<Ears> ears_ = std::make_shared<Ears>();
};

}  // namespace fovea::view
