#include "tensor/captured_graph.h"

#include <utility>

#include "backend/current.h"
#include "base/check.h"
#include "base/error.h"
#include "memory/device_resources.h"

namespace gpukit {

namespace captured_graph {
namespace {

thread_local CapturedGraph* this_threads = nullptr;

/// What the host wanted, and how the same is done with a graph.
struct Advice {
  const char* what;
  const char* instead;
};

Advice advice_on(WaitKind kind) noexcept {
  switch (kind) {
    case WaitKind::kItem:
      return {"a value cannot be read (.item(), float(), .tolist())",
              "Read it after graph.replay()"};
    case WaitKind::kPrint:
      return {"a tensor cannot be printed", "Print it after graph.replay()"};
    case WaitKind::kNumpy:
      return {"an array cannot be made of a tensor", "Make it after graph.replay()"};
    case WaitKind::kBool:
      return {"the truth of a tensor is not known", "Decide with gpukit.where, or outside"};
    case WaitKind::kIndex:
      return {"the size of what a mask selects is not known", "Use gpukit.where, or index outside"};
    case WaitKind::kCopy:
      return {"nothing can be copied to the CPU", "Copy it after graph.replay()"};
    case WaitKind::kPageable:
      return {"ordinary memory cannot be uploaded",
              "Make the tensor on the device before, and fill it with copy_() before each replay"};
    default:
      return {"nothing can be waited for", "Wait after the 'with gpukit.cuda.graph' block"};
  }
}

}  // namespace
}  // namespace captured_graph

CapturedGraph* capturing_on(const OpenDevice& device) noexcept {
  if (!any_capture() || captured_graph::this_threads == nullptr) return nullptr;
  return captured_graph::this_threads->device() == &device ? captured_graph::this_threads : nullptr;
}

bool keep_for_graph(Storage& storage) {
  CapturedGraph* graph = capturing_on(storage.allocating_device());
  return graph != nullptr && graph->keep(storage);
}

void check_not_capturing(OpenDevice& device, StreamRef stream, WaitKind otherwise) {
  if (!any_capture() || !device.runtime().is_capturing(stream)) return;
  const captured_graph::Advice advice = captured_graph::advice_on(wait_reason(otherwise));
  throw DeviceError(concat(to_string(device.device()), ": ", advice.what,
                           " while a graph is captured: work is recorded then, not run. ",
                           advice.instead, "."))
      .with_detail("device", to_string(device.device()));
}

void hold_for_graph(const OpenDevice& device, const std::shared_ptr<const void>& needed) {
  if (CapturedGraph* graph = capturing_on(device)) graph->hold(needed);
}

void CapturedGraph::begin(OpenDevice& device, StreamRef stream) {
  GPUKIT_CHECK(captured_graph::this_threads == nullptr, DeviceError,
               "cuda.graph: this thread captures a graph already. End that one first.");
  GPUKIT_CHECK(!ready() && !capturing_, DeviceError,
               "cuda.graph: this graph holds a capture. Call its reset(), or use another one.");
  let_go();
  auto memory = std::make_shared<memory::GraphMemory>();
  auto session = device.session().shared_from_this();
  device.runtime().begin_capture(stream);
  session_ = std::move(session);
  device_ = &device;
  stream_ = stream;
  memory_ = std::move(memory);
  capturing_ = true;
  captured_graph::this_threads = this;
  detail::open_captures.fetch_add(1, std::memory_order_relaxed);
  resources_of(device).graph_memory()->enter(memory_);
}

void CapturedGraph::leave_capture() noexcept {
  capturing_ = false;
  captured_graph::this_threads = nullptr;
  detail::open_captures.fetch_sub(1, std::memory_order_relaxed);
  if (device_->alive()) resources_of(*device_).graph_memory()->leave();
}

bool CapturedGraph::end() {
  GPUKIT_CHECK(capturing_ && captured_graph::this_threads == this, DeviceError,
               "cuda.graph: capture_end() without capture_begin() on this thread.");
  try {
    graph_ = device_->runtime().end_capture(stream_);
  } catch (...) {
    leave_capture();
    let_go();
    throw;
  }
  leave_capture();
  if (!ready()) let_go();
  return ready();
}

bool CapturedGraph::keep(Storage& storage) {
  if (known_.contains(&storage)) return true;
  const bool own = resources_of(*device_).graph_memory()->owns(storage.address());
  if (own) return false;
  kept_.push_back(storage.share());
  known_.insert(&storage);
  return true;
}

void CapturedGraph::hold(std::shared_ptr<const void> needed) {
  if (held_.empty() || held_.back() != needed) held_.push_back(std::move(needed));
}

/// The words are written before the graph runs, so their room must not be one that the graph itself
/// uses for something else first: it is no memory of the graph's.
const std::uint64_t* CapturedGraph::add(std::unique_ptr<ReplayInput> input) {
  memory::GraphMemoryResource& graphs = *resources_of(*device_).graph_memory();
  graphs.leave();
  try {
    fed_.emplace_back().room =
        StorageRef::allocate_on(*device_, sizeof(ReplayInput::Words), stream_);
    inputs_.push_back(std::move(input));
  } catch (...) {
    fed_.resize(inputs_.size());
    graphs.enter(memory_);
    throw;
  }
  graphs.enter(memory_);
  return reinterpret_cast<const std::uint64_t*>(fed_.back().room->address());
}

/// The words reach the device in the order of the stream, so a replay that still runs has read its
/// own.
void CapturedGraph::feed(StreamRef stream) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const ReplayInput::Words words = inputs_[i]->next();
    Fed& fed = fed_[i];
    if (fed.written && fed.words == words) continue;
    device_->ops().write_words({words, fed.room->address()}, stream);
    fed.words = words;
    fed.written = true;
  }
}

