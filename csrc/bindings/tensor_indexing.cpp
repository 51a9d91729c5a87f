// x[...] and x[...] = value, iteration, length and containment.
#include <array>
#include <optional>

#include "autograd/indexing.h"
#include "autograd/shape.h"
#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "base/wait_watch.h"
#include "bindings/arguments.h"
#include "bindings/basic_index.h"
#include "bindings/exceptions.h"
#include "bindings/host_data.h"
#include "bindings/operator_call.h"
#include "bindings/tensor_object.h"
#include "bindings/tensor_type.h"
#include "bindings/work.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::bindings {

namespace {

using ops::IndexItem;

struct Items {
  std::array<IndexItem, 2 * kMaxRank + 2> values;
  std::size_t count = 0;
  bool basic = true;  ///< ints, slices, None and Ellipsis only: the result is a view

  std::span<const IndexItem> span() const { return std::span(values).first(count); }
};

std::optional<std::int64_t> bound(PyObject* value) {
  if (value == Py_None) return std::nullopt;
  return to_int64({"index", "slice bound"}, value);
}

IndexItem slice_item(PyObject* value) {
  const auto* slice = reinterpret_cast<PySliceObject*>(value);
  return IndexItem::slice(bound(slice->start), bound(slice->stop), bound(slice->step));
}

constexpr std::string_view kIndexTypes = "ints, slices, None, ... and int or bool tensors";

/// Indices made of lists and arrays are CPU tensors; ops/ brings them to the device. An empty list
/// holds integers.
IndexItem convert(PyObject* item, bool& basic) {
  if (PyLong_CheckExact(item) != 0) return IndexItem::integer(to_int64({"index", "index"}, item));
  if (PySlice_Check(item) != 0) return slice_item(item);
  if (item == Py_None) return IndexItem::new_axis();
  if (item == Py_Ellipsis) return IndexItem::ellipsis();
  if (is_tensor(item)) {
    basic = false;
    return IndexItem::tensor(tensor_of(item));
  }
  if (is_integer(item)) return IndexItem::integer(to_int64({"index", "index"}, item));
  if (PyBool_Check(item) != 0 || PyList_Check(item) != 0 || PyTuple_Check(item) != 0 ||
      PyObject_CheckBuffer(item) != 0) {
    basic = false;
    const bool empty_list = PyList_Check(item) != 0 && PyList_GET_SIZE(item) == 0;
    const auto dtype = empty_list ? std::optional(DType::kInt64) : std::nullopt;
    return IndexItem::tensor(tensor_from_data({"index", "index"}, item, dtype));
  }
  if (PyRange_Check(item) != 0) {
    basic = false;
    const auto numbers = owned(PySequence_List(item));
    return IndexItem::tensor(tensor_from_data({"index", "index"}, numbers.ptr(), DType::kInt64));
  }
  if (PyUnicode_Check(item) != 0) throw_wrong_type({"index", "index"}, kIndexTypes, item);
  throw IndexError(
      concat("index: a tensor is indexed by ", kIndexTypes, ", got ", describe_value(item)));
}

void convert_all(PyObject* key, Items& items) {
  if (PyTuple_Check(key) == 0) {
    items.values[0] = convert(key, items.basic);
    items.count = 1;
    return;
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  GPUKIT_CHECK(static_cast<std::size_t>(count) <= items.values.size(), IndexError, "index: ", count,
               " indices are too many; a tensor has at most ", kMaxRank, " dimensions");
  for (Py_ssize_t i = 0; i < count; ++i) {
    items.values[items.count++] = convert(PyTuple_GET_ITEM(key, i), items.basic);
  }
}

/// Of x[i] and x[i] = y, which may count a mask.
constinit GilRule indexing_rule(cost::kGather, true);

bool index_releases_gil(const Tensor& tensor, const Items& items) {
  std::int64_t count = tensor.count();
  for (const IndexItem& item : items.span()) {
    if (item.kind == IndexItem::Kind::kTensor) count += item.index.count();
  }
  return indexing_rule.releases(tensor, count);
}

Tensor get(const Tensor& tensor, PyObject* key) {
  if (!tensor.requires_grad()) [[likely]] {
    if (auto view = basic_view(tensor, key)) [[likely]]
      return *std::move(view);
  }
  const WaitReason reason(WaitKind::kIndex);  // a mask is counted
  Items items;
  convert_all(key, items);
  const bool release = !items.basic && index_releases_gil(tensor, items);
  return run(release, [&] { return autograd::index(tensor, items.span()); });
}

void set_number(const Tensor& tensor, PyObject* key, Scalar value) {
  const auto view = tensor.requires_grad() ? std::nullopt : basic_view(tensor, key);
  if (view.has_value()) {
    if (store_element(*view, value)) return;
    const bool release = indexing_rule.releases_for_launch(*view, view->count());
    run(release, [&] { ops::fill_(*view, value); });
    return;
  }
  Items items;
  convert_all(key, items);
  run(index_releases_gil(tensor, items),
      [&] { autograd::index_assign(tensor, items.span(), value); });
}

void set(const Tensor& tensor, PyObject* key, PyObject* value) {
  const WaitReason reason(WaitKind::kIndex);
  if (is_number(value))
    return set_number(tensor, key, to_stored({"index", "value"}, value, tensor.dtype()));
  Items items;
  convert_all(key, items);
  const Tensor source = is_tensor(value)
                            ? tensor_of(value)
                            : tensor_from_data({"index", "value"}, value, std::nullopt);
  run(index_releases_gil(tensor, items),
      [&] { autograd::index_assign(tensor, items.span(), source); });
}

[[gnu::cold, gnu::noinline]] PyObject* observed_get(PyObject* self, PyObject* key) {
  return observed_slot("getitem(input, index)", {self, key}, [](PyObject* const* values, int) {
    return wrap(get(tensor_of(values[0]), values[1]));
  });
}

PyObject* subscript(PyObject* self, PyObject* key) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_get(self, key);
  return guarded([&] { return wrap(get(tensor_of(self), key)); });
}

[[gnu::cold, gnu::noinline]] int observed_set(PyObject* self, PyObject* key, PyObject* value) {
  return status_of_result(observed_slot("setitem(input, index, value)", {self, key, value},
                                        [](PyObject* const* values, int) {
                                          set(tensor_of(values[0]), values[1], values[2]);
                                          return Py_NewRef(Py_None);
                                        }));
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (is_observed(Observed::kOperators) && value != nullptr) [[unlikely]]
    return observed_set(self, key, value);
  return guarded_or(-1, [&] {
    GPUKIT_CHECK(value != nullptr, TypeError, "index: elements of a tensor cannot be deleted");
    set(tensor_of(self), key, value);
    return 0;
  });
}

Py_ssize_t length(PyObject* self) {
  return guarded_or(Py_ssize_t{-1}, [&]() -> Py_ssize_t {
    const Tensor& tensor = tensor_of(self);
    GPUKIT_CHECK(tensor.rank() > 0, TypeError, "len: a 0-d tensor has no length");
    return static_cast<Py_ssize_t>(tensor.size(0));
  });
}

PyObject* nth(PyObject* self, Py_ssize_t index) {
  return wrap(autograd::select(tensor_of(self), 0, index, "UnbindBackward0"));
}

/// A step of an iteration. The one past the end does not count as a call.
[[gnu::cold, gnu::noinline]] PyObject* observed_item(PyObject* self, Py_ssize_t index) {
  const auto run = [](PyObject* const* values, int) {
    return nth(values[0], to_int64({"iter", "index"}, values[1]));
  };
  return guarded(
      [&] { return observed_slot("__iter__(input, index)", {self, py::int_(index).ptr()}, run); });
}

PyObject* item_at(PyObject* self, Py_ssize_t index) {
  if (is_observed(Observed::kOperators)) [[unlikely]] {
    const Tensor& tensor = tensor_of(self);
    if (tensor.rank() > 0 && index < tensor.size(0)) return observed_item(self, index);
  }
  return guarded([&] { return nth(self, index); });
}

PyObject* iterate(PyObject* self) {
  return guarded([&] {
    GPUKIT_CHECK(tensor_of(self).rank() > 0, TypeError,
                 "iter: a 0-d tensor cannot be iterated; use .item()");
    return PySeqIter_New(self);
  });
}

bool holds(PyObject* self, PyObject* value) {
  if (!is_number(value) && !is_tensor(value))
    throw_wrong_type({"in", "value"}, "a number or a Tensor", value);
  const auto equal = owned(PyObject_RichCompare(self, value, Py_EQ));
  GPUKIT_CHECK(is_tensor(equal.ptr()), TypeError, "in: the value cannot be compared");
  const Tensor& hits = tensor_of(equal.ptr());
  static const GilRule reduce_rule(cost::kReduce);
  return read_value(
             run(reduce_rule.releases(hits),
                 [&] { return ops::reduce(ReduceOp::kAny, hits, ops::ReducedDims::all(), false); }))
      .as_bool();
}

[[gnu::cold, gnu::noinline]] int observed_contains(PyObject* self, PyObject* value) {
  return truth_of_result(
      observed_slot("__contains__(input, value)", {self, value}, [](PyObject* const* values, int) {
        return PyBool_FromLong(holds(values[0], values[1]) ? 1 : 0);
      }));
}

int contains(PyObject* self, PyObject* value) {
  if (is_observed(Observed::kOperators)) [[unlikely]]
    return observed_contains(self, value);
  return guarded_or(-1, [&] { return holds(self, value) ? 1 : 0; });
}

}  // namespace

void add_indexing_slots(std::vector<PyType_Slot>& slots) {
  const PyType_Slot own[] = {
      slot(Py_mp_subscript, subscript), slot(Py_mp_ass_subscript, assign_subscript),
      slot(Py_mp_length, length),       slot(Py_sq_item, item_at),
      slot(Py_sq_contains, contains),   slot(Py_tp_iter, iterate),
  };
  slots.insert(slots.end(), std::begin(own), std::end(own));
}

}  // namespace gpukit::bindings
