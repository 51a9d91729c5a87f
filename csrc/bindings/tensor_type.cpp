// Life of Tensor objects: creation, identity, the free list, garbage collection.
//
// A C++ tensor knows its living Python object (borrowed). When Python drops the last reference to
// an object that has its own state (a subclass, attributes, weak references) while C++ still
// uses the tensor, ownership flips: the impl then holds the one reference to the object, and the
// object no longer counts the impl. It flips back when Python asks for the tensor again, or when
// C++ releases it.
#include "bindings/tensor_type.h"

#include <structmember.h>

#include <array>
#include <memory>
#include <new>

#include "autograd/tensor_gradient.h"
#include "bindings/docstring.h"
#include "bindings/exceptions.h"
#include "bindings/gil.h"
#include "bindings/operator_property.h"
#include "bindings/origin.h"
#include "bindings/python_hook.h"
#include "bindings/tensor_object.h"

namespace gpukit::bindings {

namespace {

PyTypeObject* meta_type = nullptr;

TensorObject* as_object(PyObject* object) noexcept {
  return reinterpret_cast<TensorObject*>(object);
}

#ifdef Py_GIL_DISABLED
constexpr int kFreeListCapacity = 0;
#else
constexpr int kFreeListCapacity = 128;
#endif

/// Dead objects of the exact type, kept for the next result.
struct FreeList {
  TensorObject* items[kFreeListCapacity + 1];
  int count = 0;
} free_list;

TensorObject* allocate_exact() {
  if (free_list.count > 0) {
    TensorObject* object = free_list.items[--free_list.count];
    _Py_NewReference(reinterpret_cast<PyObject*>(object));  // it kept its reference to the type
    return object;
  }
  TensorObject* object = PyObject_GC_New(TensorObject, tensor_type);
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

void release_exact(TensorObject* object) noexcept {
  if (free_list.count < kFreeListCapacity) {
    free_list.items[free_list.count++] = object;
    return;
  }
  PyObject_GC_Del(object);
  Py_DECREF(tensor_type);
}

PyObject* attach(TensorObject* object, Tensor&& tensor) noexcept {
  new (&object->tensor) Tensor(std::move(tensor));
  object->dict = nullptr;
  object->weak_references = nullptr;
  object->is_result = false;
  object->tensor.impl()->python_object.store(object, std::memory_order_relaxed);
  return reinterpret_cast<PyObject*>(object);
}

PyObject* attach_result(TensorObject* object, Tensor&& tensor) noexcept {
  PyObject* result = attach(object, std::move(tensor));
  object->is_result = true;
  return result;
}

/// The object's tensor counts its impl again, and the caller gets the reference that the impl held.
PyObject* flip_to_python(TensorImpl* impl, Tensor&& counted) noexcept {
  impl->owns_python_object = false;
  auto* object = static_cast<TensorObject*>(impl->python_object.load(std::memory_order_relaxed));
  new (&object->tensor) Tensor(std::move(counted));  // what stood there was not counted
  return reinterpret_cast<PyObject*>(object);
}

// C++ dropped the last reference to an impl that owns its Python object.
void return_with_gil(void* context) {
  auto* impl = static_cast<TensorImpl*>(context);
  Py_DECREF(flip_to_python(impl, Tensor::revive_raw(impl)));
}

void return_to_python(TensorImpl* impl) noexcept { with_gil_soon(return_with_gil, impl); }

/// tp_dealloc asks first: keeps the object alive for C++ when there is something to keep. True when
/// it was kept.
bool flip_to_cpp(PyObject* self) noexcept {
  TensorObject* object = as_object(self);
  TensorImpl* impl = object->tensor.impl();
  if (impl == nullptr || object->tensor.use_count() < 2) return false;
  const bool has_state =
      Py_TYPE(self) != tensor_type || object->dict != nullptr || object->weak_references != nullptr;
  if (!has_state) return false;
  Py_INCREF(self);
  impl->owns_python_object = true;
  const Tensor counted = std::move(object->tensor);
  new (&object->tensor) Tensor(Tensor::adopt_raw(impl));  // not counted from here on
  return true;  // `counted` is released last: C++ may have released it meanwhile
}

void detach(PyObject* self) noexcept {
  TensorObject* object = as_object(self);
  if (TensorImpl* impl = object->tensor.impl())
    impl->python_object.store(nullptr, std::memory_order_relaxed);
  object->tensor.~Tensor();
}

void clear_state(PyObject* self) noexcept {
  TensorObject* object = as_object(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_CLEAR(object->dict);
}

/// True for most objects: only the tensor is to be dropped.
bool is_bare(const TensorObject* object) noexcept {
  return object->is_result && object->dict == nullptr && object->weak_references == nullptr;
}

void dealloc_exact(PyObject* self) {
  if (!is_bare(as_object(self))) [[unlikely]] {
    if (flip_to_cpp(self)) return;
    PyObject_GC_UnTrack(self);
    clear_state(self);
  }
  detach(self);
  release_exact(as_object(self));
}

/// Values in the __slots__ of the Python classes between the object's type and Tensor.
void clear_python_slots(PyObject* self) noexcept {
  for (PyTypeObject* type = Py_TYPE(self); type != nullptr && type != tensor_type;
       type = type->tp_base) {
    PyObject *key = nullptr, *descriptor = nullptr;
    Py_ssize_t position = 0;
    while (type->tp_dict != nullptr &&
           PyDict_Next(type->tp_dict, &position, &key, &descriptor) != 0) {
      if (Py_TYPE(descriptor) != &PyMemberDescr_Type) continue;
      if (Py_TYPE(descriptor)->tp_descr_set(descriptor, self, nullptr) < 0) PyErr_Clear();
    }
  }
}

void dealloc_subclass(PyObject* self) {
  if (flip_to_cpp(self)) return;
  PyTypeObject* type = Py_TYPE(self);
  if (type->tp_finalize != nullptr && PyObject_CallFinalizerFromDealloc(self) < 0) return;
  if (PyObject_GC_IsTracked(self) != 0) PyObject_GC_UnTrack(self);
  clear_python_slots(self);
  clear_state(self);
  detach(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// The tensor's node, when only this object keeps it alive: no graph that was recorded can reach
/// it.
autograd::Node* only_held_node(TensorObject* object) noexcept {
  if (object->tensor.impl() == nullptr || object->tensor.use_count() != 1) return nullptr;
  autograd::Node* node = autograd::node_of(object->tensor);
  return node != nullptr && node->use_count() == 1 ? node : nullptr;
}

/// The gradient's object, when only this node keeps the gradient alive.
PyObject* only_held_gradient(const autograd::Node& node) noexcept {
  const Tensor gradient = node.gradient();  // counted twice here
  if (!gradient.defined() || gradient.use_count() != 2 || !gradient.impl()->owns_python_object)
    return nullptr;
  return static_cast<PyObject*>(gradient.impl()->python_object.load(std::memory_order_relaxed));
}

/// The lists of a node's hooks, null where it has none.
std::array<autograd::HookList*, 4> hook_lists(const autograd::Node& node) noexcept {
  autograd::NodeHooks* hooks = node.hooks().get();
  autograd::HookList* stored =
      node.is_leaf() ? static_cast<const autograd::Leaf&>(node).stored_hooks().get() : nullptr;
  if (hooks == nullptr) return {stored};
  return {stored, &hooks->gradient, &hooks->before, &hooks->after};
}

int visit_node(const autograd::Node& node, visitproc visit, void* arg) {
  Py_VISIT(only_held_gradient(node));
  for (const autograd::HookList* list : hook_lists(node)) {
    const int status = list != nullptr ? visit_hooks(*list, visit, arg) : 0;
    if (status != 0) return status;
  }
  return 0;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  TensorObject* object = as_object(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object->dict);
  const autograd::Node* node = only_held_node(object);
  return node != nullptr ? visit_node(*node, visit, arg) : 0;
}

int clear(PyObject* self) {
  TensorObject* object = as_object(self);
  Py_CLEAR(object->dict);
  if (autograd::Node* node = only_held_node(object)) {
    node->set_gradient(Tensor());
    for (autograd::HookList* list : hook_lists(*node)) {
      if (list != nullptr) list->clear();
    }
  }
  return 0;
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const int status = PyObject_GenericSetAttr(self, name, value);
  if (as_object(self)->dict != nullptr) track(self);
  return status;
}

Py_hash_t hash(PyObject* self) {
  const auto address = reinterpret_cast<std::uintptr_t>(self);
  return static_cast<Py_hash_t>((address >> 4) | (address << (8 * sizeof(address) - 4)));
}

PyObject* get_dict(PyObject* self, void* context) {
  PyObject* dict = PyObject_GenericGetDict(self, context);
  if (dict != nullptr) track(self);
  return dict;
}

int init_class(PyObject* type, PyObject* args, PyObject* kwargs) {
  if (PyType_Type.tp_init(type, args, kwargs) < 0) return -1;
  if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type) == 0) {
    PyErr_SetString(PyExc_TypeError, "a class of this metaclass needs gpukit.Tensor as a base");
    return -1;
  }
  reinterpret_cast<PyTypeObject*>(type)->tp_dealloc = dealloc_subclass;
  return 0;
}

void make_meta_type() {
  static PyType_Slot slots[] = {
      {Py_tp_base, &PyType_Type},
      {Py_tp_init, reinterpret_cast<void*>(init_class)},
      {Py_tp_doc, const_cast<char*>("Type of gpukit.Tensor and its subclasses.")},
      {0, nullptr}};
  static PyType_Spec spec = {"gpukit._core._TensorMeta", 0, 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  meta_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
}

constexpr const char* kDoc =
    "A multi-dimensional array of one dtype on one device.\n\n"
    "Made by gpukit.tensor(), zeros(), rand() and the other creation functions. Tensor(2, 3) and\n"
    "Tensor([1, 2]) are torch's older ways: elements that are not set, and data, of the default "
    "dtype.\n"
    "Operators and methods check shapes, dtypes and devices and raise ShapeError, DTypeError or\n"
    "DeviceMismatchError; work on a GPU is queued, and reading a value waits for it.\n\n"
    "Example:\n"
    "    >>> import gpukit\n"
    "    >>> x = gpukit.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
    "    >>> x.shape, x.dtype, str(x.device)\n"
    "    ((2, 2), gpukit.float32, 'cpu')\n";

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

/// The attribute with its example in the docstring, which lives as long as the process. One that
/// gives a tensor is an operator, and so is one that can be set.
PyGetSetDef definition_of(const PropertyRow& row) {
  const auto* const doc = new std::string(with_example(row.doc, row.example));
  const bool gives_tensor = std::string_view(row.type).starts_with("Tensor");
  return {row.name, gives_tensor ? get_operator : row.get,
          row.set != nullptr ? set_operator : nullptr, doc->c_str(),
          const_cast<PropertyRow*>(&row)};
}

std::vector<PyGetSetDef>& properties_with_dict() {
  static std::vector<PyGetSetDef> all = [] {
    std::vector<PyGetSetDef> list;
    for (const PropertyRow& row : tensor_properties()) list.push_back(definition_of(row));
    list.push_back({"__dict__", get_dict, PyObject_GenericSetDict, nullptr, nullptr});
    list.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
    return list;
  }();
  return all;
}

std::vector<PyType_Slot>& type_slots() {
  static std::vector<PyType_Slot> slots = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_exact)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_hash, reinterpret_cast<void*>(hash)},
      {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
      {Py_tp_repr, reinterpret_cast<void*>(tensor_repr)},
      {Py_am_await, reinterpret_cast<void*>(tensor_await)},
      {Py_tp_new, reinterpret_cast<void*>(tensor_new)},
      {Py_tp_doc, const_cast<char*>(kDoc)},
      {Py_tp_members, members},
      {Py_tp_getset, properties_with_dict().data()},
      {Py_tp_methods, tensor_methods()},
  };
  return slots;
}

/// Nobody but this view has the tensor, such as the copy that reshape() made, and no program has
/// seen it.
bool is_of_hidden_tensor(const TensorImpl& view) noexcept {
  const TensorImpl& base = *view.base;
  return base.python_object.load(std::memory_order_relaxed) == nullptr &&
         (view.requires_grad || !base.requires_grad) && !view.is_stale_view() &&
         Tensor::share_raw(view.base).use_count() == 2;
}

}  // namespace

void track(PyObject* object) noexcept {
  as_object(object)->is_result = false;
  if (PyObject_GC_IsTracked(object) == 0) PyObject_GC_Track(object);
}

PyObject* wrap(Tensor tensor) {
  TensorImpl* impl = tensor.impl();
  if (impl == nullptr) [[unlikely]]
    Py_RETURN_NONE;
  void* known = impl->python_object.load(std::memory_order_relaxed);
  if (known == nullptr) [[likely]] {
    if (impl->base != nullptr && is_of_hidden_tensor(*impl)) [[unlikely]]
      impl->drop_base();
    if (tensor.storage()->bytes() >= kOriginBytes) [[unlikely]]
      note_origin(tensor);
    if (tensor.storage()->version() != 0 && tensor.use_count() == 1) [[unlikely]]
      tensor.storage().forget_changes();
    return attach_result(allocate_exact(), std::move(tensor));
  }
  if (impl->owns_python_object) return flip_to_python(impl, std::move(tensor));
  return Py_NewRef(static_cast<PyObject*>(known));
}

PyObject* wrap_as(PyTypeObject* type, Tensor tensor) {
  if (type == tensor_type) return wrap(std::move(tensor));
  PyObject* self = checked(type->tp_alloc(type, 0));
  if (tensor.use_count() == 1) tensor.storage().forget_changes();
  return attach(as_object(self), std::move(tensor));
}

void make_tensor_type() {
  TensorImpl::return_to_python = return_to_python;
  make_meta_type();
  std::vector<PyType_Slot>& slots = type_slots();
  add_operator_slots(slots);
  add_indexing_slots(slots);
  add_buffer_slots(slots);
  slots.push_back({0, nullptr});
  static PyType_Spec spec = {"gpukit.Tensor", sizeof(TensorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                             slots.data()};
  auto* made = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  Py_SET_TYPE(reinterpret_cast<PyObject*>(made), meta_type);
  tensor_type = made;
}

}  // namespace gpukit::bindings
