#include "cuda/cuda_blas.h"

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "cuda/cuda_graph.h"
#include "cuda/cuda_memory.h"

namespace gpukit::cuda {

namespace cuda_blas {
namespace {

using driver::cublasStatus_t;

constexpr std::size_t kLargeRoom = std::size_t{32} << 20;
constexpr std::size_t kPlainRoom = std::size_t{4} << 20;
constexpr std::size_t kMostRoom = std::size_t{128} << 20;  ///< of all streams of a device
constexpr std::size_t kSmallestRoom = std::size_t{64}
                                      << 10;  // cuBLAS promises to manage with 16 KiB

/// What NVIDIA recommends for the card.
std::size_t workspace_bytes(const DeviceProperties& card) noexcept {
  const bool large = card.major == 9 || card.major == 10 || card.major == 12;
  return large ? kLargeRoom : kPlainRoom;
}

bool is_unsupported(cublasStatus_t status) noexcept {
  return status == driver::CUBLAS_STATUS_NOT_SUPPORTED ||
         status == driver::CUBLAS_STATUS_ARCH_MISMATCH;
}

/// With less than this free, a start of cuBLAS that fails has most likely lacked memory.
constexpr std::int64_t kRoomToStart = std::int64_t{256} << 20;

/// Why cuBLAS could not start.
enum class NoStart { kShortOfMemory, kNoDevice, kOther };

/// Status 1 has two causes: too little memory, and a CUDA runtime inside the library that finds no
/// device of its own. They are distinguished by the free memory that the driver reports.
NoStart cause_of(cublasStatus_t status, std::int64_t free_bytes) noexcept {
  if (status == driver::CUBLAS_STATUS_ALLOC_FAILED) return NoStart::kShortOfMemory;
  if (status != driver::CUBLAS_STATUS_NOT_INITIALIZED) return NoStart::kOther;
  return free_bytes < kRoomToStart ? NoStart::kShortOfMemory : NoStart::kNoDevice;
}

std::string advice_on(NoStart cause, std::int64_t free_bytes) {
  switch (cause) {
    case NoStart::kShortOfMemory:
      return concat(" Device memory is short, ", format_bytes(free_bytes),
                    " are free: gpukit.cuda.empty_cache() makes room.");
    case NoStart::kNoDevice:
      return concat(" ", format_bytes(free_bytes),
                    " are free, so it is not memory: the CUDA runtime inside this cuBLAS finds no "
                    "usable GPU. Use a cuBLAS that the driver supports, or unset GPUKIT_CUBLAS.");
    default:
      return {};
  }
}

}  // namespace
}  // namespace cuda_blas

const driver::CublasLibrary* CublasProvider::library() {
  if (!opened_.load(std::memory_order_acquire)) open();
  return library_.get();
}

driver::LoadReport CublasProvider::report() {
  library();
  return report_;
}

void CublasProvider::open() {
  {
    const std::lock_guard lock(mutex_);
    if (opened_.load(std::memory_order_relaxed)) return;
    library_ = driver::CublasLibrary::open(choice_, report_);
    opened_.store(true, std::memory_order_release);
  }
  if (library_ != nullptr) return;
  // Without a fix the user has switched it off deliberately.
  const log::Level level = report_.fix.empty() ? log::Level::kInfo : log::Level::kWarning;
  log::write(level, "Matrix products on the GPU use gpukit's own kernel, which is slower: ",
             report_.failure, ".", report_.fix.empty() ? "" : " Fix: ", report_.fix);
}

CudaBlas::~CudaBlas() {
  if (handle_ == nullptr) return;
  const QuietContextScope scope(context_);
  if (scope) GPUKIT_CUBLAS_NOEXCEPT(*table_, cublasDestroy, handle_);
}

std::optional<GemmCall> CudaBlas::takes(const MatmulArgs& args) {
  if (useless_.load(std::memory_order_relaxed) || is_refused(args.dtype)) return std::nullopt;
  std::optional<GemmCall> call = make_gemm_call(args, context_.properties().major >= 8);
  if (call && provider_.library() == nullptr) call.reset();
  return call;
}

bool CudaBlas::run(const GemmCall& call, StreamRef stream) {
  const ContextScope scope(context_);
  const Room room = room_for(stream);
  std::string complaint;
  const bool queued = queue(provider_.library()->table(), call, stream, room, complaint);
  if (!complaint.empty()) log::warning(complaint);  // only now: no lock is held
  if (queued) context_.after_launch(stream, "cublasGemmEx");
  return queued;
}

// Workspaces. They stay with their stream until the device goes, like the stream itself.

CudaBlas::Room CudaBlas::room_for(StreamRef stream) {
  Workspace* workspace = workspace_.load(std::memory_order_acquire);
  if (workspace == nullptr) return {};
  // A graph's rooms are its own: it may run concurrently with other work of this stream.
  if (is_capturing(context_, stream)) {
    const Room room = allocate_room(*workspace, stream, false);
    workspace->deallocate(room.address, room.bytes, stream);
    return room;
  }
  {
    const std::lock_guard lock(rooms_mutex_);
    const auto ready = rooms_.find(stream.handle);
    if (ready != rooms_.end()) return ready->second;
  }
  const Room fresh = allocate_room(*workspace, stream, has_many_rooms());
  Room kept;
  {
    const std::lock_guard lock(rooms_mutex_);
    kept = rooms_.try_emplace(stream.handle, fresh).first->second;
  }
  if (kept.address != fresh.address) workspace->deallocate(fresh.address, fresh.bytes, stream);
  return kept;
}

/// Programs with very many streams get small rooms for the later ones.
bool CudaBlas::has_many_rooms() {
  const std::lock_guard lock(rooms_mutex_);
  return (rooms_.size() + 1) * cuda_blas::workspace_bytes(context_.properties()) >
         cuda_blas::kMostRoom;
}

CudaBlas::Room CudaBlas::allocate_room(Workspace& workspace, StreamRef stream, bool small) const {
  const std::size_t bytes =
      small ? cuda_blas::kSmallestRoom : cuda_blas::workspace_bytes(context_.properties());
  try {
    return {workspace.allocate(bytes, stream), bytes};
  } catch (const OutOfMemoryError&) {
    return {workspace.allocate(cuda_blas::kSmallestRoom, stream), cuda_blas::kSmallestRoom};
  }
}

// Everything with the handle.

bool CudaBlas::queue(const driver::CublasTable& table, const GemmCall& call, StreamRef stream,
                     const Room& room, std::string& complaint) {
  const std::lock_guard lock(mutex_);
  if (!open_handle(table, complaint)) return false;
  bind_stream(table, stream, room);
  const GemmResult result = run_gemm(table, handle_, call);
  if (result.nothing_queued && cuda_blas::is_unsupported(result.status)) {
    refused_[static_cast<std::size_t>(call.dtype)].store(is_half(call.dtype),
                                                         std::memory_order_relaxed);
    return false;
  }
  check(result.status, result.function, stream);
  return true;
}

bool CudaBlas::open_handle(const driver::CublasTable& table, std::string& complaint) {
  if (handle_ != nullptr) return true;
  const RelaxedCaptureScope relaxed(context_);
  driver::cublasHandle_t handle = nullptr;
  const driver::cublasStatus_t status = GPUKIT_CUBLAS_STATUS(table, cublasCreate, &handle);
  if (status != driver::CUBLAS_STATUS_SUCCESS) return explain_no_handle(status, complaint);
  table_ = &table;
  handle_ = handle;
  prepare_handle(table);
  return true;
}

void CudaBlas::prepare_handle(const driver::CublasTable& table) {
  constexpr auto kMath = static_cast<driver::cublasMath_t>(
      driver::CUBLAS_DEFAULT_MATH | driver::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  GPUKIT_CUBLAS_ON(context_.name(), table, cublasSetMathMode, handle_, kMath);
  GPUKIT_CUBLAS_ON(context_.name(), table, cublasSetPointerMode, handle_,
                   driver::CUBLAS_POINTER_MODE_HOST);
}

/// Always false. Short memory may pass, so the next product tries again; anything else is for good.
bool CudaBlas::explain_no_handle(driver::cublasStatus_t status, std::string& complaint) {
  const CUresult earlier = GPUKIT_CU_STATUS(context_.table(), cuStreamQuery, nullptr);
  if (driver::is_sticky(earlier)) context_.fail(earlier, "cublasCreate", "&handle");
  const std::int64_t free_bytes = memory_info(context_).free;
  const cuda_blas::NoStart cause = cuda_blas::cause_of(status, free_bytes);
  if (cause != cuda_blas::NoStart::kShortOfMemory) useless_.store(true, std::memory_order_relaxed);
  if (shortage_told_) return false;
  shortage_told_ = true;
  complaint = concat(context_.name(), ": cuBLAS could not start (", driver::status_name(status),
                     "); matrix products use gpukit's own kernel, which is slower.",
                     cuda_blas::advice_on(cause, free_bytes));
  return false;
}

/// Setting the stream brings cuBLAS's own workspace back, so the order matters.
void CudaBlas::bind_stream(const driver::CublasTable& table, StreamRef stream, const Room& room) {
  if (bound_ == stream && bound_room_ == room.address) return;
  bound_.reset();
  check(GPUKIT_CUBLAS_STATUS(table, cublasSetStream, handle_, to_driver(stream)), "cublasSetStream",
        stream);
  if (room.address != nullptr) {
    check(GPUKIT_CUBLAS_STATUS(table, cublasSetWorkspace, handle_, room.address, room.bytes),
          "cublasSetWorkspace", stream);
    bound_ = stream;
    bound_room_ = room.address;
  }
}

/// The fault of an earlier kernel appears as a failure of the library. Report the fault.
void CudaBlas::check(driver::cublasStatus_t status, const char* function, StreamRef stream) {
  if (status == driver::CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  context_.check_usable();
  const CUresult earlier = GPUKIT_CU_STATUS(context_.table(), cuStreamQuery, to_driver(stream));
  if (driver::is_sticky(earlier)) context_.fail(earlier, function, "handle, …");
  driver::throw_failed_call(status, function, "handle, …", context_.name());
}

}  // namespace gpukit::cuda
