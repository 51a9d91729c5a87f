#include "sim/simulation.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/env.h"
#include "sim/fresh_memory.h"
#include "sim/host_memory.h"

namespace gpukit::sim {

namespace simulation {
namespace {

constexpr int kOldDriver = 11040;
constexpr int kDriverOfOthers = 13000;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> generation = 0;
  return ++generation;
}

// Never destroyed: threads of the simulator may still run while the process ends.
struct Current {
  std::mutex mutex;
  std::shared_ptr<Simulation> simulation;
  std::string message;
};

Current& current() {
  static auto* const the_current = new Current;
  return *the_current;
}

}  // namespace
}  // namespace simulation

Simulation::Simulation(SimConfig config)
    : config_(std::move(config)),
      ptx_texts_(config_.ptx_folder),
      generation_(simulation::next_id()) {
  fresh_memory().watch(config_.checks.init);
  for (const std::string& fault : config_.faults) faults_.add(fault);
  make_devices(config_.cards);
}

void Simulation::make_devices(const std::vector<const Card*>& cards) {
  devices_.clear();
  for (const Card* card : cards) {
    devices_.push_back(
        std::make_unique<SimDevice>(*this, static_cast<int>(devices_.size()), *card));
  }
}

Simulation::~Simulation() {
  end();
  for (const auto& device : devices_) device->join_streams();
  // Programs of modules have memory of their devices, which go first.
  const auto always = [](const auto&) { return true; };
  graph_execs.remove_if(always);
  graphs.remove_if(always);
  kernels.remove_if(always);
  libraries.remove_if(always);
  functions.remove_if(always);
  modules.remove_if(always);
  // Pinned host memory is left to the process: arrays on it may outlive the simulation.
}

void Simulation::end() {
  ended_ = true;
  for (const auto& device : devices_) device->cancel_streams();
}

int Simulation::driver_version() const {
  return faults_.driver_too_old() ? simulation::kOldDriver : config_.driver_version;
}

CUresult Simulation::initialise() {
  if (faults_.init_status() != CUDA_SUCCESS) return faults_.init_status();
  const std::lock_guard lock(lazy_objects_mutex);
  if (!initialised_ && config_.reads_visible_devices && env::is_set("CUDA_VISIBLE_DEVICES"))
    make_devices(visible_cards(config_.cards, env::text("CUDA_VISIBLE_DEVICES")));
  if (devices_.empty()) return CUDA_ERROR_NO_DEVICE;
  initialised_ = true;
  return CUDA_SUCCESS;
}

SimDevice* Simulation::device(int ordinal) {
  return ordinal >= 0 && ordinal < device_count()
             ? devices_[static_cast<std::size_t>(ordinal)].get()
             : nullptr;
}

SimDevice* Simulation::device_of(CUcontext context) {
  for (const auto& device : devices_) {
    if (device->context_handle() == context) return device.get();
  }
  const auto made = contexts.find(context);
  return made == nullptr ? nullptr : made->device;
}

SimDevice* Simulation::device_of(CUdeviceptr address) {
  for (const auto& device : devices_) {
    if (device->heap().owns(address)) return device.get();
  }
  return nullptr;
}

bool Simulation::is_device_range(CUdeviceptr address, std::size_t bytes) {
  SimDevice* owner = device_of(address);
  return owner != nullptr && owner->heap().find(address, bytes).has_value();
}

bool Simulation::is_usable_range(CUdeviceptr address, std::size_t bytes) {
  return is_device_range(address, bytes) ||
         (device_of(address) == nullptr &&
          is_pinned(reinterpret_cast<const void*>(address), bytes));
}

bool Simulation::can_access_peer(int from, int to) {
  if (from == to || !config_.peer_access) return false;
  return device(from)->card().major == device(to)->card().major;
}

// ---- host memory

void Simulation::add_host_range(const void* start, std::size_t bytes, HostMemory kind, int device) {
  const std::lock_guard lock(host_ranges_mutex_);
  host_ranges_[reinterpret_cast<std::uintptr_t>(start)] = {bytes, kind, device};
}

bool Simulation::remove_host_range(const void* start, HostMemory kind) {
  const std::lock_guard lock(host_ranges_mutex_);
  const auto range = host_ranges_.find(reinterpret_cast<std::uintptr_t>(start));
  if (range == host_ranges_.end() || range->second.kind != kind) return false;
  host_ranges_.erase(range);
  return true;
}

bool Simulation::overlaps_host_range(const void* start, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  const std::lock_guard lock(host_ranges_mutex_);
  const auto next = host_ranges_.lower_bound(first);
  if (next != host_ranges_.end() && next->first < first + bytes) return true;
  return next != host_ranges_.begin() &&
         std::prev(next)->first + std::prev(next)->second.bytes > first;
}

std::pair<std::uintptr_t, std::size_t> Simulation::host_range(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(host_ranges_mutex_);
  auto range = host_ranges_.upper_bound(at);
  if (range == host_ranges_.begin()) return {0, 0};
  --range;
  if (at >= range->first + range->second.bytes) return {0, 0};
  return {range->first, range->second.bytes};
}

bool Simulation::is_pinned(const void* start, std::size_t bytes) {
  const auto [first, size] = host_range(start);
  return size != 0 && bytes <= size - (reinterpret_cast<std::uintptr_t>(start) - first);
}

bool Simulation::is_managed(const void* address) {
  const auto [start, bytes] = host_range(address);
  const std::lock_guard lock(host_ranges_mutex_);
  const auto range = host_ranges_.find(start);
  return bytes != 0 && range != host_ranges_.end() && range->second.kind == HostMemory::kManaged;
}

