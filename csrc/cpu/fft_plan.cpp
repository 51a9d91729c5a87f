#include "cpu/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "backend/fft_args.h"
#include "cpu/cpu_features.h"
#include "cpu/fft_plan_cache.h"
#include "cpu/fft_roots.h"
#include "cpu/scratch.h"
#include "cpu/simd/fft_stages.h"
#include "cpu/simd/simd_table.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {

namespace fft_plan {
namespace {

/// The largest matrix of which all columns are taken at once.
constexpr std::int64_t kWholeMatrix = 1 << 13;
/// Bytes of the next line that is fetched while a whole one is computed.
constexpr std::int64_t kMostNext = std::int64_t{1} << 18;
constexpr std::int64_t kMostFetched = std::int64_t{1} << 19;  ///< bytes of a line fetched ahead
constexpr std::int64_t kLineGrain = 2 * kFftGrain;            ///< a whole line has less to compute

/// The divisor nearest to the square root from below.
std::int64_t middle_divisor(std::int64_t size) {
  auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(size)));
  while (size % divisor != 0) --divisor;
  return divisor;
}

/// Passes of radix 8, after which those of radix 4 leave no factor 2; where the registers hold one.
int count_eights(std::int64_t size) {
#if defined(__x86_64__)
  if (simd_level() < SimdLevel::kAvx512) return 0;
  int twos = 0;
  for (; size % 2 == 0; size /= 2) ++twos;
  const int others = twos % 3 == 1 ? 4 : twos % 3;
  return twos < others ? 0 : (twos - others) / 3;
#else
  return 0;
#endif
}

/// Number k of each of the lanes times (wr[k], wi[k]).
template <class T>
void multiply_lanes(FftParts<T> data, std::int64_t lanes, const T* wr, const T* wi,
                    std::int64_t count) {
  if (lanes == 1) return fft_loops<T>().multiply(data.re, data.im, wr, wi, count);
  for (std::int64_t k = 0; k < count; ++k) {
    T* __restrict re = data.re + k * lanes, * __restrict im = data.im + k * lanes;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const T value = re[l] * wr[k] - im[l] * wi[k];
      im[l] = re[l] * wi[k] + im[l] * wr[k];
      re[l] = value;
    }
  }
}

/// Into the second-level cache, in the order of addresses, while something is computed.
template <class T>
void fetch(const T* from, std::int64_t first, std::int64_t count) {
  if (from == nullptr) return;
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = first; i < first + count; i += kLine) __builtin_prefetch(from + i, 0, 3);
}

}  // namespace
}  // namespace fft_plan

template <class T>
std::shared_ptr<const FftPlan<T>> FftPlan<T>::get(std::int64_t size, FftForm form) {
  {
    const std::lock_guard lock(fft_plan::cache_mutex());
    if (auto plan = fft_plan::cache<T>().find(size, form)) return plan;
  }
  auto made = std::make_shared<const FftPlan>(size, form);
  const std::lock_guard lock(fft_plan::cache_mutex());
  if (auto plan = fft_plan::cache<T>().find(size, form)) return plan;  // another thread's
  fft_plan::cache<T>().add(size, form, made);
  return made;
}

template <class T>
FftPlan<T>::FftPlan(std::int64_t size, FftForm form) : size_(size) {
  if (form == FftForm::kRoots) {
    for (std::int64_t k = 0; k <= size / 2; ++k) {
      const fft_plan::Root root = fft_plan::root_of(k, size);
      factors_.push_back(static_cast<T>(root.re));
      factors_.push_back(static_cast<T>(root.im));
    }
  } else if (form == FftForm::kTurn) {
    make_line();
  } else if (!has_small_factors(size)) {
    make_chirp(form);
  } else if (form == FftForm::kLine && fft_plan::middle_divisor(size) >= 8) {
    make_matrix();
  } else {
    make_passes();
  }
}

template <class T>
std::int64_t FftPlan<T>::bytes() const noexcept {
  return static_cast<std::int64_t>((factors_.size() + chirp_.size() + spectrum_.size()) *
                                   sizeof(T));
}

