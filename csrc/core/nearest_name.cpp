#include "core/nearest_name.h"

#include <algorithm>
#include <array>

namespace gpukit {

namespace nearest_name_impl {
namespace {

constexpr std::size_t kLongestName = 24;

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// Optimal string alignment distance of two names of at most kLongestName letters.
int edit_distance(std::string_view a, std::string_view b) noexcept {
  std::array<std::array<int, kLongestName + 1>, kLongestName + 1> cost{};
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      int best = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        best = std::min(best, cost[i - 2][j - 2] + 1);
      }
      cost[i][j] = best;
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace
}  // namespace nearest_name_impl

std::string_view nearest_name(std::string_view text,
                              std::span<const std::string_view> candidates) noexcept {
  if (text.empty() || text.size() > nearest_name_impl::kLongestName) return {};
  std::string_view nearest;
  int fewest = 3;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > nearest_name_impl::kLongestName) continue;
    const int allowed = std::min(candidate.size(), text.size()) <= 3 ? 1 : 2;
    const int slips = nearest_name_impl::edit_distance(text, candidate);
    if (slips <= allowed && slips < fewest) {
      fewest = slips;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace gpukit
