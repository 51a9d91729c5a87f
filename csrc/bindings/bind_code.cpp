// Kernels of the user's own: compiling CUDA sources, loading code on a device, and launching it.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/bind.h"
#include "bindings/code_arguments.h"
#include "bindings/gil.h"
#include "bindings/stream_object.h"
#include "ops/dispatch.h"
#include "tensor/captured_graph.h"

namespace gpukit::bindings {

namespace {

constexpr std::array<std::int64_t, 3> kMostBlocks = {2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMostThreads = {1024, 1024, 64};

/// A module on one device. The session outlives the code.
struct DeviceCodeObject {
  std::shared_ptr<Session> session;
  OpenDevice* device = nullptr;
  std::shared_ptr<DeviceCode> code;
};

struct CodeFunctionObject {
  std::shared_ptr<DeviceCodeObject> owner;
  CodeFunction function;
  std::string name;
  Parameters parameters;
  int most_threads = 0;
  int most_shared_bytes = 0;  ///< dynamic, of a block
  bool launched = false;
};

}  // namespace

template <>
inline constexpr bool is_bound_class<DeviceCodeObject> = true;
template <>
inline constexpr bool is_bound_class<CodeFunctionObject> = true;

namespace {

OpenDevice& device_at(int index) {
  const Device device = resolved(Device::cuda(index));
  return run(true, [&]() -> OpenDevice& { return open_device(device); });
}

/// (image or None, log, lowered names)
py::tuple compile_code(int index, SourceCode source) {
  OpenDevice& device = device_at(index);
  const DeviceProperties& card = device.runtime().properties();
  source.capability = card.major * 10 + card.minor;
  const CompiledCode made = run(true, [&] { return device.session().backend().compile(source); });
  const py::object image = made.compiled ? py::object(py::bytes(made.image)) : py::none();
  return py::make_tuple(image, py::bytes(made.log), py::cast(made.lowered_names));
}

std::shared_ptr<DeviceCodeObject> load_code(int index, const py::bytes& image,
                                            const std::string& name) {
  OpenDevice& device = device_at(index);
  const std::string bytes = image;
  auto loaded = std::make_shared<DeviceCodeObject>();
  loaded->session = device.session().shared_from_this();
  loaded->device = &device;
  loaded->code = run(true, [&] { return device.runtime().load_code(bytes, name); });
  return loaded;
}

ParameterKind kind_of(char letter) {
  switch (letter) {
    case 'i':
      return ParameterKind::kInteger;
    case 'f':
      return ParameterKind::kFloat;
    case 's':
      return ParameterKind::kStruct;
    default:
      return ParameterKind::kUntyped;
  }
}

/// From the code's text ("i4", "f8" …), or for code without a text from the driver.
Parameters parameters_of(DeviceCode& code, CodeFunction function, const py::object& told) {
  Parameters parameters;
  if (!told.is_none()) {
    parameters.known = true;
    for (const auto& text : told.cast<std::vector<std::string>>())
      parameters.all.push_back({kind_of(text.front()), std::stoul(text.substr(1))});
    return parameters;
  }
  std::vector<std::size_t> bytes;
  parameters.known = code.parameter_bytes(function, bytes);
  for (const std::size_t size : bytes) parameters.all.push_back({ParameterKind::kUntyped, size});
  return parameters;
}

std::shared_ptr<CodeFunctionObject> make_function(const std::shared_ptr<DeviceCodeObject>& owner,
                                                  const std::string& entry, const std::string& name,
                                                  const py::object& told) {
  owner->device->runtime();  // throws once the session is over
  auto made = std::make_shared<CodeFunctionObject>();
  DeviceCode& code = *owner->code;
  made->owner = owner;
  made->name = name;
  made->function = run(true, [&] { return code.function(entry); });
  made->parameters = parameters_of(code, made->function, told);
  made->most_threads = code.attribute(made->function, FunctionAttribute::kMaxThreadsPerBlock);
  made->most_shared_bytes =
      code.attribute(made->function, FunctionAttribute::kMaxDynamicSharedSizeBytes);
  return made;
}

FunctionAttribute attribute_at(int number) {
  GPUKIT_CHECK(number >= 0 && number < kFunctionAttributes, IndexError,
               "attribute: there is no number ", number);
  return static_cast<FunctionAttribute>(number);
}

int read_attribute(const CodeFunctionObject& self, int number) {
  const FunctionAttribute attribute = attribute_at(number);
  self.owner->device->runtime();
  return self.owner->code->attribute(self.function, attribute);
}

void write_attribute(CodeFunctionObject& self, int number, int value) {
  const FunctionAttribute attribute = attribute_at(number);
  self.owner->device->runtime();
  self.owner->code->set_attribute(self.function, attribute, value);
  self.most_shared_bytes =
      self.owner->code->attribute(self.function, FunctionAttribute::kMaxDynamicSharedSizeBytes);
}

/// This thread's current stream of a device is another one for a scope.
class CurrentStreamScope {
 public:
  CurrentStreamScope(OpenDevice& device, const py::object& stream, const std::string& kernel)
      : device_(device), before_(current_stream(device)) {
    if (stream.is_none()) return;
    set_current_stream(device_, stream_of_object({kernel, "stream"}, stream.ptr()));
  }
  ~CurrentStreamScope() { set_current_stream(device_, before_); }
  CurrentStreamScope(const CurrentStreamScope&) = delete;
  CurrentStreamScope& operator=(const CurrentStreamScope&) = delete;

