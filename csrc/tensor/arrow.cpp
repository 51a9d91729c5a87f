#include "tensor/arrow.h"

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/process_state.h"

namespace gpukit::arrow {

namespace {

/// Letters by the binary logarithm of the bytes.
constexpr const char* kSigned[] = {"c", "s", "i", "l"};
constexpr const char* kUnsigned[] = {"C", "S", "I", "L"};
constexpr const char* kFloating[] = {"", "e", "f", "g"};

/// What an exported array points into.
struct Owner {
  StorageRef storage;
  std::vector<std::uint8_t> bits;        ///< of bools
  std::array<const void*, 2> buffers{};  ///< which elements are null: none; the elements
};

void release(Array* array) {
  array->release = nullptr;
  if (process_state::exiting()) return;
  delete static_cast<Owner*>(array->private_data);
}

void release(Schema* schema) { schema->release = nullptr; }

std::vector<std::uint8_t> packed_bits(const Tensor& tensor) {
  std::vector<std::uint8_t> bits(static_cast<std::size_t>((tensor.count() + 7) / 8));
  const auto* values = static_cast<const std::uint8_t*>(tensor.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.count()); ++i) {
    if (values[i] != 0) bits[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  }
  return bits;
}

bool is_bit(DType dtype) noexcept { return of_kind(kind_of(dtype), true, false, false, false); }

}  // namespace

const char* format_of(DType dtype) {
  GPUKIT_CHECK(is_in_numpy(dtype) && !is_complex(dtype), DTypeError,
               "__arrow_c_array__: Arrow has no ", name(dtype),
               is_complex(dtype) ? ". Use .real and .imag" : ". Use .float() first");
  const auto size = static_cast<std::size_t>(std::countr_zero(itemsize(real_dtype(dtype))));
  const char* integer = dtype_info(dtype).is_signed ? kSigned[size] : kUnsigned[size];
  return of_kind(kind_of(dtype), "b", integer, kFloating[size], kFloating[size]);
}

Schema schema_of(DType dtype) {
  Schema schema;
  schema.format = format_of(dtype);
  schema.name = "";
  schema.release = release;
  return schema;
}

Array array_of(const Tensor& tensor) {
  auto owner = std::make_unique<Owner>();
  if (is_bit(tensor.dtype())) {
    owner->bits = packed_bits(tensor);
    owner->buffers[1] = owner->bits.data();
  } else {
    owner->storage = tensor.storage();
    owner->buffers[1] = tensor.data();
  }
  Array array;
  array.length = tensor.count();
  array.n_buffers = 2;
  array.buffers = owner->buffers.data();
  array.release = release;
  array.private_data = owner.release();
  return array;
}

}  // namespace gpukit::arrow
