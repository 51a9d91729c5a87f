#include "sim/jit_log.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpukit::sim {

JitLog::JitLog(unsigned count, const CUjit_option* options, void** values) {
  for (unsigned i = 0; i < count; i++) {
    switch (static_cast<int>(options[i])) {
      case CU_JIT_ERROR_LOG_BUFFER:
        errors_.text = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        notes_.text = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors_.size = &values[i];
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        notes_.size = &values[i];
        break;
      case CU_JIT_LOG_VERBOSE:
        verbose_ = values[i] != nullptr;
        break;
      case CU_JIT_WALL_TIME:
        wall_time_ = &values[i];
        break;
      default:
        // What a text is made into has no registers to limit, and no level.
        break;
    }
  }
  prepare(errors_);
  prepare(notes_);
}

void JitLog::prepare(Buffer& buffer) {
  if (buffer.size == nullptr || buffer.text == nullptr) return;
  buffer.room = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*buffer.size));
  if (buffer.room == 0) return;
  buffer.text[0] = '\0';
  *buffer.size = nullptr;
}

void JitLog::add(Buffer& buffer, const std::string& text) {
  if (buffer.room == 0) return;
  const std::string line = (buffer.used == 0 ? "" : "\n") + text;
  const std::size_t length = std::min(line.size(), buffer.room - 1 - buffer.used);
  std::memcpy(buffer.text + buffer.used, line.data(), length);
  buffer.used += length;
  buffer.text[buffer.used] = '\0';
  *buffer.size = reinterpret_cast<void*>(buffer.used);
}

void JitLog::stop_clock() {
  if (wall_time_ == nullptr) return;
  const std::chrono::duration<float, std::milli> taken = std::chrono::steady_clock::now() - start_;
  const float milliseconds = taken.count();
  std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
}

}  // namespace gpukit::sim
