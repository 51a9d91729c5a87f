// Random numbers: the same seed gives the same numbers on every device (kernels/philox.h).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "tensor/tensor.h"

namespace gpukit::ops {

/// Seed and position of a Philox sequence. Thread safe.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed) {}

  void manual_seed(std::uint64_t seed);
  std::uint64_t initial_seed() const;
  struct State {
    std::uint64_t seed, offset;
  };
  State state() const;
  void set_state(State state);
  /// Takes the state for this many calls and advances past them.
  State next(std::uint64_t calls);

 private:
  mutable std::mutex mutex_;
  std::uint64_t seed_;
  std::uint64_t offset_ = 0;
};

/// The process-wide generator that functions use when none is given; one for all devices.
Generator& default_generator();

Tensor rand(const Shape& shape, DType dtype, Device device, Generator& generator);
Tensor randn(const Shape& shape, DType dtype, Device device, Generator& generator);
/// [low, high). Throws ValueError when empty.
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype, Device device,
               Generator& generator);
/// A permutation of 0 … n-1 (int64).
Tensor randperm(std::int64_t n, DType dtype, Device device, Generator& generator);
void uniform_(const Tensor& target, double low, double high, Generator& generator);
void normal_(const Tensor& target, double mean, double deviation, Generator& generator);

}  // namespace gpukit::ops
