#include "sim/fault_plan.h"

#include <charconv>

namespace gpukit::sim {

namespace fault_plan {
namespace {

constexpr const char* kKnownFaults =
    "driver_too_old, stub, no_device, hidden, no_arch, lost@K, ecc@K, oom@K, launch_fail@K, "
    "no_symbol:NAME, "
    "fail:NAME:CODE@K, nccl=hang@RANK, nccl=abort@K (K counts from 1; K+ means from the K-th on)";

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::pair<std::string_view, std::string_view> split(std::string_view text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace
}  // namespace fault_plan

std::string FaultPlan::add_counted(std::string_view event, CUresult status,
                                   std::string_view count) {
  Counted counted{status, 1, false};
  if (!count.empty() && count.back() == '+') {
    counted.and_later = true;
    count.remove_suffix(1);
  }
  if (!count.empty() && (!fault_plan::parse(count, counted.first) || counted.first == 0)) {
    return "a fault counts from 1, as in oom@3, not '@" + std::string(count) + "'";
  }
  counted_[std::string(event)].push_back(counted);
  return {};
}

std::string FaultPlan::add(std::string_view text) {
  const auto [what, count] = fault_plan::split(text, '@');
  const auto [kind, argument] = fault_plan::split(what, ':');
  if (kind == "driver_too_old")
    driver_too_old_ = true;
  else if (kind == "stub")
    init_status_ = CUDA_ERROR_STUB_LIBRARY;
  else if (kind == "no_device" || kind == "hidden")
    init_status_ = CUDA_ERROR_NO_DEVICE;
  else if (kind == "no_arch")
    no_architecture_ = true;
  else if (kind == "no_symbol" && !argument.empty())
    hidden_.emplace(argument);
  else if (kind == "oom")
    return add_counted(kAllocation, CUDA_ERROR_OUT_OF_MEMORY, count);
  else if (kind == "lost")
    return add_counted(kLaunch, CUDA_ERROR_ILLEGAL_ADDRESS, count);
  else if (kind == "ecc")
    return add_counted(kLaunch, CUDA_ERROR_ECC_UNCORRECTABLE, count);
  else if (kind == "launch_fail")
    return add_counted(kLaunch, CUDA_ERROR_LAUNCH_FAILED, count);
  else if (kind == "nccl=hang" || kind == "nccl=abort") {
    std::uint64_t number = 0;
    const bool counts_from_one = kind == "nccl=abort";
    if (!argument.empty() || !fault_plan::parse(count, number) || (counts_from_one && number == 0))
      return "a fault of NCCL is written nccl=hang@RANK or nccl=abort@K, not '" +
             std::string(text) + "'";
    nccl_ += (nccl_.empty() ? "" : ",") + std::string(text.substr(5));
  } else if (kind == "fail") {
    const auto [name, code_text] = fault_plan::split(argument, ':');
    int code = 0;
    if (name.empty() || !fault_plan::parse(code_text, code) || code <= 0) {
      return "a failing call is written fail:NAME:CODE@K, not '" + std::string(text) + "'";
    }
    return add_counted(name, static_cast<CUresult>(code), count);
  } else {
    return "fault '" + std::string(text) +
           "' is not known; known faults: " + fault_plan::kKnownFaults;
  }
  return {};
}

CUresult FaultPlan::on_event(std::string_view event) {
  const std::lock_guard lock(mutex_);
  const auto planned = counted_.find(event);
  if (planned == counted_.end()) return CUDA_SUCCESS;
  const std::uint64_t count = ++seen_[std::string(event)];
  for (const Counted& fault : planned->second) {
    if (count == fault.first || (fault.and_later && count > fault.first)) return fault.status;
  }
  return CUDA_SUCCESS;
}

CUresult FaultPlan::on_call(std::string_view name) {
  if (counted_.empty()) return CUDA_SUCCESS;
  // A plan may name a function with or without the suffix of its exported literal.
  const CUresult status = on_event(name);
  if (status != CUDA_SUCCESS) return status;
  const auto suffix = name.rfind("_v");
  return suffix == std::string_view::npos ? CUDA_SUCCESS : on_event(name.substr(0, suffix));
}

}  // namespace gpukit::sim