 private:
  OpenDevice& device_;
  StreamRef before_;
};

unsigned to_shared_bytes(const CodeFunctionObject& self, const py::object& value) {
  const std::int64_t bytes = to_int64({self.name, "shared_mem"}, value.ptr());
  GPUKIT_CHECK(bytes >= 0 && bytes <= self.most_shared_bytes, ValueError, self.name,
               ": shared_mem must be 0 to ", self.most_shared_bytes, " bytes, got ", bytes,
               bytes > 0 ? ". More is asked for by kernel.max_dynamic_shared_size_bytes" : "");
  return static_cast<unsigned>(bytes);
}

Extent3 to_block(const CodeFunctionObject& self, const py::object& value) {
  const Extent3 block = to_extent(self.name, "block", value.ptr(), kMostThreads);
  const std::int64_t threads = std::int64_t{block.x} * block.y * block.z;
  GPUKIT_CHECK(threads <= self.most_threads, ValueError, self.name, ": block has ", threads,
               " threads, and on ", to_string(self.owner->device->device()),
               " this kernel takes at most ", self.most_threads);
  return block;
}

void report_launch(const OpenDevice& device, const std::vector<Tensor>& tensors) {
  DeviceWork work{DType::kFloat32, 0, 0};
  work.device = device.device();
  work.known = false;
  // Any of its numbers may be a sum over the largest tensor.
  for (const Tensor& tensor : tensors)
    work.longest_sum = std::max(work.longest_sum, tensor.count());
  note(work);
}

/// With or without the GIL. The tensors are used by the stream from here on.
void queue(const CodeFunctionObject& self, CodeLaunch launch, CodeArguments& arguments) {
  OpenDevice& device = *self.owner->device;
  const StreamRef stream = current_stream(device);
  for (const Tensor& tensor : arguments.tensors()) tensor.storage()->wait_for_readers();
  launch.arguments = arguments.fill();
  for (const Tensor& tensor : arguments.tensors()) ops::note_use(tensor, stream);
  if (any_capture()) hold_for_graph(device, self.owner->code);
  self.owner->code->launch(self.function, self.name, launch, stream);
  if (is_observed(Observed::kDeviceWork)) report_launch(device, arguments.tensors());
}

/// A first launch may load the code, and one after many others may find the stream's queue full.
bool may_wait(CodeFunctionObject& self) noexcept {
  constexpr int kMostOutstanding = 512;
  static thread_local int launches = 0;
  const bool first = !std::exchange(self.launched, true);
  return ++launches % kMostOutstanding == 0 || first;
}

void launch_function(CodeFunctionObject& self, const py::object& grid, const py::object& block,
                     const py::object& arguments, const py::object& stream,
                     const py::object& shared_bytes, bool cooperative) {
  OpenDevice& device = *self.owner->device;
  device.runtime();
  CodeLaunch launch;
  launch.grid = to_extent(self.name, "grid", grid.ptr(), kMostBlocks);
  launch.block = to_block(self, block);
  launch.shared_bytes = to_shared_bytes(self, shared_bytes);
  launch.cooperative = cooperative;
  CodeArguments packed(self.name, self.parameters, arguments.ptr(), device);
  const CurrentStreamScope on(device, stream, self.name);
  run(may_wait(self), [&] { queue(self, launch, packed); });
}

/// Where a launch goes: the stream's device, else that of the first tensor on a GPU, else the
/// current one.
int launch_device(const py::object& arguments, const py::object& stream) {
  if (py::isinstance<StreamObject>(stream))
    return stream.cast<StreamObject&>().device->device().index;
  const Py_ssize_t first = find_device_tensor(arguments.ptr());
  if (first < 0) return resolved(Device::cuda(-1)).index;
  const Tensor& tensor = tensor_of(PySequence_Fast_GET_ITEM(arguments.ptr(), first));
  tensor.open_device().runtime();  // throws once its session is over
  return tensor.device().index;
}

/// The bytes of a variable as a tensor of one dimension, which keeps the module.
Tensor variable(const std::shared_ptr<DeviceCodeObject>& self, const std::string& entry,
                const std::string& name, const py::object& type) {
  OpenDevice& device = *self->device;
  device.runtime();
  const DType dtype = to_dtype({"get_global", "dtype"}, type.ptr());
  const std::span<std::byte> bytes = self->code->variable(entry);
  const std::size_t size = itemsize(dtype);
  GPUKIT_CHECK(bytes.size() % size == 0, DTypeError, "get_global: '", name, "' has ", bytes.size(),
               " bytes, which are no whole number of ", gpukit::name(dtype));
  auto owner = std::make_unique<std::shared_ptr<DeviceCodeObject>>(self);
  StorageRef storage = StorageRef::adopt(
      device, bytes.data(), bytes.size(),
      [](void* held) noexcept { delete static_cast<std::shared_ptr<DeviceCodeObject>*>(held); },
      owner.release());
  return Tensor::make_contiguous(std::move(storage), dtype,
                                 Shape::filled(1, static_cast<std::int64_t>(bytes.size() / size)));
}

void bind_function(py::module_& module) {
  py::class_<CodeFunctionObject, std::shared_ptr<CodeFunctionObject>> cls(
      module, "CodeFunction", "A kernel of a DeviceCode.");
  refuse_pickling(cls, "it is of this process's driver. Pickle the RawKernel");
  cls.def("launch", launch_function, py::arg("grid"), py::arg("block"), py::arg("arguments"),
          py::arg("stream_or_none"), py::arg("shared_bytes"), py::arg("cooperative"),
          "Queues it on a stream, or on this thread's current one.");
  cls.def("attribute", read_attribute, py::arg("number"),
          "What the driver says of it, by the driver's number.");
  cls.def("set_attribute", write_attribute, py::arg("number"), py::arg("value"),
          "Sets the dynamic shared memory that a launch may ask for, or the carveout.");
}

}  // namespace

template <>
void bind<Part::kCode>(py::module_& module) {
  bind_function(module);
  py::class_<DeviceCodeObject, std::shared_ptr<DeviceCodeObject>> cls(
      module, "DeviceCode", "A module of the user's own code, loaded on one device.");
  refuse_pickling(cls, "it is of this process's driver. Pickle the RawModule");
  cls.def(py::init(&load_code), py::arg("device"), py::arg("image"), py::arg("name"));
  cls.def("function", make_function, py::arg("entry"), py::arg("name"), py::arg("parameters"),
          "A kernel by its name in the code; parameters are like 'i4', 'f8', 's12', or None.");
  cls.def("variable", variable, py::arg("entry"), py::arg("name"), py::arg("dtype"),
          "The memory of a variable as a tensor.");
  module.def(
      "compile_code",
      [](int device, std::string source, std::string name, std::vector<std::string> options,
         std::vector<std::string> name_expressions, bool machine_code) {
        return compile_code(device, {std::move(source), std::move(name), std::move(options),
                                     std::move(name_expressions), 0, machine_code});
      },
      py::arg("device"), py::arg("source"), py::arg("name"), py::arg("options"),
      py::arg("name_expressions"), py::arg("machine_code"),
      "Compiles CUDA C++ by NVRTC: image or None, log, lowered names.");
  module.def("launch_device", launch_device, py::arg("arguments"), py::arg("stream_or_none"),
             "Index of the GPU that a launch with these arguments goes to.");
}

}  // namespace gpukit::bindings
