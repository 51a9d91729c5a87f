#include "driver/status.h"

#include <algorithm>
#include <array>

#include "base/cause.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process_state.h"
#include "driver/call.h"

namespace gpukit::driver {

namespace {

using enum StatusClass;

constexpr const char* kRestart =
    "Restart the notebook's runtime: this process cannot use the device again.";
constexpr const char* kLocate =
    "Restart the runtime and run again with CUDA_LAUNCH_BLOCKING=1 to see which call it was.";
constexpr const char* kReport =
    "This is a mistake in gpukit: please report it with the message above.";

// Ordered by code.
constexpr auto kStatuses = std::to_array<StatusInfo>({
    {1, "CUDA_ERROR_INVALID_VALUE", "an argument is outside what the driver accepts", kReport,
     kDevice, false},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "the device, or pinned host memory, has no room left",
     "Try gpukit.cuda.empty_cache(), a smaller batch, or dtype float16.", kOutOfMemory, false},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "the driver was not started in this process",
     "Start worker processes with multiprocessing's 'spawn' method, not 'fork'.", kDriver, false},
    {4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down with the process", "", kDriver,
     false},
    {34, "CUDA_ERROR_STUB_LIBRARY",
     "the toolkit's stub of the driver was opened instead of the driver",
     "Remove the folder 'stubs' from LD_LIBRARY_PATH, or set GPUKIT_LIBCUDA to the driver's "
     "libcuda.so.1.",
     kDriver, false},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "the GPU is in exclusive or prohibited mode and another process holds it",
     "Close the other process (nvidia-smi lists it), or ask for compute mode 'default'.",
     kDeviceNotFound, false},
    {100, "CUDA_ERROR_NO_DEVICE", "the driver shows no GPU to this process",
     "Check that CUDA_VISIBLE_DEVICES is not empty, and that the container or notebook was given a "
     "GPU.",
     kDeviceNotFound, false},
    {101, "CUDA_ERROR_INVALID_DEVICE", "there is no device with that number",
     "gpukit.devices() lists those that exist.", kInvalidDevice, false},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "this virtual GPU has no licence",
     "Ask the administrator of the virtual GPU.", kDevice, false},
    {200, "CUDA_ERROR_INVALID_IMAGE", "the compiled kernels are damaged", "Reinstall gpukit.",
     kDevice, false},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "no context of the device is current on this thread",
     kReport, kDevice, false},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "gpukit carries no kernels for this GPU's architecture",
     "gpukit.info() lists the architectures; use device='cpu' meanwhile.", kDevice, false},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "the GPU's memory has an error that cannot be corrected",
     kRestart, kDevice, true},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the two GPUs cannot reach each other's memory", "",
     kDevice, false},
    {218, "CUDA_ERROR_INVALID_PTX", "the driver could not compile the kernels for this GPU",
     "Update the driver.", kDevice, false},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "the link between GPUs failed", kRestart, kDevice,
     true},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "the driver's compiler library (libnvidia-ptxjitcompiler.so) is missing",
     "Reinstall the driver.", kDriver, false},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the driver is too old for kernels of this new GPU",
     "Update the driver to 575 or newer.", kDriver, false},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "compiling kernels is switched off",
     "Unset CUDA_DISABLE_PTX_JIT.", kDriver, false},
    {226, "CUDA_ERROR_CONTAINED", "a memory error stopped the work on this device", kRestart,
     kDevice, true},
    {304, "CUDA_ERROR_OPERATING_SYSTEM",
     "a call to the operating system failed: rights on /dev/nvidia*, a cgroup rule, or 'ulimit -l'",
     "Check that this user may open /dev/nvidiactl and /dev/nvidia0; in a container, pass the GPU "
     "in.",
     kDriver, false},
    {400, "CUDA_ERROR_INVALID_HANDLE",
     "a stream, event or function of another device, or a freed one", kReport, kDevice, false},
    {500, "CUDA_ERROR_NOT_FOUND", "no symbol of that name", kReport, kDevice, false},
    {600, "CUDA_ERROR_NOT_READY", "the work is not finished yet", "", kDevice, false},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel used memory that is not its own", kLocate,
     kDevice, true},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "the kernel needs more registers or shared memory than a block of this size can have", kReport,
     kDevice, false},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran longer than this display GPU allows", kRestart,
     kDevice, true},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is on already", "", kDevice,
     false},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not on", "", kDevice, false},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "another library of this process reset the device",
     "Restart the runtime; do not call cudaDeviceReset while gpukit is in use.", kDevice, true},
    {710, "CUDA_ERROR_ASSERT", "an assert in a kernel failed", kLocate, kDevice, true},
    {711, "CUDA_ERROR_TOO_MANY_PEERS", "no more GPUs can be linked for direct access", "", kDevice,
     false},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "this host memory is pinned already", "",
     kDevice, false},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "this host memory is not pinned", "", kDevice,
     false},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a kernel's call stack is damaged", kLocate, kDevice,
     true},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel met an instruction it may not run", kLocate,
     kDevice, true},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used an address that is not aligned", kLocate,
     kDevice, true},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE",
     "a kernel used an address of the wrong kind of memory", kLocate, kDevice, true},
    {718, "CUDA_ERROR_INVALID_PC", "a kernel jumped out of its code", kLocate, kDevice, true},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed while it ran", kLocate, kDevice, true},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "the grid is too large for a cooperative launch", kReport, kDevice, false},
    {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel ended without freeing tensor memory", kLocate,
     kDevice, true},
    {800, "CUDA_ERROR_NOT_PERMITTED", "the call is not allowed here", kReport, kDevice, false},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "this driver or GPU does not have the feature", "", kDevice,
     false},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "the machine's NVSwitch fabric is not up",
     "Ask the administrator to start nvidia-fabricmanager in the driver's version.", kDriver,
     false},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "the driver library and the loaded kernel module are of different versions",
     "Reboot after the driver update; in a container, mount the host's driver files again.",
     kDriver, false},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "a cuda-compat library is used with a GPU it is not made for",
     "Remove the folder 'compat' from LD_LIBRARY_PATH and from GPUKIT_LIBCUDA.", kDriver, false},
    {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the MPS service cannot be reached",
     "Restart nvidia-cuda-mps-control, or unset CUDA_MPS_PIPE_DIRECTORY.", kDriver, false},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "the call cannot be recorded into a graph", "",
     kDevice, false},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "an earlier error ended the recording of this graph", "", kDevice, false},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "the default stream cannot be used while another stream is recorded", "", kDevice, false},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "an event of a recording cannot be waited for", "", kDevice,
     false},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "the recording began on another thread", "",
     kDevice, false},
    {911, "CUDA_ERROR_EXTERNAL_DEVICE", "a device outside CUDA failed during the work", kRestart,
     kDevice, true},
    {999, "CUDA_ERROR_UNKNOWN",
     "the driver met an error it has no name for; often after suspend, or when /dev/nvidia-uvm is "
     "broken",
     "Reload the nvidia_uvm module or reboot; on a hosted notebook, restart the runtime.", kDriver,
     false},
});

