#include "autograd/saved_tensor_hooks.h"

#include <utility>
#include <vector>

#include "autograd/grad_mode.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/elementwise.h"
#include "tensor/view.h"

namespace gpukit::autograd {

/// The hooks of one thread, which may end inside of their block.
struct SavedTensorHooks::Thread {
  Thread() = default;
  ~Thread() { active_.fetch_sub(static_cast<int>(hooks.size()), std::memory_order_relaxed); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  std::vector<std::shared_ptr<SavedTensorHooks>> hooks;  ///< the innermost last
  std::string disabled;
};

SavedTensorHooks::Thread& SavedTensorHooks::thread() noexcept {
  thread_local Thread thread;
  return thread;
}

Tensor PackedTensor::unpacked() const {
  const Tensor tensor = unpack();
  constexpr const char* kWhat = "saved_tensors_hooks: unpack_hook gave a tensor ";
  GPUKIT_CHECK(tensor.shape() == kind_.shape, ShapeError, kWhat, "of shape ",
               to_string(tensor.shape()), ", the saved one has ", to_string(kind_.shape),
               ". Return one of that shape");
  GPUKIT_CHECK(tensor.dtype() == kind_.dtype, DTypeError, kWhat, "of ", name(tensor.dtype()),
               ", the saved one has ", name(kind_.dtype), ". Return it with .to(gpukit.",
               name(kind_.dtype), ")");
  GPUKIT_CHECK(tensor.device() == kind_.device, DeviceMismatchError, kWhat, "on ",
               to_string(tensor.device()), ", the saved one was on ", to_string(kind_.device),
               ". Return it with .to('", to_string(kind_.device), "')");
  // A formula reads a contiguous tensor as such.
  return contiguous_ && !tensor.is_contiguous() ? ops::clone(tensor) : detached(tensor);
}

void SavedTensorHooks::push(std::shared_ptr<SavedTensorHooks> hooks) {
  Thread& here = thread();
  GPUKIT_CHECK(here.disabled.empty(), AutogradError, here.disabled);
  here.hooks.push_back(std::move(hooks));
  active_.fetch_add(1, std::memory_order_relaxed);
}

void SavedTensorHooks::pop() noexcept {
  Thread& here = thread();
  if (here.hooks.empty()) return;
  here.hooks.pop_back();
  active_.fetch_sub(1, std::memory_order_relaxed);
}

PackedPtr SavedTensorHooks::packed(const Tensor& tensor) {
  const Thread& here = thread();
  if (here.hooks.empty()) return nullptr;
  const std::shared_ptr<SavedTensorHooks> innermost = here.hooks.back();
  const std::uint32_t version = tensor.storage()->version();
  const NoGradScope unrecorded;
  PackedPtr packed = innermost->pack(tensor);
  GPUKIT_CHECK(tensor.storage()->version() == version, AutogradError,
               "saved_tensors_hooks: pack_hook changed its tensor in place, which others use. "
               "Change a copy: tensor.clone()");
  return packed;
}

void disable_saved_tensor_hooks(std::string reason) {
  SavedTensorHooks::Thread& here = SavedTensorHooks::thread();
  GPUKIT_CHECK(reason.empty() || here.hooks.empty(), AutogradError, reason);
  here.disabled = std::move(reason);
}

const std::string& saved_tensor_hooks_disabled() noexcept {
  return SavedTensorHooks::thread().disabled;
}

}  // namespace gpukit::autograd
