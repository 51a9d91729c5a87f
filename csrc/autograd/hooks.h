// Functions called with a gradient before it is used. bindings/ defines them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gpukit::autograd {

/// Called without the GIL and without a lock. What it throws ends the backward pass.
class Hook {
 public:
  virtual ~Hook() = default;
  /// The gradient to go on with; undefined keeps the one given. A hook of a leaf's stored gradient
  /// is given none and gives none.
  virtual Tensor call(const Tensor& gradient) = 0;
};

/// The hooks of one tensor, in the order they were added. Thread safe.
class HookList {
 public:
  using Entry = std::pair<std::uint64_t, std::shared_ptr<Hook>>;

  std::uint64_t add(std::shared_ptr<Hook> hook);
  void remove(std::uint64_t id) noexcept;
  void clear() noexcept;
  std::vector<Entry> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  std::uint64_t next_id_ = 0;
};

}  // namespace gpukit::autograd
