#include "backend/registry.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/absent_device.h"
#include "backend/current.h"
#include "base/check.h"
#include "base/error.h"
#include "base/fork_hooks.h"
#include "base/install_command.h"
#include "base/process_state.h"

namespace gpukit {

namespace {

#if defined(GPUKIT_WITH_CUDA) && GPUKIT_WITH_CUDA
constexpr bool kHasCuda = true;
std::unique_ptr<Backend> make_cuda(const std::string& library, const std::string& configuration) {
  return make_cuda_backend(library, configuration);
}
#else
constexpr bool kHasCuda = false;
std::unique_ptr<Backend> make_cuda(const std::string&, const std::string&) { return nullptr; }
#endif

constexpr const char* kNoCudaPart = "this build of gpukit has no CUDA part (GPUKIT_CUDA=0)";

/// The CUDA side of the process. Ended sessions are kept: a thread may still be inside a call that
/// uses one, and a session that was shut down is small.
struct CudaState {
  std::mutex mutex;
  std::string library_path;
  std::string configuration;
  std::shared_ptr<Session> session;
  std::vector<std::shared_ptr<Session>> ended;
  std::atomic<Session*> started{nullptr};  ///< `session` once its driver answered
};

CudaState& cuda_state() {
  // Never destroyed: deleters may run after main().
  static CudaState& state = []() -> CudaState& {
    const auto unlock = [] { cuda_state().mutex.unlock(); };
    set_fork_hooks(ForkLevel::kRegistry, {[] { cuda_state().mutex.lock(); }, unlock, unlock});
    return *new CudaState;
  }();
  return state;
}

void check_cuda_part() {
  if (!kHasCuda) throw DriverError(kNoCudaPart).with_fix(install_command());
}

/// The session of the present library, made but perhaps not started.
std::shared_ptr<Session> made_session(CudaState& state) {
  std::lock_guard lock(state.mutex);
  if (state.session == nullptr) {
    state.session = std::make_shared<Session>(make_cuda(state.library_path, state.configuration));
  }
  return state.session;
}

void publish_started(CudaState& state, Session* session) noexcept {
  std::lock_guard lock(state.mutex);
  if (state.session.get() == session) state.started.store(session, std::memory_order_release);
}

std::string device_names(Backend& backend, int count) {
  std::string text;
  for (int index = 0; index < count; ++index) {
    text += concat(index > 0 ? ", " : "", "cuda:", index, " ", backend.properties(index).name);
  }
  return text;
}

OpenDevice& open_cuda(int index) {
  CudaState& state = cuda_state();
  process_state::check_not_forked();
  if (const Session* session = state.started.load(std::memory_order_acquire)) {
    if (OpenDevice* ready = session->open_if_ready(index)) return *ready;
  }
  std::shared_ptr<Session> session;
  int count = 0;
  try {
    session = cuda_session();
    count = session->backend().device_count();
  } catch (const DriverError& error) {
    throw_absent_device(index, 0, error.what());
  }
  if (index >= count) {
    throw_absent_device(
        index, count,
        count == 0 ? session->backend().report().failure : device_names(session->backend(), count));
  }
  return session->open(index);
}

/// Moves the present session to the ended ones and sets what the next one opens.
std::shared_ptr<Session> exchange_session(CudaState& state, const std::string& library_path,
                                          const std::string& configuration) {
  std::lock_guard lock(state.mutex);
  if (state.session != nullptr) state.ended.push_back(state.session);
  state.started.store(nullptr, std::memory_order_release);
  state.library_path = library_path;
  state.configuration = configuration;
  return std::exchange(state.session, nullptr);
}

}  // namespace

#if !defined(GPUKIT_WITH_CUDA) || !GPUKIT_WITH_CUDA
void set_library_folders(std::vector<std::string>) {
}  // the cuda backend, which asks for them, is not built
#endif

OpenDevice& cpu_device() {
  // Never destroyed: CPU tensors may outlive everything else.
  static auto& session =
      *new std::shared_ptr<Session>(std::make_shared<Session>(make_cpu_backend()));
  static OpenDevice& device = session->open(0);
  return device;
}

OpenDevice& open_device(Device device) {
  if (device.is_cpu()) return cpu_device();
  return open_cuda(device.has_index() ? device.index : current_cuda_index());
}

std::shared_ptr<Session> cuda_session() {
  check_cuda_part();
  process_state::check_not_forked();
  CudaState& state = cuda_state();
  if (Session* started = state.started.load(std::memory_order_acquire))
    return started->shared_from_this();
  std::shared_ptr<Session> session = made_session(state);
  session->backend()
      .device_count();  // throws when there is no usable driver; asked again on the next call
  publish_started(state, session.get());
  return session;
}

std::shared_ptr<Session> cuda_session_if_open() noexcept {
  Session* started = cuda_state().started.load(std::memory_order_acquire);
  return started != nullptr ? started->shared_from_this() : nullptr;
}

int cuda_device_count() noexcept {
  try {
    return cuda_session()->backend().device_count();
  } catch (...) {
    return 0;
  }
}

BackendReport cuda_report() {
  if (!kHasCuda) {
    BackendReport report;
    report.failure = kNoCudaPart;
    report.fix = install_command();
    return report;
  }
  const std::shared_ptr<Session> session = made_session(cuda_state());
  std::string failure;
  try {
    if (session->backend().device_count() > 0) publish_started(cuda_state(), session.get());
  } catch (const DriverError& error) {
    failure = error.what();
  }
  BackendReport report = session->backend().report();
  if (report.failure.empty()) report.failure = failure;
  return report;
}

void replace_cuda_session(const std::string& library_path, const std::string& configuration,
                          const std::string& end_reason) {
  check_cuda_part();
  const auto ended = exchange_session(cuda_state(), library_path, configuration);
  forget_current_devices();
  if (ended != nullptr) ended->end(end_reason);
}

void reset_cuda_session(const std::string& end_reason) {
  const auto ended = exchange_session(cuda_state(), "", "");
  forget_current_devices();
  if (ended != nullptr) ended->end(end_reason);
}

Device resolve(Device device) {
  if (device.is_cpu() || device.has_index()) return device;
  return Device::cuda(current_cuda_index());
}

}  // namespace gpukit
