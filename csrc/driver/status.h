// What a driver or cuBLAS status means: its name, a sentence for people, the exception, and whether
// it lasts.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "driver/cublas_abi.h"
#include "driver/fn_table.h"

namespace gpukit::driver {

/// Which exception a status becomes.
enum class StatusClass { kDevice, kDriver, kDeviceNotFound, kInvalidDevice, kOutOfMemory };

struct StatusInfo {
  int code;
  const char* name;      // "CUDA_ERROR_OUT_OF_MEMORY"
  const char* sentence;  // the explanation for the user; empty if the driver's own text suffices
  const char* advice;    // what to do next, a sentence; may be empty
  StatusClass status_class;
  bool sticky;  // the context is lost: every later call on it fails with the same code
};

/// The row of a driver status, or null for a code that gpukit's table does not know.
const StatusInfo* find_status(CUresult status) noexcept;

/// True when the device cannot be used any more in this process.
bool is_sticky(CUresult status) noexcept;

/// "CUDA_ERROR_INVALID_VALUE (1)"; asks the driver for codes newer than the table, else "CUDA
/// status 1234".
std::string status_name(const DriverTable& table, CUresult status);

/// What an error of `status` says to programs: "status" 1, "status_name"
/// "CUDA_ERROR_INVALID_VALUE", and the cause where the code alone tells it.
Details status_details(const DriverTable& table, CUresult status);

/// The table's sentence, else the driver's, else "the driver gives no description".
std::string status_sentence(const DriverTable& table, CUresult status);

/// Throws the exception that belongs to `status`. `call` is the failed call as written
/// ("cuMemAlloc(&p, n)"); `device` ("cuda:0") may be empty.
[[noreturn]] void throw_status(const DriverTable& table, CUresult status, std::string_view call,
                               std::string_view device = {});

/// "CUBLAS_STATUS_NOT_SUPPORTED (15)".
std::string status_name(cublasStatus_t status);

/// What it means, in a sentence; empty for a code that gpukit does not know.
std::string_view status_sentence(cublasStatus_t status) noexcept;

/// Throws OutOfMemoryError or DeviceError.
[[noreturn]] void throw_status(cublasStatus_t status, std::string_view call,
                               std::string_view device = {});

// Behind the macros of call.h. The call may not have been made: then the text says why (the process
// is exiting, it is a forked child, this driver lacks the function).
[[noreturn]] void throw_failed_call(const DriverTable& table, CUresult status, const char* function,
                                    const char* arguments, std::string_view device);
[[noreturn]] void throw_failed_call(cublasStatus_t status, const char* function,
                                    const char* arguments, std::string_view device);

/// The line a deleter logs instead of throwing; silent for CUDA_ERROR_DEINITIALIZED.
void warn_failed_call(const DriverTable& table, CUresult status, const char* function) noexcept;
void warn_failed_call(cublasStatus_t status, const char* function) noexcept;

}  // namespace gpukit::driver
