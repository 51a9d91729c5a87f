// The simulator's own exports, for those who start a simulation, for tests, and for the simulated
// cuBLAS. Plain C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/cuda_abi.h"

/// Version of these exports; the symbol's existence marks the library as a simulator.
GPUKIT_SIM_EXPORT const char* gpukitSimVersion();

/// The symbol's existence says that device addresses mean nothing to other libraries.
GPUKIT_SIM_EXPORT int gpukitSimPrivateMemory();

/// Ends the current simulation and starts the one that `text` describes (sim_config.h). 0, or 1
/// with the reason in gpukitSimLastMessage().
GPUKIT_SIM_EXPORT int gpukitSimConfigure(const char* text);

/// Restarts the current simulation: no contexts, no allocations, no faults seen, no lost
/// devices.
GPUKIT_SIM_EXPORT void gpukitSimReset();

/// The last diagnostic, valid for this thread until its next call. Never null.
GPUKIT_SIM_EXPORT const char* gpukitSimLastMessage();

/// Names of all cards, separated by newlines.
GPUKIT_SIM_EXPORT const char* gpukitSimCards();

/// Calls of an exported driver function since the simulation started.
GPUKIT_SIM_EXPORT std::uint64_t gpukitSimCallCount(const char* name);

/// What the simulated NVML asks about a card.
struct GpukitSimCardFacts {
  char card[64];
  std::uint64_t memory_total;
  std::uint64_t memory_used;
  int busy;
};

/// 0, or 1 when there is no such device.
GPUKIT_SIM_EXPORT int gpukitSimCardFacts(int device, GpukitSimCardFacts* facts);

/// The branch of the simulated driver, such as 570.
GPUKIT_SIM_EXPORT int gpukitSimBranch();

/// The `nvml=` settings of the simulation, separated by commas; valid until the thread's next call.
GPUKIT_SIM_EXPORT const char* gpukitSimNvmlSettings();

/// The faults of the simulated NCCL, separated by commas; valid until the thread's next call.
GPUKIT_SIM_EXPORT const char* gpukitSimNcclFaults();

/// The error in a text that should describe a simulation, or ""; starts no simulation. Valid until
/// the thread's next call.
GPUKIT_SIM_EXPORT const char* gpukitSimFaultOf(const char* text);

/// Whether launches of PTX are counted.
GPUKIT_SIM_EXPORT int gpukitSimIsCounting();

/// Whether `check=` names anything.
GPUKIT_SIM_EXPORT int gpukitSimIsChecking();

/// Waits until all devices are idle, at most so long. 1 if they are, else 0.
GPUKIT_SIM_EXPORT int gpukitSimWaitUntilIdle(double seconds);

struct GpukitSimObjects {
  std::uint64_t allocations;
  std::uint64_t streams;
  std::uint64_t events;
  std::uint64_t modules;
};

/// What the simulation's clients have not released.
GPUKIT_SIM_EXPORT void gpukitSimLiveObjects(GpukitSimObjects* objects);

/// Milliseconds of the device's virtual clock: the end of its latest work. Negative for no such
/// device.
GPUKIT_SIM_EXPORT double gpukitSimClockMs(int device);

/// Queues `run(argument)` after the work of a stream, as a kernel would be; its result is a
/// CUresult like that of a kernel. It runs once, or once for each launch of the graph into which it
/// is captured, or never. `drop(argument)` is called once, when it will not run any more. `bytes`,
/// `flops` and `item_bytes` are what the virtual clock charges for. It faults as a kernel would
/// where the device cannot reach one of the `touched` addresses.
GPUKIT_SIM_EXPORT int gpukitSimEnqueue(CUstream stream, int (*run)(void*), void (*drop)(void*),
                                       void* argument, double bytes, double flops,
                                       double item_bytes, const CUdeviceptr* touched, int count);

struct GpukitSimEvent {
  const char* what;
  int device;
  int stream;
  double start_ms;
  double end_ms;
  std::uint64_t bytes;
  std::uint64_t number;  ///< from the first of the simulation
  int is_counted;
};

/// Copies the last `room` events of the virtual clock, oldest first, and returns how many there
/// are.
GPUKIT_SIM_EXPORT std::uint64_t gpukitSimEvents(GpukitSimEvent* events, std::uint64_t room);

/// Names of what launches are counted by, separated by newlines.
GPUKIT_SIM_EXPORT const char* gpukitSimCountNames();

/// Writes the first `room` counts of the event of that number and the name of its kernel; 0 when it
/// has none, or has not run to its end yet, else how many there are.
GPUKIT_SIM_EXPORT std::uint64_t gpukitSimCounts(std::uint64_t event, std::uint64_t* values,
                                                std::uint64_t room, char* kernel,
                                                std::uint64_t kernel_room);

/// 1 if all of [address, address + bytes) is in one device allocation, else 0.
GPUKIT_SIM_EXPORT int gpukitSimRangeOk(CUdeviceptr address, std::size_t bytes);

/// For allocators that suballocate: from this point of the stream on, the bytes
/// must not be touched (they read as 0xFF, and a sanitizer reports the access), or may be again.
GPUKIT_SIM_EXPORT int gpukitSimPoison(CUdeviceptr address, std::size_t bytes, CUstream stream);
GPUKIT_SIM_EXPORT int gpukitSimUnpoison(CUdeviceptr address, std::size_t bytes, CUstream stream);
