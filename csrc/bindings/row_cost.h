// What the calls of a row cost. It is a column of the row: whether a call releases the GIL follows
// from it (work.h), for the function, the method, the in-place form and the operator alike.
#pragma once

#include <limits>

#include "kernels/op_codes.h"

namespace gpukit::bindings {

/// A class of cost: about how long one core takes for each element.
struct RowCost {
  const char* name = nullptr;  ///< null: not stated, which no table may hold
  double ns = 0;               ///< an element
};

namespace cost {

/// Views and questions; functions composed in Python, whose parts have their own rows.
inline constexpr RowCost kNone{"none", 0};
inline constexpr RowCost kCopy{"copy", 0.4};
inline constexpr RowCost kArithmetic{"arithmetic", 0.4};
inline constexpr RowCost kFunction{"function", 3.0};
inline constexpr RowCost kReduce{"reduce", 0.4};
inline constexpr RowCost kPasses{"passes", 1.2};  ///< about three passes over the elements
inline constexpr RowCost kRandom{"random", 3.0};
inline constexpr RowCost kNormal{"normal", 6.0};  ///< random numbers of the normal distribution
inline constexpr RowCost kGather{"gather", 2.0};
inline constexpr RowCost kSort{"sort", 80.0};
inline constexpr RowCost kProduct{"product", 0.05};  ///< an element is a multiply-add
/// Whatever the size: a backward pass, waits.
inline constexpr RowCost kAlways{"always", std::numeric_limits<double>::infinity()};

/// Of the operators of elementwise.def.
template <class Op>
constexpr RowCost of(Op op) {
  return cost_of(op) == Cost::kLight ? kArithmetic : kFunction;
}

}  // namespace cost

}  // namespace gpukit::bindings
