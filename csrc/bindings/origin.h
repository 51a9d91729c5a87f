// The line of Python that made a large block, for messages about who holds memory.
#pragma once

#include <cstddef>
#include <string>

#include "tensor/tensor.h"

namespace gpukit::bindings {

/// Smaller blocks are not worth the microsecond.
inline constexpr std::size_t kOriginBytes = std::size_t{1} << 20;

struct Origin {
  std::string file;
  int line = 0;
};

/// Remembers the line that runs now if the tensor's block is new. Needs the GIL.
void note_origin(const Tensor& tensor) noexcept;

/// Where the tensor's block was made; an empty file if it was not recorded. Needs the GIL.
Origin origin_of(const Tensor& tensor);

}  // namespace gpukit::bindings
