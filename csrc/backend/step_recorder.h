// Hears of the elementwise operations of its thread, with their operands: how the steps of a
// derivative become those of a chain.
#pragma once

#include "backend/op_args.h"

namespace gpukit {

/// ReportingOps tells it of each operation after it was done; so device work must be observed as
/// long as there is one (base/observer.h).
class StepRecorder {
 public:
  virtual ~StepRecorder() = default;
  virtual void record(const UnaryArgs& args) = 0;
  virtual void record(const BinaryArgs& args) = 0;
  virtual void record(const WhereArgs& args) = 0;
  virtual void record(const ClampArgs& args) = 0;
  virtual void record(const CopyArgs& args) = 0;
  virtual void record(const FillArgs& args) = 0;
  /// Any operation, those above included.
  virtual void count_operation() noexcept = 0;
};

/// Of this thread, or null.
inline constinit thread_local StepRecorder* step_recorder = nullptr;

/// After the operation.
template <class Args>
void record_step(const Args& args) {
  if (step_recorder != nullptr) [[unlikely]]
    step_recorder->record(args);
}

}  // namespace gpukit
