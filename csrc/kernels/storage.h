// The memory formats of dtypes, and the smaller set of types they are computed in. Kernels that
// compute in a wider type take the dtype as an argument and convert at the load and the store: one
// kernel then serves many dtypes.
#pragma once

#include "kernels/device_compat.h"
#include "kernels/kernel_args.h"
#include "kernels/scalar_ops.h"

/// A boolean in memory: one byte, anything but 0 is true.
struct gk_b8 {
  gk_u8 byte;
};

template <>
struct gk_accumulator<gk_b8> {
  typedef bool type;
};
template <>
struct gk_converter<gk_b8> {
  static GK_TEMPLATE_FN bool up(gk_b8 x) { return x.byte != 0; }
  static GK_TEMPLATE_FN gk_b8 down(bool x) { return gk_b8{static_cast<gk_u8>(x ? 1 : 0)}; }
};

/// Complex elements, which are computed in complex.cu only.
struct gk_c64 {
  float re, im;
};
struct gk_c128 {
  double re, im;
};

#define GK_FOR_COMPLEX(M) M(c64, gk_c64) M(c128, gk_c128)
#define GK_FOR_HALF_AND_FLOAT(M) M(f16, gk_f16) M(bf16, gk_bf16) M(f32, float)
#define GK_FOR_FLOATS(M) GK_FOR_HALF_AND_FLOAT(M) M(f64, double)
#define GK_FOR_SHORT_INTEGERS(M) M(u8, gk_u8) M(i8, gk_i8) M(u16, gk_u16) M(i16, gk_i16)
#define GK_FOR_INTEGERS(M) \
  GK_FOR_SHORT_INTEGERS(M) M(u32, gk_u32) M(i32, gk_i32) M(u64, gk_u64) M(i64, gk_i64)
/// The values of Computed<T>, and those of Widened<T>.
#define GK_FOR_COMPUTED(M) M(i32, gk_i32) M(i64, gk_i64) M(f32, float) M(f64, double)
#define GK_FOR_WIDENED(M) M(i64, gk_i64) M(f32, float) M(f64, double)
/// For kernels that move items without looking at them: unsigned integers of 1, 2, 4 and 8 bytes.
#define GK_FOR_ITEM_SIZES(M) M(8, gk_u8) M(16, gk_u16) M(32, gk_u32) M(64, gk_u64)

namespace gpukit {

/// The positions of base/dtypes.def, which are DType's numbers.
enum : gk_i32 {
#define GK_DTYPE(Name, ...) gk_dtype_##Name,
#include "base/dtypes.def"
  gk_dtype_count
};

/// The number of a storage type in DType.
template <class T>
inline constexpr gk_i32 dtype_number = -1;
/// The narrow type elementwise work is done in.
template <class T>
struct ComputedType {
  typedef T type;
};
/// The type sums are kept in.
template <class T>
struct AccumulatedType {
  typedef T type;
};
template <gk_i32 kNumber>
struct DeviceType;
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, Device, ...) \
  template <>                                                            \
  inline constexpr gk_i32 dtype_number<Device> = gk_dtype_##Name;        \
  template <>                                                            \
  struct DeviceType<gk_dtype_##Name> {                                   \
    typedef Device type;                                                 \
  };
#include "base/dtypes.def"
#define GK_DTYPE(Name, name, suffix, Kind, is_signed, Host, Device, Computed, Accumulated, ...) \
  template <>                                                                                   \
  struct ComputedType<Device> {                                                                 \
    typedef DeviceType<gk_dtype_##Computed>::type type;                                         \
  };                                                                                            \
  template <>                                                                                   \
  struct AccumulatedType<Device> {                                                              \
    typedef DeviceType<gk_dtype_##Accumulated>::type type;                                      \
  };
