// What an instruction does beyond its operands, kept in the kernel's lists.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "ptx/decoder.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

/// Sets the target of the instruction at hand.
template <class T>
void set_settings(Decoder& decoder, const T& settings) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::uint32_t> words((sizeof(T) + 3) / 4);
  std::memcpy(words.data(), &settings, sizeof(T));
  decoder.instruction().target = decoder.list(std::move(words));
}

template <class T>
T settings_of(const Warp& warp, const Instruction& in) {
  T settings;
  std::memcpy(static_cast<void*>(&settings), warp.kernel().lists[in.target].data(), sizeof(T));
  return settings;
}

}  // namespace gpukit::ptx
