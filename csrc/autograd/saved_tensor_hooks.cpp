#include "autograd/saved_tensor_hooks.h"

#include <utility>
#include <vector>

#include "autograd/grad_mode.h"
#include "autograd/saved_tensor.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/elementwise.h"
#include "tensor/factory.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

/// Of this thread, the innermost last.
struct Hooks {
  std::vector<std::shared_ptr<SavedTensorHooks>> active;
  std::string disabled;
};

Hooks& hooks_of_thread() noexcept {
  thread_local Hooks hooks;
  return hooks;
}

}  // namespace

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
  Hooks& thread = hooks_of_thread();
  GPUKIT_CHECK(thread.disabled.empty(), AutogradError, thread.disabled);
  thread.active.push_back(std::move(hooks));
  active_.fetch_add(1, std::memory_order_relaxed);
}

void SavedTensorHooks::pop() noexcept {
  Hooks& thread = hooks_of_thread();
  if (thread.active.empty()) return;
  thread.active.pop_back();
  active_.fetch_sub(1, std::memory_order_relaxed);
}

PackedPtr SavedTensorHooks::packed(const Tensor& tensor) {
  const Hooks& thread = hooks_of_thread();
  if (thread.active.empty()) return nullptr;
  const std::shared_ptr<SavedTensorHooks> innermost = thread.active.back();
  const std::uint32_t version = tensor.storage()->version();
  const NoGradScope unrecorded;
  PackedPtr packed = innermost->pack(tensor);
  GPUKIT_CHECK(tensor.storage()->version() == version, AutogradError,
               "saved_tensors_hooks: pack_hook changed its tensor in place, which others use. "
               "Change a copy: tensor.clone()");
  return packed;
}

bool SavedTensor::pack(const Tensor& tensor) {
  const PackedPtr packed = SavedTensorHooks::packed(is_result() ? detached(tensor) : tensor);
  if (!packed) return false;
  tensor_ = empty(Shape{0}, DType::kFloat32, Device::cpu());
  tensor_.impl()->autograd = CountedPtr<AutogradMeta>::share(packed.get());
  return true;
}

void disable_saved_tensor_hooks(std::string reason) {
  Hooks& thread = hooks_of_thread();
  GPUKIT_CHECK(reason.empty() || thread.active.empty(), AutogradError, reason);
  thread.disabled = std::move(reason);
}

const std::string& saved_tensor_hooks_disabled() noexcept { return hooks_of_thread().disabled; }

}  // namespace gpukit::autograd
