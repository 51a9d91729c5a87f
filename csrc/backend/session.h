// All state of one backend for as long as it is in use. A simulation is a session that begins and
// ends.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/reporting_ops.h"
#include "base/observer.h"

namespace gpukit {

class Session;

/// What a higher layer keeps with an opened device (memory/ hangs its resources here).
struct DeviceAttachment {
  virtual ~DeviceAttachment() = default;
};

/// One opened device of a session. Its address is stable for the life of the session.
class OpenDevice {
 public:
  OpenDevice(Session& session, Device device, DeviceRuntime& runtime, DeviceOps& ops)
      : session_(session),
        device_(device),
        capabilities_(runtime.capabilities()),
        runtime_(runtime),
        reporting_(ops, device),
        ops_{&ops, &reporting_} {}

  Session& session() const noexcept { return session_; }
  Device device() const noexcept { return device_; }
  const DeviceCapabilities& capabilities() const noexcept { return capabilities_; }
  bool shares_memory_with_host() const noexcept { return capabilities_.shares_memory_with_host; }
  /// Throws DeviceError "its simulation has ended" once the session is over.
  DeviceRuntime& runtime() const {
    check_alive();
    return runtime_;
  }
  /// The device's arithmetic; while an observer is registered for device work, one that reports it.
  DeviceOps& ops() const {
    check_alive();
    return *ops_[observed_index(Observed::kDeviceWork)];
  }
  /// Throws, once, the IndexError that kernels of this device have recorded. Code that has waited
  /// for the device calls it.
  void raise_index_fault() const {
    if (const auto fault = runtime().take_index_fault()) throw_index_fault(*fault, device_);
  }
  bool alive() const noexcept;

  /// The attachment, made by `make` on first use.
  template <class Make>
  DeviceAttachment& attachment(const Make& make) {
    DeviceAttachment* ready = attached_.load(std::memory_order_acquire);
    if (ready == nullptr) [[unlikely]]
      ready = attach(make);
    return *ready;
  }
  /// nullptr when nothing was attached yet.
  DeviceAttachment* attachment_if_any() const noexcept {
    return attached_.load(std::memory_order_acquire);
  }

 private:
  void check_alive() const {
    if (!alive()) [[unlikely]]
      throw_ended();
  }
  [[noreturn]] void throw_ended() const;

  template <class Make>
  DeviceAttachment* attach(const Make& make) {
    std::lock_guard lock(attach_mutex_);
    if (attachment_ == nullptr) {
      attachment_ = make(*this);
      attached_.store(attachment_.get(), std::memory_order_release);
    }
    return attachment_.get();
  }

  Session& session_;
  Device device_;
  DeviceCapabilities capabilities_;
  DeviceRuntime& runtime_;
  ReportingOps reporting_;
  std::array<DeviceOps*, 2> ops_;  ///< the real one, reporting_
  std::mutex attach_mutex_;
  std::unique_ptr<DeviceAttachment> attachment_;
  std::atomic<DeviceAttachment*> attached_{nullptr};
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}
  ~Session();

  Backend& backend() noexcept { return *backend_; }
  bool alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  /// Why the session is over: "its simulation has ended".
  const std::string& end_reason() const noexcept { return end_reason_; }

  /// Opens the device on first use. Thread safe. Throws DeviceNotFoundError, or DeviceError once
  /// the session is over.
  OpenDevice& open(int index);
  /// The device if it is open already, else nullptr. No lock.
  OpenDevice* open_if_ready(int index) const noexcept;

  /// After it every use raises DeviceError with the reason, and freeing makes no driver call.
  void end(std::string reason) noexcept;

 private:
  std::unique_ptr<Backend> backend_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::array<std::atomic<OpenDevice*>, 64>
      ready_{};  ///< the first devices of devices_, for look-ups without the lock
  std::atomic<bool> alive_{true};
  std::string end_reason_;
};

inline bool OpenDevice::alive() const noexcept { return session_.alive(); }

}  // namespace gpukit
