// The simulated NCCL: collectives between the simulated GPUs of one process, on their streams.
// Types and values are those of nccl.h 2.27; declared here so that no NCCL is needed to build.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/cuda_abi.h"
#include "sim/nccl_ring.h"

using namespace gpukit::sim::nccl;

namespace nccl_exports {

constexpr int kVersion = 22703;
constexpr int kMostDevices = 64;
/// What a card would wait for without end is an error after this.
constexpr std::chrono::seconds kPatience{20};

enum Result : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
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
  bool complete() const {
    return enqueue && range_ok && device_count && retain && release && push && pop;
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

std::atomic<std::uint64_t> sent_bytes[kMostDevices];
thread_local std::string last_error;

int fail(int result, std::string text) {
  last_error = std::move(text);
  return result;
}

/// The ranks of one call of all ranks, as they come to it.
struct Meeting {
  explicit Meeting(std::size_t ranks) : calls(ranks), parts(ranks) {}
  std::vector<Call> calls;
  std::vector<Part> parts;
  std::size_t arrived = 0;
  std::size_t left = 0;
  bool done = false;
};

/// What the communicators of one ncclCommInitAll share.
class Group {
 public:
  explicit Group(std::vector<int> devices) : devices_(std::move(devices)) {}

  std::size_t size() const { return devices_.size(); }
  int device(std::size_t rank) const { return devices_[rank]; }

  /// On the thread of the rank's stream: waits for the others; the last one computes. After an
  /// error nothing is computed, for a rank that gave up may have freed its memory.
  void meet(std::uint64_t number, std::size_t rank, const Call& call, const Part& part) {
    std::unique_lock lock(mutex_);
    if (aborted_) return;
    auto [place, is_new] = meetings_.try_emplace(number, nullptr);
    if (is_new) place->second = std::make_shared<Meeting>(size());
    const std::shared_ptr<Meeting> meeting = place->second;
    meeting->calls[rank] = call;
    meeting->parts[rank] = part;
    if (++meeting->arrived == size()) {
      finish(*meeting);
    } else if (!changed_.wait_for(lock, kPatience, [&] { return meeting->done || aborted_; })) {
      record("rank " + std::to_string(rank) + " waited in vain: " + call.text());
      stop();
    }
    if (++meeting->left == size()) meetings_.erase(number);
  }

  void cancel() {
    const std::lock_guard lock(mutex_);
    record("the part of a rank was dropped before it ran");
    stop();
  }

  std::string error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  void finish(Meeting& meeting) {
    const Call& first = meeting.calls.front();
    for (std::size_t rank = 1; rank < size(); rank++) {
      if (meeting.calls[rank] == first) continue;
      record("the ranks differ: rank 0 calls " + first.text() + ", rank " + std::to_string(rank) +
             " " + meeting.calls[rank].text());
      stop();
      return;
    }
    Ring(first, meeting.parts).run();
    for (std::size_t rank = 0; rank < size(); rank++)
      sent_bytes[devices_[rank]] += meeting.parts[rank].sent;
    meeting.done = true;
    changed_.notify_all();
  }

  void record(std::string text) {
    if (error_.empty()) error_ = std::move(text);
  }

  void stop() {
    aborted_ = true;
    changed_.notify_all();
  }

  std::vector<int> devices_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::shared_ptr<Meeting>> meetings_;
  std::string error_;
  bool aborted_ = false;
};

}  // namespace nccl_exports

struct ncclComm {
  std::shared_ptr<nccl_exports::Group> group;
  std::size_t rank = 0;
  std::uint64_t calls = 0;
};
typedef ncclComm* ncclComm_t;

namespace nccl_exports {

/// One rank's part in a call, queued on its stream.
struct Turn {
  std::shared_ptr<Group> group;
  std::uint64_t number;
  std::size_t rank;
  Call call;
  Part part;
  bool has_run = false;
};

int run(void* argument) {
  auto& turn = *static_cast<Turn*>(argument);
  turn.has_run = true;
  turn.group->meet(turn.number, turn.rank, turn.call, turn.part);
  return CUDA_SUCCESS;
}

void drop(void* argument) {
  const std::unique_ptr<Turn> turn(static_cast<Turn*>(argument));
  if (!turn->has_run) turn->group->cancel();  // the others need not wait for it
}

struct Sizes {
  std::size_t send = 0;
  std::size_t receive = 0;
};

Sizes sizes_of(const Call& call, std::size_t ranks) {
  const std::size_t bytes = call.count * bytes_of(call.type);
  if (call.kind == Kind::kAllGather) return {bytes, bytes * ranks};
  if (call.kind == Kind::kReduceScatter) return {bytes * ranks, bytes};
  return {bytes, bytes};
}

bool needs(const Call& call, std::size_t rank, bool sends) {
  const bool is_root = static_cast<std::size_t>(call.root) == rank;
  if (call.kind == Kind::kBroadcast && sends) return is_root;
  if (call.kind == Kind::kReduce && !sends) return is_root;
  return true;
}

CUdeviceptr address_of(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

std::string check(const Call& call, ncclComm_t comm) {
  if (bytes_of(call.type) == 0) return "unknown datatype " + std::to_string(call.type);
  if (call.computes() && (call.op < kSum || call.op > kAverage))
    return "unknown reduction " + std::to_string(call.op);
  const auto ranks = static_cast<int>(comm->group->size());
  if (call.root < 0 || call.root >= ranks) return "root " + std::to_string(call.root);
  return {};
}

int queue(const Call& call, const void* send, void* receive, ncclComm_t comm, CUstream stream) {
  if (comm == nullptr) return fail(kInvalidArgument, "comm is NULL");
  if (const std::string fault = check(call, comm); !fault.empty())
    return fail(kInvalidArgument, std::string(name_of(call.kind)) + ": " + fault);
  if (!comm->group->error().empty()) return fail(kRemoteError, comm->group->error());
  if (call.count == 0) return kSuccess;
  const ContextScope scope(comm->group->device(comm->rank));
  if (scope.status() != CUDA_SUCCESS)
    return fail(kUnhandledCudaError, "the driver gave " + std::to_string(scope.status()));
  const Sizes sizes = sizes_of(call, comm->group->size());
  std::vector<CUdeviceptr> touched;
  for (const bool sends : {true, false}) {
    const CUdeviceptr address = address_of(sends ? send : receive);
    if (!needs(call, comm->rank, sends)) continue;
    if (driver().range_ok(address, sends ? sizes.send : sizes.receive) == 0)
      return fail(kInvalidArgument, std::string(name_of(call.kind)) + ": " +
                                        (sends ? "sendbuff" : "recvbuff") +
                                        " is no memory of a device, or too small");
    touched.push_back(address);
  }
  auto turn = std::make_unique<Turn>(
      Turn{comm->group, comm->calls++, comm->rank, call,
           Part{static_cast<const char*>(send), static_cast<char*>(receive)}});
  const double bytes = static_cast<double>(sizes.send + sizes.receive);
  const int status = driver().enqueue(stream, &run, &drop, turn.release(), bytes, 0,
                                      static_cast<double>(bytes_of(call.type)), touched.data(),
                                      static_cast<int>(touched.size()));
  return status == CUDA_SUCCESS
             ? kSuccess
             : fail(kUnhandledCudaError, "the driver gave " + std::to_string(status));
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
  const auto group = std::make_shared<Group>(chosen);
  for (std::size_t rank = 0; rank < chosen.size(); rank++) comms[rank] = new ncclComm{group, rank};
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommAbort(ncclComm_t comm) {
  if (comm != nullptr) comm->group->cancel();
  delete comm;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclCommGetAsyncError(ncclComm_t comm, int* result) {
  if (comm == nullptr || result == nullptr) return fail(kInvalidArgument, "comm is NULL");
  *result = comm->group->error().empty() ? kSuccess : kRemoteError;
  return kSuccess;
}

GPUKIT_SIM_EXPORT int ncclGroupStart() { return kSuccess; }
GPUKIT_SIM_EXPORT int ncclGroupEnd() { return kSuccess; }

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
