// Random numbers, and gpukit.Generator.
#include <array>
#include <cstring>
#include <random>

#include "autograd/tensor_gradient.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/bind.h"
#include "bindings/composed_row.h"
#include "bindings/generator_object.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/promotion.h"
#include "ops/random.h"

namespace gpukit::bindings {

namespace {

/// Owns a generator, or refers to the process-wide one.
struct GeneratorObject {
  std::unique_ptr<ops::Generator> own;
  ops::Generator* generator = nullptr;
  Device device = Device::cpu();
};

}  // namespace

template <>
inline constexpr bool is_bound_class<GeneratorObject> = true;

namespace {

constexpr std::uint64_t kDefaultSeed = 67280421310721;

PyObject* finished(const Arguments& a, int requires_grad, Tensor tensor) {
  if (a[requires_grad] != nullptr)
    autograd::set_requires_grad(a.op(), tensor, a.boolean(requires_grad, false));
  return wrap(std::move(tensor));
}

DType floating_dtype(const Arguments& a, int i, DType fallback) {
  const DType dtype = a.dtype(i, fallback);
  GPUKIT_CHECK(is_differentiable(dtype), DTypeError, a.op(), ": dtype ", name(dtype),
               " is not a floating type. Use randint.");
  return dtype;
}

using Filler = Tensor (*)(const Shape&, DType, Device, ops::Generator&);

PyObject* drawn(const Arguments& a, Filler fill, const Shape& shape, DType dtype, Device device,
                ops::Generator& generator, int requires_grad) {
  check_shape(shape, itemsize(dtype), a.op());
  const bool release = a.gil().releases_on(device, element_count(shape));
  return finished(a, requires_grad,
                  run(release, [&] { return fill(shape, dtype, device, generator); }));
}

/// (*size, generator, dtype, device, requires_grad)
template <Filler Fill>
PyObject* sized(const Arguments& a) {
  GPUKIT_CHECK(a.star_given(), TypeError, a.op(), ": size is missing, e.g. ", a.op(), "(2, 3)");
  return drawn(a, Fill, a.star_dims(), floating_dtype(a, 2, ops::default_floating()), a.device(3),
               generator_of(a.argument(1), a[1]), 4);
}

/// (input, generator, dtype, device, requires_grad)
template <Filler Fill>
PyObject* like(const Arguments& a) {
  if (a.given(5)) return composed(a);
  const Tensor& input = a.tensor(0);
  const Device device = a.given(3) ? a.device(3) : input.device();
  return drawn(a, Fill, input.shape(), floating_dtype(a, 2, input.dtype()), device,
               generator_of(a.argument(1), a[1]), 4);
}

// randint(high, size) or randint(low, high, size). Of (high, size), high stands in low's place, or
// it has its name, and size stands in high's place, or it has its name.
PyObject* randint(const Arguments& a) {
  const bool named_size = a.given(2);
  GPUKIT_CHECK(a.given(0) + a.given(1) + named_size >= 2, TypeError,
               "randint: size is missing, e.g. randint(10, (2, 3)) or randint(0, 10, (2, 3))");
  const bool has_low = a.given(0) && a.given(1) && named_size;
  const std::int64_t low = has_low ? a.integer(0) : 0;
  const std::int64_t high = has_low || !a.given(0) ? a.integer(1) : a.integer(0);
  const Shape shape = named_size ? a.dims(2) : to_dims({"randint", "size"}, a[1]);
  GPUKIT_CHECK(low < high, ValueError, "randint: low must be below high, got ", low, " and ", high);
  const DType dtype = a.dtype(4, DType::kInt64);
  const Device device = a.device(5);
  ops::Generator& generator = generator_of(a.argument(3), a[3]);
  check_shape(shape, itemsize(dtype), "randint");
  const bool release = a.gil().releases_on(device, element_count(shape));
  return finished(
      a, 6, run(release, [&] { return ops::randint(low, high, shape, dtype, device, generator); }));
}

PyObject* randperm(const Arguments& a) {
  const std::int64_t n = a.integer(0);
  GPUKIT_CHECK(n >= 0, ValueError, "randperm: n must be 0 or more, got ", n);
  const DType dtype = a.dtype(2, DType::kInt64);
  const Device device = a.device(3);
  ops::Generator& generator = generator_of(a.argument(1), a[1]);
  check_shape(Shape{n}, itemsize(dtype), "randperm");
  const bool release = a.gil().releases_on(device, n);
  return wrap(run(release, [&] { return ops::randperm(n, dtype, device, generator); }));
}

#define GPUKIT_RANDOM_OPTIONS "generator=None, dtype=None, device=None, requires_grad=False"

// clang-format off
constexpr Docs kRandDocs = {.parameters = "size: ints, or one tuple of them.\n",
    .returns = "a tensor of that size; dtype, or the default floating dtype.",
    .raises = "ValueError: a size is negative.\nDTypeError: dtype is unknown or not floating.\n" GPUKIT_RAISES_PLACE};
constexpr Docs kRandLikeDocs = {.parameters = "device: where the result lies; None is input's.\n",
    .returns = "input's shape; dtype, or input's, which must be floating.",
    .raises = "DTypeError: dtype, or input's, is not floating.\n" GPUKIT_RAISES_PLACE};

constexpr FunctionRow kRandomRows[] = {
  {.signature = "rand(*size: int, " GPUKIT_RANDOM_OPTIONS ")", .call = sized<ops::rand>, .cost = cost::kRandom,
   .doc = "Uniform numbers of [0, 1). The same seed gives the same bits on every device.",
   .docs = kRandDocs,
   .example = ">>> gpukit.rand(2, 3).shape\n" "(2, 3)",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "randn(*size: int, " GPUKIT_RANDOM_OPTIONS ")", .call = sized<ops::randn>, .cost = cost::kNormal,
   .doc = "Normal numbers of mean 0 and deviation 1.",
   .docs = kRandDocs,
   .example = ">>> gpukit.randn(4).shape\n" "(4,)",
   .where = kFunction, .out = Out::kCopied},
  {.signature = "rand_like(input, *, " GPUKIT_RANDOM_OPTIONS ", memory_format=None)", .call = like<ops::rand>, .cost = cost::kRandom,
   .doc = "rand() in the shape of another tensor.",
   .docs = kRandLikeDocs,
   .example = ">>> gpukit.rand_like(gpukit.ones(2, 3)).shape\n" "(2, 3)",
   .where = kFunction},
  {.signature = "randn_like(input, *, " GPUKIT_RANDOM_OPTIONS ", memory_format=None)", .call = like<ops::randn>, .cost = cost::kNormal,
   .doc = "randn() in the shape of another tensor.",
   .docs = kRandLikeDocs,
   .example = ">>> gpukit.randn_like(gpukit.ones(2, 3)).shape\n" "(2, 3)",
   .where = kFunction},
  {.signature = "randint(low: int | None = None, high: int | None = None, size: int | Sequence[int] | None = None, *, " GPUKIT_RANDOM_OPTIONS ")", .call = randint, .cost = cost::kRandom,
   .doc = "Integers of [low, high): randint(high, size) or randint(low, high, size).",
   .docs = {.parameters = "low: the smallest number; randint(high, size) starts at 0.\nhigh: the first number that is not drawn.\nsize: a tuple of ints.\n",
             .returns = "a tensor of that size; dtype, or int64.",
             .raises = "ValueError: low is not below high, or dtype cannot hold the range.\nTypeError: size is missing.\n" GPUKIT_RAISES_CREATE},
   .example = ">>> gpukit.randint(0, 10, (2, 3)).shape\n" "(2, 3)",
   .where = kFunction, .out = Out::kCopied,
   .overloads = "(low: int, high: int, size: int | Sequence[int], *, " GPUKIT_RANDOM_OPTIONS ", out=None)\n" "(high: int, size: int | Sequence[int], *, " GPUKIT_RANDOM_OPTIONS ", out=None)"},
  {.signature = "randperm(n: int, *, generator=None, dtype=None, device=None)", .call = randperm, .cost = cost::kSort,
   .doc = "A random order of 0 … n - 1; int64.",
   .docs = {.parameters = "n: how many.\n",
             .returns = "(n,); dtype, or int64.",
             .raises = "ValueError: n is negative.\n" GPUKIT_RAISES_CREATE},
   .example = ">>> sorted(gpukit.randperm(4).tolist())\n" "[0, 1, 2, 3]",
   .where = kFunction, .out = Out::kCopied},
};
// clang-format on

std::uint64_t seed_of(const py::object& seed) {
  const Argument argument{"manual_seed", "seed"};
  if (PyLong_Check(seed.ptr()) == 0 || PyBool_Check(seed.ptr()) != 0) {
    return static_cast<std::uint64_t>(to_int64(argument, seed.ptr()));
  }
  const unsigned long long value = PyLong_AsUnsignedLongLong(seed.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  return static_cast<std::uint64_t>(
      to_int64(argument, seed.ptr()));  // negative seeds, or the error
}

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) >>
         1;  // fits a signed integer of other libraries
}

py::bytes state_bytes(const ops::Generator& generator) {
  const ops::Generator::State state = generator.state();
  char raw[16];
  std::memcpy(raw, &state.seed, 8);
  std::memcpy(raw + 8, &state.offset, 8);
  return py::bytes(raw, sizeof raw);
}

void restore(ops::Generator& generator, const py::object& given) {
  py::object state = given;
  if (is_tensor(given.ptr()) && tensor_of(given.ptr()).dtype() == DType::kUInt8)
    state = owned(PyBytes_FromObject(given.attr("reshape")(-1).attr("tolist")().ptr()));
  char* data = nullptr;
  Py_ssize_t size = 0;
  const bool good =
      PyBytes_Check(state.ptr()) != 0 && PyBytes_AsStringAndSize(state.ptr(), &data, &size) == 0;
  if (!good || size != 16)
    throw_wrong_type({"set_state", "state"}, "what get_state() gave (16 bytes)", given.ptr());
  ops::Generator::State value{};
  std::memcpy(&value.seed, data, 8);
  std::memcpy(&value.offset, data + 8, 8);
  generator.set_state(value);
}

void add_generator_class(py::module_& module) {
  module.def(
      "generator_at",
      [](const py::object& cls, const py::object& device, const py::object& state) {
        return cls(device).attr("set_state")(state);
      },
      py::arg("cls"), py::arg("device"), py::arg("state"),
      "A generator that goes on from a state; what pickle calls.");
  py::class_<GeneratorObject> cls(
      module, "Generator",
      "A sequence of random numbers with a seed and a position.\n\n"
      "The numbers depend on neither the device nor the number of threads.\n\n"
      "Args:\n"
      "    device: accepted for compatibility with PyTorch; the numbers are the same on all.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> g = gpukit.Generator().manual_seed(1)\n"
      "    >>> h = gpukit.Generator().manual_seed(1)\n"
      "    >>> gpukit.equal(gpukit.rand(3, generator=g), gpukit.rand(3, generator=h))\n"
      "    True\n");
  cls.def(py::init([](const py::object& device) {
            auto made = std::make_unique<GeneratorObject>();
            made->own = std::make_unique<ops::Generator>(kDefaultSeed);
            made->generator = made->own.get();
            if (!device.is_none()) made->device = to_device({"Generator", "device"}, device.ptr());
            return made;
          }),
          py::arg("device") = py::none());
  cls.def(
      "manual_seed",
      [](const py::object& self, const py::object& seed) {
        self.cast<GeneratorObject&>().generator->manual_seed(seed_of(seed));
        return self;
      },
      py::arg("seed"),
      "Sets the seed and goes to the start; gives the generator itself.\n\n"
      "Args:\n"
      "    seed: an int.\n\n"
      "Returns:\n"
      "    the generator itself.\n\n"
      "Raises:\n"
      "    TypeError: seed is not an int.\n");
  cls.def(
      "seed",
      [](GeneratorObject& self) {
        const std::uint64_t seed = random_seed();
        self.generator->manual_seed(seed);
        return seed;
      },
      "Takes a seed from the system and returns it.");
  cls.def(
      "initial_seed", [](GeneratorObject& self) { return self.generator->initial_seed(); },
      "The seed set last.");
  cls.def(
      "get_state",
      [](GeneratorObject& self) {
        const py::module_ core = imported("gpukit._core");
        const py::bytearray bytes(state_bytes(*self.generator));
        return core.attr("frombuffer")(bytes, py::arg("dtype") = core.attr("uint8"));
      },
      "Seed and position as a tensor of bytes, for set_state.");
  cls.def(
      "set_state",
      [](const py::object& self, const py::object& state) {
        restore(*self.cast<GeneratorObject&>().generator, state);
        return self;
      },
      py::arg("state"),
      "Goes back to what get_state() gave.\n\n"
      "Args:\n"
      "    state: that tensor, or its bytes.\n\n"
      "Raises:\n"
      "    TypeError: it is something else.\n");
  cls.def_property_readonly(
      "device", [](GeneratorObject& self) { return self.device; },
      "The device it was made for; its numbers are the same on all.");
  cls.def("__getstate__", [](GeneratorObject& self) { return state_bytes(*self.generator); });
  // A copy of the default generator is a generator of its own, in the same state.
  cls.def("__reduce__",
          [function = module.attr("generator_at")](const py::object& self) -> py::tuple {
            const auto& generator = self.cast<GeneratorObject&>();
            return py::make_tuple(function, py::make_tuple(py::type::of(self), generator.device,
                                                           state_bytes(*generator.generator)));
          });
}

}  // namespace

