// The only way to call a vendor function: through a table, with every status checked.
//
//   GPUKIT_CU(table, cuMemAlloc, &pointer, bytes);               throws what the status means
//   GPUKIT_CU_ON("cuda:0", table, cuStreamSynchronize, stream);  the same, naming the device
//   GPUKIT_CU_NOEXCEPT(table, cuMemFree, pointer);               for deleters: warns, never throws
//   status = GPUKIT_CU_STATUS(table, cuEventQuery, event);       hands it over, for NOT_READY
//
// GPUKIT_CUBLAS_ON and its siblings do the same with a CublasTable. None reaches the library in a
// forked child or once the process is exiting, and a null slot is an error, not a crash. `table`
// may be evaluated more than once; the device is evaluated on failure only.
#pragma once

#include "base/process_state.h"
#include "driver/fn_table.h"
#include "driver/status.h"

#define GPUKIT_CU_STATUS(table, function, ...)                                                \
  (::gpukit::process_state::driver_usable()                                                   \
       ? ((table).function != nullptr ? (table).function(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND) \
       : CUDA_ERROR_NOT_INITIALIZED)

#define GPUKIT_CU_ON(device, table, function, ...)                                                \
  do {                                                                                            \
    const CUresult gpukit_status = GPUKIT_CU_STATUS(table, function __VA_OPT__(, ) __VA_ARGS__);  \
    if (gpukit_status != CUDA_SUCCESS) [[unlikely]] {                                             \
      ::gpukit::driver::throw_failed_call(table, gpukit_status, #function, #__VA_ARGS__, device); \
    }                                                                                             \
  } while (false)

#define GPUKIT_CU(table, function, ...)                                                          \
  do {                                                                                           \
    const CUresult gpukit_status = GPUKIT_CU_STATUS(table, function __VA_OPT__(, ) __VA_ARGS__); \
    if (gpukit_status != CUDA_SUCCESS) [[unlikely]] {                                            \
      ::gpukit::driver::throw_failed_call(table, gpukit_status, #function, #__VA_ARGS__, {});    \
    }                                                                                            \
  } while (false)

#define GPUKIT_CU_NOEXCEPT(table, function, ...)                                                   \
  do {                                                                                             \
    if (::gpukit::process_state::driver_usable()) {                                                \
      const CUresult gpukit_status = GPUKIT_CU_STATUS(table, function __VA_OPT__(, ) __VA_ARGS__); \
      if (gpukit_status != CUDA_SUCCESS) [[unlikely]] {                                            \
        ::gpukit::driver::warn_failed_call(table, gpukit_status, #function);                       \
      }                                                                                            \
    }                                                                                              \
  } while (false)

#define GPUKIT_CUBLAS_STATUS(table, function, ...)                                     \
  (::gpukit::process_state::driver_usable()                                            \
       ? ((table).function != nullptr ? (table).function(__VA_ARGS__)                  \
                                      : ::gpukit::driver::CUBLAS_STATUS_NOT_SUPPORTED) \
       : ::gpukit::driver::CUBLAS_STATUS_NOT_INITIALIZED)

#define GPUKIT_CUBLAS_ON(device, table, function, ...)                                     \
  do {                                                                                     \
    const ::gpukit::driver::cublasStatus_t gpukit_status =                                 \
        GPUKIT_CUBLAS_STATUS(table, function __VA_OPT__(, ) __VA_ARGS__);                  \
    if (gpukit_status != ::gpukit::driver::CUBLAS_STATUS_SUCCESS) [[unlikely]] {           \
      ::gpukit::driver::throw_failed_call(gpukit_status, #function, #__VA_ARGS__, device); \
    }                                                                                      \
  } while (false)

#define GPUKIT_CUBLAS_NOEXCEPT(table, function, ...)                               \
  do {                                                                             \
    if (::gpukit::process_state::driver_usable()) {                                \
      const ::gpukit::driver::cublasStatus_t gpukit_status =                       \
          GPUKIT_CUBLAS_STATUS(table, function __VA_OPT__(, ) __VA_ARGS__);        \
      if (gpukit_status != ::gpukit::driver::CUBLAS_STATUS_SUCCESS) [[unlikely]] { \
        ::gpukit::driver::warn_failed_call(gpukit_status, #function);              \
      }                                                                            \
    }                                                                              \
  } while (false)
