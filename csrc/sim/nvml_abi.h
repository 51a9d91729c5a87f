// The part of NVML's interface that the simulated library exports, declared here: values and
// layouts of nvml.h 12, so that no NVIDIA header is needed to build.
#pragma once

#include <cstdint>

namespace gpukit::sim::nvml {

enum Status : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kUnknown = 999,
};

enum ClockType : unsigned { kGraphicsClock = 0, kSmClock = 1, kMemoryClock = 2, kVideoClock = 3 };

struct Memory {
  std::uint64_t total, free, used;
};

struct MemoryV2 {
  std::uint32_t version;
  std::uint64_t total, reserved, free, used;
};

constexpr std::uint32_t kMemoryV2 = 0x02000028;

struct Utilization {
  std::uint32_t gpu, memory;
};

struct PciInfo {
  char bus_id_legacy[16];
  std::uint32_t domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

/// How far up the buses two cards meet.
enum TopologyLevel : int { kSameBoard = 0, kHostBridge = 30 };

enum PeerStatus : int { kPeersOk = 0, kPeersNotSupported = 5 };

/// Both _v2 and _v3 of the process functions.
struct ProcessInfo {
  std::uint32_t pid;
  std::uint64_t used_memory;
  std::uint32_t gpu_instance, compute_instance;
};

}  // namespace gpukit::sim::nvml
