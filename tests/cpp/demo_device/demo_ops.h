// The dozen operators that a demo device has. gpukit makes the rest of them, or says what is
// missing.
#pragma once

#include "backend/device_ops.h"

namespace demo {

class Ops final : public gpukit::DeviceOps {
 public:
  explicit Ops(gpukit::Device device) : device_(device) {}

  gpukit::Device device() const noexcept override { return device_; }
  void fill(const gpukit::FillArgs& args, gpukit::StreamRef stream) override;
  void copy(const gpukit::CopyArgs& args, gpukit::StreamRef stream) override;
  /// exp, log, sqrt and abs.
  void unary(const gpukit::UnaryArgs& args, gpukit::StreamRef stream) override;
  /// The four operations, maximum, minimum and comparisons.
  void binary(const gpukit::BinaryArgs& args, gpukit::StreamRef stream) override;
  void where(const gpukit::WhereArgs& args, gpukit::StreamRef stream) override;
  void ramp(const gpukit::RampArgs& args, gpukit::StreamRef stream) override;
  /// Sum, max and min.
  void reduce(const gpukit::ReduceArgs& args, gpukit::StreamRef stream) override;
  /// The plain product.
  void matmul(const gpukit::MatmulArgs& args, gpukit::StreamRef stream) override;

 private:
  gpukit::Device device_;
};

}  // namespace demo