void CapturedGraph::follow_last_replay(StreamRef stream) {
  DeviceRuntime& runtime = device_->runtime();
  if (replayed_ && last_replay_ != stream) {
    const EventRef event = runtime.create_event({});
    runtime.record(event, last_replay_);
    runtime.wait(stream, event);
    runtime.destroy_event(event);
  }
  resources_of(*device_).graph_memory()->note_replay(*memory_, stream);
  last_replay_ = stream;
  replayed_ = true;
}

void CapturedGraph::replay(StreamRef stream) {
  GPUKIT_CHECK(ready(), DeviceError,
               "CUDAGraph.replay: nothing was captured. Fill it first: with "
               "gpukit.cuda.graph(g): …");
  DeviceRuntime& runtime = device_->runtime();
  GPUKIT_CHECK(!runtime.is_capturing(stream), DeviceError,
               "CUDAGraph.replay: this stream is being captured; a graph cannot be part of "
               "another one. Replay it after the block.");
  follow_last_replay(stream);
  feed(stream);
  runtime.launch_graph(graph_, stream);
}

void CapturedGraph::reset() noexcept {
  if (capturing_ && captured_graph::this_threads == this) {
    try {
      end();
    } catch (...) {  // the capture was invalidated, and has ended
    }
  }
  let_go();
}

/// Nobody waits: the memory is reused after the last replays.
void CapturedGraph::let_go() noexcept {
  if (device_ != nullptr && device_->alive()) {
    try {
      device_->runtime().destroy_graph(graph_);
      for (StreamRef stream : memory_->replays) {
        for (const StorageRef& storage : kept_) storage->record_stream(stream);
        for (const Fed& fed : fed_) fed.room->record_stream(stream);
      }
    } catch (...) {  // a lost device has no replay under way
    }
    fed_.clear();
    resources_of(*device_).graph_memory()->release(*memory_);
  }
  graph_ = {};
  inputs_.clear();
  fed_.clear();
  kept_.clear();
  known_.clear();
  held_.clear();
  memory_.reset();
  replayed_ = false;
  device_ = nullptr;
  session_.reset();
}

}  // namespace gpukit
