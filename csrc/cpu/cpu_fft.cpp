// Fourier transforms: lines are gathered in blocks, transformed side by side and put back.
#include <algorithm>
#include <memory>

#include "backend/fft_args.h"
#include "core/layout.h"
#include "cpu/cpu_ops.h"
#include "cpu/fft_plan.h"
#include "cpu/scratch.h"
#include "cpu/simd/fft_stages.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {

namespace cpu_fft {
namespace {

constexpr std::int64_t kTile = 64;  ///< numbers of a line that are gathered in turn
/// A single line of at least so many numbers is transformed by itself.
constexpr std::int64_t kLeastLineSize = 64;
constexpr std::int64_t kFewLines = 4;
/// Multiples of it are matrices whose rows and columns are whole cache lines.
constexpr std::int64_t kWholeLines = 256;

/// Where the parts of a line's numbers are, in elements of T.
struct Places {
  std::int64_t step;           ///< between numbers
  std::int64_t imaginary;      ///< from a real part to its imaginary one; 0: there is none
  std::int64_t lane;           ///< what the distances of lines count
  std::int64_t reals, others;  ///< how many real and imaginary parts

  /// Real and imaginary parts follow each other without gaps.
  bool in_turn() const noexcept { return step == 2 && imaginary == 1; }
};

/// Lines that are transformed side by side.
struct Lanes {
  std::int64_t count;
  std::int64_t in[kFftLanes], out[kFftLanes];  ///< where they begin
};

/// Calls visit(number, lane) so that neighbours in memory follow each other.
template <class Visit>
void for_each_index(std::int64_t numbers, std::int64_t lanes, bool side_by_side,
                    const Visit& visit) {
  if (side_by_side) {
    for (std::int64_t j = 0; j < numbers; ++j) {
      for (std::int64_t l = 0; l < lanes; ++l) visit(j, l);
    }
    return;
  }
  for (std::int64_t first = 0; first < numbers; first += kTile) {
    const std::int64_t end = std::min(first + kTile, numbers);
    for (std::int64_t l = 0; l < lanes; ++l) {
      for (std::int64_t j = first; j < end; ++j) visit(j, l);
    }
  }
}

bool are_neighbours(const std::int64_t* offsets, std::int64_t count) {
  for (std::int64_t l = 1; l < count; ++l) {
    if (offsets[l] != offsets[l - 1] + 1) return false;
  }
  return count > 1;
}

template <class T>
class Transform {
 public:
  Transform(const FftArgs& args, Workspace* workspace) : args_(args), workspace_(workspace) {
    packed_ = args.kind != FftKind::kComplex && args.size % 2 == 0;
    points_ = packed_ ? args.size / 2 : args.size;
    lines_ = args.lines;
    in_strides_ = args.in.strides;
    out_strides_ = args.out.strides;
    Strides* const strides[] = {&in_strides_, &out_strides_};
    merge_dims(lines_, strides);
    line_count_ = element_count(lines_);
    const bool complex_lines = args.kind == FftKind::kComplex && !args.real_in();
    const bool in_turn = complex_lines && args.in_step == 1 && args.out_step == 1;
    alone_ = points_ > kMostLaneSize || (line_count_ < kFewLines && points_ >= kLeastLineSize) ||
             (in_turn && points_ >= kLeastOwnSize && has_small_factors(points_) &&
              (points_ <= kLeastTurnSize || points_ % kWholeLines == 0));
    const bool complete = complex_lines && args.read == args.size && args.written() == args.size;
    whole_ = in_turn && complete && FftPlan<T>::runs_whole(points_);
    alone_ = alone_ || whole_;
    const FftForm alone = whole_ ? FftForm::kTurn : FftForm::kLine;
    plan_ = FftPlan<T>::get(points_, alone_ ? alone : FftForm::kLanes);
    in_turn_ = in_turn && complete && alone_ && plan_->runs_in_turn();
    beside_ = complete && !alone_ && plan_->runs_side_by_side();
    if (packed_) roots_ = FftPlan<T>::get(args.size, FftForm::kRoots);
  }

  void run() const {
    const std::int64_t most = alone_ ? 1 : std::min(kFftLanes, line_count_);
    const std::int64_t blocks = (line_count_ + most - 1) / most;
    const std::int64_t places = std::max(plan_->places(), points_ + 1) * most;
    const auto body = [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t elements = whole_ ? plan_->whole_room() : in_turn_ ? 0 : 4 * places;
      const Scratch scratch(workspace_, static_cast<std::size_t>(elements) * sizeof(T));
      T* const room = scratch.as<T>();
      for (std::int64_t block = begin; block < end; ++block) {
        if (whole_ || in_turn_) {
          transform_in_turn(block, block + 1 < end, room);
          continue;
        }
        const Lanes lanes = lanes_of(block * most, most);
        if (beside_ && are_neighbours(lanes.in, lanes.count) &&
            are_neighbours(lanes.out, lanes.count)) {
          transform_side_by_side(lanes, room);
          continue;
        }
        FftParts<T> data{room, room + places}, work{room + 2 * places, room + 3 * places};
        transform(lanes, data, work);
      }
    };
    // A line by itself uses the threads inside.
    if (blocks == 1) return body(0, 1);
    parallel_for(blocks, std::max<std::int64_t>(1, kFftGrain / places), body);
  }

