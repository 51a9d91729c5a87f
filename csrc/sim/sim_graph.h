// Stream capture and the graphs it creates. A graph stores its work in capture order, and runs it
// in that order on the stream of the launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/sim_event.h"
#include "sim/sim_stream.h"
#include "sim/user_objects.h"

namespace gpukit::sim {

/// For each stream, the last captured work that is ordered before: its number in the capture.
using Covered = std::map<const SimStream*, std::uint64_t>;

struct SimGraph {
  explicit SimGraph(SimDevice& device) : device_(&device) {}
  SimDevice& device() const { return *device_; }

  std::vector<Work> nodes;
  std::mutex objects_mutex;  // guards what follows
  HeldObjects objects;

 private:
  SimDevice* device_;
};

/// An instantiated graph. Launches of one exec are serialised.
struct SimGraphExec {
  explicit SimGraphExec(const SimGraph& graph) : device_(&graph.device()), nodes(graph.nodes) {}
  SimDevice& device() const { return *device_; }
  /// Whether `graph` has the same kinds of work in the same order.
  bool has_shape_of(const SimGraph& graph) const;

 private:
  SimDevice* device_;

 public:
  std::vector<Work> nodes;
  std::mutex mutex;  // guards what follows, and the order of launches
  HeldObjects objects;
  std::shared_ptr<EventRecord> last_end;
};

/// One capture, from begin to end.
struct Capture {
  const SimStream* origin = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  bool invalidated = false;
  std::uint64_t id = 0;  ///< counted from 1
  std::uint64_t count = 0;
  std::shared_ptr<SimGraph> graph;
};

/// The state of an event recorded in a capture.
struct CaptureMark {
  std::shared_ptr<Capture> capture;
  Covered covered;
};

/// All captures of a simulation. Each `refuse…` invalidates the captures that forbid the call and
/// returns the status with which the call must fail; success when no capture forbids it.
class Captures {
 public:
  CUresult begin(SimStream& stream, CUstreamCaptureMode mode);
  CUresult end(const SimStream& stream, std::shared_ptr<SimGraph>& graph);
  CUstreamCaptureStatus status(const SimStream& stream);
  /// The id of the capture that a stream is part of; 0 if none.
  std::uint64_t id(const SimStream& stream);
  /// The graph into which a stream is captured; null if none.
  std::shared_ptr<SimGraph> graph(const SimStream& stream);
  /// Must be called when the stream is destroyed; invalidates its capture.
  void forget(const SimStream& stream);

  /// Moves the work into the graph if the stream is being captured; returns whether it is.
  bool take(const SimStream& stream, Work& work);
  /// The mark of an event recorded in a stream that is being captured; null otherwise.
  std::shared_ptr<CaptureMark> mark(const SimStream& stream);
  /// A stream's wait for an event: sets `taken` if the event belongs to a capture, so that no wait
  /// is queued.
  CUresult wait(const SimStream& stream, const EventRecord& record, bool& taken);

  CUresult refuse_on(const SimStream& stream);
  CUresult refuse_on(const SimDevice& device);
  CUresult refuse_on(const EventRecord& record);
  /// For work on the legacy stream, which would wait for a captured blocking stream.
  CUresult refuse_implicit(const SimDevice& device);
  /// For calls that may synchronise, such as allocations.
  CUresult refuse_unsafe();

 private:
  struct Member {
    std::shared_ptr<Capture> capture;
    Covered covered;
    std::uint64_t last = 0;
  };

  bool none() const { return active_.load() == 0; }
  void leave(const Capture& capture);
  template <class Condition>
  CUresult spoil_if(CUresult status, Condition condition);

  std::atomic<int> active_ = 0;
  std::uint64_t begun_ = 0;  // guarded by the mutex
  std::mutex mutex_;
  std::map<const SimStream*, Member> members_;
};

/// The calling thread's capture interaction mode.
CUstreamCaptureMode& thread_capture_mode();

}  // namespace gpukit::sim
