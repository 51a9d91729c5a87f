// A loaded PTX text: its kernels, and its variables in a device's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/kernel.h"
#include "ptx/memory_spaces.h"
#include "ptx/syntax.h"

namespace gpukit::ptx {

struct DefinedVariable {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool visible = false;
};

class Program {
 public:
  /// Decodes all kernels. Throws PtxError; std::bad_alloc when the device has no room.
  Program(std::unique_ptr<Module> module, DeviceMemory& memory);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Module& module() const { return *module_; }
  const std::vector<std::shared_ptr<const Kernel>>& kernels() const { return kernels_; }
  std::shared_ptr<const Kernel> kernel(std::string_view name) const;
  const DefinedVariable* variable(std::string_view name) const;
  /// The device's memory is gone; nothing is released.
  void forget_memory() { block_ = 0; }
  /// "saxpy.cu:7", or nothing.
  std::string source_of(const SourceLocation& location) const;

 private:
  void allocate_variables();
  void initialise_variables();
  void initialise(const Variable& variable, std::uint64_t address);
  /// Of a variable or function that an initial value of `variable` names.
  std::uint64_t address_of(const Variable& variable, std::string_view name) const;

  std::unique_ptr<Module> module_;
  DeviceMemory& memory_;
  std::uint64_t block_ = 0;
  std::unordered_map<std::string_view, std::uint64_t> addresses_;
  std::unordered_map<std::string_view, std::uint64_t> function_numbers_;
  std::vector<DefinedVariable> variables_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace gpukit::ptx
