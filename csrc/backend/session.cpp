#include "backend/session.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

void OpenDevice::throw_ended() const {
  throw DeviceError(concat(to_string(device_), ": ", session_.end_reason(),
                           ". Create the tensor again on an available device."));
}

Session::~Session() {
  // What hangs on a device gives its memory back through the backend, so it goes first.
  devices_.clear();
}

OpenDevice* Session::open_if_ready(int index) const noexcept {
  if (index < 0 || index >= static_cast<int>(ready_.size())) return nullptr;
  return ready_[static_cast<std::size_t>(index)].load(std::memory_order_acquire);
}

OpenDevice& Session::open(int index) {
  if (OpenDevice* ready = open_if_ready(index)) return *ready;
  std::lock_guard lock(mutex_);
  GPUKIT_CHECK(alive(), DeviceError, to_string(Device::of(backend_->type(), index)), ": ",
               end_reason_);
  DeviceRuntime& runtime = backend_->runtime(index);
  const auto slot = static_cast<std::size_t>(index < 0 ? 0 : index);
  if (slot >= devices_.size()) devices_.resize(slot + 1);
  if (devices_[slot] == nullptr) {
    devices_[slot] =
        std::make_unique<OpenDevice>(*this, runtime.device(), runtime, backend_->ops(index));
    if (slot < ready_.size()) ready_[slot].store(devices_[slot].get(), std::memory_order_release);
  }
  return *devices_[slot];
}

void Session::end(std::string reason) noexcept {
  std::lock_guard lock(mutex_);
  if (!alive()) return;
  end_reason_ = std::move(reason);
  alive_.store(false, std::memory_order_release);
  backend_->shut_down();
}

}  // namespace gpukit
