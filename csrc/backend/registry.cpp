#include "backend/registry.h"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "backend/current.h"
#include "backend/device_not_found.h"
#include "base/check.h"
#include "base/error.h"
#include "base/fork_hooks.h"
#include "base/install_command.h"
#include "base/process_state.h"
#include "core/device_types.h"

namespace gpukit {

namespace registry_impl {
namespace {

/// One kind of device. Ended sessions are kept: a thread may still be inside a call that uses one,
/// and a session that was shut down is small.
struct Kind {
  MakeBackend make;  ///< none: the build has no such backend
  SessionChoice choice;
  std::shared_ptr<Session> session;
  std::vector<std::shared_ptr<Session>> ended;
  std::atomic<Session*> started{nullptr};  ///< `session` once its driver responded
};

struct Registry {
  std::mutex mutex;  ///< guards all but `started`
  std::array<Kind, kMostDeviceTypes> kinds;

  Kind& operator[](DeviceType type) { return kinds[static_cast<std::size_t>(type)]; }
};

Registry& registry() {
  // Never destroyed: deleters may run after main().
  static Registry& state = []() -> Registry& {
    const auto unlock = [] { registry().mutex.unlock(); };
    set_fork_hooks(ForkLevel::kRegistry, {[] { registry().mutex.lock(); }, unlock, unlock});
    return *new Registry;
  }();
  return state;
}

bool has_backend(DeviceType type) {
  const std::lock_guard lock(registry().mutex);
  return registry()[type].make != nullptr;
}

/// A build may leave out CUDA; any other kind has its name from its backend.
constexpr const char* kNoCudaPart = "this build of gpukit has no CUDA part (GPUKIT_CUDA=0)";

void check_has_backend(DeviceType type) {
  if (!has_backend(type)) throw DriverError(kNoCudaPart).with_fix(install_command());
}

/// The session of the present choice, made but perhaps not started.
std::shared_ptr<Session> make_session(DeviceType type) {
  const std::lock_guard lock(registry().mutex);
  Kind& kind = registry()[type];
  if (kind.session == nullptr) kind.session = std::make_shared<Session>(kind.make(kind.choice));
  return kind.session;
}

void publish_started(DeviceType type, Session* session) noexcept {
  const std::lock_guard lock(registry().mutex);
  Kind& kind = registry()[type];
  if (kind.session.get() == session) kind.started.store(session, std::memory_order_release);
}

std::string device_names(Backend& backend, int count) {
  std::string text;
  for (int index = 0; index < count; ++index) {
    text += concat(index > 0 ? ", " : "", to_string(Device::of(backend.type(), index)), " ",
                   backend.properties(index).name);
  }
  return text;
}

OpenDevice& open(Device device) {
  process_state::check_not_forked();
  if (const Session* session = registry()[device.type].started.load(std::memory_order_acquire)) {
    if (OpenDevice* ready = session->open_if_ready(device.index)) return *ready;
  }
  std::shared_ptr<Session> session;
  int count = 0;
  try {
    session = session_of(device.type);
    count = session->backend().device_count();
  } catch (const DriverError& error) {
    throw_device_not_found(device, 0, error.what(), error.details());
  }
  if (device.index >= count) {
    if (count > 0) throw_device_not_found(device, count, device_names(session->backend(), count));
    const BackendReport report = session->backend().report();
    throw_device_not_found(device, 0, report.failure, report.details);
  }
  return session->open(device.index);
}

/// Moves the present session to the ended ones and sets what the next one opens.
std::shared_ptr<Session> exchange(DeviceType type, SessionChoice choice) {
  const std::lock_guard lock(registry().mutex);
  Kind& kind = registry()[type];
  if (kind.session != nullptr) kind.ended.push_back(kind.session);
  kind.started.store(nullptr, std::memory_order_release);
  kind.choice = std::move(choice);
  return std::exchange(kind.session, nullptr);
}

}  // namespace
}  // namespace registry_impl

bool register_backend(DeviceType type, MakeBackend make) {
  const std::lock_guard lock(registry_impl::registry().mutex);
  registry_impl::Kind& kind = registry_impl::registry()[type];
  if (kind.make != nullptr) return false;
  kind.make = std::move(make);
  return true;
}

std::vector<DeviceType> registered_types() {
  std::vector<DeviceType> types;
  const std::lock_guard lock(registry_impl::registry().mutex);
  for (int i = 0; i < kMostDeviceTypes; ++i) {
    const auto type = static_cast<DeviceType>(i);
    if (registry_impl::registry()[type].make != nullptr) types.push_back(type);
  }
  return types;
}

OpenDevice& cpu_device() {
  // Never destroyed: CPU tensors may outlive everything else.
  static OpenDevice& device = session_of(DeviceType::kCpu)->open(0);
  return device;
}

OpenDevice& open_device(Device device) {
  return device.is_cpu() ? cpu_device() : registry_impl::open(resolve(device));
}

std::shared_ptr<Session> session_of(DeviceType type) {
  registry_impl::check_has_backend(type);
  if (type != DeviceType::kCpu) process_state::check_not_forked();
  if (Session* started = registry_impl::registry()[type].started.load(std::memory_order_acquire))
    return started->shared_from_this();
  std::shared_ptr<Session> session = registry_impl::make_session(type);
  session->backend()
      .device_count();  // throws when there is no usable driver; asked again on the next call
  registry_impl::publish_started(type, session.get());
  return session;
}

std::shared_ptr<Session> session_if_open(DeviceType type) noexcept {
  Session* started = registry_impl::registry()[type].started.load(std::memory_order_acquire);
  return started != nullptr ? started->shared_from_this() : nullptr;
}

int device_count(DeviceType type) noexcept {
  try {
    return session_of(type)->backend().device_count();
  } catch (...) {
    return 0;
  }
}

BackendReport backend_report(DeviceType type) {
  if (!registry_impl::has_backend(type)) {
    BackendReport report;
    report.failure = registry_impl::kNoCudaPart;
    report.fix = install_command();
    return report;
  }
  const std::shared_ptr<Session> session = registry_impl::make_session(type);
  std::string failure;
  Details details;
  try {
    if (session->backend().device_count() > 0) registry_impl::publish_started(type, session.get());
  } catch (const DriverError& error) {
    failure = error.what();
    details = error.details();
  }
  BackendReport report = session->backend().report();
  if (report.failure.empty()) {
    report.failure = failure;
    report.details = details;
  }
  return report;
}

void replace_session(DeviceType type, SessionChoice choice, const std::string& end_reason) {
  registry_impl::check_has_backend(type);
  const auto ended = registry_impl::exchange(type, std::move(choice));
  forget_current_devices(type);
  if (ended != nullptr) ended->end(end_reason);
}

void reset_session(DeviceType type, const std::string& end_reason) {
  const auto ended = registry_impl::exchange(type, {});
  forget_current_devices(type);
  if (ended != nullptr) ended->end(end_reason);
}

Device resolve(Device device) {
  if (device.is_cpu() || device.has_index()) return device;
  return Device::of(device.type, current_index(device.type));
}

}  // namespace gpukit
