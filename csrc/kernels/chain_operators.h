// Which operators the interpreter of chains has. Those of gpukit.special are left out: most are as
// large as ten others, and take so long that what they move does not matter.
#pragma once

#include "kernels/op_codes.h"

namespace gpukit {

GK_CONSTEXPR bool is_in_chains(UnaryOp op) {
  switch (op) {
    case UnaryOp::kLgamma:
    case UnaryOp::kDigamma:
    case UnaryOp::kErfinv:
    case UnaryOp::kSinc:
    case UnaryOp::kLogit:
    case UnaryOp::kI0:
    case UnaryOp::kI0e:
    case UnaryOp::kI1:
    case UnaryOp::kI1e:
    case UnaryOp::kEntr:
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
  return op != BinaryOp::kXlogy && op != BinaryOp::kXlog1py && op != BinaryOp::kZeta &&
         op != BinaryOp::kPolygamma;
}

}  // namespace gpukit
