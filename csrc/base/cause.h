// Why a device cannot be used, as the detail "cause" of an error and of the driver's report.
// Programs read these words; people read the message.
#pragma once

namespace gpukit::cause {

inline constexpr const char* kDriverNotFound = "driver_not_found";    ///< in no place searched
inline constexpr const char* kDriverSearchOff = "driver_search_off";  ///< GPUKIT_LIBCUDA=none
inline constexpr const char* kDriverUnusable = "driver_unusable";  ///< found, refused or not loaded
inline constexpr const char* kDriverTooOld = "driver_too_old";
inline constexpr const char* kDriverIncomplete = "driver_incomplete";  ///< lacks functions
inline constexpr const char* kNoDevice = "no_device";      ///< the driver starts and shows no GPU
inline constexpr const char* kNoKernels = "no_kernels";    ///< built for other architectures
inline constexpr const char* kDeviceLost = "device_lost";  ///< until the process ends

}  // namespace gpukit::cause
