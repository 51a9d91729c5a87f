// Several logical devices over one card of another driver: `simulate(2, on="cuda:0")`. Every entry
// point jumps through a slot to the driver below, which this library opens itself; what tells the
// logical devices apart (counting, names, contexts, memory) has its own functions here.
#include <cudaTypedefs.h>
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "driver/cuda_functions.h"
#include "sim/cuda_abi.h"

#if defined(__x86_64__)
#define GPUKIT_JUMP_TO(slot) "jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define GPUKIT_JUMP_TO(slot) "adrp x16, " slot "\nldr x16, [x16, :lo12:" slot "]\nbr x16\n"
#else
#error "the bridge has no jump for this processor"
#endif

extern "C" {
__attribute__((visibility("hidden"))) CUresult gk_bridge_refuse() {
  return CUDA_ERROR_NOT_INITIALIZED;
}
}

// Each exported symbol is one jump, so that it has the driver's own arguments whatever they are.
#define GPUKIT_BRIDGE(member, symbol, type, since, presence)             \
  extern "C" {                                                           \
  __attribute__((visibility("hidden"), used)) void* gk_bridge_##member = \
      reinterpret_cast<void*>(&gk_bridge_refuse);                        \
  }                                                                      \
  asm(".text\n.globl " symbol "\n.type " symbol ", %function\n" symbol   \
      ":\n" GPUKIT_JUMP_TO("gk_bridge_" #member));
GPUKIT_CUDA_FUNCTIONS(GPUKIT_BRIDGE)
#undef GPUKIT_BRIDGE

namespace bridge_exports {
namespace {

/// The driver below.
struct Below {
#define GPUKIT_SLOT(member, symbol, type, since, presence) type member = nullptr;
  GPUKIT_CUDA_FUNCTIONS(GPUKIT_SLOT)
#undef GPUKIT_SLOT
};

struct Row {
  const char* name;
  const char* symbol;
  void** slot;
  std::size_t offset;
};

const Row kRows[] = {
#define GPUKIT_ROW(member, symbol, type, since, presence) \
  {#member, symbol, &gk_bridge_##member, offsetof(Below, member)},
    GPUKIT_CUDA_FUNCTIONS(GPUKIT_ROW)
#undef GPUKIT_ROW
};

struct Logical {
  std::size_t used = 0;
};

constexpr int kMostDevices = 64;

struct Bridge {
  std::mutex mutex;
  Below below;
  int card = 0;
  int count = 0;
  std::size_t limit = 0;  // bytes of each device; 0 until it is asked for
  CUcontext primary = nullptr;
  Logical devices[kMostDevices];
  struct Block {
    std::size_t bytes;
    int device;
  };
  std::map<CUdeviceptr, Block> blocks;
  std::string message;
};

Bridge& bridge() {
  static auto* const the_bridge = new Bridge;
  return *the_bridge;
}

std::vector<int>& current_devices() {
  thread_local std::vector<int> stack;
  return stack;
}

CUcontext handle_of(int device) { return reinterpret_cast<CUcontext>(&bridge().devices[device]); }

/// The logical device of a context handle, or -1 for a foreign handle.
int device_of(CUcontext context) {
  const auto* logical = reinterpret_cast<const Logical*>(context);
  const Logical* first = bridge().devices;
  return logical >= first && logical < first + bridge().count ? static_cast<int>(logical - first)
                                                              : -1;
}

bool holds(int ordinal) { return ordinal >= 0 && ordinal < bridge().count; }

// ---- devices

CUresult cuDeviceGetCount(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = bridge().count;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!holds(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int room, CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  char below[256] = {};
  const CUresult status = bridge().below.cuDeviceGetName(below, sizeof below, bridge().card);
  if (status != CUDA_SUCCESS) return status;
  if (name == nullptr || room <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, static_cast<std::size_t>(room), "%s (part %d of %d)", below, device + 1,
                bridge().count);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  const CUresult status = bridge().below.cuDeviceGetUuid(uuid, bridge().card);
  // The first keeps the card's own, by which NVML knows it.
  if (status == CUDA_SUCCESS) uuid->bytes[15] = static_cast<char>(uuid->bytes[15] ^ device);
  return status;
}

CUresult memory_limit(std::size_t* bytes) {
  Bridge& all = bridge();
  std::size_t total = 0;
  const CUresult status = all.below.cuDeviceTotalMem(&total, all.card);
  if (status != CUDA_SUCCESS) return status;
  const std::size_t share = total / static_cast<std::size_t>(all.count);
  *bytes = all.limit != 0 ? std::min(all.limit, share) : share;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  return bytes == nullptr ? CUDA_ERROR_INVALID_VALUE : memory_limit(bytes);
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  const CUresult status = bridge().below.cuDeviceGetAttribute(value, attribute, bridge().card);
  if (status == CUDA_SUCCESS && attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) *value = 0;
  return status;
}

CUresult cuDeviceGetPCIBusId(char* text, int room, CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  return bridge().below.cuDeviceGetPCIBusId(text, room, bridge().card);
}

CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice from, CUdevice to) {
  if (!holds(from) || !holds(to)) return CUDA_ERROR_INVALID_DEVICE;
  if (can_access == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *can_access = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }

// ---- contexts: one of the driver below, under a handle for each logical device

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(bridge().mutex);
  const CUresult status = bridge().below.cuDevicePrimaryCtxRetain(&bridge().primary, bridge().card);
  if (status == CUDA_SUCCESS) *context = handle_of(device);
  return status;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (!holds(device)) return CUDA_ERROR_INVALID_DEVICE;
  return bridge().below.cuDevicePrimaryCtxRelease(bridge().card);
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  const int device = device_of(context);
  const CUresult status = bridge().below.cuCtxPushCurrent(device < 0 ? context : bridge().primary);
  if (status == CUDA_SUCCESS) current_devices().push_back(device);
  return status;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  CUcontext popped = nullptr;
  const CUresult status = bridge().below.cuCtxPopCurrent(&popped);
  if (status != CUDA_SUCCESS) return status;
  std::vector<int>& stack = current_devices();
  const int device = stack.empty() ? -1 : stack.back();
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) *context = device < 0 ? popped : handle_of(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  const CUresult status = bridge().below.cuCtxGetCurrent(context);
  const std::vector<int>& stack = current_devices();
  const bool ours = status == CUDA_SUCCESS && *context == bridge().primary && !stack.empty();
  if (ours && stack.back() >= 0) *context = handle_of(stack.back());
  return status;
}

int current_device() { return current_devices().empty() ? -1 : current_devices().back(); }

// ---- memory: each logical device has a share

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  const int device = current_device();
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  std::size_t limit = 0;
  CUresult status = memory_limit(&limit);
  if (status != CUDA_SUCCESS) return status;
  Bridge& all = bridge();
  const std::lock_guard lock(all.mutex);
  if (bytes > limit || all.devices[device].used > limit - bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  status = all.below.cuMemAlloc(address, bytes);
  if (status != CUDA_SUCCESS) return status;
  all.devices[device].used += bytes;
  all.blocks[*address] = {bytes, device};
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  Bridge& all = bridge();
  const CUresult status = all.below.cuMemFree(address);
  if (status != CUDA_SUCCESS) return status;
  const std::lock_guard lock(all.mutex);
  const auto block = all.blocks.find(address);
  if (block == all.blocks.end()) return CUDA_SUCCESS;
  all.devices[block->second.device].used -= block->second.bytes;
  all.blocks.erase(block);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  const int device = current_device();
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  std::size_t free_below = 0, total_below = 0, limit = 0;
  CUresult status = bridge().below.cuMemGetInfo(&free_below, &total_below);
  if (status == CUDA_SUCCESS) status = memory_limit(&limit);
  if (status != CUDA_SUCCESS) return status;
  const std::lock_guard lock(bridge().mutex);
  *free_bytes = std::min(free_below, limit - bridge().devices[device].used);
  *total_bytes = limit;
  return CUDA_SUCCESS;
}

/// The device that allocated an address, or -1.
int owner_of(CUdeviceptr address) {
  Bridge& all = bridge();
  const std::lock_guard lock(all.mutex);
  auto block = all.blocks.upper_bound(address);
  if (block == all.blocks.begin()) return -1;
  --block;
  return address < block->first + block->second.bytes ? block->second.device : -1;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const CUresult status = bridge().below.cuPointerGetAttribute(data, attribute, address);
  const int owner = status == CUDA_SUCCESS ? owner_of(address) : -1;
  if (owner < 0) return status;
  const CUcontext context = handle_of(owner);
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) std::memcpy(data, &owner, sizeof owner);
  if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT) std::memcpy(data, &context, sizeof context);
  return status;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                           std::size_t bytes, CUstream stream) {
  return bridge().below.cuMemcpyDtoDAsync(to, from, bytes, stream);
}

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* found);

// ---- the table

template <class Function>
void* address_of(Function function) {
  return reinterpret_cast<void*>(function);
}

struct Override {
  const char* name;
  void* function;  // null: gpukit has to do without
};

const Override kOverrides[] = {
    {"cuGetProcAddress", address_of(&cuGetProcAddress)},
    {"cuDeviceGetCount", address_of(&cuDeviceGetCount)},
    {"cuDeviceGet", address_of(&cuDeviceGet)},
    {"cuDeviceGetName", address_of(&cuDeviceGetName)},
    {"cuDeviceGetUuid", address_of(&cuDeviceGetUuid)},
    {"cuDeviceTotalMem", address_of(&cuDeviceTotalMem_v2)},
    {"cuDeviceGetAttribute", address_of(&cuDeviceGetAttribute)},
    {"cuDeviceGetPCIBusId", address_of(&cuDeviceGetPCIBusId)},
    {"cuDeviceCanAccessPeer", address_of(&cuDeviceCanAccessPeer)},
    {"cuCtxEnablePeerAccess", address_of(&cuCtxEnablePeerAccess)},
    {"cuDevicePrimaryCtxRetain", address_of(&cuDevicePrimaryCtxRetain)},
    {"cuDevicePrimaryCtxRelease", address_of(&cuDevicePrimaryCtxRelease_v2)},
    {"cuCtxGetCurrent", address_of(&cuCtxGetCurrent)},
    {"cuCtxPushCurrent", address_of(&cuCtxPushCurrent_v2)},
    {"cuCtxPopCurrent", address_of(&cuCtxPopCurrent_v2)},
    {"cuMemAlloc", address_of(&cuMemAlloc_v2)},
    {"cuMemFree", address_of(&cuMemFree_v2)},
    {"cuMemGetInfo", address_of(&cuMemGetInfo_v2)},
    {"cuPointerGetAttribute", address_of(&cuPointerGetAttribute)},
    {"cuMemcpyPeerAsync", address_of(&cuMemcpyPeerAsync)},
    // Who a pool belongs to is not known below.
    {"cuMemAllocAsync", nullptr},
    {"cuMemFreeAsync", nullptr},
    {"cuMemAllocFromPoolAsync", nullptr},
    {"cuMemPoolCreate", nullptr},
    {"cuMemPoolDestroy", nullptr},
    {"cuMemPoolTrimTo", nullptr},
    {"cuMemPoolSetAttribute", nullptr},
    {"cuMemPoolGetAttribute", nullptr},
};

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* found) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& one) { return std::strcmp(one.name, name) == 0; });
  *function = row == std::end(kRows) ? nullptr : *row->slot;
  if (found != nullptr)
    *found =
        *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