struct CublasStatusInfo {
  cublasStatus_t status;
  const char* name;
  const char* sentence;
};

constexpr auto kCublasStatuses = std::to_array<CublasStatusInfo>({
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "no error"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library could not be started"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED",
     "no device memory for its workspace"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "a size or stride is not accepted"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "this GPU lacks the needed feature"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "device memory could not be mapped"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "a kernel failed on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR",
     "an operation inside cuBLAS failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "this combination of dtypes and sizes is not supported on this GPU"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a licence is missing"},
});

const CublasStatusInfo* find_cublas_status(cublasStatus_t status) noexcept {
  const auto* row =
      std::find_if(kCublasStatuses.begin(), kCublasStatuses.end(),
                   [&](const CublasStatusInfo& info) { return info.status == status; });
  return row != kCublasStatuses.end() ? row : nullptr;
}

std::string with_code(std::string_view name, int code) {
  return std::string(name) + " (" + std::to_string(code) + ")";
}

std::string call_text(const char* function, const char* arguments) {
  return std::string(function) + "(" + arguments + ")";
}

std::string on_device(std::string_view device) {
  return device.empty() ? std::string() : " on " + std::string(device);
}

/// "cuMemAlloc(&p, n) failed on cuda:0: CUDA_ERROR_… (1): sentence. Advice."
std::string failure_text(std::string_view call, std::string_view device, const std::string& name,
                         std::string_view sentence, std::string_view advice) {
  std::string text = std::string(call) + " failed" + on_device(device) + ": " + name;
  if (!sentence.empty()) text.append(": ").append(sentence);
  text += ".";
  if (!advice.empty()) text.append(" ").append(advice);
  return text;
}

