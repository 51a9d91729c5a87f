// The structs of DLPack 1.x as its published layout has them. Own declarations: nothing is included
// from elsewhere.
#pragma once

#include <cstdint>

namespace gpukit::dlpack {

inline constexpr std::uint32_t kMajorVersion = 1;
inline constexpr std::uint32_t kMinorVersion = 1;

/// Names of the capsules; a consumer renames one that it has taken.
inline constexpr const char* kCapsule = "dltensor";
inline constexpr const char* kUsedCapsule = "used_dltensor";
inline constexpr const char* kVersionedCapsule = "dltensor_versioned";
inline constexpr const char* kUsedVersionedCapsule = "used_dltensor_versioned";

enum DeviceCode : std::int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,
  kOpenCl = 4,
  kVulkan = 7,
  kMetal = 8,
  kVpi = 9,
  kRocm = 10,
  kRocmHost = 11,
  kCudaManaged = 13,
  kOneApi = 14,
};

enum TypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaque = 3,
  kBFloat = 4,
  kComplex = 5,
  kBool = 6
};

inline constexpr std::uint64_t kFlagReadOnly = 1;
inline constexpr std::uint64_t kFlagIsCopied = 2;

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct DeviceId {
  std::int32_t code;
  std::int32_t index;
};

struct TypeId {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct TensorView {
  void* data;
  DeviceId device;
  std::int32_t ndim;
  TypeId dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< elements; NULL is contiguous (before DLPack 1.2)
  std::uint64_t byte_offset;
};

/// In a "dltensor" capsule.
struct Managed {
  TensorView tensor;
  void* context;
  void (*deleter)(Managed* self);
};

/// In a "dltensor_versioned" capsule.
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned* self);
  std::uint64_t flags;
  TensorView tensor;
};

static_assert(sizeof(TensorView) == 48 && sizeof(Managed) == 64 && sizeof(ManagedVersioned) == 80);

}  // namespace gpukit::dlpack
