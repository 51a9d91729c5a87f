// Several host threads on the simulated driver at once: streams, events, pools, copies, host
// functions, graphs, allocation. tools/sanitize.sh builds it under TSan.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "check.h"
#include "sim/cuda_abi.h"
#include "sim/sim_control.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 40;
constexpr std::size_t kWords = 5000;

#define CU(call) CHECK((call) == CUDA_SUCCESS)

struct Device {
  CUcontext context;
  CUdeviceptr shared;
};

CUstream new_stream() {
  CUstream stream = nullptr;
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

CUevent new_event() {
  CUevent event = nullptr;
  CU(cuEventCreate(&event, CU_EVENT_DEFAULT));
  return event;
}

void count_up(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

/// Fills on one stream, copies on another behind an event, reads back.
void pass_between_streams(CUstream first, CUstream second, unsigned value) {
  CUdeviceptr a = 0, b = 0;
  CU(cuMemAlloc(&a, kWords * 4));
  CU(cuMemAllocAsync(&b, kWords * 4, second));
  void* memory = nullptr;
  CU(cuMemHostAlloc(&memory, kWords * 4, 0));
  const CUevent ready = new_event();
  CU(cuMemsetD32Async(a, value, kWords, first));
  CU(cuEventRecord(ready, first));
  CU(cuStreamWaitEvent(second, ready, 0));
  CU(cuMemcpyDtoDAsync(b, a, kWords * 4, second));
  CU(cuMemcpyDtoHAsync(memory, b, kWords * 4, second));
  CU(cuStreamSynchronize(second));
  const auto* words = static_cast<const unsigned*>(memory);
  for (std::size_t i = 0; i < kWords; i++) CHECK(words[i] == value);
  CU(cuEventDestroy(ready));
  CU(cuMemFreeAsync(b, second));
  CU(cuMemFreeHost(memory));
  CU(cuMemFree(a));
}

/// A graph of two fills, launched twice.
void replay(CUstream stream, CUdeviceptr memory, unsigned value) {
  CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CU(cuMemsetD32Async(memory, value, 16, stream));
  CU(cuMemsetD32Async(memory, value + 1, 8, stream));
  CUgraph graph = nullptr;
  CU(cuStreamEndCapture(stream, &graph));
  CUgraphExec ready = nullptr;
  CU(cuGraphInstantiate(&ready, graph, 0));
  CU(cuGraphDestroy(graph));
  for (int i = 0; i < 2; i++) CU(cuGraphLaunch(ready, stream));
  unsigned words[16];
  CU(cuMemcpyDtoHAsync(words, memory, sizeof words, stream));
  for (int i = 0; i < 16; i++) CHECK(words[i] == (i < 8 ? value + 1 : value));
  CU(cuGraphExecDestroy(ready));
}

void work(const Device& device, const Device& peer, unsigned seed, std::atomic<int>* calls) {
  CU(cuCtxSetCurrent(device.context));
  const CUstream first = new_stream(), second = new_stream();
  CUdeviceptr own = 0;
  CU(cuMemAlloc(&own, 64));
  for (int round = 0; round < kRounds; round++) {
    const unsigned value = seed * 1000 + static_cast<unsigned>(round);
    pass_between_streams(first, second, value);
    replay(first, own, value);
    CU(cuLaunchHostFunc(second, &count_up, calls));
    CU(cuMemcpyPeerAsync(own, device.context, peer.shared, peer.context, 64, second));
    std::size_t free_bytes = 0, total = 0;
    CU(cuMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes <= total);
    CHECK(cuStreamQuery(first) == CUDA_SUCCESS || cuStreamQuery(first) == CUDA_ERROR_NOT_READY ||
          cuStreamQuery(first) == CUDA_SUCCESS);
  }
  CU(cuStreamSynchronize(second));
  CU(cuStreamDestroy(first));
  CU(cuStreamDestroy(second));
  CU(cuMemFree(own));
}

}  // namespace

int main() {
  CHECK(gpukitSimConfigure("2xT4,mem=1GiB") == 0);
  CU(cuInit(0));
  Device devices[2];
  for (int i = 0; i < 2; i++) {
    CU(cuDevicePrimaryCtxRetain(&devices[i].context, i));
    CU(cuCtxSetCurrent(devices[i].context));
    CU(cuMemAlloc(&devices[i].shared, 64));
    CU(cuMemsetD32Async(devices[i].shared, 5, 16, nullptr));
    CU(cuCtxSynchronize());
  }
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; i++)
    threads.emplace_back(work, devices[i % 2], devices[(i + 1) % 2], i + 1, &calls);
  for (std::thread& thread : threads) thread.join();
  CHECK(calls == kThreads * kRounds);
  CHECK(gpukitSimClockMs(0) > 0 && gpukitSimClockMs(1) > 0);
  // A simulation that is replaced while others work in it: their calls end, nothing else.
  std::thread late([&] {
    if (cuCtxSetCurrent(devices[0].context) != CUDA_SUCCESS) return;
    CUstream stream = nullptr;
    for (int i = 0; i < 1000 && cuStreamCreate(&stream, 0) == CUDA_SUCCESS; i++)
      if (cuStreamDestroy(stream) != CUDA_SUCCESS) break;
  });
  CHECK(gpukitSimConfigure("") == 0);
  late.join();
  std::printf("%d threads, %d rounds\n", kThreads, kRounds);
  return 0;
}