struct Thrown {
  std::string text;
  std::string call;
  std::string device;
  Details status;

  template <class Exception>
  [[noreturn]] void raise(Exception exception) const {
    exception.add_detail("call", call);
    for (const auto& [key, value] : status) exception.add_detail(key, value);
    if (!device.empty()) exception.add_detail("device", device);
    throw exception;
  }

  [[noreturn]] void raise_as(StatusClass kind) const {
    switch (kind) {
      case kDriver:
        raise(DriverError(text));
      case kDeviceNotFound:
        raise(DeviceNotFoundError(text));
      case kInvalidDevice:
        raise(InvalidDeviceError(text));
      case kOutOfMemory:
        raise(OutOfMemoryError(text, 0, 0, 0, 0));
      case kDevice:
        break;
    }
    raise(DeviceError(text));
  }
};

/// "CUDA_ERROR_INVALID_VALUE"; "" for a code that neither gpukit's table nor the driver knows.
std::string bare_status_name(const DriverTable& table, CUresult status) {
  if (status == CUDA_SUCCESS) return "CUDA_SUCCESS";
  if (const StatusInfo* info = find_status(status)) return info->name;
  const char* name = nullptr;
  const CUresult asked = GPUKIT_CU_STATUS(table, cuGetErrorName, status, &name);
  return asked == CUDA_SUCCESS && name != nullptr ? name : "";
}

/// cuBLAS status codes have their own key: 14 means one thing to it and another to the driver.
Details cublas_status_details(cublasStatus_t status) {
  Details details = {{"cublas_status", static_cast<std::int64_t>(status)}};
  const CublasStatusInfo* info = find_cublas_status(status);
  if (info != nullptr) details.emplace_back("status_name", info->name);
  return details;
}

[[noreturn]] void throw_unusable_process(const char* function, std::string_view device) {
  const std::string call = std::string(function) + on_device(device);
  process_state::check_not_forked(call);
  throw DriverError(call + ": the process is exiting.");
}

[[noreturn]] void throw_missing_function(const FnEntry& entry, std::string_view device) {
  throw DriverError(std::string(entry.name) + on_device(device) +
                    ": this driver does not have the function; it came with CUDA " +
                    format_cuda_version(entry.since) + ". Update the NVIDIA driver.");
}

}  // namespace

const StatusInfo* find_status(CUresult status) noexcept {
  const int code = static_cast<int>(status);
  const auto* row =
      std::lower_bound(kStatuses.begin(), kStatuses.end(), code,
                       [](const StatusInfo& info, int wanted) { return info.code < wanted; });
  return row != kStatuses.end() && row->code == code ? row : nullptr;
}

bool is_sticky(CUresult status) noexcept {
  const StatusInfo* info = find_status(status);
  return info != nullptr && info->sticky;
}

std::string status_name(const DriverTable& table, CUresult status) {
  const int code = static_cast<int>(status);
  const std::string name = bare_status_name(table, status);
  return name.empty() ? "CUDA status " + std::to_string(code) : with_code(name, code);
}

