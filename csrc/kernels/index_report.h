// How a kernel says that an index is out of range: the first thread that finds one claims the
// device's record in pinned host memory and fills it; the host looks when it has waited.
#pragma once

#include "kernels/device_compat.h"
#include "kernels/kernel_args.h"

namespace gpukit {

GK_FN void report_index(const IndexReportRef& to, gk_i32 dim, gk_i64 index, gk_i64 size,
                        gk_i64 position) {
  if (to.record == nullptr || atomicCAS(&to.record->claimed, 0u, 1u) != 0u) return;
  to.record->operation = to.operation;
  to.record->dim = dim;
  to.record->index = index;
  to.record->size = size;
  to.record->position = position;
  __threadfence_system();
  atomicExch(&to.record->complete, 1u);
}

/// The element that `index` names, negative ones from the end; -1, reported, when it is out of
/// range.
GK_FN gk_i64 checked_index(const IndexReportRef& to, gk_i32 dim, gk_i64 index, gk_i64 size,
                           gk_i64 position) {
  const gk_i64 element = index < 0 ? index + size : index;
  if (element >= 0 && element < size) return element;
  report_index(to, dim, index, size, position);
  return -1;
}

}  // namespace gpukit
