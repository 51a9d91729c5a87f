// Recorded addition to a part of a tensor: the gradients of views use it.
#pragma once

#include "autograd/gradient_math.h"
#include "autograd/record.h"

namespace gpukit::autograd {

/// piece(target) += value, where `piece` takes a view by recorded functions and holds no tensor.
template <class Piece>
void add_to_piece(const Tensor& target, const Tensor& value, const Piece& piece) {
  {
    const NoGradScope no_grad;
    ops::binary_(BinaryOp::kAdd, piece(target), value);
  }
  if (!records(target, value)) return;
  record_in_place(target, "CopySlices", {&value}, [piece](Pass& pass) {
    pass.accumulate_grad(0, pass.gradient());
    if (pass.needs_input_grad(1)) pass.accumulate_grad(1, piece(pass.gradient()));
  });
}

}  // namespace gpukit::autograd
