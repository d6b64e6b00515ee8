// Tells all pages how many inputs there are whenever one has come, so that what one page uploads
// appears in all of them. A page also sees by this WebSocket that the program has gone, and whether
// the one that answers later is another one.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "view/access/guard.h"
#include "view/http.h"

namespace fovea::view {

class Arrivals {
 public:
  // Sends {"program": id, "inputs": count} now, and at each tell(). The inputs are counted once the
  // listener hears, so that none is missed between the two.
  std::unique_ptr<Listener> listen(const std::function<std::size_t()>& count, Send send);
  void tell(std::size_t count);

 private:
  struct Ear;
  struct Ears {
    const std::string program = random_token();
    std::mutex mutex{};
    std::set<const Ear*> all{};
  };
  std::shared_ptr<Ears> ears_ = std::make_shared<Ears>();
};

}  // namespace fovea::view