 private:
  Lanes lanes_of(std::int64_t first, std::int64_t most) const {
    Lanes lanes;
    lanes.count = std::min(most, line_count_ - first);
    for (std::int64_t l = 0; l < lanes.count; ++l) {
      std::int64_t rest = first + l;
      lanes.in[l] = lanes.out[l] = 0;
      for (int d = lines_.size() - 1; d >= 0; --d) {
        const std::int64_t index = rest % lines_[d];
        rest /= lines_[d];
        lanes.in[l] += index * in_strides_[d];
        lanes.out[l] += index * out_strides_[d];
      }
    }
    return lanes;
  }

  /// A line from where it lies to where it goes, without copies of its parts.
  void transform_in_turn(std::int64_t number, bool more, T* room) const {
    const T* const in = static_cast<const T*>(args_.in.data);
    const Lanes line = lanes_of(number, 1);
    const T* const from = in + 2 * line.in[0];
    T* const to = static_cast<T*>(args_.out.data) + 2 * line.out[0];
    const T scale = static_cast<T>(args_.scale);
    const T* const next = more ? in + 2 * lanes_of(number + 1, 1).in[0] : nullptr;
    if (whole_) return plan_->run_whole(from, to, scale, args_.inverse, next, room);
    plan_->run_in_turn(from, to, scale, args_.inverse, next, workspace_);
  }

  /// Lines whose numbers are neighbours, without copies of their parts.
  void transform_side_by_side(const Lanes& lanes, T* room) const {
    plan_->run_side_by_side(static_cast<const T*>(args_.in.data) + 2 * lanes.in[0], args_.in_step,
                            static_cast<T*>(args_.out.data) + 2 * lanes.out[0], args_.out_step,
                            lanes.count, static_cast<T>(args_.scale), args_.inverse, room);
  }

  /// Not inlined: it would be there once for each way that blocks are shared out.
  [[gnu::noinline]] void transform(const Lanes& lanes, FftParts<T> data, FftParts<T> work) const {
    load(lanes, data, work);
    if (args_.kind == FftKind::kFromHalf) complete(data, lanes.count);
    if (args_.inverse) {
      data = data.exchanged();
      work = work.exchanged();
    }
    plan_->run(data, work, lanes.count, workspace_);
    if (args_.inverse) data = data.exchanged();
    if (args_.kind == FftKind::kHalf && packed_) take_apart(data, lanes.count);
    store(lanes, data, work);
  }

  /// Of `count` numbers or, where `pairs`, of real ones taken two by two.
  Places places(bool real, bool pairs, std::int64_t step, std::int64_t count) const {
    if (!real) return {2 * step, 1, 2, count, count};
    if (pairs) return {2 * step, step, 1, (count + 1) / 2, count / 2};
    return {step, 0, 1, count, 0};
  }

  void load(const Lanes& lanes, FftParts<T> data, FftParts<T> spare) const {
    const Places at =
        places(args_.real_in(), args_.kind == FftKind::kHalf && packed_, args_.in_step, args_.read);
    const T* in = static_cast<const T*>(args_.in.data);
    const bool side_by_side = are_neighbours(lanes.in, lanes.count);
    const std::int64_t count = lanes.count, room = count * (points_ + 1);
    if (at.in_turn() && !side_by_side) {
      const FftParts<T> line = count == 1 ? data : spare;
      for (std::int64_t l = 0; l < count; ++l)
        fft_loops<T>().split(in + lanes.in[l] * at.lane, 0, line.re + l * at.others,
                             line.im + l * at.others, at.others, 1);
      if (count > 1) {
        transpose(data.re, count, spare.re, at.others, at.others, count);
        transpose(data.im, count, spare.im, at.others, at.others, count);
      }
    } else {
      for_each_index(at.others, count, side_by_side, [&](std::int64_t j, std::int64_t l) {
        const T* const number = in + lanes.in[l] * at.lane + j * at.step;
        data.re[j * count + l] = number[0];
        data.im[j * count + l] = number[at.imaginary];
      });
    }
    if (at.reals > at.others) {  // real numbers, or the last of an odd count
      for_each_index(at.reals - at.others, count, side_by_side,
                     [&](std::int64_t i, std::int64_t l) {
                       const std::int64_t j = at.others + i;
                       data.re[j * count + l] = in[lanes.in[l] * at.lane + j * at.step];
                     });
    }
    std::fill(data.re + at.reals * count, data.re + room, T{0});
    std::fill(data.im + at.others * count, data.im + room, T{0});
  }