template <class T>
void FftPlan<T>::make_passes() {
  std::int64_t left = size_;
  const auto add = [&](int radix, int most) {
    for (; left % radix == 0 && most > 0; left /= radix, --most) {
      const std::int64_t groups = left / radix;
      passes_.push_back({radix, groups, factors_.size()});
      const auto append = [&](double number) { factors_.push_back(static_cast<T>(number)); };
      for (int j = 0; !has_formula(radix) && j < radix; ++j) {
        const fft_plan::Root root = fft_plan::root_of(j, radix);
        append(root.re);
        append(root.im);
      }
      for (int k = 1; k < radix; ++k) {
        for (std::int64_t p = 0; p < groups; ++p) append(fft_plan::root_of(p * k, left).re);
        for (std::int64_t p = 0; p < groups; ++p) append(fft_plan::root_of(p * k, left).im);
      }
    }
  };
  add(8, fft_plan::count_eights(size_));
  for (const int radix : kFftRadices) add(radix, 64);
}

template <class T>
bool FftPlan<T>::runs_whole(std::int64_t size) noexcept {
  return fft_loops<T>().line != nullptr && size >= kLeastOwnSize &&
         size * static_cast<std::int64_t>(2 * sizeof(T)) <= kMostWholeBytes &&
         (size & (size - 1)) == 0;
}

/// Columns of size / lanes numbers, by radices of 8 and then 4, then rows of `lanes`.
template <class T>
void FftPlan<T>::make_line() {
  const std::int64_t lanes = fft_loops<T>().line_lanes, part = fft_loops<T>().line_part;
  const std::int64_t rows = size_ / lanes;
  const auto append = [&](std::int64_t k, std::int64_t n) {
    const fft_plan::Root root = fft_plan::root_of(k, n);
    factors_.push_back(static_cast<T>(root.re));
    factors_.push_back(static_cast<T>(root.im));
  };
  for (std::int64_t k = 0; k < lanes; ++k) append(k, lanes);
  int eights = fft_plan::count_eights(rows);
  std::int64_t left = rows, block = rows;
  for (; left > (eights > 0 ? 8 : 4); --eights) {
    const int radix = eights > 0 ? 8 : 4;
    radices_.push_back(static_cast<std::uint8_t>(radix));
    for (std::int64_t p = 0; p < left / radix; ++p) {
      for (int k = 1; k < radix; ++k) append(p * k, left);
    }
    left /= radix;
    if (block * lanes * static_cast<std::int64_t>(2 * sizeof(T)) <= kFftBlockBytes) continue;
    ++splits_;
    block = left;
  }
  radices_.push_back(static_cast<std::uint8_t>(left));
  twist_ = factors_.size();
  const fft_plan::Roots roots(size_, fft_plan::middle_divisor(size_));
  const auto append_row = [&](std::int64_t row) {
    const std::size_t first = factors_.size();
    factors_.resize(first + static_cast<std::size_t>(2 * lanes));
    T *re = factors_.data() + first, *im = re + lanes;
    for (std::int64_t l = 0; l < lanes; ++l) {
      const fft_plan::Root root = roots.at(row * (l / part + 4 * (l % part)));
      *re++ = static_cast<T>(root.re);
      *im++ = static_cast<T>(root.im);
    }
  };
  // Rows of a block are `blocks` apart.
  const std::int64_t blocks = rows / block;
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::int64_t first = 0, step = 1, rest = b, count = blocks;
    for (int pass = 0; pass < splits_; ++pass) {
      const std::int64_t radix = radices_[static_cast<std::size_t>(pass)];
      count /= radix;
      first += rest / count * step;
      rest %= count;
      step *= radix;
    }
    for (std::int64_t q = 0; q < block / left; ++q) {
      for (std::int64_t row = q; row < block; row += block / left) append_row(first + row * blocks);
    }
  }
}

template <class T>
std::int64_t FftPlan<T>::whole_room() const noexcept {
  return 2 * size_ + 2 * fft_loops<T>().line_lanes * radices_[0];
}

template <class T>
void FftPlan<T>::run_whole(const T* in, T* out, T scale, bool inverse, const T* next,
                           T* room) const {
  FftLine<T> line{};
  line.in = in;
  line.out = out;
  line.room = room;
  line.size = size_;
  line.radices = radices_.data();
  line.splits = splits_;
  line.factors = factors_.data();
  line.twist = factors_.data() + twist_;
  line.scale = scale;
  line.inverse = inverse;
  // The result of a line by itself is not fetched: it may well be in the caches.
  if (next != nullptr && in != out) line.written = out;
  if (size_ * static_cast<std::int64_t>(2 * sizeof(T)) <= fft_plan::kMostNext) line.next = next;
  const std::int64_t radix = radices_[0], grain = fft_plan::kLineGrain;
  if (splits_ == 0 || size_ < 2 * grain || available_threads() == 1)
    return fft_loops<T>().line(line);
  const auto share_out = [&](FftStage stage, std::int64_t count) {
    parallel_for(count, std::max<std::int64_t>(1, grain / (size_ / count)),
                 [&](std::int64_t begin, std::int64_t end) {
                   fft_loops<T>().line_stage(line, stage, begin, end);
                 });
  };
  const std::int64_t lanes = fft_loops<T>().line_lanes;
  share_out(FftStage::kSplit, size_ / lanes / radix);
  share_out(FftStage::kBlocks, radix);
  share_out(FftStage::kRows, size_ / lanes / lanes);
}

