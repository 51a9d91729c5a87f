#include "backend/current.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "base/thread_local.h"
#include "core/device_types.h"

namespace gpukit {

namespace current {
namespace {

struct StreamChoice {
  const OpenDevice* device;
  StreamRef stream;
};

// The counts are kept next to the lists because reading them needs no thread-exit bookkeeping.
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
constinit std::array<std::atomic<unsigned>, kMostDeviceTypes> session_numbers{};

/// What this thread chose among the devices of one kind.
struct Choice {
  unsigned session = 0;  ///< the number of the session in which it chose
  int index = 0;
};
GPUKIT_FAST_THREAD_LOCAL constinit std::array<Choice, kMostDeviceTypes> choices{};

void forget_streams(DeviceType type) noexcept {
  if (chosen_stream_count == 0) return;
  std::erase_if(chosen_streams(), [type](const StreamChoice& choice) {
    return choice.device->device().type == type;
  });
  chosen_stream_count = static_cast<int>(chosen_streams().size());
}

/// This thread's choice among the devices of a kind, reset when the session has changed.
Choice& choice_of(DeviceType type) noexcept {
  const auto slot = static_cast<std::size_t>(type);
  const unsigned now = session_numbers[slot].load(std::memory_order_relaxed);
  Choice& choice = choices[slot];
  if (choice.session != now) [[unlikely]] {
    choice = {now, 0};
    forget_streams(type);
  }
  return choice;
}

}  // namespace
}  // namespace current

void forget_current_devices(DeviceType type) noexcept {
  current::session_numbers[static_cast<std::size_t>(type)].fetch_add(1, std::memory_order_relaxed);
}

unsigned session_number(DeviceType type) noexcept {
  return current::session_numbers[static_cast<std::size_t>(type)].load(std::memory_order_relaxed);
}

int current_index(DeviceType type) noexcept { return current::choice_of(type).index; }

void set_current_index(DeviceType type, int index) noexcept {
  current::choice_of(type).index = index;
}

StreamRef current_stream(const OpenDevice& device) {
  if (device.shares_memory_with_host()) return {};
  if (current::chosen_stream_count != 0) [[unlikely]] {
    current::choice_of(device.device().type);  // forgets those of an ended session
    if (const current::StreamChoice* choice = current::find_choice(device)) return choice->stream;
  }
  return device.runtime().default_stream();
}

void set_current_stream(const OpenDevice& device, StreamRef stream) {
  if (device.shares_memory_with_host()) return;
  current::choice_of(device.device().type);
  if (current::StreamChoice* choice = current::find_choice(device)) {
    choice->stream = stream;
    return;
  }
  current::chosen_streams().push_back({&device, stream});
  ++current::chosen_stream_count;
}

Device default_device() {
  if (current::default_device_depth != 0) return current::default_devices().back();
  return current::process_default.load(std::memory_order_relaxed);
}

void set_default_device(Device device) noexcept {
  current::process_default.store(device, std::memory_order_relaxed);
}

void push_default_device(Device device) {
  current::default_devices().push_back(device);
  ++current::default_device_depth;
}

void pop_default_device() noexcept {
  if (current::default_device_depth == 0) return;
  current::default_devices().pop_back();
  --current::default_device_depth;
}

}  // namespace gpukit
