#include "ops/optimizer.h"

#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"

namespace gpukit::ops {

namespace {

void check_companion(std::string_view op, std::string_view what, std::size_t number,
                     const Tensor& parameter, const Tensor& companion) {
  if (&companion.open_device() != &parameter.open_device()) [[unlikely]] {
    throw DeviceMismatchError(
        concat(op, ": parameter ", number, " is on ", to_string(parameter.device()), ", its ", what,
               " on ", to_string(companion.device()),
               ". Parameters moved after the optimizer's first step: make the optimizer after "
               "net.to(device), or call optimizer.load_state_dict(optimizer.state_dict())."))
        .with_fix("optimizer.load_state_dict(optimizer.state_dict())");
  }
  GPUKIT_CHECK(companion.dtype() == parameter.dtype(), DTypeError, op, ": parameter ", number,
               " is ", name(parameter.dtype()), ", its ", what, " ", name(companion.dtype()),
               ". Call optimizer.load_state_dict(optimizer.state_dict()) to convert it.");
  GPUKIT_CHECK(companion.shape() == parameter.shape(), ShapeError, op, ": parameter ", number,
               " is ", to_string(parameter.shape()), ", its ", what, " ",
               to_string(companion.shape()), "; they must be equal.");
}

void check(std::string_view op, std::size_t number, const OptimizedParameter& item) {
  GPUKIT_CHECK(is_floating(item.parameter.dtype()), DTypeError, op, ": parameter ", number, " is ",
               name(item.parameter.dtype()), "; only floating parameters can be optimized.");
  GPUKIT_CHECK(!item.parameter.storage()->read_only(), ValueError, op, ": parameter ", number,
               " is read-only memory (of the array it was made from). Use .clone() first.");
  check_companion(op, "gradient", number, item.parameter, item.gradient);
  for (const Tensor* state : {&item.first, &item.second, &item.largest}) {
    if (state->defined()) check_companion(op, "state", number, item.parameter, *state);
  }
}

void* address(const Tensor& tensor) { return tensor.defined() ? tensor.data() : nullptr; }

/// A parameter whose elements do not lie row by row is worked on in a copy.
struct Strided {
  Tensor original, packed;
};

OptimizerItem item_of(OptimizedParameter& item, std::vector<Strided>& strided) {
  for (Tensor* part : {&item.parameter, &item.first, &item.second, &item.largest}) {
    if (!part->defined() || part->is_contiguous()) continue;
    strided.push_back({*part, clone(*part)});
    *part = strided.back().packed;
  }
  item.gradient = contiguous(item.gradient);
  return {item.parameter.data(), item.gradient.data(),  address(item.first),
          address(item.second),  address(item.largest), item.parameter.count(),
          item.step_size,        item.root_correction,  item.fresh};
}

bool together(const OptimizedParameter& a, const OptimizedParameter& b) {
  return a.parameter.dtype() == b.parameter.dtype() &&
         &a.parameter.open_device() == &b.parameter.open_device();
}

/// Parameters of one device and dtype.
void step_run(const OptimizerSettings& settings, std::span<OptimizedParameter> run) {
  const Call call(run.front().parameter);
  std::vector<Strided> strided;
  std::vector<OptimizerItem> items;
  items.reserve(run.size());
  for (OptimizedParameter& item : run) {
    if (item.parameter.count() == 0) continue;
    const Tensor original = item.parameter;
    items.push_back(item_of(item, strided));
    for (const Tensor* part :
         {&item.parameter, &item.gradient, &item.first, &item.second, &item.largest}) {
      if (part->defined()) call.use(*part);
    }
    original.storage()->bump_version();
  }
  if (items.empty()) return;
  call.ops.optimizer_step({settings, items, run.front().parameter.dtype()}, call.stream);
  for (const Strided& pair : strided) copy_(pair.original, pair.packed);
}

}  // namespace

void optimizer_step(std::string_view op, const OptimizerSettings& settings,
                    std::span<OptimizedParameter> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) check(op, i, parameters[i]);
  std::size_t begin = 0;
  while (begin < parameters.size()) {
    std::size_t end = begin + 1;
    while (end < parameters.size() && together(parameters[begin], parameters[end])) ++end;
    step_run(settings, parameters.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace gpukit::ops