void load(void* library) {
  auto* const below = reinterpret_cast<unsigned char*>(&bridge().below);
  for (const Row& row : kRows) {
    void* address = dlsym(library, row.symbol);
    std::memcpy(below + row.offset, &address, sizeof address);
    *row.slot = address;
  }
  for (const Override& own : kOverrides) {
    for (const Row& row : kRows) {
      if (std::strcmp(row.name, own.name) == 0) *row.slot = own.function;
    }
  }
}

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "count=2,card=0,mem=BYTES,driver=PATH": the path comes last and may hold anything.
std::string start(std::string_view text) {
  Bridge& all = bridge();
  std::string path;
  int count = 0, card = 0;
  std::size_t limit = 0;
  while (!text.empty()) {
    const auto equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
    if (key == "driver") {
      path = value;
      break;
    }
    const auto comma = value.find(',');
    text = comma == std::string_view::npos ? "" : value.substr(comma + 1);
    value = value.substr(0, comma);
    const bool good = (key == "count" && parse(value, count)) ||
                      (key == "card" && parse(value, card)) ||
                      (key == "mem" && parse(value, limit));
    if (!good) return "the bridge cannot read '" + std::string(key) + "'";
  }
  if (count < 1 || count > kMostDevices || path.empty())
    return "the bridge needs devices and a driver";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::string("the driver below cannot be opened: ") + dlerror();
  const std::lock_guard lock(all.mutex);
  all.count = count;
  all.card = card;
  all.limit = limit;
  all.primary = nullptr;
  all.blocks.clear();
  std::fill(std::begin(all.devices), std::end(all.devices), Logical{});
  load(library);
  return {};
}

}  // namespace
}  // namespace bridge_exports

GPUKIT_SIM_EXPORT const char* gpukitSimVersion() { return "1"; }

// Logical device numbers differ from the numbers that the driver below gives other libraries.
GPUKIT_SIM_EXPORT int gpukitSimPrivateMemory() { return 1; }

GPUKIT_SIM_EXPORT int gpukitSimConfigure(const char* text) {
  try {
    bridge_exports::bridge().message = bridge_exports::start(text == nullptr ? "" : text);
  } catch (const std::exception& error) {
    bridge_exports::bridge().message = error.what();
  }
  return bridge_exports::bridge().message.empty() ? 0 : 1;
}

GPUKIT_SIM_EXPORT const char* gpukitSimLastMessage() {
  return bridge_exports::bridge().message.c_str();
}