ops::Generator& generator_of(Argument argument, PyObject* object) {
  if (object == nullptr || object == Py_None) return ops::default_generator();
  if (!py::isinstance<GeneratorObject>(object))
    throw_wrong_type(argument, "a gpukit.Generator", object);
  return *py::handle(object).cast<GeneratorObject&>().generator;
}

template <>
void bind<Part::kGenerator>(py::module_& module) {
  add_generator_class(module);
  auto shared = std::make_unique<GeneratorObject>();
  shared->generator = &ops::default_generator();
  module.attr("default_generator") = py::cast(std::move(shared));
  module.def(
      "manual_seed",
      [module = py::handle(module)](const py::object& seed) -> py::object {
        ops::default_generator().manual_seed(seed_of(seed));
        return module.attr("default_generator");
      },
      py::arg("seed"),
      "Sets the seed of the process-wide generator, for all devices, and gives that generator.\n\n"
      "Args:\n"
      "    seed: an int.\n\n"
      "Returns:\n"
      "    the generator.\n\n"
      "Raises:\n"
      "    TypeError: seed is not an int.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> _ = gpukit.manual_seed(0)\n"
      "    >>> a = gpukit.rand(2)\n"
      "    >>> _ = gpukit.manual_seed(0)\n"
      "    >>> gpukit.equal(a, gpukit.rand(2))\n"
      "    True\n");
  module.def(
      "seed",
      [] {
        const std::uint64_t seed = random_seed();
        ops::default_generator().manual_seed(seed);
        return seed;
      },
      "Takes a seed for the process-wide generator from the system and returns it.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> gpukit.seed() >= 0\n"
      "    True\n");
  module.def(
      "initial_seed", [] { return ops::default_generator().initial_seed(); },
      "Seed of the process-wide generator.\n\n"
      "Example:\n"
      "    >>> import gpukit\n"
      "    >>> _ = gpukit.manual_seed(5)\n"
      "    >>> gpukit.initial_seed()\n"
      "    5\n");
}

template <>
FunctionTable& functions<Family::kRandom>() {
  return function_table<kRandomRows>();
}

}  // namespace gpukit::bindings
