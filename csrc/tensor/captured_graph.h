// A graph of recorded work with everything that it needs to run again: its memory, the tensors it
// reads and writes, and the numbers that are new in each replay.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "backend/session.h"
#include "base/wait_watch.h"
#include "memory/graph_memory.h"
#include "tensor/storage.h"

namespace gpukit {

/// Numbers that the recorded kernels read from the device, and that the host works out before each
/// replay: where random numbers go on, what an optimizer's step is multiplied by.
class ReplayInput {
 public:
  static constexpr std::size_t kMostWords = 4;
  using Words = std::array<std::uint64_t, kMostWords>;

  virtual ~ReplayInput() = default;
  /// Called once before each replay.
  virtual Words next() = 0;
  /// A learning rate, where it has one.
  virtual void set_rate(double) {}
};

/// Not thread safe; captured by one thread.
class CapturedGraph {
 public:
  CapturedGraph() = default;
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph() { reset(); }

  /// Work of this thread on `stream` is recorded from now on. DeviceError when this thread captures
  /// already, or this graph holds a capture.
  void begin(OpenDevice& device, StreamRef stream);
  /// Whatever it throws, the capture is over then. False when nothing was recorded.
  bool end();
  /// Runs it on `stream`, after its own last replay.
  void replay(StreamRef stream);
  /// Lets everything go: the capture under way, the graph, its memory.
  void reset() noexcept;

  bool ready() const noexcept { return graph_ != GraphRef{}; }
  bool capturing() const noexcept { return capturing_; }
  OpenDevice* device() const noexcept { return device_; }

  /// While capturing: the storage stays as long as the graph. False for memory that is the graph's
  /// own.
  bool keep(Storage& storage);
  /// While capturing: what the kernels need besides memory lives as long as the graph.
  void hold(std::shared_ptr<const void> needed);
  /// While capturing: the device address at which the kernels find the input's words.
  const std::uint64_t* add(std::unique_ptr<ReplayInput> input);
  std::span<const std::unique_ptr<ReplayInput>> inputs() const noexcept { return inputs_; }

 private:
  struct Fed {
    StorageRef room;
    ReplayInput::Words words{};
    bool written = false;
  };

  void feed(StreamRef stream);
  void follow_last_replay(StreamRef stream);
  void leave_capture() noexcept;
  void let_go() noexcept;

  std::shared_ptr<Session> session_;
  OpenDevice* device_ = nullptr;
  StreamRef stream_;       ///< of the capture
  StreamRef last_replay_;  ///< the stream of the last replay
  bool replayed_ = false;
  bool capturing_ = false;
  GraphRef graph_;
  std::shared_ptr<memory::GraphMemory> memory_;
  std::vector<StorageRef> kept_;
  std::unordered_set<const Storage*> known_;
  std::vector<std::shared_ptr<const void>> held_;
  std::vector<std::unique_ptr<ReplayInput>> inputs_;
  std::vector<Fed> fed_;  ///< beside inputs_
};

namespace detail {
inline constinit std::atomic<int> open_captures{0};
}

/// True while any thread captures. One load.
inline bool any_capture() noexcept {
  return detail::open_captures.load(std::memory_order_relaxed) != 0;
}
/// The graph that this thread captures on a device, else nullptr.
CapturedGraph* capturing_on(const OpenDevice& device) noexcept;
/// True when this thread's capture keeps the storage.
bool keep_for_graph(Storage& storage);

/// Keeps what a launch needs for the graph that this thread captures on the device, if it does.
void hold_for_graph(const OpenDevice& device, const std::shared_ptr<const void>& needed);

/// Throws what to do instead, where the work of `stream` is recorded and so cannot be waited for.
/// `otherwise` says what the wait is for where no WaitReason does.
void check_not_capturing(OpenDevice& device, StreamRef stream, WaitKind otherwise);

}  // namespace gpukit