int Simulation::device_of_host_range(const void* address) {
  const auto [start, bytes] = host_range(address);
  const std::lock_guard lock(host_ranges_mutex_);
  const auto range = host_ranges_.find(start);
  return range == host_ranges_.end() ? 0 : range->second.device;
}

void Simulation::free_host_ranges_of(int device) {
  const std::lock_guard lock(host_ranges_mutex_);
  for (auto range = host_ranges_.begin(); range != host_ranges_.end();) {
    if (range->second.device != device) {
      ++range;
      continue;
    }
    if (range->second.kind != HostMemory::kRegistered)
      free_pinned(reinterpret_cast<void*>(range->first));
    range = host_ranges_.erase(range);
  }
}

Simulation::MemoryAccess::MemoryAccess(Simulation& simulation) : simulation_(simulation) {
  if (!simulation_.config_.strict) return;
  const std::lock_guard lock(simulation_.access_mutex_);
  if (simulation_.accesses_++ > 0) return;
  for (const auto& device : simulation_.devices_) device->heap().open();
}

Simulation::MemoryAccess::~MemoryAccess() {
  if (!simulation_.config_.strict) return;
  const std::lock_guard lock(simulation_.access_mutex_);
  if (--simulation_.accesses_ > 0) return;
  for (const auto& device : simulation_.devices_) device->heap().close();
}

void Simulation::log_event(const LoggedEvent& event) {
  constexpr std::size_t kMostEvents = 100'000;
  events_log_.push_back(event);
  events_log_.back().number = forgotten_events_ + events_log_.size() - 1;
  if (events_log_.size() <= kMostEvents) return;
  events_log_.pop_front();
  forgotten_events_++;
}

std::shared_ptr<const CountedLaunch> Simulation::counted_launch(std::uint64_t event) {
  const std::lock_guard lock(order_mutex_);
  const std::uint64_t at = event - forgotten_events_;
  return at < events_log_.size() ? events_log_[at].counted : nullptr;
}

std::vector<LoggedEvent> Simulation::logged_events() {
  const std::lock_guard lock(order_mutex_);
  return {events_log_.begin(), events_log_.end()};
}

void Simulation::advance_host_clock(double nanoseconds) {
  const std::lock_guard lock(order_mutex_);
  host_clock_ = std::max(host_clock_, nanoseconds);
}

void Simulation::forget_objects_of(const SimDevice& device) {
  const auto is_its_own = [&](const auto& object) { return &object.device() == &device; };
  functions.remove_if(is_its_own);
  modules.remove_if(is_its_own);
  events.remove_if(is_its_own);
  graphs.remove_if(is_its_own);
  graph_execs.remove_if(is_its_own);
  streams.remove_if(is_its_own);
  const std::lock_guard lock(lazy_objects_mutex);
  std::erase_if(per_thread_streams,
                [&](const auto& entry) { return entry.first.second == device.index(); });
}

// ---- the current one

namespace simulation {
namespace {

std::string check(ParsedConfig& parsed) {
  FaultPlan trial;
  for (const std::string& fault : parsed.config.faults) {
    if (parsed.error.empty()) parsed.error = trial.add(fault);
  }
  return parsed.error;
}

// For programs other than gpukit, which open this library as a driver: gpukit itself configures it.
SimConfig read_environment() {
  const std::string text = env::text("GPUKIT_SIMULATE");
  ParsedConfig parsed = parse_config(text);
  if (check(parsed).empty()) {
    // PTX of today's compilers is newer than gpukit's own kernels; some programs refuse older ones.
    if (!parsed.config.driver_is_named) parsed.config.driver_version = kDriverOfOthers;
    parsed.config.reads_visible_devices = true;
    return std::move(parsed.config);
  }
  std::fprintf(stderr, "gpukit simulator: GPUKIT_SIMULATE='%s' is not used; there is one T4. %s\n",
               text.c_str(), parsed.error.c_str());
  return parse_config("").config;
}

}  // namespace
}  // namespace simulation

std::shared_ptr<Simulation> current_simulation() {
  const std::lock_guard lock(simulation::current().mutex);
  if (simulation::current().simulation == nullptr)
    simulation::current().simulation = std::make_shared<Simulation>(simulation::read_environment());
  return simulation::current().simulation;
}

std::string config_fault(std::string_view config_text) {
  ParsedConfig parsed = parse_config(config_text);
  return simulation::check(parsed);
}

std::string replace_simulation(std::string_view config_text) {
  ParsedConfig parsed = parse_config(config_text);
  if (!simulation::check(parsed).empty()) return parsed.error;
  auto next = std::make_shared<Simulation>(std::move(parsed.config));
  std::shared_ptr<Simulation> previous;
  {
    const std::lock_guard lock(simulation::current().mutex);
    previous = std::exchange(simulation::current().simulation, std::move(next));
  }
  // Calls of other threads that are inside the old one return once its work is dropped; the last
  // destroys it.
  if (previous != nullptr) previous->end();
  return {};
}

void set_last_message(const std::string& message) {
  const std::lock_guard lock(simulation::current().mutex);
  simulation::current().message = message;
}

void report_diagnostic(const std::string& message) {
  set_last_message(message);
  std::fprintf(stderr, "gpukit simulator: %s\n", message.c_str());
}

std::string last_message() {
  const std::lock_guard lock(simulation::current().mutex);
  return simulation::current().message;
}

}  // namespace gpukit::sim
