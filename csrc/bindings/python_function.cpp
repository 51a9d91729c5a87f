#include "bindings/python_function.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "autograd/record.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/gil.h"
#include "bindings/tensor_object.h"
#include "tensor/factory.h"

namespace gpukit::bindings {
namespace python_function {
namespace {

using autograd::Pass;
using autograd::SavedTensor;

/// Names of nodes live as long as the process.
const char* kept_name(const std::string& name) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string>();
  const std::lock_guard lock(mutex);
  return names->insert(name).first->c_str();
}

/// Whether an unpack hook gave the elements of the tensor itself; what it gives is contiguous.
bool has_elements_of(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.offset() == b.offset() && a.shape() == b.shape();
}

/// A tensor that the callable needs. It comes back with its place in the graph, in any pass.
struct Kept {
  SavedTensor saved;
  Tensor leaf;              ///< comes back itself; undefined for others
  autograd::NodePtr place;  ///< of a tensor that is neither an input nor an output

  Tensor unpacked(const Pass& pass) const {
    Tensor value = pass.in_graph(saved);
    if (leaf.defined() && has_elements_of(leaf, value)) return leaf;
    if (!place) return value;
    value = detached(value);
    value.impl()->autograd = CountedPtr<AutogradMeta>::share(place.get());
    value.impl()->requires_grad = true;
    return value;
  }
};

/// The callable, and what it needs. Nodes copy their formula: the copies share this.
class Derivative {
 public:
  explicit Derivative(PyObject* callable) : callable_(Py_NewRef(callable)) {}
  ~Derivative() { release_reference(callable_); }
  Derivative(const Derivative&) = delete;
  Derivative& operator=(const Derivative&) = delete;

  std::vector<Tensor> unpacked(const Pass& pass, const std::vector<Kept>& saved) const {
    std::vector<Tensor> tensors;
    tensors.reserve(saved.size());
    for (const Kept& each : saved) tensors.push_back(each.unpacked(pass));
    return tensors;
  }

  /// callable(saved, gradients) -> a sequence with a tensor or None for each input.
  void run(Pass& pass, const std::vector<Tensor>& unpacked, std::size_t inputs,
           const std::vector<Tensor>& gradients) const {
    std::vector<Tensor> found(inputs);
    {
      const TakeGil gil;
      const py::object saved_list = list_of(unpacked), gradient_list = list_of(gradients);
      const auto result = owned(or_stop([&] {
        return PyObject_CallFunctionObjArgs(callable_, saved_list.ptr(), gradient_list.ptr(),
                                            nullptr);
      }));
      const auto items = owned(PySequence_Fast(result.ptr(), "backward: the gradients"));
      GPUKIT_CHECK(PySequence_Fast_GET_SIZE(items.ptr()) == static_cast<Py_ssize_t>(inputs),
                   AutogradError, "backward: ", PySequence_Fast_GET_SIZE(items.ptr()),
                   " gradients for ", inputs, " inputs.");
      for (std::size_t i = 0; i < inputs; ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i));
        if (item != Py_None) found[i] = to_tensor({"backward", "a gradient"}, item);
      }
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      if (!found[i].defined()) continue;
      // A saved tensor that is the gradient itself has its place in the graph.
      const bool loses_graph = !pass.recorded() && found[i].requires_grad();
      pass.accumulate_grad(i, loses_graph ? detached(found[i]) : found[i]);
    }
  }

 private:
  static py::object list_of(const std::vector<Tensor>& tensors) {
    py::list list;
    for (const Tensor& tensor : tensors)
      list.append(tensor.defined() ? to_python(tensor) : py::none());
    return list;
  }

  PyObject* callable_;
};

/// Outputs are saved without their nodes: what keeps one of them must not own its graph.
std::vector<Kept> kept_of(const std::vector<Tensor>& tensors, const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& outputs) {
  const auto place_in = [](const std::vector<Tensor>& list, const Tensor& tensor) {
    const auto is_same = [&](const Tensor& each) { return each.impl() == tensor.impl(); };
    const auto found = std::find_if(list.begin(), list.end(), is_same);
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
  };
  std::vector<Kept> kept;
  for (const Tensor& tensor : tensors) {
    Kept each;
    const int input = place_in(inputs, tensor);
    if (place_in(outputs, tensor) >= 0) {
      const Tensor bare = detached(tensor);
      each.saved = outputs.size() == 1 ? SavedTensor::result(bare) : SavedTensor::constant(bare);
    } else {
      each.saved = input >= 0 ? SavedTensor::input(input, tensor) : SavedTensor::constant(tensor);
      if (tensor.requires_grad()) {
        autograd::Node& node = autograd::node_for(tensor);
        if (node.is_leaf()) each.leaf = tensor;
        if (input < 0) each.place = autograd::NodePtr::share(&node);
      }
    }
    kept.push_back(std::move(each));
  }
  return kept;
}

