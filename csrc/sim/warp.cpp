#include "sim/warp.h"

#include <bit>

namespace gpukit::sim {

void Warp::reset(unsigned lanes) {
  absent_ = lanes >= kLanes ? 0u : ~((1u << lanes) - 1u);
  waiting_ = 0;
  exited_ = 0;
  one_mask_ = true;
  for (Result& result : results_) result.readers = 0;
}

unsigned Warp::group_waiting_for(unsigned mask) const {
  if (one_mask_) return waiting_ & mask;
  unsigned group = 0;
  for (unsigned rest = waiting_ & mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (mask_[lane] == mask) group |= 1u << lane;
  }
  return group;
}

unsigned Warp::arrive(unsigned lane, unsigned mask, std::uint64_t value) {
  const unsigned bit = 1u << lane;
  results_[result_of_lane_[lane]].readers &= ~bit;
  if (waiting_ != 0 && mask_[std::countr_zero(waiting_)] != mask) one_mask_ = false;
  offered_[lane] = value;
  mask_[lane] = mask;
  waiting_ |= bit;
  const unsigned group = group_waiting_for(mask);
  return ((group | absent_) & mask) == mask ? publish(group) : 0;
}

unsigned Warp::publish(unsigned group) {
  while (results_[next_result_].readers != 0) next_result_ = (next_result_ + 1) % (kLanes + 1);
  Result& result = results_[next_result_];
  // An element loop: inside a race-detecting build a call of memcpy would count as an access of the
  // kernel.
  for (unsigned lane = 0; lane < kLanes; lane++) {
    const bool present = ((group >> lane) & 1u) != 0;
    result.values[lane] = present ? offered_[lane] : ~std::uint64_t{0};
  }
  result.readers = group;
  for (unsigned rest = group; rest != 0; rest &= rest - 1) {
    result_of_lane_[std::countr_zero(rest)] = static_cast<std::uint8_t>(next_result_);
  }
  waiting_ &= ~group;
  if (waiting_ == 0) one_mask_ = true;
  exchanges_++;
  return group;
}

}  // namespace gpukit::sim
