// Scripted failures of one simulation: which call, allocation or launch fails, and how.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

class FaultPlan {
 public:
  /// Adds one fault from its text, for example "oom@3", "lost@1", "no_symbol:cuMemAllocAsync",
  /// "fail:cuStreamCreate:999@2". A plus sign after the count means "and every later one". Returns
  /// the error in the text, or nothing.
  std::string add(std::string_view text);

  /// The k-th call of exported function `name` starts: its status, if it is to fail.
  CUresult on_call(std::string_view name);
  /// A device allocation starts.
  CUresult on_allocation() { return on_event(kAllocation); }
  /// A kernel of the plan's devices is about to run: the sticky status it ends with, if it is to
  /// fail.
  CUresult on_launch() { return on_event(kLaunch); }

  CUresult init_status() const { return init_status_; }
  bool driver_too_old() const { return driver_too_old_; }
  bool no_architecture() const { return no_architecture_; }
  /// What the simulated NCCL reads: "hang@1,abort@3".
  const std::string& nccl() const { return nccl_; }
  bool hides(std::string_view symbol) const { return hidden_.find(symbol) != hidden_.end(); }

 private:
  static constexpr std::string_view kAllocation = "allocation";
  static constexpr std::string_view kLaunch = "launch";

  struct Counted {
    CUresult status;
    std::uint64_t first;
    bool and_later;
  };

  std::string add_counted(std::string_view event, CUresult status, std::string_view count);
  CUresult on_event(std::string_view event);

  std::mutex mutex_;
  std::map<std::string, std::vector<Counted>, std::less<>> counted_;
  std::map<std::string, std::uint64_t, std::less<>> seen_;
  std::set<std::string, std::less<>> hidden_;
  std::string nccl_;
  CUresult init_status_ = CUDA_SUCCESS;
  bool driver_too_old_ = false;
  bool no_architecture_ = false;
};

}  // namespace gpukit::sim
