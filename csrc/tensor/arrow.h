// 1-d CPU tensors for Arrow's C data interface, which pyarrow, polars and others read.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace gpukit::arrow {

/// The structs of the interface as its published layout has them.
struct Schema {
  const char* format = nullptr;
  const char* name = nullptr;
  const char* metadata = nullptr;
  std::int64_t flags = 0;
  std::int64_t n_children = 0;
  Schema** children = nullptr;
  Schema* dictionary = nullptr;
  void (*release)(Schema*) = nullptr;
  void* private_data = nullptr;
};

struct Array {
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::int64_t n_buffers = 0;
  std::int64_t n_children = 0;
  const void** buffers = nullptr;
  Array** children = nullptr;
  Array* dictionary = nullptr;
  void (*release)(Array*) = nullptr;
  void* private_data = nullptr;
};

/// Names of the capsules.
inline constexpr const char* kSchemaCapsule = "arrow_schema";
inline constexpr const char* kArrayCapsule = "arrow_array";

/// Arrow's name of the dtype. Throws DTypeError for bfloat16, which Arrow does not have.
const char* format_of(DType dtype);

/// The schema's strings are literals; its release frees nothing.
Schema schema_of(DType dtype);

/// The elements of a contiguous 1-d CPU tensor. Arrow's bools are bits, so those are copied; the
/// memory of all others is shared and lives until `release`, which may run on any thread.
Array array_of(const Tensor& tensor);

}  // namespace gpukit::arrow
