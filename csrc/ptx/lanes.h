// Loops over the lanes of a warp, written so that the compiler makes vector code of them.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/kernel.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

/// F::apply(a) for every lane of the mask.
template <class F, class D, class A>
void map1(Warp& warp, const Instruction& in, Mask mask) {
  D* d = warp.lanes<D>(in.d);
  const A* a = warp.lanes<A>(in.a);
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; i++) d[i] = F::apply(a[i]);
  } else {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; i++) {
      const D r = F::apply(a[i]);
      d[i] = (mask >> i & 1) != 0 ? r : d[i];
    }
  }
}

template <class F, class D, class A, class B>
void map2(Warp& warp, const Instruction& in, Mask mask) {
  D* d = warp.lanes<D>(in.d);
  const A* a = warp.lanes<A>(in.a);
  const B* b = warp.lanes<B>(in.b);
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; i++) d[i] = F::apply(a[i], b[i]);
  } else {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; i++) {
      const D r = F::apply(a[i], b[i]);
      d[i] = (mask >> i & 1) != 0 ? r : d[i];
    }
  }
}

template <class F, class D, class A, class B, class C>
void map3(Warp& warp, const Instruction& in, Mask mask) {
  D* d = warp.lanes<D>(in.d);
  const A* a = warp.lanes<A>(in.a);
  const B* b = warp.lanes<B>(in.b);
  const C* c = warp.lanes<C>(in.c);
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; i++) d[i] = F::apply(a[i], b[i], c[i]);
  } else {
#pragma GCC ivdep
    for (unsigned i = 0; i < kLanes; i++) {
      const D r = F::apply(a[i], b[i], c[i]);
      d[i] = (mask >> i & 1) != 0 ? r : d[i];
    }
  }
}

/// The mask of the lanes for which F::holds(a, b).
template <class F, class A>
Mask compare_lanes(const Warp& warp, const Instruction& in) {
  const A* a = warp.lanes<A>(in.a);
  const A* b = warp.lanes<A>(in.b);
  Mask bits = 0;
  for (unsigned i = 0; i < kLanes; i++) bits |= static_cast<Mask>(F::holds(a[i], b[i])) << i;
  return bits;
}

inline void write_predicate(Warp& warp, std::uint32_t offset, Mask bits, Mask mask) {
  Mask& p = warp.predicate(offset);
  p = (p & ~mask) | (bits & mask);
}

/// The p of d|p, where there is one.
inline void write_second(Warp& warp, const Instruction& in, Mask bits, Mask mask) {
  if (in.target != 0) write_predicate(warp, in.target - 1, bits, mask);
}

/// body(lane) for every lane of the mask.
template <class Body>
void for_each_lane(Mask mask, Body body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<unsigned>(std::countr_zero(mask)));
}

/// body(lane, same) for each value among the lanes of the mask: the first lane that has it, and
/// all.
template <class T, class Body>
void for_each_group(Mask mask, const T* values, Body body) {
  while (mask != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(mask));
    Mask same = 0;
    for_each_lane(mask, [&](unsigned i) { same |= Mask{values[i] == values[lane]} << i; });
    mask &= ~same;
    body(lane, same);
  }
}

}  // namespace gpukit::ptx
