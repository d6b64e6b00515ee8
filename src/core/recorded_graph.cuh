// Launches that are recorded once and repeated as one graph. Where kernels are short, launching
// each of them takes longer than its work.
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cuda_check.h"

namespace fovea::cuda {

// A recorded sequence of launches.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Graph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

  // Records what `enqueue` launches on the stream that it gets.
  template <class Enqueue>
  static Graph record(Enqueue enqueue) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream to record");
    cudaGraph_t graph = nullptr;
    Graph recorded;
    try {
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording");
      enqueue(stream);
      check(cudaStreamEndCapture(stream, &graph), "recording");
      check(cudaGraphInstantiate(&recorded.graph_, graph, 0), "making a graph");
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      cudaStreamDestroy(stream);
      cudaGetLastError();  // errors of the clean-up do not belong to the next call
      throw;
    }
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return recorded;
  }

  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(graph_, stream), "a graph"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// The graphs that were recorded last, by what they depend on. What enqueueing one returned is kept
// with it.
template <class Key, class Note = int>
class RecordedGraphs {
 public:
  explicit RecordedGraphs(std::size_t most) : most_(most) {}

  struct Recorded {
    Key key;
    Graph graph;
    Note note{};
    void launch(cudaStream_t stream) const { graph.launch(stream); }
  };

  template <class Enqueue>
  const Recorded& of(const Key& key, Enqueue enqueue) {
    for (const Recorded& one : graphs_)
      if (one.key == key) return one;
    Recorded recorded{key, {}};
    recorded.graph = Graph::record([&](cudaStream_t stream) {
      if constexpr (std::is_void_v<decltype(enqueue(stream))>) enqueue(stream);
      else recorded.note = enqueue(stream);
    });
    if (graphs_.size() == most_) graphs_.erase(graphs_.begin());
    graphs_.push_back(std::move(recorded));
    return graphs_.back();
  }

 private:
  std::size_t most_;
  std::vector<Recorded> graphs_;
};

}  // namespace fovea::cuda
