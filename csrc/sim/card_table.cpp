#include "sim/card_table.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <numeric>
#include <vector>

namespace gpukit::sim {

namespace card_table {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// clang-format off
// short name, driver's name, capability, multiprocessors, memory, core MHz, memory MHz, bus, L2 KiB,
// shared KiB per block (opt-in) and per multiprocessor, threads and blocks per multiprocessor, copy engines, link GB/s
constexpr Card kCards[] = {
    {"K80", "Tesla K80", 3, 7, 13, 11441 * kMiB, 824, 2505, 384, 1536, 48, 112, 2048, 16, 2, 10.0},
    {"GTX 970", "NVIDIA GeForce GTX 970", 5, 2, 13, 4 * kGiB, 1178, 3505, 256, 1792, 48, 96, 2048, 32, 2, 12.0},
    {"GTX 1080", "NVIDIA GeForce GTX 1080", 6, 1, 20, 8 * kGiB, 1733, 5005, 256, 2048, 48, 96, 2048, 32, 2, 12.0},
    {"MX150", "NVIDIA GeForce MX150", 6, 1, 3, 2 * kGiB, 1532, 3004, 64, 512, 48, 96, 2048, 32, 2, 3.0},
    {"P100", "Tesla P100-PCIE-16GB", 6, 0, 56, 16276 * kMiB, 1329, 715, 4096, 4096, 48, 64, 2048, 32, 2, 12.0},
    {"V100", "Tesla V100-SXM2-16GB", 7, 0, 80, 16151 * kMiB, 1530, 877, 4096, 6144, 96, 96, 2048, 32, 6, 12.0},
    {"T4", "Tesla T4", 7, 5, 40, 15102 * kMiB, 1590, 5001, 256, 4096, 64, 64, 1024, 16, 3, 12.0},
    {"RTX 2080 Ti", "NVIDIA GeForce RTX 2080 Ti", 7, 5, 68, 11019 * kMiB, 1545, 7000, 352, 5632, 64, 64, 1024, 16, 3, 12.0},
    {"A100", "NVIDIA A100-SXM4-40GB", 8, 0, 108, 40536 * kMiB, 1410, 1215, 5120, 40960, 163, 164, 2048, 32, 3, 25.0},
    {"A100 80GB", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 81038 * kMiB, 1410, 1593, 5120, 40960, 163, 164, 2048, 32, 3, 25.0},
    {"A10", "NVIDIA A10", 8, 6, 72, 22731 * kMiB, 1695, 6251, 384, 6144, 99, 100, 1536, 16, 2, 25.0},
    {"RTX 3050 Laptop", "NVIDIA GeForce RTX 3050 Laptop GPU", 8, 6, 16, 4 * kGiB, 1740, 6001, 128, 2048, 99, 100, 1536, 16, 1, 12.0},
    {"RTX 3060", "NVIDIA GeForce RTX 3060", 8, 6, 28, 12044 * kMiB, 1777, 7501, 192, 2304, 99, 100, 1536, 16, 2, 25.0},
    {"RTX 3080", "NVIDIA GeForce RTX 3080", 8, 6, 68, 10018 * kMiB, 1710, 9501, 320, 5120, 99, 100, 1536, 16, 2, 25.0},
    {"RTX 3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 24268 * kMiB, 1695, 9751, 384, 6144, 99, 100, 1536, 16, 2, 25.0},
    {"L4", "NVIDIA L4", 8, 9, 58, 22516 * kMiB, 2040, 6251, 192, 49152, 99, 100, 1536, 24, 2, 25.0},
    {"L40", "NVIDIA L40", 8, 9, 142, 45458 * kMiB, 2490, 9001, 384, 98304, 99, 100, 1536, 24, 2, 25.0},
    {"L40S", "NVIDIA L40S", 8, 9, 142, 45458 * kMiB, 2520, 9001, 384, 98304, 99, 100, 1536, 24, 2, 25.0},
    {"RTX 4060", "NVIDIA GeForce RTX 4060", 8, 9, 24, 7806 * kMiB, 2460, 8501, 128, 24576, 99, 100, 1536, 24, 1, 12.0},
    {"RTX 4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 24217 * kMiB, 2520, 10501, 384, 73728, 99, 100, 1536, 24, 2, 25.0},
    {"H100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 81090 * kMiB, 1980, 2619, 5120, 51200, 227, 228, 2048, 32, 3, 52.0},
    {"H200", "NVIDIA H200", 9, 0, 132, 143156 * kMiB, 1980, 3125, 6144, 61440, 227, 228, 2048, 32, 3, 52.0},
    {"B200", "NVIDIA B200", 10, 0, 148, 182642 * kMiB, 1965, 3996, 7680, 129024, 227, 228, 2048, 32, 4, 52.0},
    {"RTX 5070", "NVIDIA GeForce RTX 5070", 12, 0, 48, 12227 * kMiB, 2512, 14001, 192, 49152, 99, 100, 1536, 24, 1, 52.0},
    {"RTX 5090", "NVIDIA GeForce RTX 5090", 12, 0, 170, 32120 * kMiB, 2407, 14001, 512, 98304, 99, 100, 1536, 24, 2, 52.0},
    {"RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 12, 0, 188, 97247 * kMiB, 2617, 14001, 512, 131072, 99, 100, 1536, 24, 2, 52.0},
};
// clang-format on

void erase_word(std::string& text, std::string_view word) {
  const auto at = text.find(word);
  if (at != std::string::npos) text.erase(at, word.size());
}

std::string normalised(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  for (const char* word : {"simulated", "nvidia", "tesla", "geforce", "gtx", "rtx"})
    erase_word(text, word);
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

bool is_close(const std::string& wanted, const std::string& offered) {
  if (wanted.size() >= 2 && offered.find(wanted) != std::string::npos) return true;
  return edit_distance(wanted, offered) <= (wanted.size() > 3 ? 2u : 1u);
}

}  // namespace
}  // namespace card_table

std::span<const Card> all_cards() { return card_table::kCards; }

const Card* find_card(std::string_view name) {
  const std::string wanted = card_table::normalised(name);
  for (const Card& card : card_table::kCards) {
    if (wanted == card_table::normalised(card.short_name) ||
        wanted == card_table::normalised(card.full_name))
      return &card;
  }
  return nullptr;
}

void card_uuid(const Card& card, int index, unsigned char (&bytes)[16]) {
  std::string text = std::string("sim") + static_cast<char>(index) + card.short_name;
  text.resize(sizeof bytes);
  std::memcpy(bytes, text.data(), sizeof bytes);
}

std::string describe_unknown(std::string_view kind, std::string_view name,
                             std::span<const std::string_view> names) {
  const std::string wanted = card_table::normalised(name);
  std::string near, all;
  for (const std::string_view offered : names) {
    if (card_table::is_close(wanted, card_table::normalised(offered)))
      near.append(near.empty() ? "'" : " or '").append(offered).append("'");
    all.append(all.empty() ? "" : ", ").append(offered);
  }
  std::string text("there is no ");
  text.append(kind).append(" '").append(name).append("'. ");
  return text + (near.empty() ? "Known: " + all + "." : "Did you mean " + near + "?");
}

std::string describe_unknown_card(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Card& card : card_table::kCards) names.emplace_back(card.short_name);
  return describe_unknown("card", name, names);
}

}  // namespace gpukit::sim