template <class T>
void FftPlan<T>::make_matrix() {
  const std::int64_t rows = fft_plan::middle_divisor(size_), columns = size_ / rows;
  columns_ = get(rows, FftForm::kLanes);
  rows_ = get(columns, FftForm::kLanes);
  factors_.resize(static_cast<std::size_t>(2 * size_));
  const fft_plan::Roots roots(size_, rows);
  if (size_ <= fft_plan::kWholeMatrix) {
    T *re = factors_.data(), *im = re + size_;
    for (std::int64_t k = 0; k < rows; ++k) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const fft_plan::Root root = roots.at(column * k);
        *re++ = static_cast<T>(root.re);
        *im++ = static_cast<T>(root.im);
      }
    }
    return;
  }
  // In the order in which the last pass takes them, so that memory is read in turn.
  const std::int64_t radix = columns_->passes_.back().radix;
  T* re = factors_.data();
  for (std::int64_t first = 0; first < columns; first += kFftLanes) {
    const std::int64_t lanes = std::min(kFftLanes, columns - first);
    for (std::int64_t row = 0; row < rows / radix; ++row) {
      for (std::int64_t k = row; k < rows; k += rows / radix, re += lanes) {
        T* im = re + lanes;
        for (std::int64_t column = first; column < first + lanes; ++column) {
          const fft_plan::Root root = roots.at(column * k);
          *re++ = static_cast<T>(root.re);
          *im++ = static_cast<T>(root.im);
        }
      }
    }
  }
}

template <class T>
void FftPlan<T>::make_chirp(FftForm form) {
  const std::int64_t places = smooth_size(2 * size_ - 1);
  inner_ = get(places, form);
  chirp_.resize(static_cast<std::size_t>(2 * size_));
  spectrum_.assign(static_cast<std::size_t>(2 * places), T{0});
  const auto count = static_cast<std::size_t>(places);
  std::vector<T> more(2 * count);
  FftParts<T> data{spectrum_.data(), spectrum_.data() + count};
  FftParts<T> work{more.data(), more.data() + count};
  const double scale = 1 / static_cast<double>(places);
  std::int64_t square = 0;  // j * j modulo 2 * size
  for (std::int64_t j = 0; j < size_; ++j) {
    const fft_plan::Root root = fft_plan::root_of(square, 2 * size_);
    square = (square + 2 * j + 1) % (2 * size_);
    chirp_[static_cast<std::size_t>(j)] = static_cast<T>(root.re);
    chirp_[static_cast<std::size_t>(size_ + j)] = static_cast<T>(root.im);
    for (const std::int64_t place : {j, (places - j) % places}) {
      data.re[place] = static_cast<T>(root.re * scale);
      data.im[place] = static_cast<T>(-root.im * scale);
    }
  }
  inner_->run(data, work, 1, nullptr);
  if (data.re != spectrum_.data()) spectrum_ = std::move(more);
}

template <class T>
void FftPlan<T>::run(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes,
                     Workspace* workspace) const {
  if (inner_ != nullptr) return run_chirp(data, work, lanes, workspace);
  const Lines<const T> in{{data.re, data.im}, lanes};
  if (rows_ != nullptr && size_ <= fft_plan::kWholeMatrix) {
    const std::int64_t height = columns_->size_, width = rows_->size_;
    const TransposeKernel transpose = simd_table().transpose[sizeof(T)];
    columns_->run(data, work, width, workspace);
    fft_loops<T>().multiply(data.re, data.im, factors_.data(), factors_.data() + size_, size_);
    transpose(work.re, height, data.re, width, width, height);
    transpose(work.im, height, data.im, width, width, height);
    std::swap(data, work);
    return rows_->run(data, work, height, workspace);
  }
  if (rows_ != nullptr) {
    const Scratch room(workspace, static_cast<std::size_t>(block_room()) * sizeof(T));
    return run_matrix(in, {data, lanes}, T{1}, work, room.as<T>(), {}, workspace);
  }
  FftParts<T> spare[] = {work, data};
  if (passes_.size() % 2 != 0) std::swap(data, work);
  run_passes(in, {data, lanes}, lanes, spare, T{1}, {});
}

