// The current device, stream and default device of this thread.
#pragma once

#include "backend/session.h"

namespace gpukit {

/// Index of this thread's current device of a kind, 0 at the start.
int current_index(DeviceType type) noexcept;
void set_current_index(DeviceType type, int index) noexcept;

/// All threads begin again with device 0 of the kind and default streams: another session has
/// begun.
void forget_current_devices(DeviceType type) noexcept;
/// Another number for each session of a kind of devices.
unsigned session_number(DeviceType type) noexcept;

/// This thread's current stream of a device: the one set last, else the device's default stream.
StreamRef current_stream(const OpenDevice& device);
void set_current_stream(const OpenDevice& device, StreamRef stream);

/// Where new tensors go when no device is named: the innermost `with device`, else
/// set_default_device, else the CPU.
Device default_device();
void set_default_device(Device device) noexcept;  ///< process wide
void push_default_device(Device device);          ///< this thread, until the matching pop
void pop_default_device() noexcept;

}  // namespace gpukit
