// What the compiler cannot assert of the table of dtypes: answers by kind, and refusals.
#include <string>

#include "base/error.h"
#include "check.h"
#include "core/dtype.h"
#include "core/number_range.h"
#include "core/scalar.h"
#include "cpu/cpu_ops.h"
#include "kernels/kernel_list.h"

namespace gpukit {
namespace {

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const DTypeError& error) {
    return error.what();
  }
  return "";
}

void check_row(DType dtype) {
  const DTypeInfo& row = dtype_info(dtype);
  CHECK(row.itemsize > 0 && (row.itemsize & (row.itemsize - 1)) == 0);
  CHECK(row.itemsize <= kWidestItem);
  CHECK(parse_dtype(row.name) == dtype);
  CHECK(kind_of(row.computed) >= kind_of(dtype) && kind_of(row.accumulated) >= kind_of(dtype));
  CHECK(working_dtype(working_dtype(dtype)) == working_dtype(dtype));
  CHECK(is_floating(dtype) + is_integer(dtype) + is_complex(dtype) + (dtype == DType::kBool) == 1);
  CHECK(is_complex(complex_dtype(dtype)) && real_dtype(complex_dtype(dtype)) >= DType::kFloat32);
  CHECK(is_complex(dtype) ? 2 * itemsize(real_dtype(dtype)) == row.itemsize
                          : real_dtype(dtype) == dtype);
  CHECK(itemsize(wrapping_dtype(dtype)) == row.itemsize);
  CHECK(promote(dtype, dtype) == dtype && promote(DType::kBool, dtype) == dtype);
  CHECK((float_format(dtype).precision > 0) == is_floating(dtype));
}

/// Every dtype has a C++ type, and each type its dtype.
void check_types() {
  int seen = 0;
  for_each_dtype([&]<class T>() {
    CHECK(sizeof(T) == itemsize(DTypeOf<T>::value));
    CHECK(is_half_type<T> == is_half(DTypeOf<T>::value));
    const DType visited =
        visit_dtype(DTypeOf<T>::value, []<class U>() { return DTypeOf<U>::value; });
    CHECK(visited == DTypeOf<T>::value);
    ++seen;
  });
  CHECK(seen == kDTypeCount && seen == kKernelVariants);
}

/// The CPU's floating loops take the two types that they have, and say so of all others.
void check_floating_loops() {
  const auto size = []<class T>() { return sizeof(T); };
  CHECK(cpu::visit_floating(DType::kFloat32, size) == 4);
  CHECK(cpu::visit_floating(DType::kFloat64, size) == 8);
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == DType::kFloat32 || dtype == DType::kFloat64) continue;
    const std::string text = refusal([&] { cpu::visit_floating(dtype, size); });
    CHECK(text.find(std::string(name(dtype))) != std::string::npos);
  }
}

void check_numbers() {
  CHECK(Scalar::boolean(true).as_double() == 1 && Scalar::boolean(true).as_int64() == 1);
  CHECK(Scalar::integer(-3).as_double() == -3 && Scalar::integer(-3).as_bool());
  CHECK(Scalar::floating(2.5).as_int64() == 2 && !Scalar::floating(0.0).as_bool());
  CHECK(Scalar::floating(0x1p63).as_uint64() == std::uint64_t{1} << 63);
  CHECK(Scalar::unsigned_integer(~std::uint64_t{0}).as_double() == 0x1p64);
  CHECK(Scalar::floating(0x1p70).as_int64() == 0);
  const Scalar number = Scalar::complex({2.5, -1.0});
  CHECK(number.as_double() == 2.5 && number.imaginary() == -1.0 && number.as_int64() == 2);
  CHECK(Scalar::complex({0.0, 1.0}).as_bool() && !Scalar::complex({0.0, 0.0}).as_bool());
  CHECK(of_kind(DTypeKind::kBool, 1, 2, 3, 4) == 1);
  CHECK(of_kind(DTypeKind::kFloating, 1, 2, 3, 4) == 3);
  CHECK(of_kind(DTypeKind::kComplex, 1, 2, 3, 4) == 4);
}

}  // namespace
}  // namespace gpukit

int main() {
  for (int i = 0; i < gpukit::kDTypeCount; ++i) gpukit::check_row(static_cast<gpukit::DType>(i));
  gpukit::check_types();
  gpukit::check_floating_loops();
  gpukit::check_numbers();
  CHECK(!gpukit::refusal([] { gpukit::parse_dtype("quaternion"); }).empty());
  CHECK(!gpukit::refusal([] { gpukit::parse_dtype("<V2"); }).empty());
}
