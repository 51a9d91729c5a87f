// Everything of one simulation: its devices, the handles it gave out, and host memory it knows.
// Replaceable as a whole; handles of an ended simulation are unknown to the next one.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/fault_plan.h"
#include "sim/handle_table.h"
#include "sim/loading.h"
#include "sim/ptx_texts.h"
#include "sim/sim_config.h"
#include "sim/sim_device.h"
#include "sim/sim_graph.h"
#include "sim/sim_link.h"
#include "sim/sim_module.h"

namespace gpukit::sim {

/// One piece of work that the virtual clock charged.
struct LoggedEvent {
  LoggedEvent(const SimStream* stream, const Cost& cost, double start, double end,
              std::shared_ptr<const CountedLaunch> counted)
      : device(stream->device().index()),
        stream(stream->number()),
        cost(cost),
        start(start),
        end(end),
        counted(std::move(counted)) {}

  int device;
  int stream;
  Cost cost;
  double start, end;  // nanoseconds
  std::shared_ptr<const CountedLaunch> counted;
  std::uint64_t number = 0;  ///< from the first of the simulation
};

/// Memory of the host that devices can use.
enum class HostMemory { kPinned, kRegistered, kManaged };

/// A context made by cuCtxCreate: another name for the device's own, with which it shares
/// everything.
struct SimContext {
  explicit SimContext(SimDevice& device, unsigned flags) : device(&device), flags(flags) {}
  SimDevice* device;
  unsigned flags;
};

class Simulation {
 public:
  explicit Simulation(SimConfig config);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const SimConfig& config() const { return config_; }
  FaultPlan& faults() { return faults_; }
  int driver_version() const;
  std::uint64_t generation() const { return generation_; }

  bool is_initialised() const { return initialised_; }
  CUresult initialise();
  /// Drops all queued work; calls that wait for it return.
  void end();
  bool has_ended() const { return ended_; }
  const std::atomic<bool>& ended_flag() const { return ended_; }
  /// Of `engine=ptx`: gpukit's kernels as PTX.
  PtxTexts& ptx_texts() { return ptx_texts_; }

  int device_count() const { return static_cast<int>(devices_.size()); }
  /// The device, or null for an ordinal that is none.
  SimDevice* device(int ordinal);
  SimDevice* device_of(CUcontext context);
  /// The device in whose address range `address` lies, or null.
  SimDevice* device_of(CUdeviceptr address);
  /// Whether all of [address, address + bytes) is one allocation's.
  bool is_device_range(CUdeviceptr address, std::size_t bytes);
  /// The same for what a device can use: its memory, managed memory, page-locked memory of the
  /// host.
  bool is_usable_range(CUdeviceptr address, std::size_t bytes);
  bool can_access_peer(int from, int to);

  HandleTable<CUstream, SimStream> streams{0x51000000};
  HandleTable<CUevent, SimEvent> events{0x52000000};
  HandleTable<CUmodule, SimModule> modules{0x53000000};
  HandleTable<CUfunction, SimFunction> functions{0x54000000};
  HandleTable<CUmemoryPool, SimPool> pools{0x55000000};
  HandleTable<CUgraph, SimGraph> graphs{0x56000000};
  HandleTable<CUgraphExec, SimGraphExec> graph_execs{0x57000000};
  HandleTable<CUlibrary, SimLibrary> libraries{0x58000000};
  HandleTable<CUkernel, SimKernel> kernels{0x59000000};
  HandleTable<CUcontext, SimContext> contexts{0x5a000000};
  HandleTable<CUlinkState, SimLink> links{0x5b000000};
  UserObjects user_objects;
  Captures captures;

  // Page-locked host memory.
  void add_host_range(const void* start, std::size_t bytes, HostMemory kind, int device);
  /// Forgets a range that starts there; false when there is none of that kind.
  bool remove_host_range(const void* start, HostMemory kind);
  bool overlaps_host_range(const void* start, std::size_t bytes);
  bool is_pinned(const void* start, std::size_t bytes);
  /// Start and size of the pinned range around `address`; size 0 when there is none.
  std::pair<std::uintptr_t, std::size_t> host_range(const void* address);
  /// Whether the address is in managed memory.
  bool is_managed(const void* address);
  /// The device whose context had made the range.
  int device_of_host_range(const void* address);
  void free_host_ranges_of(int device);

  /// Guards the order in which work is queued and the virtual clock.
  std::mutex& order_mutex() { return order_mutex_; }
  /// How far the host has got on the virtual clock; guarded by the order lock.
  double& host_clock() { return host_clock_; }
  void advance_host_clock(double nanoseconds);

  /// While one lives, device memory can be touched; it matters in a strict simulation only.
  class MemoryAccess {
   public:
    explicit MemoryAccess(Simulation& simulation);
    ~MemoryAccess();
    MemoryAccess(const MemoryAccess&) = delete;
    MemoryAccess& operator=(const MemoryAccess&) = delete;

   private:
    Simulation& simulation_;
  };

  /// Work on the virtual clock, oldest first; the last 100 000. Called with the order lock held.
  void log_event(const LoggedEvent& event);
  std::vector<LoggedEvent> logged_events();
  /// What the event of that number, counted from the first of all, was counted by; or null.
  std::shared_ptr<const CountedLaunch> counted_launch(std::uint64_t event);

  std::map<std::pair<std::thread::id, int>, std::shared_ptr<SimStream>> per_thread_streams;
  /// Handles of the devices' default pools, by ordinal.
  std::map<int, CUmemoryPool> default_pools;
  /// Guards the two maps above.
  std::mutex lazy_objects_mutex;

  /// Handles of everything that belongs to a device become invalid.
  void forget_objects_of(const SimDevice& device);

 private:
  struct HostRange {
    std::size_t bytes;
    HostMemory kind;
    int device;
  };

  void make_devices(const std::vector<const Card*>& cards);

  SimConfig config_;
  FaultPlan faults_;
  PtxTexts ptx_texts_;
  const std::uint64_t generation_;
  std::atomic<bool> initialised_ = false;
  std::atomic<bool> ended_ = false;
  std::mutex access_mutex_;
  int accesses_ = 0;
  std::deque<LoggedEvent> events_log_;  // guarded by the order lock
  std::uint64_t forgotten_events_ = 0;  ///< ... too
  std::mutex order_mutex_;
  double host_clock_ = 0;
  std::mutex host_ranges_mutex_;
  std::map<std::uintptr_t, HostRange> host_ranges_;
  std::vector<std::unique_ptr<SimDevice>> devices_;
};

/// The simulation that calls go to: the configured one, else that of GPUKIT_SIMULATE, else one
/// T4.
std::shared_ptr<Simulation> current_simulation();

/// What is wrong with a text that is to describe a simulation, or nothing.
std::string config_fault(std::string_view config_text);

/// Ends the current simulation and starts another. Returns the error in the text, or nothing.
std::string replace_simulation(std::string_view config_text);

/// Keeps the text of the last thing worth telling, and prints it when it is about a kernel or an
/// image.
void set_last_message(const std::string& message);
void report_diagnostic(const std::string& message);
std::string last_message();

}  // namespace gpukit::sim
