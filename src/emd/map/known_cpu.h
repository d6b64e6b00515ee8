// The known histograms in host memory. Any number of threads look up and claim slots in the table
// at the same time; storing values and resizing happen between these phases.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "emd/map/map_plan.h"

namespace fovea::emd::cpu {

class KnownHistograms {
 public:
  // `whole`: histograms are compared as a whole, so that they are kept beside their distances (if
  // anything is kept). Otherwise keys are exact.
  KnownHistograms(std::uint64_t cache_bytes, int bins, bool whole)
      : plan_(cache_bytes, TablePlan::bytes_per_slot(whole ? bins : 0), bins),
        kept_bins_(whole && plan_.keeps() ? bins : 0) {}

  const TablePlan& plan() const { return plan_; }
  std::int64_t entries() const { return entries_; }
  std::uint64_t bytes() const {
    return slots_.size() * sizeof(detail::Slot) + histograms_.size() * sizeof(std::uint16_t);
  }

  void forget() {
    std::fill(slots_.begin(), slots_.end(), kEmpty);
    entries_ = 0;
  }

  // Makes room for new histograms. Returns true if the known ones had to be forgotten.
  bool make_room(const TablePlan::Need& need) {
    bool forgotten = false;
    const std::uint32_t capacity = plan_.room_for(this->capacity(), entries_, need, forgotten);
    if (capacity != this->capacity()) {
      slots_ = Array<detail::Slot>();
      histograms_ = Array<std::uint16_t>();
      slots_ = Array<detail::Slot>(capacity);
      histograms_ = Array<std::uint16_t>(static_cast<std::size_t>(TablePlan::limit(capacity)) *
                                         static_cast<std::size_t>(kept_bins_));
      ask_for_large_pages(slots_);
      ask_for_large_pages(histograms_);
      std::fill(slots_.begin(), slots_.end(), kEmpty);
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
  void set_entries(std::int64_t count) { entries_ = count; }
  // If few histograms are known, this is faster than forget().
  void forget_slot(std::uint32_t slot) { slots_[slot] = kEmpty; }

  // Keeps a whole histogram under its number; before, its owner was a pixel of the frame.
  template <class Count>
  void keep(std::uint32_t slot, std::int64_t number, const Count* histogram) {
    std::copy_n(histogram, kept_bins_, histograms_.data() + number * kept_bins_);
    std::uint64_t& key = slots_[slot].key;
    key = (key >> 32) << 32 | static_cast<std::uint64_t>(number);
  }
  const std::uint16_t* kept(std::uint32_t number) const {
    return histograms_.data() +
           static_cast<std::size_t>(number) * static_cast<std::size_t>(kept_bins_);
  }

 private:
  static constexpr detail::Slot kEmpty{detail::kNoKey, detail::kUnknown, 0};

  // A look-up reads a random place of the table, and with small pages most look-ups would miss the
  // translation buffers. This is only advice, so that a refusal is no error.
  template <class T>
  static void ask_for_large_pages(Array<T>& array) {
    constexpr std::uintptr_t kPage = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(array.begin()) + kPage - 1;
    const auto end = reinterpret_cast<std::uintptr_t>(array.end());
    const std::uintptr_t first = begin / kPage * kPage, last = end / kPage * kPage;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(slots_.size()); }

  TablePlan plan_;
  int kept_bins_;
  Array<detail::Slot> slots_{};
  Array<std::uint16_t> histograms_{};
  std::int64_t entries_ = 0;
};

}  // namespace fovea::emd::cpu
