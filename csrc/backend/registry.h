// Process-wide look-up from Device to what computes there. The one place that owns sessions.
#pragma once

#include <memory>
#include <string>

#include "backend/session.h"

namespace gpukit {

/// The CPU, opened on first use; it lives until the process ends.
OpenDevice& cpu_device();

/// The opened device behind a concrete Device; an index of -1 is this thread's current one.
/// Throws DeviceNotFoundError whose text says why there is no such device and what to do.
OpenDevice& open_device(Device device);

/// The session of the system's driver, or of the running simulation. Opens the driver on first
/// call; throws DriverError.
std::shared_ptr<Session> cuda_session();
/// The session if one is open already, else nullptr. Never opens anything.
std::shared_ptr<Session> cuda_session_if_open() noexcept;

/// Number of usable CUDA devices: 0 when there is no driver. Never throws; starts the driver.
int cuda_device_count() noexcept;
/// Why there is no CUDA device ("" when there is one), with the report of every place tried.
BackendReport cuda_report();

/// Ends the present CUDA session (its tensors raise `end_reason` when used) and lets the next one
/// use another driver library.
void replace_cuda_session(const std::string& library_path, const std::string& configuration,
                          const std::string& end_reason);
/// Ends the session and goes back to the system's driver.
void reset_cuda_session(const std::string& end_reason);

/// Fills in the current index; the CPU stays as it is.
Device resolve(Device device);

}  // namespace gpukit