Details status_details(const DriverTable& table, CUresult status) {
  Details details = {{"status", static_cast<std::int64_t>(status)}};
  const std::string name = bare_status_name(table, status);
  if (!name.empty()) details.emplace_back("status_name", name);
  if (status == CUDA_ERROR_NO_DEVICE) details.emplace_back("cause", cause::kNoDevice);
  if (status == CUDA_ERROR_NO_BINARY_FOR_GPU) details.emplace_back("cause", cause::kNoKernels);
  if (is_sticky(status)) details.emplace_back("cause", cause::kDeviceLost);
  return details;
}

std::string status_sentence(const DriverTable& table, CUresult status) {
  const StatusInfo* info = find_status(status);
  if (info != nullptr && info->sentence[0] != '\0') return info->sentence;
  const char* text = nullptr;
  if (GPUKIT_CU_STATUS(table, cuGetErrorString, status, &text) == CUDA_SUCCESS && text != nullptr) {
    return text;
  }
  return "the driver gives no description";
}

void throw_status(const DriverTable& table, CUresult status, std::string_view call,
                  std::string_view device) {
  const StatusInfo* info = find_status(status);
  std::string sentence = status_sentence(table, status);
  // Faults of kernels surface at any later call, so the call named here is only where it was
  // noticed.
  if (is_sticky(status))
    sentence += "; an earlier operation failed, this call is where it was first seen";
  const char* advice = info != nullptr ? info->advice : "";
  const Thrown thrown{failure_text(call, device, status_name(table, status), sentence, advice),
                      std::string(call), std::string(device), status_details(table, status)};
  thrown.raise_as(info != nullptr ? info->status_class : kDevice);
}

std::string status_name(cublasStatus_t status) {
  const CublasStatusInfo* info = find_cublas_status(status);
  const int code = static_cast<int>(status);
  return info != nullptr ? with_code(info->name, code) : "cuBLAS status " + std::to_string(code);
}

std::string_view status_sentence(cublasStatus_t status) noexcept {
  const CublasStatusInfo* info = find_cublas_status(status);
  return info != nullptr ? info->sentence : "";
}

void throw_status(cublasStatus_t status, std::string_view call, std::string_view device) {
  const Thrown thrown{failure_text(call, device, status_name(status), status_sentence(status), {}),
                      std::string(call), std::string(device), cublas_status_details(status)};
  thrown.raise_as(status == CUBLAS_STATUS_ALLOC_FAILED ? kOutOfMemory : kDevice);
}

void throw_failed_call(const DriverTable& table, CUresult status, const char* function,
                       const char* arguments, std::string_view device) {
  if (!process_state::driver_usable()) throw_unusable_process(function, device);
  const FnEntry* entry = find_entry(function);
  if (entry != nullptr && !slot_is_set(table, *entry)) throw_missing_function(*entry, device);
  throw_status(table, status, call_text(function, arguments), device);
}

void throw_failed_call(cublasStatus_t status, const char* function, const char* arguments,
                       std::string_view device) {
  if (!process_state::driver_usable()) throw_unusable_process(function, device);
  throw_status(status, call_text(function, arguments), device);
}

void warn_failed_call(const DriverTable& table, CUresult status, const char* function) noexcept {
  if (status == CUDA_ERROR_DEINITIALIZED) return;
  try {
    log::warning(function, " failed while cleaning up: ", status_name(table, status), ": ",
                 status_sentence(table, status), ".");
  } catch (...) {  // a destructor cannot report errors
  }
}

void warn_failed_call(cublasStatus_t status, const char* function) noexcept {
  try {
    log::warning(function, " failed while cleaning up: ", status_name(status), ": ",
                 status_sentence(status), ".");
  } catch (...) {  // a destructor cannot report errors
  }
}

}  // namespace gpukit::driver
