// The simulated NCCL: collectives between simulated GPUs of one process or several, on their
// streams.
// Types and values are those of nccl.h 2.27; declared here so that no NCCL is needed to build.
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/cuda_abi.h"
#include "sim/nccl_group.h"
#include "sim/nccl_processes.h"

using namespace gpukit::sim::nccl;

namespace nccl_exports {

constexpr int kVersion = 22703;
enum Result : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
};

struct Driver {
  int (*enqueue)(CUstream, int (*)(void*), void (*)(void*), void*, double, double, double,
                 const CUdeviceptr*, int) = nullptr;
  int (*range_ok)(CUdeviceptr, std::size_t) = nullptr;
  CUresult (*device_count)(int*) = nullptr;
  CUresult (*retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*release)(CUdevice) = nullptr;
  CUresult (*push)(CUcontext) = nullptr;
  CUresult (*pop)(CUcontext*) = nullptr;
  CUresult (*current)(CUdevice*) = nullptr;
  const char* (*faults)() = nullptr;
  bool complete() const {
    return enqueue && range_ok && device_count && retain && release && push && pop && current;
  }
};

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

Driver find_driver() {
  Driver driver;
  Dl_info self = {};
  if (dladdr(reinterpret_cast<void*>(&find_driver), &self) == 0) return driver;
  const std::string path = self.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* library = dlopen((folder + "libgpukit_simcuda.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return driver;
  resolve(library, "gpukitSimEnqueue", driver.enqueue);
  resolve(library, "gpukitSimRangeOk", driver.range_ok);
  resolve(library, "cuDeviceGetCount", driver.device_count);
  resolve(library, "cuDevicePrimaryCtxRetain", driver.retain);
  resolve(library, "cuDevicePrimaryCtxRelease_v2", driver.release);
  resolve(library, "cuCtxPushCurrent_v2", driver.push);
  resolve(library, "cuCtxPopCurrent_v2", driver.pop);
  resolve(library, "cuCtxGetDevice", driver.current);
  resolve(library, "gpukitSimNcclFaults", driver.faults);
  return driver;
}

const Driver& driver() {
  static const Driver found = find_driver();
  return found;
}

/// NCCL works in the context of its communicator's device, whichever is current.
class ContextScope {
 public:
  explicit ContextScope(int device) : device_(device) {
    CUcontext context = nullptr;
    status_ = driver().retain(&context, device_);
    if (status_ != CUDA_SUCCESS) return;
    status_ = driver().push(context);
    if (status_ != CUDA_SUCCESS) driver().release(device_);
  }
  ~ContextScope() {
    CUcontext context = nullptr;
    if (status_ == CUDA_SUCCESS && driver().pop(&context) == CUDA_SUCCESS)
      driver().release(device_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  CUresult status() const { return status_; }

 private:
  int device_;
  CUresult status_;
};

thread_local std::string last_error;

int fail(int result, std::string text) {
  last_error = std::move(text);
  return result;
}

}  // namespace nccl_exports

struct ncclComm {
  std::shared_ptr<Group> group;
  std::size_t rank = 0;
  std::uint64_t calls = 0;      ///< of all ranks
  std::uint64_t exchanges = 0;  ///< groups of messages
};
typedef ncclComm* ncclComm_t;

namespace nccl_exports {

/// A fault of the simulation: the rank of that number hangs, or the call of that number fails.
enum class Fault { kNone, kHang, kAbort };

Fault planned_fault(std::uint64_t number, std::size_t rank) {
  std::string_view text = driver().faults == nullptr ? "" : driver().faults();
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t at = one.find('@');
    std::uint64_t value = 0;
    std::from_chars(one.data() + at + 1, one.data() + one.size(), value);
    if (one.substr(0, at) == "hang" && value == rank) return Fault::kHang;
    if (one.substr(0, at) == "abort" && value == number + 1) return Fault::kAbort;
  }
  return Fault::kNone;
}

/// One rank's part in a call, queued on its stream.
struct Turn {
  std::shared_ptr<Group> group;
  std::uint64_t number;
  std::size_t rank;
  Call call;
  Part part;
  Fault fault = Fault::kNone;
  bool has_run = false;
  std::vector<Message> messages;  // in place of a call of all ranks
};

int run(void* argument) {
  auto& turn = *static_cast<Turn*>(argument);
  turn.has_run = true;
  if (turn.fault == Fault::kHang)
    turn.group->hang(turn.call);
  else if (turn.fault == Fault::kAbort)
    turn.group->cancel(turn.call.text() + " was aborted (a planned fault)");
  else if (!turn.messages.empty())
    turn.group->exchange(turn.rank, turn.messages);
  else
    turn.group->meet(turn.number, turn.rank, turn.call, turn.part);
  return CUDA_SUCCESS;
}

void drop(void* argument) {
  const std::unique_ptr<Turn> turn(static_cast<Turn*>(argument));
  if (!turn->has_run)  // the others need not wait for it
    turn->group->cancel("the part of a rank was dropped before it ran");
}

CUdeviceptr address_of(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

std::string check(const Call& call, ncclComm_t comm) {
  if (bytes_of(call.type) == 0) return "unknown datatype " + std::to_string(call.type);
  if (call.computes() && (call.op < kSum || call.op > kAverage))
    return "unknown reduction " + std::to_string(call.op);
  const auto ranks = static_cast<int>(comm->group->size());
  if (call.root < 0 || call.root >= ranks)
    return (call.is_message() ? "peer " : "root ") + std::to_string(call.root);
  return {};
}

/// What is wrong with a call's memory. The device's context is current.
std::string check_memory(const Call& call, const void* send, const void* receive, ncclComm_t comm,
                         std::vector<CUdeviceptr>& touched) {
  const Sizes sizes = sizes_of(call, comm->group->size());
  for (const bool sends : {true, false}) {
    const CUdeviceptr address = address_of(sends ? send : receive);
    if (!needs(call, comm->rank, sends) || call.count == 0) continue;
    if (driver().range_ok(address, sends ? sizes.send : sizes.receive) == 0)
      return std::string(name_of(call.kind)) + ": " + (sends ? "sendbuff" : "recvbuff") +
             " is no memory of a device, or too small";
    touched.push_back(address);
  }
  return {};
}

int enqueue(std::unique_ptr<Turn> turn, double bytes, const std::vector<CUdeviceptr>& touched,
            CUstream stream) {
  const auto item = static_cast<double>(bytes_of(turn->call.type));
  const int status = driver().enqueue(stream, &run, &drop, turn.release(), bytes, 0, item,
                                      touched.data(), static_cast<int>(touched.size()));
  return status == CUDA_SUCCESS
             ? kSuccess
             : fail(kUnhandledCudaError, "the driver gave " + std::to_string(status));
}

int queue(const Call& call, const void* send, void* receive, ncclComm_t comm, CUstream stream) {
  if (comm == nullptr) return fail(kInvalidArgument, "comm is NULL");
  if (const std::string fault = check(call, comm); !fault.empty())
    return fail(kInvalidArgument, std::string(name_of(call.kind)) + ": " + fault);
  if (!comm->group->error().empty()) return fail(kRemoteError, comm->group->error());
  if (call.count == 0 && comm->group->is_local()) return kSuccess;
  const ContextScope scope(comm->group->device(comm->rank));
  if (scope.status() != CUDA_SUCCESS)
    return fail(kUnhandledCudaError, "the driver gave " + std::to_string(scope.status()));
  std::vector<CUdeviceptr> touched;
  if (const std::string fault = check_memory(call, send, receive, comm, touched); !fault.empty())
    return fail(kInvalidArgument, fault);
  const Fault fault = planned_fault(comm->calls + comm->exchanges, comm->rank);
  auto turn =
      std::make_unique<Turn>(Turn{comm->group,
                                  comm->calls++,
                                  comm->rank,
                                  call,
                                  Part{static_cast<const char*>(send), static_cast<char*>(receive)},
                                  fault,
                                  false,
                                  {}});
  const Sizes sizes = sizes_of(call, comm->group->size());
  return enqueue(std::move(turn), static_cast<double>(sizes.send + sizes.receive), touched, stream);
}

// ---- messages: those of one ncclGroupStart to ncclGroupEnd move side by side ----

/// A rank's messages on one stream.
struct Outgoing {
  ncclComm_t comm;
  CUstream stream;
  std::vector<Message> messages;
  std::vector<CUdeviceptr> touched;
};

struct OpenGroup {
  int depth = 0;
  int failed = kSuccess;  ///< the first status of a message that was refused: none is sent then
  std::vector<Outgoing> outgoing;
};
thread_local OpenGroup open_group;

/// A rank's messages to itself must be received in the same group: nothing else would do it.
std::string check_own(const Outgoing& one) {
  std::size_t sends = 0, receives = 0;
  for (const Message& each : one.messages)
    if (each.peer() == one.comm->rank) (each.sends() ? sends : receives)++;
  if (sends == receives) return {};
  return "rank " + std::to_string(one.comm->rank) + " sends itself " + std::to_string(sends) +
         " messages in a group, and receives " + std::to_string(receives);
}

int launch(Outgoing& one) {
  if (const std::string fault = check_own(one); !fault.empty()) return fail(kInvalidUsage, fault);
  const ContextScope scope(one.comm->group->device(one.comm->rank));
  if (scope.status() != CUDA_SUCCESS)
    return fail(kUnhandledCudaError, "the driver gave " + std::to_string(scope.status()));
  double bytes = 0;
  for (const Message& each : one.messages) bytes += static_cast<double>(each.bytes());
  const std::uint64_t number = one.comm->calls + one.comm->exchanges++;
  const Fault fault = planned_fault(number, one.comm->rank);
  auto turn =
      std::make_unique<Turn>(Turn{one.comm->group, number, one.comm->rank,
                                  one.messages.front().call, Part{}, fault, false, one.messages});
  return enqueue(std::move(turn), bytes, one.touched, one.stream);
}

/// Queues what the thread's group has collected.
int close_group() {
  OpenGroup closed;
  std::swap(closed, open_group);
  for (Outgoing& each : closed.outgoing)
    if (closed.failed == kSuccess) closed.failed = launch(each);
  return closed.failed;
}

int add_message(const Call& call, void* data, ncclComm_t comm, CUstream stream) {
  if (comm == nullptr) return fail(kInvalidArgument, "comm is NULL");
  if (const std::string fault = check(call, comm); !fault.empty())
    return fail(kInvalidArgument, std::string(name_of(call.kind)) + ": " + fault);
  if (!comm->group->error().empty()) return fail(kRemoteError, comm->group->error());
  const ContextScope scope(comm->group->device(comm->rank));
  if (scope.status() != CUDA_SUCCESS)
    return fail(kUnhandledCudaError, "the driver gave " + std::to_string(scope.status()));
  std::vector<CUdeviceptr> touched;
  if (const std::string fault = check_memory(call, data, data, comm, touched); !fault.empty())
    return fail(kInvalidArgument, fault);
  std::vector<Outgoing>& all = open_group.outgoing;
  auto place = std::find_if(all.begin(), all.end(), [&](const Outgoing& each) {
    return each.comm == comm && each.stream == stream;
  });
  if (place == all.end()) place = all.insert(all.end(), Outgoing{comm, stream, {}, {}});
  place->messages.push_back({call, static_cast<char*>(data)});
  place->touched.insert(place->touched.end(), touched.begin(), touched.end());
  return kSuccess;
}

/// A communicator ends in a group that has messages of it.
void forget(ncclComm_t comm) {
  std::erase_if(open_group.outgoing, [&](const Outgoing& each) { return each.comm == comm; });
}

int message(const Call& call, void* data, ncclComm_t comm, CUstream stream) {
  const int result = add_message(call, data, comm, stream);
  if (open_group.depth == 0) {
    const int status = close_group();
    return result == kSuccess ? status : result;
  }
  if (open_group.failed == kSuccess) open_group.failed = result;
  return result;
}

}  // namespace nccl_exports

using namespace nccl_exports;

GPUKIT_SIM_EXPORT int ncclGetVersion(int* version) {
  if (version == nullptr) return fail(kInvalidArgument, "version is NULL");
  *version = kVersion;
  return kSuccess;
}

GPUKIT_SIM_EXPORT const char* ncclGetErrorString(int result) {
  switch (result) {
    case kSuccess:
      return "no error";
    case kUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case kSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case kInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case kInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case kRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "unknown result code";
  }
}

GPUKIT_SIM_EXPORT const char* ncclGetLastError(ncclComm_t comm) {
  if (comm != nullptr && !comm->group->error().empty()) last_error = comm->group->error();
  return last_error.c_str();
}

GPUKIT_SIM_EXPORT int ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  int known = 0;
  if (!driver().complete() || driver().device_count(&known) != CUDA_SUCCESS)
    return fail(kUnhandledCudaError, "the simulated driver is not started");
  if (comms == nullptr || count < 1)
    return fail(kInvalidArgument, "ndev is " + std::to_string(count));
  std::vector<int> chosen;
  for (int i = 0; i < count; i++) chosen.push_back(devices == nullptr ? i : devices[i]);
  for (const int device : chosen) {
    if (device < 0 || device >= known || device >= kMostDevices)
      return fail(kUnhandledCudaError, "there is no device " + std::to_string(device));
  }
  if (std::set<int>(chosen.begin(), chosen.end()).size() != chosen.size())
    return fail(kInvalidUsage, "a device is named twice");
  const auto group = std::make_shared<LocalGroup>(chosen);
  for (std::size_t rank = 0; rank < chosen.size(); rank++) comms[rank] = new ncclComm{group, rank};
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return fail(kInvalidArgument, "uniqueId is NULL");
  const std::string fault = make_unique_id(*id);
  return fault.empty() ? kSuccess : fail(kSystemError, fault);
}

/// Joins the ranks of other processes, or threads, with the current context's device.
GPUKIT_SIM_EXPORT int ncclCommInitRank(ncclComm_t* comm, int ranks, UniqueId id, int rank) {
  if (comm == nullptr) return fail(kInvalidArgument, "comm is NULL");
  *comm = nullptr;
  CUdevice device = 0;
  if (!driver().complete() || driver().current(&device) != CUDA_SUCCESS)
    return fail(kUnhandledCudaError, "no device is current on this thread");
  if (ranks < 1 || rank < 0 || rank >= ranks)
    return fail(kInvalidArgument,
                "rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " ranks");
  const Joined joined =
      join(id, static_cast<std::size_t>(ranks), static_cast<std::size_t>(rank), device);
  if (joined.group == nullptr)
    return fail(joined.is_bad_argument ? kInvalidArgument : kSystemError, joined.error);
  *comm = new ncclComm{joined.group, static_cast<std::size_t>(rank)};
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommCount(ncclComm_t comm, int* count) {
  if (comm == nullptr || count == nullptr) return fail(kInvalidArgument, "comm is NULL");
  *count = static_cast<int>(comm->group->size());
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommUserRank(ncclComm_t comm, int* rank) {
  if (comm == nullptr || rank == nullptr) return fail(kInvalidArgument, "comm is NULL");
  *rank = static_cast<int>(comm->rank);
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommCuDevice(ncclComm_t comm, int* device) {
  if (comm == nullptr || device == nullptr) return fail(kInvalidArgument, "comm is NULL");
  *device = comm->group->device(comm->rank);
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommDestroy(ncclComm_t comm) {
  forget(comm);
  delete comm;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommAbort(ncclComm_t comm) {
  if (comm != nullptr) comm->group->cancel("the communicator was aborted");
  forget(comm);
  delete comm;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommGetAsyncError(ncclComm_t comm, int* result) {
  if (comm == nullptr || result == nullptr) return fail(kInvalidArgument, "comm is NULL");
  *result = comm->group->error().empty() ? kSuccess : kRemoteError;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclGroupStart() {
  open_group.depth++;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclGroupEnd() {
  if (open_group.depth == 0)
    return fail(kInvalidUsage, "ncclGroupEnd without ncclGroupStart on this thread");
  return --open_group.depth == 0 ? close_group() : kSuccess;
}

GPUKIT_SIM_EXPORT int ncclSend(const void* data, std::size_t count, int type, int peer,
                               ncclComm_t comm, CUstream stream) {
  return message({Kind::kSend, count, type, kSum, peer}, const_cast<void*>(data), comm, stream);
}

GPUKIT_SIM_EXPORT int ncclRecv(void* data, std::size_t count, int type, int peer, ncclComm_t comm,
                               CUstream stream) {
  return message({Kind::kReceive, count, type, kSum, peer}, data, comm, stream);
}

GPUKIT_SIM_EXPORT int ncclAllReduce(const void* send, void* receive, std::size_t count, int type,
                                    int op, ncclComm_t comm, CUstream stream) {
  return queue({Kind::kAllReduce, count, type, op, 0}, send, receive, comm, stream);
}

GPUKIT_SIM_EXPORT int ncclReduce(const void* send, void* receive, std::size_t count, int type,
                                 int op, int root, ncclComm_t comm, CUstream stream) {
  return queue({Kind::kReduce, count, type, op, root}, send, receive, comm, stream);
}

GPUKIT_SIM_EXPORT int ncclBroadcast(const void* send, void* receive, std::size_t count, int type,
                                    int root, ncclComm_t comm, CUstream stream) {
  return queue({Kind::kBroadcast, count, type, kSum, root}, send, receive, comm, stream);
}

GPUKIT_SIM_EXPORT int ncclAllGather(const void* send, void* receive, std::size_t count, int type,
                                    ncclComm_t comm, CUstream stream) {
  return queue({Kind::kAllGather, count, type, kSum, 0}, send, receive, comm, stream);
}

GPUKIT_SIM_EXPORT int ncclReduceScatter(const void* send, void* receive, std::size_t count,
                                        int type, int op, ncclComm_t comm, CUstream stream) {
  return queue({Kind::kReduceScatter, count, type, op, 0}, send, receive, comm, stream);
}

/// Bytes that a simulated GPU has sent to its neighbours, since the library was loaded.
GPUKIT_SIM_EXPORT std::uint64_t gpukitSimNcclSent(int device) {
  return device >= 0 && device < kMostDevices ? sent_bytes[device].load() : 0;
}
