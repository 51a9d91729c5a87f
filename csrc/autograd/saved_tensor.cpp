#include "autograd/saved_tensor.h"

#include "base/check.h"
#include "base/error.h"
#include "tensor/factory.h"

namespace gpukit::autograd {

bool SavedTensor::pack(const Tensor& tensor) {
  const PackedPtr packed = SavedTensorHooks::packed(is_result() ? detached(tensor) : tensor);
  if (!packed) return false;
  tensor_ = empty(Shape{0}, DType::kFloat32, Device::cpu());
  tensor_.impl()->autograd = CountedPtr<AutogradMeta>::share(packed.get());
  return true;
}

void SavedTensor::throw_changed(const char* needed_by) const {
  throw AutogradError(concat("backward(): ", needed_by, " needs a tensor of shape ",
                             to_string(shape()),
                             " as it was, but it was changed in place since (version ",
                             tensor_.storage()->version(), ", it was ", version_,
                             "). Use the form that gives a new tensor, e.g. X = X + 1 for X += 1, "
                             "or save X.clone() first."));
}

void SavedTensor::throw_inference() {
  throw AutogradError(
      "Inference tensors cannot be saved for backward: a tensor that was made in inference_mode() "
      "is used where gradients are recorded. Use X.clone() of it, or make it in no_grad() instead "
      "of inference_mode().")
      .with_fix("X.clone()");
}

}  // namespace gpukit::autograd
