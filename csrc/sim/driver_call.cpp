#include "sim/driver_call.h"

#include <pthread.h>

#include <mutex>

namespace gpukit::sim {

namespace driver_call_impl {
namespace {

std::atomic<CallSite*> first_site = nullptr;
std::atomic<bool> driver_started = false;
std::atomic<bool> forked = false;

void after_fork_in_child() {
  if (driver_started) forked = true;
}

struct ContextStack {
  std::uint64_t generation = 0;
  std::vector<CUcontext> contexts;
};

}  // namespace
}  // namespace driver_call_impl

CallSite::CallSite(const char* name) : name_(name), next_(driver_call_impl::first_site.load()) {
  while (!driver_call_impl::first_site.compare_exchange_weak(next_, this)) {
  }
}

std::uint64_t CallSite::calls_of(std::string_view name) {
  for (const CallSite* site = driver_call_impl::first_site; site != nullptr; site = site->next_) {
    if (name == site->name_) return site->calls_;
  }
  return 0;
}

void CallSite::reset_all() {
  for (CallSite* site = driver_call_impl::first_site; site != nullptr; site = site->next_)
    site->calls_ = 0;
}

std::vector<CUcontext>& context_stack(const Simulation& simulation) {
  thread_local driver_call_impl::ContextStack stack;
  if (stack.generation != simulation.generation()) stack = {simulation.generation(), {}};
  return stack.contexts;
}

bool is_forked_child() { return driver_call_impl::forked; }

void note_driver_started() {
  static std::once_flag once;
  std::call_once(once,
                 [] { pthread_atfork(nullptr, nullptr, &driver_call_impl::after_fork_in_child); });
  driver_call_impl::driver_started = true;
}

std::shared_ptr<SimStream> resolve_stream(SimDevice& device, CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return device.legacy_stream();
  if (handle == CU_STREAM_PER_THREAD) return device.per_thread_stream();
  return device.simulation().streams.find(handle);
}

CUresult status_before_call(CallSite& site, Simulation& simulation) {
  site.count();
  if (!simulation.is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  if (inside_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  return simulation.faults().on_call(site.name());
}

CUresult find_current_device(Simulation& simulation, SimDevice*& device) {
  const auto& stack = context_stack(simulation);
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  device = simulation.device_of(stack.back());
  if (device == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;  // it was one when it was pushed
  if (!device->context_is_alive()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return device->sticky_status();
}

}  // namespace gpukit::sim
