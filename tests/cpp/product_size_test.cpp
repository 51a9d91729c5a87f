// The cost of a product: also where sizes of expanded tensors multiply beyond what integers hold.
#include "core/product_size.h"

#include <cstdint>
#include <limits>

#include "check.h"

int main() {
  using namespace gpukit;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto work = [](const Shape& left, const Shape& right) {
    return saturated(product_size(left, right).multiply_adds());
  };
  CHECK(work({2, 3}, {3, 4}) == 24);
  CHECK(work({3}, {3}) == 3);
  CHECK(work({2, 3}, {3}) == 6);
  CHECK(work({3}, {3, 4}) == 12);
  CHECK(work({5, 1, 2, 3}, {6, 3, 4}) == 5 * 6 * 24);
  CHECK(work({}, {}) == 1);
  // Expanded: no memory holds so many elements, and no int64 their product.
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(work({huge, huge}, {huge, huge}) == kMost);
  CHECK(work({huge, huge, 0}, {0, huge}) == 0);
  CHECK(work({huge, 1, huge, 1, 2}, {huge, 1, 2, 1}) == kMost);
  CHECK(saturated(0x1p63) == kMost && saturated(0x1p62) == std::int64_t{1} << 62);
  CHECK((ProductSize{1, huge, huge, huge}.multiply_adds() == 0x1p120));
  CHECK((ProductSize{4, 2, 3, 0}.results() == 24));
  return 0;
}