  void store(const Lanes& lanes, FftParts<T> data, FftParts<T> spare) const {
    const Places at =
        places(args_.kind == FftKind::kFromHalf, packed_, args_.out_step, args_.written());
    T* out = static_cast<T*>(args_.out.data);
    const T scale = static_cast<T>(args_.scale);
    const std::int64_t count = lanes.count;
    const bool side_by_side = are_neighbours(lanes.out, count);
    if (at.in_turn() && at.reals == at.others && !side_by_side) {
      const FftParts<T> line = count == 1 ? data : spare;
      if (count > 1) {
        transpose(spare.re, at.reals, data.re, count, count, at.reals);
        transpose(spare.im, at.reals, data.im, count, count, at.reals);
      }
      for (std::int64_t l = 0; l < count; ++l)
        fft_loops<T>().join(line.re + l * at.reals, line.im + l * at.reals, scale,
                            out + lanes.out[l] * at.lane, 0, at.reals, 1);
      return;
    }
    for_each_index(at.reals, count, side_by_side, [&](std::int64_t j, std::int64_t l) {
      T* const number = out + lanes.out[l] * at.lane + j * at.step;
      number[0] = data.re[j * count + l] * scale;
      if (at.imaginary != 0) number[at.imaginary] = data.im[j * count + l] * scale;
    });
  }

  /// From the first half of a real line's transform to all of it, or to that of the line taken as
  /// pairs.
  void complete(FftParts<T> data, std::int64_t lanes) const {
    const std::int64_t half = args_.size / 2;
    std::fill_n(data.im, lanes, T{0});
    if (!packed_) {
      for (std::int64_t k = 1; k <= half; ++k) {
        for (std::int64_t l = 0; l < lanes; ++l) {
          data.re[(args_.size - k) * lanes + l] = data.re[k * lanes + l];
          data.im[(args_.size - k) * lanes + l] = -data.im[k * lanes + l];
        }
      }
      return;
    }
    std::fill_n(data.im + half * lanes, lanes, T{0});
    for_each_pair(data, lanes, [](T wr, T wi, T& ar, T& ai, T& br, T& bi) {
      const T dr = ar - br, di = ai + bi;
      const T even_re = ar + br, even_im = ai - bi;
      const T odd_re = dr * wr + di * wi, odd_im = di * wr - dr * wi;
      ar = even_re - odd_im, ai = even_im + odd_re;
      br = even_re + odd_im, bi = odd_re - even_im;
    });
  }

  /// From the transform of a line taken as pairs to the first half of its own.
  void take_apart(FftParts<T> data, std::int64_t lanes) const {
    std::copy_n(data.re, lanes, data.re + points_ * lanes);
    std::copy_n(data.im, lanes, data.im + points_ * lanes);
    for_each_pair(data, lanes, [](T wr, T wi, T& ar, T& ai, T& br, T& bi) {
      const T half = static_cast<T>(0.5);
      const T even_re = half * (ar + br), even_im = half * (ai - bi);
      const T re = half * (ai + bi), im = half * (br - ar);
      const T odd_re = wr * re - wi * im, odd_im = wr * im + wi * re;
      ar = even_re + odd_re, ai = even_im + odd_im;
      br = even_re - odd_re, bi = odd_im - even_im;
    });
  }

  /// Numbers k and size / 2 - k, with the root of k.
  template <class Change>
  void for_each_pair(FftParts<T> data, std::int64_t lanes, const Change& change) const {
    for (std::int64_t k = 0; 2 * k <= points_; ++k) {
      const std::int64_t other = points_ - k;
      const T wr = roots_->roots()[2 * k], wi = roots_->roots()[2 * k + 1];
      for (std::int64_t l = 0; l < lanes; ++l) {
        T ar = data.re[k * lanes + l], ai = data.im[k * lanes + l];
        T br = data.re[other * lanes + l], bi = data.im[other * lanes + l];
        change(wr, wi, ar, ai, br, bi);
        data.re[k * lanes + l] = ar, data.im[k * lanes + l] = ai;
        data.re[other * lanes + l] = br, data.im[other * lanes + l] = bi;
      }
    }
  }

  /// out[i * out_stride + j] = in[j * in_stride + i].
  static void transpose(T* out, std::int64_t out_stride, const T* in, std::int64_t in_stride,
                        std::int64_t rows, std::int64_t columns) {
    simd_table().transpose[sizeof(T)](out, out_stride, in, in_stride, rows, columns);
  }

  const FftArgs& args_;
  Workspace* workspace_;
  bool packed_ = false;  ///< real lines are computed as complex ones of half the size
  bool alone_ = false;
  bool whole_ = false, in_turn_ = false;  ///< lines are read and written in turn, by the plan
  bool beside_ = false;                   ///< so are those that lie side by side
  std::int64_t points_ = 0, line_count_ = 0;
  Shape lines_;
  Strides in_strides_, out_strides_;
  std::shared_ptr<const FftPlan<T>> plan_, roots_;
};

}  // namespace
}  // namespace cpu_fft

void CpuOps::fft(const FftArgs& args, StreamRef) {
  visit_floating(real_dtype(args.in.dtype),
                 [&]<class T>() { cpu_fft::Transform<T>(args, workspace_).run(); });
}

}  // namespace gpukit::cpu
