#include "ops/optimizer.h"

#include <bit>
#include <cmath>
#include <memory>
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
  GPUKIT_CHECK(is_differentiable(item.parameter.dtype()), DTypeError, op, ": parameter ", number,
               " is ", name(item.parameter.dtype()),
               "; only floating parameters can be optimized.");
  GPUKIT_CHECK(!item.parameter.storage()->read_only(), ValueError, op, ": parameter ", number,
               " is read-only memory (of the array it was made from). Use .clone() first.");
  check_not_inference(op, item.parameter);
  check_companion(op, "gradient", number, item.parameter, item.gradient);
  for (const Tensor* state : {&item.first, &item.second, &item.largest}) {
    if (state->defined()) check_companion(op, "state", number, item.parameter, *state);
  }
}

/// The rates of a recorded step: its replays count on, at the learning rate of the moment.
class StepInput final : public ReplayInput {
 public:
  StepInput(const StepSchedule& schedule, std::vector<Tensor> steps)
      : schedule_(schedule), steps_(std::move(steps)) {}
  Words next() override {
    double number = 0;
    for (const Tensor& step : steps_) number = static_cast<double>(++*step.data_as<float>());
    const StepSchedule::Rates rates = schedule_.at(number);
    return {std::bit_cast<std::uint64_t>(rates.shrink),
            std::bit_cast<std::uint64_t>(rates.step_size),
            std::bit_cast<std::uint64_t>(rates.root_correction)};
  }
  void set_rate(double rate) override { schedule_.lr = rate; }

 private:
  StepSchedule schedule_;
  std::vector<Tensor> steps_;
};

/// Of the completed step; 0 if steps are not counted.
double number_of(const OptimizedParameter& item) {
  return item.step.defined() ? static_cast<double>(*item.step.data_as<float>() + 1) : 0;
}

/// Where the kernels of a graph find their rates; nullptr when none is captured.
const double* recorded_rates(const StepSchedule& schedule, std::span<OptimizedParameter> run) {
  CapturedGraph* graph = capturing_on(run.front().parameter.open_device());
  if (graph == nullptr) return nullptr;
  std::vector<Tensor> steps;
  for (const OptimizedParameter& item : run) {
    if (item.step.defined()) steps.push_back(item.step);
  }
  const std::uint64_t* words = graph->add(std::make_unique<StepInput>(schedule, std::move(steps)));
  return reinterpret_cast<const double*>(words);
}

void* address(const Tensor& tensor) { return tensor.defined() ? tensor.data() : nullptr; }

/// A parameter whose elements do not lie row by row is worked on in a copy.
struct Strided {
  Tensor original, packed;
};

OptimizerItem item_of(OptimizedParameter& item, const StepSchedule::Rates& rates,
                      std::vector<Strided>& strided) {
  for (Tensor* part : {&item.parameter, &item.first, &item.second, &item.largest}) {
    if (!part->defined() || part->is_contiguous()) continue;
    strided.push_back({*part, clone(*part)});
    *part = strided.back().packed;
  }
  item.gradient = contiguous(item.gradient);
  // As in torch, both parts of a complex number are parameters of their own.
  const std::int64_t count =
      is_complex(item.parameter.dtype()) ? 2 * item.parameter.count() : item.parameter.count();
  return {item.parameter.data(), item.gradient.data(),  address(item.first),
          address(item.second),  address(item.largest), count,
          rates.step_size,       rates.root_correction, item.fresh};
}

bool together(const OptimizedParameter& a, const OptimizedParameter& b) {
  return a.parameter.dtype() == b.parameter.dtype() &&
         &a.parameter.open_device() == &b.parameter.open_device() && number_of(a) == number_of(b);
}

/// Parameters of one device, dtype and number of steps.
void step_run(OptimizerSettings settings, const StepSchedule& schedule,
              std::span<OptimizedParameter> run) {
  const Call call(run.front().parameter);
  const StepSchedule::Rates rates = schedule.at(number_of(run.front()));
  settings.shrink = rates.shrink;
  std::vector<Strided> strided;
  std::vector<OptimizerItem> items;
  items.reserve(run.size());
  for (OptimizedParameter& item : run) {
    if (item.parameter.count() == 0) continue;
    const Tensor original = item.parameter;
    items.push_back(item_of(item, rates, strided));
    for (const Tensor* part :
         {&item.parameter, &item.gradient, &item.first, &item.second, &item.largest}) {
      if (part->defined()) call.use(*part);
    }
    original.storage()->bump_version();
  }
  if (items.empty()) return;
  call.ops.optimizer_step(
      {settings, items, real_dtype(run.front().parameter.dtype()), recorded_rates(schedule, run)},
      call.stream);
  for (const Strided& pair : strided) copy_(pair.original, pair.packed);
}

}  // namespace

StepSchedule::Rates StepSchedule::at(double step) const {
  const double shrink = 1.0 - lr * decay;
  if (step == 0) return {shrink, lr, 1.0};
  return {shrink, lr / (1.0 - std::pow(beta, step)), std::sqrt(1.0 - std::pow(beta_square, step))};
}

void optimizer_step(std::string_view op, const OptimizerSettings& settings,
                    const StepSchedule& schedule, std::span<OptimizedParameter> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) check(op, i, parameters[i]);
  std::size_t begin = 0;
  while (begin < parameters.size()) {
    std::size_t end = begin + 1;
    while (end < parameters.size() && together(parameters[begin], parameters[end])) ++end;
    step_run(settings, schedule, parameters.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace gpukit::ops
