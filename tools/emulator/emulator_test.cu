// The emulator's own tests: what threads, warps, clusters, memory and streams do, and what mistakes
// it finds.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

// A setting of the environment for the life of the object.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { unsetenv(name_); }

 private:
  const char* name_;
};

// Numbers on the device.
template <class T>
class Numbers {
 public:
  explicit Numbers(const std::vector<T>& values) : count_(values.size()) {
    cudaMalloc(&data_, count_ * sizeof(T));
    cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() { cudaFree(data_); }
  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    cudaMemcpy(result.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return result;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

constexpr int kThreads = 96;

__global__ void reverse(int* values) {
  __shared__ int kept[kThreads];
  kept[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = kept[kThreads - 1 - threadIdx.x];
}
__global__ void reverse_without_barrier(int* values) {
  __shared__ int kept[kThreads];
  kept[threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = kept[kThreads - 1 - threadIdx.x];
}
template <class Kernel>
std::vector<int> reversed_by(Kernel kernel) {
  std::vector<int> values(kThreads);
  for (int i = 0; i < kThreads; ++i) values[i] = i;
  const Numbers<int> numbers(values);
  kernel(numbers.data());
  return numbers.values();
}
void launch_reverse(int* values) { reverse<<<1, kThreads>>>(values); }
void launch_without_barrier(int* values) { reverse_without_barrier<<<1, kThreads>>>(values); }

TEST(Emulator, ThreadsMeetAtABarrierInEveryOrder) {
  for (const char* order : {"forward", "reverse", "shuffle"}) {
    const Setting setting("EMULATOR_ORDER", order);
    const std::vector<int> values = reversed_by(launch_reverse);
    for (int i = 0; i < kThreads; ++i) ASSERT_EQ(values[i], kThreads - 1 - i) << order;
  }
}

TEST(Emulator, AMissingBarrierShowsMemoryThatNobodyWrote) {
  EXPECT_EQ(reversed_by(launch_without_barrier)[0], static_cast<int>(0xCDCDCDCD));
  const Setting setting("EMULATOR_ORDER", "reverse");
  EXPECT_EQ(reversed_by(launch_without_barrier)[0], kThreads - 1);
}

template <class T>
__global__ void sum_warp(T* values, T* sum) {
  T mine = values[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) mine += __shfl_down_sync(~0U, mine, by);
  if (threadIdx.x == 0) *sum = mine;
}
__global__ void vote(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 20) return;  // lanes that have ended are not waited for
  const unsigned odd = __ballot_sync(~0U, lane % 2);
  const unsigned peers = __match_any_sync(~0U, lane % 4);
  const unsigned largest = __reduce_max_sync(~0U, lane);
  if (lane == 6) out[0] = odd, out[1] = peers, out[2] = largest;
}

TEST(Emulator, LanesShuffleVoteAndReduce) {
  std::vector<double> values(32);
  for (int i = 0; i < 32; ++i) values[i] = i + 0.5;
  const Numbers<double> numbers(values), sum({0.0});
  sum_warp<double><<<dim3(1), dim3(32)>>>(numbers.data(), sum.data());
  EXPECT_EQ(sum.values()[0], 512);
  const Numbers<unsigned> out({0, 0, 0});
  vote<<<1, 32>>>(out.data());
  EXPECT_EQ(out.values(), (std::vector<unsigned>{0xAAAAA, 0x44444, 19}));
}

__global__ void sum_cluster(int* out) {
  extern __shared__ int given[];
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) given[0] = static_cast<int>(blockIdx.x) + 1;
  cluster.sync();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
    sum += *cluster.map_shared_rank(given, rank);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

TEST(Emulator, BlocksOfAClusterSeeEachOthersMemory) {
  const Numbers<int> out({0, 0, 0, 0});
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{dim3(4), dim3(32), sizeof(int), nullptr, &attribute, 1};
  ASSERT_EQ(cudaLaunchKernelEx(&config, sum_cluster, out.data()), cudaSuccess);
  EXPECT_EQ(out.values(), (std::vector<int>{3, 3, 7, 7}));
}

__global__ void copy_behind(const int* from, int* out) {
  __shared__ alignas(16) int kept[2];
  __pipeline_memcpy_async(&kept[0], from, 8);
  __pipeline_commit();
  out[0] = kept[1];
  __pipeline_wait_prior(0);
  out[1] = kept[1];
}

TEST(Emulator, CopiesLandWhenTheyAreAwaited) {
  const Numbers<int> from({4, 5}), out({0, 0});
  copy_behind<<<1, 1>>>(from.data(), out.data());
  EXPECT_EQ(out.values(), (std::vector<int>{static_cast<int>(0xCDCDCDCD), 5}));
}

__device__ inline void load(const unsigned* at, unsigned& to) {
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(to) : "l"(at) : "memory");
}
__global__ void wait_for_last(unsigned* flag, unsigned* out) {
  if (threadIdx.x == blockDim.x - 1) atomicExch(flag, 7U);
  unsigned seen = 0;
  while (seen == 0) load(flag, seen);
  atomicAdd(out, seen);
}

TEST(Emulator, ThreadsThatWaitInALoopLetOthersRun) {
  const Numbers<unsigned> flag({0}), out({0});
  wait_for_last<<<1, 64>>>(flag.data(), out.data());
  EXPECT_EQ(out.values()[0], 64 * 7U);
}

__global__ void add_one(int* value) { ++*value; }

TEST(Emulator, LazyStreamsWorkWhenSomebodyWaits) {
  const Numbers<int> value({0});
  const Setting setting("EMULATOR_ASYNC", "lazy");
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  add_one<<<1, 1, 0, stream>>>(value.data());
  EXPECT_EQ(*value.data(), 0);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(*value.data(), 1);
  cudaStreamDestroy(stream);
}

TEST(Emulator, GraphsRunWhatWasRecorded) {
  const Numbers<int> value({0});
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  add_one<<<1, 1, 0, stream>>>(value.data());
  add_one<<<1, 1, 0, stream>>>(value.data());
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(value.values()[0], 0);
  cudaGraphInstantiate(&exec, graph);
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(value.values()[0], 4);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST(Emulator, HalvesRoundToEven) {
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {
    const float value = __half2float({static_cast<std::uint16_t>(bits)});
    const float next =
        bits == 0x7BFF ? 65536 : __half2float({static_cast<std::uint16_t>(bits + 1)});
    ASSERT_EQ(__float2half_rn(value).bits, bits);
    ASSERT_EQ(__float2half_rn(-value).bits, bits | 0x8000);
    ASSERT_EQ(__float2half_rn((value + next) / 2).bits, bits + bits % 2) << value;
  }
  EXPECT_EQ(__half2float({0x3C00}), 1);
  EXPECT_EQ(__half2float({0x7BFF}), 65504);
  EXPECT_EQ(__half2float({1}), 0x1p-24F);
  EXPECT_EQ(__float2half_rn(HUGE_VALF).bits, 0x7C00);
  EXPECT_GT(__float2half_rn(NAN).bits, 0x7C00);
}

__global__ void diverge() {
  if (threadIdx.x == 3) return;
  if (threadIdx.x < 8) __syncwarp(0xFF);
  else __syncthreads();
}
__global__ void stuck() {
  if (threadIdx.x % 2 == 0) __syncwarp(3);
  else __ballot_sync(3, 1);
}
__global__ void foreign_mask() { __syncwarp(1U << (threadIdx.x + 1)); }
__global__ void write_beyond(int* values) { values[1] = 0; }

void run_write_beyond() {
  const Numbers<int> one({0});
  write_beyond<<<1, 1>>>(one.data());
}

// EXPECT_DEATH() turns its argument into a string, which is no place for a launch.
void run_stuck() { stuck<<<1, 2>>>(); }
void run_foreign_mask() { foreign_mask<<<1, 2>>>(); }

TEST(EmulatorDeathTest, FindsMistakes) {
  diverge<<<1, 32>>>();  // is none: whoever has ended counts as arrived
  EXPECT_DEATH(run_stuck(), "deadlock in kernel stuck: 2 threads.*\n.*mask 00000003");
  EXPECT_DEATH(run_foreign_mask(), "a mask without the calling lane in kernel foreign_mask");
  EXPECT_DEATH(run_write_beyond(), "byte 4 of a piece of memory of 4 bytes was written");
}

TEST(Emulator, RefusesWhatADeviceRefuses) {
  add_one<<<1, 2048>>>(nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const Numbers<int> one({0});
  const int two[2] = {};
  EXPECT_EQ(cudaMemcpy(one.data(), two, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(one.data(), two, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

}  // namespace
