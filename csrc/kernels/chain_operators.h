// Which operators the interpreter of chains has. Special functions are left out: each is as large
// as ten others, and takes so long that what it moves does not matter.
#pragma once

#include "kernels/op_codes.h"

namespace gpukit {

GK_CONSTEXPR bool is_in_chains(UnaryOp op) {
  switch (op) {
    case UnaryOp::kLgamma:
    case UnaryOp::kDigamma:
    case UnaryOp::kErfinv:
    case UnaryOp::kI0:
    case UnaryOp::kI0e:
    case UnaryOp::kI1:
    case UnaryOp::kI1e:
    case UnaryOp::kNdtr:
    case UnaryOp::kNdtri:
    case UnaryOp::kLogNdtr:
    case UnaryOp::kErfcx:
      return false;
    default:
      return true;
  }
}

GK_CONSTEXPR bool is_in_chains(BinaryOp op) {
  return op != BinaryOp::kZeta && op != BinaryOp::kPolygamma;
}

}  // namespace gpukit
