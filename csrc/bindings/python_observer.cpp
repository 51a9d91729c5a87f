#include "bindings/python_observer.h"

#include <pybind11/cast.h>

#include <array>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/observed_objects.h"

namespace gpukit::bindings {

namespace {

constexpr std::array kMethods = {"before_operator", "after_operator", "before_derivative",
                                 "after_derivative"};
enum Method : std::size_t {
  kBeforeOperator,
  kAfterOperator,
  kBeforeDerivative,
  kAfterDerivative,
};

/// Null where the object has none.
using Methods = std::array<PyObject*, kMethods.size()>;

class PythonObserver final : public Observer {
 public:
  PythonObserver(const Methods& methods, std::initializer_list<Observed> wanted) noexcept
      : Observer(wanted), methods_(methods) {}
  ~PythonObserver() override {
    for (PyObject* method : methods_) release_reference(method);
  }

  void before_operator(OperatorCall& call) override { tell(kBeforeOperator, as_object(call)); }
  void after_operator(OperatorCall& call) override { tell(kAfterOperator, as_object(call)); }
  void before_derivative(autograd::DerivativeCall& call) override {
    notify(kBeforeDerivative, call);
  }
  void after_derivative(autograd::DerivativeCall& call) override { notify(kAfterDerivative, call); }

 private:
  void tell(Method method, const py::object& call) {
    PyObject* callable = methods_[method];
    if (callable == nullptr) return;
    owned(or_stop([&] { return PyObject_CallOneArg(callable, call.ptr()); }));
  }
  /// The backward pass runs without the GIL.
  void notify(Method method, const autograd::DerivativeCall& call) {
    if (methods_[method] == nullptr) return;
    const TakeGil gil;
    tell(method, as_object(call));
  }

  Methods methods_;
};

py::object method_of(const py::object& object, const char* name) {
  if (!has_attribute(object.ptr(), name)) return {};
  py::object method = object.attr(name);
  GPUKIT_CHECK(PyCallable_Check(method.ptr()) != 0, TypeError, "observe: observer.", name,
               " is not a function but ", describe_value(method.ptr()));
  return method;
}

}  // namespace

std::shared_ptr<Observer> python_observer(const py::object& object, ObserverOptions noted) {
  std::array<py::object, kMethods.size()> found;
  for (std::size_t i = 0; i < kMethods.size(); ++i) found[i] = method_of(object, kMethods[i]);
  const bool operators = found[kBeforeOperator] || found[kAfterOperator];
  const bool derivatives = found[kBeforeDerivative] || found[kAfterDerivative];
  GPUKIT_CHECK(operators || derivatives, TypeError,
               "observe: observer has none of the methods before_operator, after_operator, "
               "before_derivative and after_derivative, got ",
               describe_value(object.ptr()));
  // An event without subscribers is replaced by kOperators or kDerivatives, one of which has some.
  const Observed first = operators ? Observed::kOperators : Observed::kDerivatives;
  Methods methods{};
  for (std::size_t i = 0; i < methods.size(); ++i) methods[i] = found[i].release().ptr();
  return std::make_shared<PythonObserver>(
      methods, std::initializer_list<Observed>{first, derivatives ? Observed::kDerivatives : first,
                                               noted.work ? Observed::kDeviceWork : first,
                                               noted.nodes ? Observed::kNodes : first});
}

}  // namespace gpukit::bindings
