// Lanes of one warp that meet in shuffles, votes and __syncwarp, grouped by the mask they name.
#pragma once

#include <cstdint>

namespace gpukit::sim {

class Warp {
 public:
  static constexpr unsigned kLanes = 32;

  /// Starts a block: `lanes` of the warp exist, none waits.
  void reset(unsigned lanes);

  /// Lane `lane` offers `value` to the lanes of `mask`. Returns the lanes that may now go on (the
  /// whole group, the caller included) or 0 when the caller has to wait.
  unsigned arrive(unsigned lane, unsigned mask, std::uint64_t value);

  /// Values of the group that let `lane` go on; they stay until the lane's next arrival.
  const std::uint64_t* values_for(unsigned lane) const {
    return results_[result_of_lane_[lane]].values;
  }

  void lane_exits(unsigned lane) { exited_ |= 1u << lane; }

  unsigned waiting() const { return waiting_; }
  unsigned exited() const { return exited_; }
  unsigned absent() const { return absent_; }
  unsigned mask_of(unsigned lane) const { return mask_[lane]; }
  /// Counts exchanges, so that each can have its own synchronisation object.
  unsigned exchanges() const { return exchanges_; }

 private:
  struct Result {
    std::uint64_t values[kLanes];
    unsigned readers;
  };

  unsigned group_waiting_for(unsigned mask) const;
  unsigned publish(unsigned group);

  std::uint64_t offered_[kLanes] = {};
  unsigned mask_[kLanes] = {};
  // A lane holds at most one result, so one more than lanes is always enough.
  Result results_[kLanes + 1] = {};
  std::uint8_t result_of_lane_[kLanes] = {};
  unsigned next_result_ = 0;
  unsigned waiting_ = 0;
  unsigned exited_ = 0;
  unsigned absent_ = 0;
  unsigned exchanges_ = 0;
  bool one_mask_ = true;
};

}  // namespace gpukit::sim
