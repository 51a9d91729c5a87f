// One simulated card with its primary context: memory, streams, clocks and the error it died of.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "sim/card_table.h"
#include "sim/kernel_cost.h"
#include "sim/kernel_memory.h"
#include "sim/sim_event.h"
#include "sim/sim_heap.h"
#include "sim/sim_pool.h"
#include "sim/sim_stream.h"

namespace gpukit::sim {

class Simulation;

/// Statuses after which nothing works on a device any more.
bool is_sticky(CUresult status);

class SimDevice {
 public:
  SimDevice(Simulation& simulation, int index, const Card& card);
  ~SimDevice();
  SimDevice(const SimDevice&) = delete;
  SimDevice& operator=(const SimDevice&) = delete;

  int index() const { return index_; }
  const Card& card() const { return card_; }
  Simulation& simulation() const { return simulation_; }
  /// 75 for compute capability 7.5.
  int capability() const;
  SimHeap& heap() { return heap_; }
  SimPool& default_pool() { return default_pool_; }
  /// The memory that its kernels can use.
  KernelMemory& kernel_memory() { return kernel_memory_; }
  bool in_real_time() const;

  CUresult sticky_status() const { return sticky_.load(); }
  /// Keeps `status` for good if it is one that ends the device.
  void note_status(CUresult status);

  // The primary context: counted, and destroyed with everything it owns when the count is 0.
  CUcontext context_handle() const { return context_handle_; }
  bool context_is_alive() const { return context_references_.load() > 0; }
  void retain_context() { context_references_++; }
  CUresult release_context();
  /// Destroys it even if it is still retained.
  void reset_context();
  unsigned context_flags() const { return context_flags_; }
  void set_context_flags(unsigned flags) { context_flags_ = flags; }
  static constexpr int kLimitCount = 7;
  std::size_t limit(CUlimit which) const { return limits_[static_cast<std::size_t>(which)]; }
  void set_limit(CUlimit which, std::size_t value) {
    limits_[static_cast<std::size_t>(which)] = value;
  }
  /// The pool of plain stream-ordered allocations; null for the default one.
  CUmemoryPool current_pool() const { return current_pool_; }
  void set_current_pool(CUmemoryPool pool) { current_pool_ = pool; }
  CUresult enable_peer(int other);
  CUresult disable_peer(int other);
  /// Whether kernels of this card reach the memory at an address: its own, the host's, and that of
  /// cards to which access is enabled.
  bool reaches(CUdeviceptr address);

  // Streams. The legacy stream waits for all blocking streams and they for it.
  std::shared_ptr<SimStream> create_stream(unsigned flags, int priority);
  void retire(const std::shared_ptr<SimStream>& stream);
  std::shared_ptr<SimStream> legacy_stream();
  std::shared_ptr<SimStream> per_thread_stream();

  /// Queues work after everything it has to follow and returns its ticket.
  std::uint64_t submit(SimStream& stream, Work work);
  std::shared_ptr<EventRecord> submit_record(SimStream& stream);
  void submit_wait(SimStream& stream, std::shared_ptr<EventRecord> record);
  /// Queues work and waits until it is done.
  void submit_and_wait(SimStream& stream, Work work);

  /// Whether no stream of the device has work.
  bool is_idle();
  void synchronise(SimStream& stream);
  bool stream_is_idle(SimStream& stream);
  void synchronise();
  /// Drops all queued work: the simulation ends.
  void cancel_streams();
  /// Waits until the threads of cancelled streams have ended.
  void join_streams();

  Cost transfer_cost(Engine engine, std::size_t bytes, bool pinned) const;
  Cost device_copy_cost(std::size_t bytes) const;
  Cost fill_cost(std::size_t bytes) const;
  Cost launch_cost() const;
  /// A launch, and the least time in which the card could do its work.
  Cost work_cost(const char* what, const Traffic& traffic) const;
  /// Occupies an engine on the wall clock, from `earliest` on; gives the end.
  double reserve_engine_now(const Cost& cost, double earliest);
  /// The latest end of any work on the virtual clock.
  double virtual_now();

 private:
  using Streams = std::vector<std::shared_ptr<SimStream>>;

  Streams live_streams();
  void follow_implicit_order(SimStream& stream);
  double advance_clock(SimStream& stream, const Cost& cost,
                       std::shared_ptr<const CountedLaunch> counted = nullptr);
  Cost memory_cost(const char* what, std::size_t bytes, double moved) const;
  void destroy_context();

  Simulation& simulation_;
  const int index_;
  const Card& card_;
  SimHeap heap_;
  SimPool default_pool_;
  KernelMemory kernel_memory_{*this};
  const CUcontext context_handle_;
  std::atomic<CUresult> sticky_ = CUDA_SUCCESS;
  std::atomic<int> context_references_ = 0;
  std::atomic<unsigned> context_flags_ = 0;
  std::atomic<CUmemoryPool> current_pool_ = nullptr;
  /// Stack, printf, heap, depth and launches of the device runtime, fetches of L2, persisting L2.
  std::atomic<std::size_t> limits_[kLimitCount] = {1024, 7u << 20, 8u << 20, 2, 2048, 128, 0};

  std::atomic<int> next_stream_ = 0;
  std::mutex streams_mutex_;
  Streams streams_;
  Streams retired_streams_;
  std::shared_ptr<SimStream> legacy_;

  std::mutex engines_mutex_;
  double engine_free_wall_[kEngineCount] = {};
  double engine_free_virtual_[kEngineCount] = {};  // guarded by the simulation's order lock

  std::mutex peers_mutex_;
  std::set<int> peers_;
};

}  // namespace gpukit::sim
