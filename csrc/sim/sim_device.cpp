#include "sim/sim_device.h"

#include <algorithm>
#include <utility>

#include "sim/simulation.h"

namespace gpukit::sim {

namespace sim_device {
namespace {

constexpr int kKeplerCapability = 35;
// Pageable memory goes through a staging buffer of the driver.
constexpr double kPageableShare = 0.5;

CUcontext make_handle(std::uint64_t generation, int index) {
  return reinterpret_cast<CUcontext>((generation << 32) + 0x50000000u +
                                     (static_cast<std::uintptr_t>(index) << 4));
}

std::uint64_t memory_of(const Simulation& simulation, const Card& card) {
  return simulation.config().memory_bytes != 0 ? simulation.config().memory_bytes
                                               : card.memory_bytes;
}

}  // namespace
}  // namespace sim_device

bool is_sticky(CUresult status) {
  switch (static_cast<int>(status)) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

SimDevice::SimDevice(Simulation& simulation, int index, const Card& card)
    : simulation_(simulation),
      index_(index),
      card_(card),
      heap_(sim_device::memory_of(simulation, card), simulation.config().strict),
      default_pool_(*this),
      context_handle_(sim_device::make_handle(simulation.generation(), index)) {}

SimDevice::~SimDevice() {
  cancel_streams();
  join_streams();
}

int SimDevice::capability() const {
  return simulation_.faults().no_architecture() ? sim_device::kKeplerCapability
                                                : card_.capability();
}

bool SimDevice::in_real_time() const { return simulation_.config().realtime; }

void SimDevice::note_status(CUresult status) {
  CUresult healthy = CUDA_SUCCESS;
  if (is_sticky(status)) sticky_.compare_exchange_strong(healthy, status);
}

// ---- context

CUresult SimDevice::release_context() {
  int references = context_references_.load();
  do {
    if (references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  } while (!context_references_.compare_exchange_weak(references, references - 1));
  if (references == 1) destroy_context();
  return CUDA_SUCCESS;
}

void SimDevice::reset_context() {
  if (context_references_.exchange(0) > 0) destroy_context();
}

void SimDevice::destroy_context() {
  synchronise();
  simulation_.forget_objects_of(*this);
  {
    const std::lock_guard lock(streams_mutex_);
    for (auto& stream : streams_) stream->finish();
    retired_streams_.insert(retired_streams_.end(), streams_.begin(), streams_.end());
    streams_.clear();
    legacy_ = nullptr;
  }
  default_pool_.forget_all();
  current_pool_ = nullptr;
  heap_.release_all();
  simulation_.free_host_ranges_of(index_);
  const std::lock_guard lock(peers_mutex_);
  peers_.clear();
}

CUresult SimDevice::enable_peer(int other) {
  if (other == index_) return CUDA_ERROR_INVALID_DEVICE;
  if (!simulation_.can_access_peer(index_, other)) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  const std::lock_guard lock(peers_mutex_);
  return peers_.insert(other).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult SimDevice::disable_peer(int other) {
  const std::lock_guard lock(peers_mutex_);
  return peers_.erase(other) != 0 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

bool SimDevice::reaches(CUdeviceptr address) {
  SimDevice* owner = simulation_.device_of(address);
  if (owner == nullptr || owner == this) return true;
  // Padding between arguments may look like an address, so only allocated memory counts.
  if (!owner->heap().find(address, 1)) return true;
  const std::lock_guard lock(peers_mutex_);
  return peers_.contains(owner->index());
}

// ---- streams

std::shared_ptr<SimStream> SimDevice::create_stream(unsigned flags, int priority) {
  auto stream = std::make_shared<SimStream>(*this, next_stream_++, flags, priority);
  Streams done;
  const std::lock_guard lock(streams_mutex_);
  const auto first_done = std::partition(retired_streams_.begin(), retired_streams_.end(),
                                         [](const auto& old) { return !old->is_idle(); });
  done.assign(first_done, retired_streams_.end());
  retired_streams_.erase(first_done, retired_streams_.end());
  streams_.push_back(stream);
  return stream;
}

void SimDevice::retire(const std::shared_ptr<SimStream>& stream) {
  simulation_.captures.forget(*stream);
  stream->finish();
  const std::lock_guard lock(streams_mutex_);
  std::erase(streams_, stream);
  retired_streams_.push_back(stream);
}

SimDevice::Streams SimDevice::live_streams() {
  const std::lock_guard lock(streams_mutex_);
  Streams all = streams_;
  all.insert(all.end(), retired_streams_.begin(), retired_streams_.end());
  return all;
}

std::shared_ptr<SimStream> SimDevice::legacy_stream() {
  {
    const std::lock_guard lock(streams_mutex_);
    if (legacy_ != nullptr) return legacy_;
  }
  auto stream = create_stream(CU_STREAM_DEFAULT, 0);
  const std::lock_guard lock(streams_mutex_);
  if (legacy_ == nullptr) legacy_ = stream;
  return legacy_;
}

std::shared_ptr<SimStream> SimDevice::per_thread_stream() {
  const std::lock_guard lock(simulation_.lazy_objects_mutex);
  auto& stream = simulation_.per_thread_streams[{std::this_thread::get_id(), index_}];
  if (stream == nullptr) stream = create_stream(CU_STREAM_DEFAULT, 0);
  return stream;
}

// Called with the order lock held. The work of a stream that must come first is waited for by a
// queued wait.
void SimDevice::follow_implicit_order(SimStream& stream) {
  if (!stream.is_blocking()) return;
  Streams before;
  {
    const std::lock_guard lock(streams_mutex_);
    if (legacy_ == nullptr) return;
    if (&stream != legacy_.get()) {
      before = {legacy_};
    } else {
      before = streams_;
      before.insert(before.end(), retired_streams_.begin(), retired_streams_.end());
    }
  }
  for (const auto& other : before) {
    if (other.get() == &stream || !other->is_blocking()) continue;
    stream.virtual_end = std::max(stream.virtual_end, other->virtual_end);
    const std::uint64_t ticket = other->last_ticket();
    if (other->is_complete(ticket)) continue;
    Work wait;
    wait.run = [other, ticket] {
      other->wait(ticket);
      return CUDA_SUCCESS;
    };
    stream.push(std::move(wait));
  }
}

double SimDevice::advance_clock(SimStream& stream, const Cost& cost,
                                std::shared_ptr<const CountedLaunch> counted) {
  double start = std::max(stream.virtual_end, simulation_.host_clock());
  double& engine_free = engine_free_virtual_[static_cast<std::size_t>(cost.engine)];
  if (cost.engine != Engine::kNone) start = std::max(start, engine_free);
  stream.virtual_end = start + cost.total();
  if (cost.what[0] != '\0')
    simulation_.log_event({&stream, cost, start, stream.virtual_end, std::move(counted)});
  if (cost.engine != Engine::kNone) engine_free = stream.virtual_end;
  return stream.virtual_end;
}

std::uint64_t SimDevice::submit(SimStream& stream, Work work) {
  if (simulation_.captures.take(stream, work)) return 0;
  stream.wait_for_room();
  const std::lock_guard lock(simulation_.order_mutex());
  follow_implicit_order(stream);
  if (work.counted != nullptr) work.counted = std::make_shared<CountedLaunch>();
  advance_clock(stream, work.cost, work.counted);
  return stream.push(std::move(work));
}

std::shared_ptr<EventRecord> SimDevice::submit_record(SimStream& stream) {
  if (auto mark = simulation_.captures.mark(stream))
    return std::make_shared<EventRecord>(std::move(mark));
  stream.wait_for_room();
  const std::lock_guard lock(simulation_.order_mutex());
  follow_implicit_order(stream);
  auto record = std::make_shared<EventRecord>(advance_clock(stream, {}));
  const bool real_time = in_real_time();
  Work work;
  work.drop = [record] { record->complete(); };
  work.run = [record, real_time] {
    if (real_time)
      record->complete_at(wall_nanoseconds());
    else
      record->complete();
    return CUDA_SUCCESS;
  };
  stream.push(std::move(work));
  return record;
}

void SimDevice::submit_wait(SimStream& stream, std::shared_ptr<EventRecord> record) {
  stream.wait_for_room();
  const std::lock_guard lock(simulation_.order_mutex());
  follow_implicit_order(stream);
  if (!in_real_time()) stream.virtual_end = std::max(stream.virtual_end, record->nanoseconds());
  Work work;
  work.run = [record] {
    record->wait();
    return CUDA_SUCCESS;
  };
  stream.push(std::move(work));
}

void SimDevice::submit_and_wait(SimStream& stream, Work work) {
  const std::uint64_t ticket = submit(stream, std::move(work));
  double end = 0;
  {
    const std::lock_guard lock(simulation_.order_mutex());
    end = stream.virtual_end;
  }
  stream.wait(ticket);
  simulation_.advance_host_clock(end);
}

// Queues nothing, so that a stream whose work is done stays idle while a thread waits
// for it.
void SimDevice::synchronise(SimStream& stream) {
  std::uint64_t ticket = 0;
  double end = 0;
  {
    const std::lock_guard lock(simulation_.order_mutex());
    follow_implicit_order(stream);
    ticket = stream.last_ticket();
    end = stream.virtual_end;
  }
  stream.wait(ticket);
  simulation_.advance_host_clock(end);
  default_pool_.on_synchronise();
}

bool SimDevice::is_idle() {
  const Streams all = live_streams();
  return std::all_of(all.begin(), all.end(), [](const auto& stream) { return stream->is_idle(); });
}

bool SimDevice::stream_is_idle(SimStream& stream) {
  if (!stream.is_idle()) return false;
  const bool is_legacy = [&] {
    const std::lock_guard lock(streams_mutex_);
    return legacy_.get() == &stream;
  }();
  if (is_legacy) {
    for (const auto& other : live_streams()) {
      if (other->is_blocking() && !other->is_idle()) return false;
    }
  }
  const std::lock_guard lock(simulation_.order_mutex());
  simulation_.host_clock() = std::max(simulation_.host_clock(), stream.virtual_end);
  return true;
}

void SimDevice::synchronise() {
  const Streams all = live_streams();
  for (const auto& stream : all) stream->wait(stream->last_ticket());
  simulation_.advance_host_clock(virtual_now());
  default_pool_.on_synchronise();
}

void SimDevice::cancel_streams() {
  for (const auto& stream : live_streams()) stream->cancel();
}

void SimDevice::join_streams() {
  for (const auto& stream : live_streams()) stream->join();
}

// ---- costs

Cost SimDevice::transfer_cost(Engine engine, std::size_t bytes, bool pinned) const {
  const SimConfig& config = simulation_.config();
  double gbps = config.link_gbps > 0 ? config.link_gbps : card_.link_gbps;
  if (!pinned) gbps *= sim_device::kPageableShare;
  Cost cost;
  cost.engine = engine;
  cost.nanoseconds = config.transfer_latency_us * 1e3 + static_cast<double>(bytes) / gbps;
  cost.bytes = bytes;
  cost.what = engine == Engine::kHostToDevice   ? "copy to device"
              : engine == Engine::kDeviceToHost ? "copy to host"
                                                : "copy to peer";
  return cost;
}

Cost SimDevice::device_copy_cost(std::size_t bytes) const {
  return memory_cost("copy", bytes, 2.0 * static_cast<double>(bytes));
}

Cost SimDevice::fill_cost(std::size_t bytes) const {
  return memory_cost("fill", bytes, static_cast<double>(bytes));
}

Cost SimDevice::memory_cost(const char* what, std::size_t bytes, double moved) const {
  Cost cost = launch_cost();
  cost.nanoseconds = moved / card_.memory_gbps();
  cost.bytes = bytes;
  cost.what = what;
  return cost;
}

Cost SimDevice::launch_cost() const {
  Cost cost;
  cost.launch_nanoseconds = simulation_.config().launch_us * 1e3;
  return cost;
}

Cost SimDevice::work_cost(const char* what, const Traffic& traffic) const {
  Cost cost = launch_cost();
  cost.nanoseconds = roofline_nanoseconds(card_, traffic);
  cost.bytes = static_cast<std::uint64_t>(traffic.bytes);
  cost.what = what;
  return cost;
}

double SimDevice::reserve_engine_now(const Cost& cost, double earliest) {
  const std::lock_guard lock(engines_mutex_);
  double start = earliest;
  double& engine_free = engine_free_wall_[static_cast<std::size_t>(cost.engine)];
  if (cost.engine != Engine::kNone) start = std::max(start, engine_free);
  const double end = start + cost.total();
  if (cost.engine != Engine::kNone) engine_free = end;
  return end;
}

double SimDevice::virtual_now() {
  const Streams all = live_streams();
  const std::lock_guard lock(simulation_.order_mutex());
  double latest = 0;
  for (const auto& stream : all) latest = std::max(latest, stream->virtual_end);
  return latest;
}

}  // namespace gpukit::sim
