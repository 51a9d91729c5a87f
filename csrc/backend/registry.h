// Process-wide lookup from Device to its open device. The only owner of sessions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/session.h"

namespace gpukit {

/// What a session opens: a library's path and words for it. The backend alone reads them; both
/// empty is what the system offers.
struct SessionChoice {
  std::string library_path;
  std::string configuration;
};

using MakeBackend = std::function<std::unique_ptr<Backend>(const SessionChoice&)>;

/// Says how the backend of a kind is made; nothing is opened before its first use. The first
/// registration of a kind stays: false for a later one.
bool register_backend(DeviceType type, MakeBackend make);

/// At namespace scope in a backend's folder: it registers itself by being linked.
struct BackendRegistration {
  BackendRegistration(DeviceType type, MakeBackend make) {
    register_backend(type, std::move(make));
  }
};

/// The kinds that have a backend, in the order of their numbers: the CPU first.
std::vector<DeviceType> registered_types();

/// The CPU, opened on first use; it lives until the process ends.
OpenDevice& cpu_device();

/// The opened device of a concrete Device; an index of -1 means this thread's current device.
/// Throws DeviceNotFoundError whose text says why there is no such device and what to do.
OpenDevice& open_device(Device device);

/// The session of a kind: of the system's driver, or of what replaced it (a simulation). Opens the
/// driver on first call; throws DriverError.
std::shared_ptr<Session> session_of(DeviceType type);
/// The session if one is open already, else nullptr. Never opens anything.
std::shared_ptr<Session> session_if_open(DeviceType type) noexcept;

/// Number of usable devices: 0 when there is no driver. Never throws; starts the driver.
int device_count(DeviceType type) noexcept;
/// Why there is no device of the kind ("" when there is one), with a report of every path tried.
BackendReport backend_report(DeviceType type);

/// Ends the present session of a kind (its tensors raise `end_reason` when used) and lets the next
/// one open something else. DriverError where the kind has no backend.
void replace_session(DeviceType type, SessionChoice choice, const std::string& end_reason);
/// Ends it and goes back to what the system offers.
void reset_session(DeviceType type, const std::string& end_reason);

/// Fills in the current index; the CPU stays as it is.
Device resolve(Device device);

}  // namespace gpukit
