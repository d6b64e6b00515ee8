// Many min-plus products in one launch, each with its own operands and its own way of writing its
// results.
#pragma once
#include <vector>

#include "core/on_device.cuh"
#include "ops/shortest_paths/min_plus_tile.cuh"

namespace fovea::cuda {

// d(i, j) is the least of a(k, i) + b(k, j) over all k, of the same for a second pair of operands
// where there is one, and of least(i, j). It is infinite beyond the cutoff.
struct Product {
  Strip a[2];
  Strip b[2];
  Strip least;  // rows of numbers; without data there are none
  int pairs = 1;
  int rows = 0;
  int columns = 0;
  int depth = 0;
  float cutoff = 0;
  // d(i, j) goes to row to_rows[i] and column to_columns[j], or to the mirrored place, or to both.
  // Without a list, i and j are used themselves; where a list has -1, nothing is written.
  float* to = nullptr;
  std::int64_t to_pitch = 0;
  const std::int32_t* to_rows = nullptr;
  const std::int32_t* to_columns = nullptr;
  bool straight = true;
  bool mirrored = false;
};

struct ProductTile {
  std::int32_t product, row, column;
};

// Products that are added one by one and run together.
class Products {
 public:
  void add(const Product& product);
  bool empty() const { return tiles_.empty(); }
  const std::vector<Product>& all() const { return products_; }
  const std::vector<ProductTile>& tiles() const { return tiles_; }
  // Memory that the launch needs is freed in stream order.
  void run(cudaStream_t stream) const;

 private:
  std::vector<Product> products_;
  std::vector<ProductTile> tiles_;
};

}  // namespace fovea::cuda
