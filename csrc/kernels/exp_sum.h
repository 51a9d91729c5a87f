// The sum of exponentials of a row, in one read (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018): each larger number scales the sum so far.
#pragma once

#include "kernels/element.h"

namespace gpukit {

/// sum = the sum of exp(x - largest) over what was added.
template <class A>
struct ExpSum {
  A largest, sum;

  GK_TEMPLATE_FN void add(A x) {
    const A distance = x - largest;
    if (distance <= static_cast<A>(0)) {
      sum += gk_exp(distance);
    } else if (x != static_cast<A>(-GK_INF)) {  // larger, the first, or NaN
      sum = sum * gk_exp(-distance) + static_cast<A>(1);
      largest = x;
    }
  }

  /// The sum of exp(x - top), where `top` is the largest number of the whole row. NaN where that is
  /// infinite, as inf - inf is.
  GK_TEMPLATE_FN A scaled_to(A top) const {
    if (top == static_cast<A>(GK_INF)) return static_cast<A>(GK_NAN);
    return largest == top ? sum : sum * gk_exp(largest - top);
  }
};

/// Of no number.
template <class A>
GK_FN ExpSum<A> empty_exp_sum() {
  return {static_cast<A>(-GK_INF), static_cast<A>(0)};
}

}  // namespace gpukit