/// One output: the node is the operation.
void record_one(const char* name, const Tensor& output, const std::vector<Tensor>& inputs,
                const std::vector<Tensor>& saved, std::shared_ptr<Derivative> derivative,
                autograd::Edges&& edges) {
  autograd::record(output, name, std::move(edges),
                   [derivative = std::move(derivative), count = inputs.size(),
                    kept = kept_of(saved, inputs, {output})](Pass& pass) {
                     derivative->run(pass, derivative->unpacked(pass, kept), count,
                                     {pass.gradient()});
                   });
}

/// The node of one of several outputs: it sends the gradient to the joint node.
void record_output(const char* name, const Tensor& output, const Tensor& joint, std::size_t i) {
  autograd::record(output, name, {&joint},
                   [i](Pass& pass) { pass.send_to_shared(i, pass.gradient()); });
}

/// A saved output of several, with its place among them.
struct SavedOutput {
  std::size_t kept, output;
};

/// Several outputs: their nodes lead to one that runs after them.
void record_several(const char* name, const std::vector<Tensor>& outputs,
                    const std::vector<Tensor>& inputs, const std::vector<Tensor>& saved,
                    const std::shared_ptr<Derivative>& derivative) {
  const Tensor joint = empty(Shape{0}, DType::kFloat32, Device::cpu());
  std::vector<SavedOutput> results;
  for (std::size_t k = 0; k < saved.size(); ++k) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (saved[k].impl() == outputs[i].impl()) results.push_back({k, i});
    }
  }
  autograd::record(
      joint, name, autograd::detail::edges_to(inputs),
      [derivative, name, results, count = inputs.size(), self = SavedTensor::place(joint),
       several = outputs.size(), kept = kept_of(saved, inputs, outputs)](Pass& pass) {
        std::vector<Tensor> unpacked = derivative->unpacked(pass, kept);
        for (const SavedOutput& each : results) {
          unpacked[each.kept] = detached(unpacked[each.kept]);
          record_output(name, unpacked[each.kept], pass.in_graph(self), each.output);
        }
        derivative->run(pass, unpacked, count, pass.take_sent(several));
      });
  for (std::size_t i = 0; i < outputs.size(); ++i) record_output(name, outputs[i], joint, i);
}

void record(const std::string& name, const py::object& outputs, const py::object& inputs,
            const py::object& saved, const py::object& callable, bool in_place) {
  const std::vector<Tensor> made = to_tensors({"record_function", "outputs"}, outputs.ptr());
  const std::vector<Tensor> given = to_tensors({"record_function", "inputs"}, inputs.ptr());
  const std::vector<Tensor> kept = to_tensors({"record_function", "saved"}, saved.ptr());
  GPUKIT_CHECK(!made.empty(), ValueError, "record_function: there is no output.");
  if (PyCallable_Check(callable.ptr()) == 0)
    throw_wrong_type({"record_function", "callable"}, "a function", callable.ptr());
  auto derivative = std::make_shared<Derivative>(callable.ptr());
  if (made.size() == 1) {
    autograd::Edges edges = autograd::detail::edges_to(given);
    if (in_place) autograd::check_in_place(name, made[0]);
    record_one(kept_name(name), made[0], given, kept, std::move(derivative), std::move(edges));
    if (in_place) autograd::detail::note_change(made[0]);
    return;
  }
  std::vector<Tensor> changed;
  for (const Tensor& each : made) {
    const auto is_same = [&](const Tensor& input) { return input.is_same(each); };
    if (in_place && std::any_of(given.begin(), given.end(), is_same)) changed.push_back(each);
  }
  for (const Tensor& each : changed) autograd::check_in_place(name, each);
  record_several(kept_name(name), made, given, kept, derivative);
  for (const Tensor& each : changed) autograd::detail::note_change(each);
}

}  // namespace
}  // namespace python_function

void bind_python_function(py::module_& module) {
  module.def("record_function", python_function::record, py::arg("name"), py::arg("outputs"),
             py::arg("inputs"), py::arg("saved"), py::arg("callable"), py::arg("in_place") = false,
             "Gives the outputs a node whose derivative is callable(saved, gradients), which "
             "returns a tensor or None for each input.");
}

}  // namespace gpukit::bindings
