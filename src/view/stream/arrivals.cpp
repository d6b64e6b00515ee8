#include "view/stream/arrivals.h"

#include <fmt/format.h>

namespace fovea::view {

struct Arrivals::Ear final : Listener {
  Ear(std::shared_ptr<Ears> all, Send to) : ears(std::move(all)), send(std::move(to)) {
    const std::lock_guard lock(ears->mutex);
    ears->all.insert(this);
  }
  ~Ear() override {
    const std::lock_guard lock(ears->mutex);
    ears->all.erase(this);
  }
  void message(std::string_view) override {}
  void tell(std::size_t count) const {
    send(fmt::format(R"({{"program": "{}", "inputs": {}}})", ears->program, count), false);
  }

  std::shared_ptr<Ears> ears;
  Send send;
};

std::unique_ptr<Listener> Arrivals::listen(const std::function<std::size_t()>& count, Send send) {
  auto ear = std::make_unique<Ear>(ears_, std::move(send));
  ear->tell(count());
  return ear;
}

void Arrivals::tell(std::size_t count) {
  const std::lock_guard lock(ears_->mutex);
  for (const Ear* ear : ears_->all) ear->tell(count);
}

}  // namespace fovea::view
