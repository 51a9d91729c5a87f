// Fat binaries: several images of one program, of which the PTX is taken. Their layout is not
// documented; only what nvcc is seen to write is relied on, and everything is checked.
#pragma once

#include <cstddef>
#include <string>

namespace gpukit::sim {

inline constexpr std::size_t kAnySize = ~std::size_t{0};

/// Whether a fat binary starts there, or the wrapper that nvcc makes around one.
bool is_fat_binary(const void* image);

/// The text of the newest PTX that a card of this capability runs. `size`: of the image,
/// where that is known. Throws ImageError: 200 for a damaged one, 209 where no PTX can be taken.
std::string ptx_of_fat_binary(const void* image, int capability, std::size_t size = kAnySize);

}  // namespace gpukit::sim
