// The known histograms in host memory: a table that any number of threads look up and claim in, and
// which is stored to and resized between their turns.
#pragma once
#include <algorithm>
#include <atomic>
#include <vector>

#include "emd/map/map_plan.h"

namespace fovea::emd::cpu {

class KnownHistograms {
 public:
  // kept_bins: of the whole histograms that are kept; 0: keys are exact.
  KnownHistograms(std::uint64_t cache_bytes, int kept_bins)
      : plan_(cache_bytes, TablePlan::bytes_per_slot(kept_bins)), kept_bins_(kept_bins) {}

  const TablePlan& plan() const { return plan_; }
  std::int64_t entries() const { return entries_; }
  std::uint64_t bytes() const {
    return slots_.size() * sizeof(detail::Slot) + histograms_.capacity() * sizeof(std::uint16_t);
  }

  void forget() {
    std::fill(slots_.begin(), slots_.end(), kEmpty);
    histograms_.clear();
    entries_ = 0;
  }

  // Room for so many new ones; true where the known ones had to be forgotten.
  bool make_room(std::int64_t fresh) {
    bool forgotten = false;
    const std::uint32_t capacity = plan_.room_for(this->capacity(), entries_, fresh, forgotten);
    if (capacity != this->capacity()) {
      slots_ = std::vector<detail::Slot>();
      histograms_ = std::vector<std::uint16_t>();
      slots_.assign(capacity, kEmpty);
      histograms_.reserve(static_cast<std::size_t>(TablePlan::limit(capacity)) *
                          static_cast<std::size_t>(kept_bins_));
      entries_ = 0;
    } else if (forgotten) {
      forget();
    }
    return forgotten;
  }

  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(slots_.data() + detail::first_slot(hash, capacity()), 1);
  }
  template <class Same>
  detail::Place find_or_claim(std::uint64_t hash, std::uint64_t key, const Same& same) {
    using Word = std::atomic_ref<std::uint64_t>;
    return detail::find_or_claim(
        hash, capacity(),
        [&](std::uint32_t slot) -> detail::SlotContent {
          return {Word(slots_[slot].key).load(std::memory_order_relaxed), slots_[slot].value};
        },
        same,
        [&](std::uint32_t slot) {
          std::uint64_t before = detail::kNoKey;
          Word(slots_[slot].key).compare_exchange_strong(before, key, std::memory_order_relaxed);
          return before;
        });
  }

  std::uint32_t value(std::uint32_t slot) const { return slots_[slot].value; }
  void store(std::uint32_t slot, std::uint32_t value) { slots_[slot].value = value; }
  void count(std::int64_t fresh) { entries_ += fresh; }
  // All there are, by their slots: quicker than forget() where they are few.
  void forget_slot(std::uint32_t slot) { slots_[slot] = kEmpty; }
  void forgot_all() {
    histograms_.clear();
    entries_ = 0;
  }

  // Keeps a whole histogram, whose owner was a pixel of the frame.
  template <class Count>
  void keep(std::uint32_t slot, const Count* histogram) {
    const auto number = histograms_.size() / static_cast<std::size_t>(kept_bins_);
    histograms_.insert(histograms_.end(), histogram, histogram + kept_bins_);
    std::uint64_t& key = slots_[slot].key;
    key = (key >> 32) << 32 | number;
  }
  const std::uint16_t* kept(std::uint32_t number) const {
    return histograms_.data() +
           static_cast<std::size_t>(number) * static_cast<std::size_t>(kept_bins_);
  }

 private:
  static constexpr detail::Slot kEmpty{detail::kNoKey, detail::kUnknown, 0};

  std::uint32_t capacity() const { return static_cast<std::uint32_t>(slots_.size()); }

  TablePlan plan_;
  int kept_bins_;
  std::vector<detail::Slot> slots_{};
  std::vector<std::uint16_t> histograms_{};
  std::int64_t entries_ = 0;
};

}  // namespace fovea::emd::cpu
