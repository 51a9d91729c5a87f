#include "sim/sim_control.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "sim/driver_call.h"
#include "sim/fresh_memory.h"

using namespace gpukit::sim;

namespace sim_control {
namespace {

constexpr unsigned char kFreshByte = 0xFF;

struct ConfiguredText {
  std::mutex mutex;
  std::string text;
};

ConfiguredText& configured() {
  static auto* const the_text = new ConfiguredText;
  return *the_text;
}

template <class Body>
CUresult submit(CallSite& site, CUdeviceptr address, std::size_t bytes, CUstream handle,
                Body body) {
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (!device.simulation().is_device_range(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    Work work;
    work.run = [=] {
      body(address, bytes);
      return CUDA_SUCCESS;
    };
    device.submit(*stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace sim_control

const char* gpukitSimVersion() { return "1"; }

int gpukitSimPrivateMemory() { return 1; }

int gpukitSimConfigure(const char* text) {
  try {
    const std::string wanted = text == nullptr ? "" : text;
    const std::lock_guard lock(sim_control::configured().mutex);
    const std::string error = replace_simulation(wanted);
    if (error.empty()) sim_control::configured().text = wanted;
    CallSite::reset_all();
    set_last_message(error);
    return error.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    set_last_message(std::string("the simulation cannot start: ") + error.what());
    return 1;
  }
}

void gpukitSimReset() {
  std::string text;
  {
    const std::lock_guard lock(sim_control::configured().mutex);
    text = sim_control::configured().text;
  }
  gpukitSimConfigure(text.c_str());
}

const char* gpukitSimLastMessage() {
  thread_local std::string message;
  message = last_message();
  return message.c_str();
}

const char* gpukitSimCards() {
  static const std::string* const names = [] {
    auto* text = new std::string;
    for (const Card& card : all_cards())
      *text += (text->empty() ? "" : "\n") + std::string(card.short_name);
    return text;
  }();
  return names->c_str();
}

std::uint64_t gpukitSimCallCount(const char* name) {
  return name == nullptr ? 0 : CallSite::calls_of(name);
}

void gpukitSimLiveObjects(GpukitSimObjects* objects) {
  const auto simulation = current_simulation();
  *objects = {0, simulation->streams.size(), simulation->events.size(), simulation->modules.size()};
  for (int i = 0; i < simulation->device_count(); i++)
    objects->allocations += simulation->device(i)->heap().block_count();
}

int gpukitSimCardFacts(int device, GpukitSimCardFacts* facts) {
  const auto simulation = current_simulation();
  SimDevice* found = simulation->device(device);
  if (found == nullptr) return 1;
  *facts = {};
  std::snprintf(facts->card, sizeof facts->card, "%s", found->card().short_name);
  facts->memory_total = found->heap().limit_bytes();
  facts->memory_used = found->heap().used_bytes();
  facts->busy = found->is_idle() ? 0 : 1;
  return 0;
}

int gpukitSimBranch() { return driver_branch(current_simulation()->driver_version()); }

const char* gpukitSimNvmlSettings() {
  thread_local std::string text;
  text.clear();
  for (const std::string& setting : current_simulation()->config().nvml)
    text += (text.empty() ? "" : ",") + setting;
  return text.c_str();
}

const char* gpukitSimNcclFaults() {
  thread_local std::string text;
  text = current_simulation()->faults().nccl();
  return text.c_str();
}

const char* gpukitSimFaultOf(const char* text) {
  thread_local std::string fault;
  fault = config_fault(text == nullptr ? "" : text);
  return fault.c_str();
}

int gpukitSimIsCounting() { return current_simulation()->config().counts ? 1 : 0; }

int gpukitSimIsChecking() {
  const SimConfig& config = current_simulation()->config();
  const auto& checks = config.checks;
  return checks.race || checks.init || checks.sync || config.check_memory ? 1 : 0;
}

int gpukitSimWaitUntilIdle(double seconds) {
  constexpr std::chrono::microseconds kPause{200};
  const auto simulation = current_simulation();
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < simulation->device_count(); i++) {
    while (!simulation->device(i)->is_idle()) {
      if (std::chrono::steady_clock::now() > until) return 0;
      std::this_thread::sleep_for(kPause);
    }
  }
  return 1;
}

double gpukitSimClockMs(int device) {
  const auto simulation = current_simulation();
  SimDevice* found = simulation->device(device);
  return found == nullptr ? -1.0 : found->virtual_now() * 1e-6;
}

int gpukitSimEnqueue(CUstream handle, int (*run)(void*), void (*drop)(void*), void* argument,
                     double bytes, double flops, double item_bytes, const CUdeviceptr* touched,
                     int count) {
  static CallSite site(__func__);
  const std::shared_ptr<void> owned(argument, drop);
  const std::vector<CUdeviceptr> addresses(touched, touched + count);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    Simulation& simulation = device.simulation();
    const bool captured = simulation.captures.status(*stream) != CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult planned = captured ? CUDA_SUCCESS : simulation.faults().on_launch();
    Work work;
    work.is_kernel = true;
    work.cost = device.work_cost("product", {bytes, flops, item_bytes});
    work.run = [=, &device] {
      if (planned != CUDA_SUCCESS) return planned;
      const bool reached = std::all_of(addresses.begin(), addresses.end(),
                                       [&](CUdeviceptr at) { return device.reaches(at); });
      if (!reached) return CUDA_ERROR_ILLEGAL_ADDRESS;
      const auto status = static_cast<CUresult>(run(owned.get()));
      fresh_memory().forget();  // what it wrote is not watched
      return status;
    };
    device.submit(*stream, std::move(work));
    return CUDA_SUCCESS;
  });
}

std::uint64_t gpukitSimEvents(GpukitSimEvent* events, std::uint64_t room) {
  const std::vector<LoggedEvent> logged = current_simulation()->logged_events();
  const std::size_t count = std::min<std::size_t>(logged.size(), room);
  for (std::size_t i = 0; i < count; i++) {
    const LoggedEvent& event = logged[logged.size() - count + i];
    events[i] = {event.cost.what,  event.device,     event.stream, event.start * 1e-6,
                 event.end * 1e-6, event.cost.bytes, event.number, event.counted != nullptr};
  }
  return logged.size();
}

const char* gpukitSimCountNames() { return count_names().c_str(); }

std::uint64_t gpukitSimCounts(std::uint64_t event, std::uint64_t* values, std::uint64_t room,
                              char* kernel, std::uint64_t kernel_room) {
  const auto counted = current_simulation()->counted_launch(event);
  if (counted == nullptr || !counted->complete.load(std::memory_order_acquire)) return 0;
  const std::vector<std::uint64_t> all = count_values(*counted);
  std::copy_n(all.begin(), std::min<std::size_t>(all.size(), room), values);
  if (kernel_room != 0) std::snprintf(kernel, kernel_room, "%s", counted->kernel.c_str());
  return all.size();
}

int gpukitSimRangeOk(CUdeviceptr address, std::size_t bytes) {
  return current_simulation()->is_device_range(address, bytes) ? 1 : 0;
}

int gpukitSimPoison(CUdeviceptr address, std::size_t bytes, CUstream stream) {
  static CallSite site(__func__);
  return sim_control::submit(
      site, address, bytes, stream, [](CUdeviceptr first, std::size_t count) {
        unpoison_bytes(first, count);
        std::memset(reinterpret_cast<void*>(first), sim_control::kFreshByte, count);
        fresh_memory().add(first, count);
        poison_bytes(first, count);
      });
}

int gpukitSimUnpoison(CUdeviceptr address, std::size_t bytes, CUstream stream) {
  static CallSite site(__func__);
  return sim_control::submit(
      site, address, bytes, stream,
      [](CUdeviceptr first, std::size_t count) { unpoison_bytes(first, count); });
}
