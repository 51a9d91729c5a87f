#include "sim/kernel_cost.h"

#include <algorithm>
#include <string>

#include "kernels/kernel_list.h"

namespace gpukit::sim {

namespace kernel_cost {
namespace {

/// Bytes of the items that a kernel's suffix names: f32, i64, or a number of bits.
double suffix_bytes(std::string_view suffix) {
  int bits = 0;
  for (const char c : suffix) {
    if (c >= '0' && c <= '9') bits = bits * 10 + (c - '0');
  }
  return bits == 0 ? 4 : bits / 8.0;
}

template <class Args>
double operand_count(const Args& args) {
  double count = 1;  // what is written
  if constexpr (requires { args.in; }) count += 1;
  if constexpr (requires { args.left; }) count += 2;
  if constexpr (requires { args.condition; }) count += 0.25;
  return count;
}

template <class Args>
double element_count(const Args& args) {
  if constexpr (requires { args.total; }) return static_cast<double>(args.total);
  if constexpr (requires { args.count; }) return static_cast<double>(args.count);
  if constexpr (requires { args.lines, args.length; })
    return static_cast<double>(args.lines) * static_cast<double>(args.length);
  if constexpr (requires { args.rows, args.columns, args.batch; })
    return static_cast<double>(args.rows) * static_cast<double>(args.columns * args.batch);
  if constexpr (requires { args.rows, args.columns; })
    return static_cast<double>(args.rows) * static_cast<double>(args.columns);
  return 0;
}

template <class Args>
Traffic traffic_of(const Args& args, double item) {
  const double count = element_count(args);
  return {count * operand_count(args) * item, count, item};
}

Traffic traffic_of(const ReduceKernelArgs& args, double item) {
  const auto kept = static_cast<double>(args.kept_count);
  const double read = kept * static_cast<double>(args.reduced_count);
  return {(read + kept * args.chunks) * item, read, item};
}

Traffic traffic_of(const ReduceFinishArgs& args, double item) {
  const double read = static_cast<double>(args.kept_count) * args.chunks;
  return {read * item, read, item};
}

Traffic traffic_of(const CumulativeCarryArgs& args, double item) {
  const double carried = static_cast<double>(args.lines) * args.chunks;
  return {2 * carried * item, carried, item};
}

Traffic traffic_of(const MatmulKernelArgs& args, double item) {
  const auto m = static_cast<double>(args.m), n = static_cast<double>(args.n);
  const auto k = static_cast<double>(args.k), batch = static_cast<double>(args.batch);
  return {batch * (m * k + k * n + m * n) * item, 2 * batch * m * n * k, item};
}

Traffic traffic_of(const OptimizerKernelArgs& args, double item) {
  constexpr double kFlopsPerElement = 10;
  double count = 0;
  double moved = 0;
  for (int i = 0; i < args.items; ++i) {
    const OptimizerKernelItem& parameter = args.item[i];
    const int states = (parameter.first != nullptr) + (parameter.second != nullptr) +
                       (parameter.largest != nullptr);
    count += static_cast<double>(parameter.count);
    // The gradient is read, the parameter and its states are read and written.
    moved += static_cast<double>(parameter.count) * (3 + 2 * states);
  }
  return {moved * item, kFlopsPerElement * count, item};
}

Traffic traffic_of(const LossTotalKernelArgs& args, double item) {
  const auto rows = static_cast<double>(args.rows.rows);
  return {rows * item, rows, item};
}

struct Row {
  std::string_view prefix;
  Traffic (*traffic)(const void*, double);
};

template <class Args>
Traffic traffic(const void* arguments, double item) {
  return traffic_of(*static_cast<const Args*>(arguments), item);
}

constexpr Row kRows[] = {
#define GPUKIT_ROW(group, family, prefix, suffixes, args) {"gk_" #prefix, &traffic<args>},
    GPUKIT_KERNEL_GROUPS(GPUKIT_ROW)
#undef GPUKIT_ROW
};

/// The row whose prefix is the longest that the name begins with, up to an underscore or its end.
const Row* row_of(std::string_view name) {
  const Row* best = nullptr;
  for (const Row& row : kRows) {
    if (name.substr(0, row.prefix.size()) != row.prefix) continue;
    if (name.size() > row.prefix.size() && name[row.prefix.size()] != '_') continue;
    if (best == nullptr || row.prefix.size() > best->prefix.size()) best = &row;
  }
  return best;
}

int cores_per_multiprocessor(int capability) {
  switch (capability) {
    case 35:
    case 37:
      return 192;
    case 60:
    case 70:
    case 75:
    case 80:
      return 64;
    default:
      return 128;
  }
}

/// Products of 16-bit operands on tensor cores, against the cores' own rate.
double half_factor(int capability) { return capability >= 70 ? 8 : (capability == 60 ? 2 : 1); }

double double_factor(int capability) {
  const bool for_science = capability == 35 || capability == 37 || capability == 60 ||
                           capability == 70 || capability == 80 || capability == 90 ||
                           capability == 100;
  return for_science ? 0.5 : 1.0 / 32;
}

double flops_per_nanosecond(const Card& card, double item_bytes) {
  const int capability = card.capability();
  const double single = 2e-3 * card.multiprocessors * cores_per_multiprocessor(capability) *
                        static_cast<double>(card.core_mhz);
  if (item_bytes <= 2) return single * half_factor(capability);
  return item_bytes >= 8 ? single * double_factor(capability) : single;
}

}  // namespace
}  // namespace kernel_cost

Traffic kernel_traffic(std::string_view name, const void* arguments) {
  const kernel_cost::Row* row = kernel_cost::row_of(name);
  if (row == nullptr || arguments == nullptr) return {};
  return row->traffic(arguments, kernel_cost::suffix_bytes(name.substr(row->prefix.size())));
}

double roofline_nanoseconds(const Card& card, const Traffic& traffic) {
  const double moving = traffic.bytes / card.memory_gbps();
  const double computing =
      traffic.flops / kernel_cost::flops_per_nanosecond(card, traffic.item_bytes);
  return std::max(moving, computing);
}

}  // namespace gpukit::sim
