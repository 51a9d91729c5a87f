#include "backend/current.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/thread_local.h"

namespace gpukit {

namespace {

struct StreamChoice {
  const OpenDevice* device;
  StreamRef stream;
};

// The counts stand beside the lists because reading them needs no thread-exit bookkeeping.
GPUKIT_FAST_THREAD_LOCAL constinit int cuda_index = 0;
GPUKIT_FAST_THREAD_LOCAL constinit int chosen_stream_count = 0;
GPUKIT_FAST_THREAD_LOCAL constinit int default_device_depth = 0;

std::vector<StreamChoice>& chosen_streams() {
  static thread_local std::vector<StreamChoice> list;
  return list;
}

std::vector<Device>& default_devices() {
  static thread_local std::vector<Device> stack;
  return stack;
}

StreamChoice* find_choice(const OpenDevice& device) {
  auto& list = chosen_streams();
  const auto found = std::find_if(list.begin(), list.end(), [&](const StreamChoice& choice) {
    return choice.device == &device;
  });
  return found == list.end() ? nullptr : &*found;
}

constinit std::atomic<Device> process_default{Device::cpu()};

// What a thread chose in an ended session names devices that are gone.
constinit std::atomic<unsigned> session_number{0};
GPUKIT_FAST_THREAD_LOCAL constinit unsigned chosen_in_session = 0;

void forget_ended_session() noexcept {
  const unsigned now = session_number.load(std::memory_order_relaxed);
  if (chosen_in_session == now) [[likely]]
    return;
  chosen_in_session = now;
  cuda_index = 0;
  if (chosen_stream_count != 0) chosen_streams().clear();
  chosen_stream_count = 0;
}

}  // namespace

void forget_current_devices() noexcept { session_number.fetch_add(1, std::memory_order_relaxed); }

int current_cuda_index() noexcept {
  forget_ended_session();
  return cuda_index;
}

void set_current_cuda_index(int index) noexcept {
  forget_ended_session();
  cuda_index = index;
}

StreamRef current_stream(const OpenDevice& device) {
  if (device.device().is_cpu()) return {};
  forget_ended_session();
  if (chosen_stream_count != 0) {
    if (const StreamChoice* choice = find_choice(device)) return choice->stream;
  }
  return device.runtime().default_stream();
}

void set_current_stream(const OpenDevice& device, StreamRef stream) {
  if (device.device().is_cpu()) return;
  forget_ended_session();
  if (StreamChoice* choice = find_choice(device)) {
    choice->stream = stream;
    return;
  }
  chosen_streams().push_back({&device, stream});
  ++chosen_stream_count;
}

Device default_device() {
  if (default_device_depth != 0) return default_devices().back();
  return process_default.load(std::memory_order_relaxed);
}

void set_default_device(Device device) noexcept {
  process_default.store(device, std::memory_order_relaxed);
}

void push_default_device(Device device) {
  default_devices().push_back(device);
  ++default_device_depth;
}

void pop_default_device() noexcept {
  if (default_device_depth == 0) return;
  default_devices().pop_back();
  --default_device_depth;
}

}  // namespace gpukit