template <class T>
void FftPlan<T>::run_passes(Lines<const T> in, Lines<T> out, std::int64_t lanes,
                            FftParts<T> spare[2], T scale, FftSide<const T> twist) const {
  std::int64_t stride = lanes;
  for (const Pass& pass : passes_) {
    const T* const factors = factors_.data() + pass.factors;
    FftPass<T> step{};
    step.radix = pass.radix;
    if (!has_formula(pass.radix)) step.roots = factors;
    step.groups = pass.groups;
    step.lanes = stride;
    step.in = {in.first.re, in.first.im, in.step, in.step * pass.groups};
    if (pass.groups > 1) {
      step.factors = step.roots != nullptr ? factors + 2 * pass.radix : factors;
      step.out = {spare[0].re, spare[0].im, stride * pass.radix, stride};
    } else {
      // All factors are 1. Rows of `lanes` numbers go where they have to.
      const std::int64_t rows = stride / lanes;
      step.out = {out.first.re, out.first.im, out.step, out.step * rows};
      step.twist = twist;
      step.scale = scale;
      if (out.step != lanes || twist.re != nullptr) {
        step.groups = rows;
        step.lanes = lanes;
        if (rows > 1) step.in.group = lanes;
      }
    }
    fft_loops<T>().pass(step);
    stride *= pass.radix;
    in = {{spare[0].re, spare[0].im}, stride};
    std::swap(spare[0], spare[1]);
  }
}

template <class T>
void FftPlan<T>::run_chirp(FftParts<T>& data, FftParts<T>& work, std::int64_t lanes,
                           Workspace* workspace) const {
  const std::int64_t places = inner_->size_;
  const auto multiply_chirp = [&] {
    fft_plan::multiply_lanes(data, lanes, chirp_.data(), chirp_.data() + size_, size_);
  };
  multiply_chirp();
  std::fill(data.re + size_ * lanes, data.re + places * lanes, T{0});
  std::fill(data.im + size_ * lanes, data.im + places * lanes, T{0});
  inner_->run(data, work, lanes, workspace);
  fft_plan::multiply_lanes(data, lanes, spectrum_.data(), spectrum_.data() + places, places);
  FftParts<T> back = data.exchanged(), other = work.exchanged();
  inner_->run(back, other, lanes, workspace);
  data = back.exchanged();
  work = other.exchanged();
  multiply_chirp();
}

template <class T>
std::int64_t FftPlan<T>::block_room() const noexcept {
  return 4 * kFftLanes * std::max(columns_->size_, rows_->size_);
}

template <class T>
template <class Run>
void FftPlan<T>::each_block(std::int64_t lines, T* room, Workspace* workspace,
                            const Run& run) const {
  const std::int64_t count = size_ * kFftLanes;
  parallel_for((lines + kFftLanes - 1) / kFftLanes, std::max<std::int64_t>(1, kFftGrain / count),
               [&](std::int64_t begin, std::int64_t end) {
                 const Scratch own(
                     workspace, begin == 0 ? 0 : static_cast<std::size_t>(4 * count) * sizeof(T));
                 T* const at = begin == 0 ? room : own.as<T>();
                 for (std::int64_t block = begin; block < end; ++block) {
                   const std::int64_t first = block * kFftLanes;
                   FftParts<T> spare[] = {{at, at + count}, {at + 2 * count, at + 3 * count}};
                   run(first, std::min(kFftLanes, lines - first), spare);
                 }
               });
}

template <class T>
FftSide<const T> FftPlan<T>::twist_of(std::int64_t column, std::int64_t lanes) const noexcept {
  const std::int64_t height = columns_->size_, width = rows_->size_;
  const std::int64_t radix = columns_->passes_.back().radix;
  if (size_ <= fft_plan::kWholeMatrix) {
    const T* const first = factors_.data() + column;
    return {first, first + size_, width, width * (height / radix)};
  }
  const T* const first = factors_.data() + 2 * height * column;
  return {first, first + lanes, 2 * lanes * radix, 2 * lanes};
}

