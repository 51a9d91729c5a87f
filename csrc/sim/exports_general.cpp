// Texts of status codes, and the tables that only NVIDIA's own libraries ask for.
#include <string>
#include <string_view>

#include "sim/driver_call.h"

using namespace gpukit::sim;

namespace exports_general {
namespace {

struct StatusText {
  CUresult status;
  const char* name;
  const char* text;
};

#define GPUKIT_SIM_STATUS(code, text) {code, #code, text}
constexpr StatusText kStatusTexts[] = {
    GPUKIT_SIM_STATUS(CUDA_SUCCESS, "no error"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_DEVICE_UNAVAILABLE,
                      "CUDA-capable device(s) is/are busy or unavailable"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_DEVICE_NOT_LICENSED, "device doesn't have valid Grid license"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NO_BINARY_FOR_GPU,
                      "no kernel image is available for execution on the device"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                      "peer access is not supported between these two devices"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NVLINK_UNCORRECTABLE,
                      "uncorrectable NVLink error detected during the execution"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                      "the provided PTX was compiled with an unsupported toolchain."),
    GPUKIT_SIM_STATUS(CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_OPERATING_SYSTEM,
                      "OS call failed or operation not supported on this OS"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_ILLEGAL_STATE,
                      "the operation cannot be performed in the present state"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NOT_READY, "device not ready"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                      "too many resources requested for launch"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
                      "cannot set while device is active in this process"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_TOO_MANY_PEERS, "peer mapping resources exhausted"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                      "part or all of the requested memory range is already mapped"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                      "pointer does not correspond to a registered memory region"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_ADDRESS_SPACE,
                      "operation not supported on global/shared address space"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                      "too many blocks in cooperative launch"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                      "system has unsupported display driver / cuda driver combination"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
                      "forward compatibility was attempted on non supported HW"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                      "operation not permitted when stream is capturing"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                      "operation failed due to a previous error during capture"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                      "operation would result in a merge of separate capture sequences"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                      "capture was not ended in the same stream as it began"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                      "dependency created on uncaptured work in another stream"),
    GPUKIT_SIM_STATUS(
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
        "operation would make the legacy stream depend on a capturing blocking stream"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_CAPTURED_EVENT,
                      "operation not permitted on an event last recorded in a capturing stream"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                      "attempt to terminate a thread-local capture sequence from another thread"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_TIMEOUT, "wait operation timed out"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                      "the graph update was not performed because it included changes which "
                      "violated constraints specific to instantiated graph update"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_EXTERNAL_DEVICE,
                      "an async error has occurred in external entity outside of CUDA"),
    GPUKIT_SIM_STATUS(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef GPUKIT_SIM_STATUS

const StatusText* find(CUresult status) {
  for (const StatusText& entry : kStatusTexts) {
    if (entry.status == status) return &entry;
  }
  return nullptr;
}

}  // namespace
}  // namespace exports_general

GPUKIT_SIM_EXPORT CUresult cuGetErrorName(CUresult status, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const exports_general::StatusText* entry = exports_general::find(status);
  *name = entry == nullptr ? nullptr : entry->name;
  return entry == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

GPUKIT_SIM_EXPORT CUresult cuGetErrorString(CUresult status, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const exports_general::StatusText* entry = exports_general::find(status);
  *text = entry == nullptr ? nullptr : entry->text;
  return entry == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// NVRTC asks for a table at its first compilation, and reads through a null one when the symbol is
// missing. gpukit has none of these tables; "not found" is an answer with which NVRTC goes on.
GPUKIT_SIM_EXPORT CUresult cuGetExportTable(const void** table, const CUuuid*) {
  static CallSite site(__func__);
  site.count();
  if (table == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