#include "base/dtypes.def"
/// Floating dtypes, and complex ones, have this number or a higher one.
enum : gk_i32 { kFirstFloating = static_cast<gk_i32>(gk_dtype_Float16) };
#define GK_DTYPE_IS_Bool false
#define GK_DTYPE_IS_Integer false
#define GK_DTYPE_IS_Floating true
#define GK_DTYPE_IS_Complex true
#define GK_DTYPE(Name, name, suffix, Kind, ...) \
  static_assert((static_cast<gk_i32>(gk_dtype_##Name) >= kFirstFloating) == GK_DTYPE_IS_##Kind);
#include "base/dtypes.def"

/// A dtype that is in none of the lists above would be loaded as 0 and never stored.
#define GK_BIT(suffix, T) | 1u << dtype_number<T>
static_assert((0u GK_BIT(b8, gk_b8) GK_FOR_INTEGERS(GK_BIT) GK_FOR_FLOATS(GK_BIT)
                   GK_FOR_COMPLEX(GK_BIT)) == (1u << gk_dtype_count) - 1);
#undef GK_BIT

template <class T>
using Computed = typename ComputedType<T>::type;
template <class T>
using Widened = typename AccumulatedType<T>::type;

template <class A, class B>
inline constexpr bool is_same_type = false;
template <class A>
inline constexpr bool is_same_type<A, A> = true;

template <class T>
struct StorageTag {
  typedef T type;
};

#define GK_STORAGE_CASE(suffix, T)                                     \
  case dtype_number<T>:                                                \
    if constexpr (is_same_type<Class<T>, A>) visitor(StorageTag<T>{}); \
    break;
/// Both as the signed one.
#define GK_STORAGE_PAIR(U, T)                                             \
  case dtype_number<U>:                                                   \
  case dtype_number<T>:                                                   \
    if constexpr (is_same_type<Class<U>, A> || is_same_type<Class<T>, A>) \
      visitor(StorageTag<T>{});                                           \
    break;

/// Calls visitor(StorageTag<T>{}) for the storage type with that number, among those with Class<T>
/// == A.
template <template <class> class Class, class A, class Visitor>
GK_FN void visit_storage(gk_i32 dtype, const Visitor& visitor) {
  switch (dtype) {
    GK_STORAGE_CASE(b8, gk_b8)
    GK_FOR_INTEGERS(GK_STORAGE_CASE)
    GK_FOR_FLOATS(GK_STORAGE_CASE)
    default:
      break;
  }
}

/// The same for loads as an integer, where uint64 is read as int64 is.
template <template <class> class Class, class A, class Visitor>
GK_FN void visit_source(gk_i32 dtype, const Visitor& visitor) {
  if constexpr (is_floating_scalar<A>) {
    visit_storage<Class, A>(dtype, visitor);
  } else {
    switch (dtype) {
      GK_STORAGE_CASE(b8, gk_b8)
      GK_FOR_SHORT_INTEGERS(GK_STORAGE_CASE)
      GK_STORAGE_CASE(u32, gk_u32)
      GK_STORAGE_CASE(i32, gk_i32)
      GK_STORAGE_PAIR(gk_u64, gk_i64)
      default:
        break;
    }
  }
}

/// The same for stores of Value; integers are stored alike whatever their sign.
template <template <class> class Class, class A, class Value, class Visitor>
GK_FN void visit_target(gk_i32 dtype, const Visitor& visitor) {
  if constexpr (is_floating_scalar<Value>) {
    visit_storage<Class, A>(dtype, visitor);
  } else {
    switch (dtype) {
      GK_STORAGE_CASE(b8, gk_b8)
      GK_STORAGE_PAIR(gk_u8, gk_i8)
      GK_STORAGE_PAIR(gk_u16, gk_i16)
      GK_STORAGE_PAIR(gk_u32, gk_i32)
      GK_STORAGE_PAIR(gk_u64, gk_i64)
      GK_FOR_FLOATS(GK_STORAGE_CASE)
      default:
        break;
    }
  }
}
#undef GK_STORAGE_CASE
#undef GK_STORAGE_PAIR

/// For visit_target over all dtypes.
template <class T>
using Any = void;

template <class T, class A>
GK_FN A load_as(const void* data, gk_i64 offset) {
  return static_cast<A>(gk_up(static_cast<const T*>(data)[offset]));
}

template <class T, class A>
GK_FN void store_as(void* data, gk_i64 offset, A value) {
  static_cast<T*>(data)[offset] = gk_down<T>(convert_scalar<gk_acc_t<T>>(value));
}

template <class A>
struct ElementLoad {
  const void* data;
  gk_i64 offset;
  A* value;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    *value = load_as<T, A>(data, offset);
  }
};

template <class A>
struct ElementStore {
  void* data;
  gk_i64 offset;
  A value;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    store_as<T>(data, offset, value);
  }
};

/// One element of a dtype whose Class is A.
template <template <class> class Class, class A>
GK_FN A load_dtype(gk_i32 dtype, const void* data, gk_i64 offset) {
  A value = static_cast<A>(0);
  visit_source<Class, A>(dtype, ElementLoad<A>{data, offset, &value});
  return value;
}

/// One element of any dtype.
template <class A>
GK_FN void store_dtype(gk_i32 dtype, void* data, gk_i64 offset, A value) {
  visit_target<Any, void, A>(dtype, ElementStore<A>{data, offset, value});
}

/// uint64 in int64, to be compared: the mask turns the top bit over (0 for all other dtypes). Once
/// more gives the value back.
template <class A>
GK_FN A ordered(A value, gk_i64 order_mask) {
  if constexpr (is_same_type<A, gk_i64>) {
    return value ^ order_mask;
  } else {
    return value;
  }
}

template <class A>
GK_FN A scalar_as(ScalarValue value) {
  if constexpr (is_floating_scalar<A>) {
    return static_cast<A>(value.floating);
  } else if constexpr (is_bool_scalar<A>) {
    return value.integer != 0;
  } else {
    return static_cast<A>(value.integer);
  }
}

}  // namespace gpukit