template <class T>
void FftPlan<T>::run_matrix(Lines<const T> in, Lines<T> out, T scale, FftParts<T> transposed,
                            T* room, const T* const (&ahead)[2], Workspace* workspace) const {
  const std::int64_t height = columns_->size_, width = rows_->size_;
  const TransposeKernel transpose = simd_table().transpose[sizeof(T)];
  const auto block_of = []<class N>(const Lines<N>& lines, std::int64_t first, std::int64_t step) {
    const std::int64_t offset = first * lines.step;
    return Lines<N>{{lines.first.re + offset, lines.first.im + offset}, lines.step * step};
  };
  columns_->each_block(
      width, room, workspace, [&](std::int64_t first, std::int64_t lanes, FftParts<T>* spare) {
        fft_plan::fetch(ahead[0], 2 * height * first, 2 * height * lanes);
        // Not where the last pass reads.
        const FftParts<T> result = spare[(columns_->passes_.size() + 1) % 2];
        columns_->run_passes(block_of(in, first, width), {result, lanes}, lanes, spare, T{1},
                             twist_of(first, lanes));
        // Blocks of the next lines follow each other.
        for (std::int64_t row = 0; row < height; row += kFftLanes) {
          const std::int64_t rows = std::min(kFftLanes, height - row);
          const std::int64_t to = row * width + first * rows, from = row * lanes;
          transpose(transposed.re + to, rows, result.re + from, lanes, lanes, rows);
          transpose(transposed.im + to, rows, result.im + from, lanes, lanes, rows);
        }
      });
  rows_->each_block(height, room, workspace,
                    [&](std::int64_t first, std::int64_t lanes, FftParts<T>* spare) {
                      const std::int64_t from = first * width;
                      fft_plan::fetch(ahead[1], 2 * from, 2 * width * lanes);
                      rows_->run_passes({{transposed.re + from, transposed.im + from}, lanes},
                                        block_of(out, first, height), lanes, spare, scale, {});
                    });
}

template <class T>
void FftPlan<T>::run_in_turn(const T* in, T* out, T scale, bool inverse, const T* next,
                             Workspace* workspace) const {
  const Scratch scratch(workspace, static_cast<std::size_t>(2 * size_ + block_room()) * sizeof(T));
  T* const transposed = scratch.as<T>();
  // An inverse transform is a forward one with the parts exchanged.
  const std::int64_t re = inverse ? 1 : 0, im = 1 - re;
  const bool fetched = size_ * static_cast<std::int64_t>(2 * sizeof(T)) <= fft_plan::kMostFetched;
  run_matrix({{in + re, in + im}, 2}, {{out + re, out + im}, 2}, scale,
             {transposed, transposed + size_}, transposed + 2 * size_,
             {fetched ? out : nullptr, fetched ? next : nullptr}, workspace);
}

template <class T>
void FftPlan<T>::run_side_by_side(const T* in, std::int64_t in_step, T* out, std::int64_t out_step,
                                  std::int64_t lanes, T scale, bool inverse, T* room) const {
  const std::int64_t re = inverse ? 1 : 0, im = 1 - re, count = size_ * lanes;
  FftParts<T> spare[] = {{room, room + count}, {room + 2 * count, room + 3 * count}};
  run_passes({{in + re, in + im}, 2 * in_step}, {{out + re, out + im}, 2 * out_step}, lanes, spare,
             scale, {});
}

template <class T>
const FftLoops<T>& fft_loops() {
  static const FftLoops<T>& loops = []() -> const FftLoops<T>& {
    const auto of = [](const FftLoops<float>& narrow,
                       const FftLoops<double>& wide) -> const FftLoops<T>& {
      if constexpr (sizeof(T) == sizeof(float))
        return narrow;
      else
        return wide;
    };
#if defined(__x86_64__)
    if (simd_level() >= SimdLevel::kAvx512)
      return of(avx512::fft_loops_float(), avx512::fft_loops_double());
    if (simd_level() == SimdLevel::kAvx2)
      return of(avx2::fft_loops_float(), avx2::fft_loops_double());
#endif
#if defined(__aarch64__)
    return of(neon::fft_loops_float(), neon::fft_loops_double());
#else
    return of(baseline::fft_loops_float(), baseline::fft_loops_double());
#endif
  }();
  return loops;
}

template const FftLoops<float>& fft_loops<float>();
template const FftLoops<double>& fft_loops<double>();
template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace gpukit::cpu
