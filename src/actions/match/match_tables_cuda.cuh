// Models and scenes in device memory, which the engines of matching share.
#pragma once
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "actions/match/match_kernels.cuh"
#include "core/kept_buffer.cuh"

namespace fovea::actions::cuda {

inline std::int32_t round_up(std::int32_t value, std::int32_t step) {
  return (value + step - 1) / step * step;
}

// Lays out data of several types one after the other.
class Pieces {
 public:
  template <class T>
  std::size_t take(std::int64_t count) {
    const std::size_t begin = bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return begin;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// Host memory that grows when it has to and is kept.
class PinnedBuffer {
 public:
  unsigned char* reserve(std::size_t bytes) {
    if (bytes > array_.size()) {
      array_ = Array<unsigned char>();
      array_ = Array<unsigned char>(bytes + bytes / 4, Memory::kPinned);
    }
    return array_.data();
  }

 private:
  Array<unsigned char> array_;
};

// The properties of the current device that decide how jobs are divided.
inline DeviceLimits device_limits() {
  DeviceLimits limits;
  int device = 0;
  fovea::cuda::check(cudaGetDevice(&device), "match");
  const auto ask = [device](int& value, cudaDeviceAttr attribute) {
    fovea::cuda::check(cudaDeviceGetAttribute(&value, attribute, device), "match");
  };
  ask(limits.units, cudaDevAttrMultiProcessorCount);
  ask(limits.unit_shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  ask(limits.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return limits;
}

// Uploads models, node after node. Models are not empty and have features of one length.
class ModelTables {
 public:
  DeviceModels fill(std::span<const Nodes* const> models, cudaStream_t stream) {
    DeviceModels tables;
    const int features = models.front()->features.width();
    std::vector<detail::CellNode> nodes;
    std::vector<ModelRange> ranges;
    ranges.reserve(models.size());
    for (const Nodes* model : models) {
      ranges.push_back({static_cast<std::int32_t>(nodes.size()), model->size()});
      for (int i = 0; i < model->size(); ++i) nodes.push_back(detail::node_of(*model, i));
      tables.longest = std::max(tables.longest, model->size());
    }
    tables.models = static_cast<std::int32_t>(models.size());
    tables.total = static_cast<std::int32_t>(nodes.size());
    tables.pitch = round_up(tables.total, kNodeStep);
    tables.depth = round_up(features, kFeatureStep);
    std::vector<float> rows(static_cast<std::size_t>(tables.depth) * tables.pitch);
    for (std::size_t m = 0; m < models.size(); ++m)
      for (int i = 0; i < models[m]->size(); ++i)
        for (int k = 0; k < features; ++k)
          rows[static_cast<std::size_t>(k) * tables.pitch + ranges[m].first + i] =
              models[m]->features.at(k, i);
    tables.nodes = nodes_.fill(nodes, stream);
    tables.ranges = ranges_.fill(ranges, stream);
    tables.features = rows_.fill(rows, stream);
    return tables;
  }

 private:
  fovea::cuda::KeptBuffer<detail::CellNode> nodes_;
  fovea::cuda::KeptBuffer<ModelRange> ranges_;
  fovea::cuda::KeptBuffer<float> rows_;
};

// Uploads scenes in one copy, and has room for what is computed for them.
class SceneTables {
 public:
  DeviceScenes bring(const detail::CellBatch& batch, std::span<const Scene> scenes,
                     const DeviceModels& models, cudaStream_t stream) {
    Pieces pieces;
    const std::size_t layouts = pieces.take<detail::CellLayout>(std::ssize(batch.scenes));
    const std::size_t frames = pieces.take<std::int32_t>(batch.points);
    const std::size_t first_at = pieces.take<std::int32_t>(std::ssize(batch.first_at));
    const std::size_t places = pieces.take<float>(2 * batch.points);
    const std::size_t features = pieces.take<float>(batch.points * models.depth);
    unsigned char* const host = staging_.reserve(pieces.bytes());
    const auto put = [&](std::size_t at, const auto& values) {
      if (!values.empty()) std::memcpy(host + at, values.data(), values.size() * sizeof(values[0]));
    };
    put(layouts, batch.scenes);
    put(frames, batch.frames);
    put(first_at, batch.first_at);
    put(places, batch.places);
    auto* row = reinterpret_cast<float*>(host + features);
    for (const Scene& scene : scenes)
      for (int p = 0; p < scene.points.size(); ++p, row += models.depth) {
        const int width = scene.points.features.width();
        std::memcpy(row, scene.points.features.row(p),
                    static_cast<std::size_t>(width) * sizeof(float));
        std::fill(row + width, row + models.depth, 0.0F);
      }
    unsigned char* const device = scenes_.reserve(pieces.bytes());
    fovea::cuda::check(
        cudaMemcpyAsync(device, host, pieces.bytes(), cudaMemcpyHostToDevice, stream),
        "uploading scenes");
    DeviceScenes on_device;
    on_device.layouts = reinterpret_cast<const detail::CellLayout*>(device + layouts);
    on_device.frames = reinterpret_cast<const std::int32_t*>(device + frames);
    on_device.first_at = reinterpret_cast<const std::int32_t*>(device + first_at);
    on_device.places = reinterpret_cast<const float2*>(device + places);
    on_device.features = reinterpret_cast<const float*>(device + features);
    on_device.points = batch.points;
    on_device.unary_pitch = (batch.points + 31) / 32 * 32;
    on_device.unary = unary_.reserve(static_cast<std::size_t>(on_device.unary_pitch) *
                                     static_cast<std::size_t>(models.total));
    on_device.directions = directions_.reserve(static_cast<std::size_t>(batch.directions));
    return on_device;
  }

 private:
  PinnedBuffer staging_;
  fovea::cuda::KeptBuffer<unsigned char> scenes_;
  fovea::cuda::KeptBuffer<float> unary_, directions_;
};

}  // namespace fovea::actions::cuda
