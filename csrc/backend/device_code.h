// User code: compiled from CUDA C++, loaded on one device, and launched there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/stream_types.h"

namespace gpukit {

/// Options for the compiler.
struct SourceCode {
  std::string text;
  std::string name;                           ///< of the file, in messages and lines
  std::vector<std::string> options;           ///< without an architecture
  std::vector<std::string> name_expressions;  ///< of templates to instantiate
  int capability = 0;                         ///< of the device: 75 for 7.5
  bool machine_code = false;                  ///< a cubin is wanted, not PTX
};

struct CompiledCode {
  bool compiled = false;
  std::string image;                       ///< PTX, or a cubin where that was wanted
  std::string log;                         ///< errors and warnings, with line and caret
  std::vector<std::string> lowered_names;  ///< one a name expression
};

/// A kernel of a DeviceCode, and valid as long as that is. 0 is none.
struct CodeFunction {
  std::uintptr_t handle = 0;
};

/// In the driver's order.
enum class FunctionAttribute {
  kMaxThreadsPerBlock,
  kSharedSizeBytes,
  kConstSizeBytes,
  kLocalSizeBytes,
  kNumRegs,
  kPtxVersion,
  kBinaryVersion,
  kCacheModeCa,
  kMaxDynamicSharedSizeBytes,
  kPreferredSharedMemoryCarveout,
};
inline constexpr int kFunctionAttributes = 10;

/// Blocks of a grid, or threads of a block.
struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

struct CodeLaunch {
  Extent3 grid;
  Extent3 block;
  unsigned shared_bytes = 0;   ///< dynamic, of a block
  void** arguments = nullptr;  ///< the address of each parameter's value; read by the call
  bool cooperative = false;    ///< all blocks are resident, so that they may wait for one another
};

/// A loaded module. Thread safe. Its end frees nothing that queued work still needs.
class DeviceCode {
 public:
  virtual ~DeviceCode() = default;
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;

  /// Throws ValueError when there is none of that name.
  virtual CodeFunction function(const std::string& name) = 0;
  /// Bytes of each parameter; false if this driver does not report them.
  virtual bool parameter_bytes(CodeFunction function, std::vector<std::size_t>& bytes) = 0;
  /// The device memory of a __device__ or __constant__ variable. Throws ValueError when there is
  /// none of that name.
  virtual std::span<std::byte> variable(const std::string& name) = 0;
  virtual int attribute(CodeFunction function, FunctionAttribute attribute) = 0;
  virtual void set_attribute(CodeFunction function, FunctionAttribute attribute, int value) = 0;
  /// Queues the kernel on `stream`. `name` is for messages.
  virtual void launch(CodeFunction function, const std::string& name, const CodeLaunch& launch,
                      StreamRef stream) = 0;

 protected:
  DeviceCode() = default;
};

}  // namespace gpukit
