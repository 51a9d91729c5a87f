// Fourier transforms as launches over scratch memory: loading, a launch a pass, storing. Sizes with
// other prime factors than the radices are convolutions with a chirp (Bluestein).
#include <algorithm>
#include <numbers>
#include <optional>
#include <utility>

#include "backend/fft_args.h"
#include "core/layout.h"
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace cuda_fft {
namespace {

/// Numbers that are transformed at a time, at most: their scratch memory is twice as large.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 23;
/// Kernels count the numbers of a launch in 32 bits.
constexpr std::int64_t kLongestLine = std::int64_t{1} << 29;

struct Line {
  Shape shape;
  Strides in, out;
};

Line merged(const FftArgs& args) {
  Line line{args.lines, args.in.strides, args.out.strides};
  Strides* const strides[] = {&line.in, &line.out};
  merge_dims(line.shape, strides);
  return line;
}

void set_lines(FftKernelArgs& kernel, const Shape& shape, const Strides& strides) {
  kernel.rank = shape.size();
  for (int d = 0; d < shape.size(); ++d) {
    kernel.lines[d] = shape[shape.size() - 1 - d];
    kernel.strides[d] = strides[shape.size() - 1 - d];
  }
}

/// One call: its launches and the two arrays that passes go between.
class Transform {
 public:
  Transform(const FftArgs& args, KernelLauncher& launcher, Workspace* workspace, StreamRef stream)
      : args_(args), launcher_(launcher), stream_(stream) {
    direct_ = has_small_factors(args.size);
    places_ = direct_ ? args.size : smooth_size(2 * args.size - 1);
    line_ = merged(args);
    lines_ = element_count(line_.shape);
    together_ = std::max<std::int64_t>(1, std::min(lines_, kMostNumbers / places_));
    const std::int64_t more = direct_ ? 0 : args.size + 2 * places_;
    const std::size_t item = itemsize(complex_dtype(args.in.dtype));
    const std::int64_t numbers = places_ + more + 2 * together_ * places_;
    scratch_.emplace(workspace, static_cast<std::size_t>(numbers) * item, stream);
    auto* memory = static_cast<unsigned char*>(scratch_->address());
    const auto take = [&](std::int64_t count) {
      return std::exchange(memory, memory + static_cast<std::size_t>(count) * item);
    };
    roots_ = take(places_);
    data_ = take(together_ * places_);
    other_ = take(together_ * places_);
    if (direct_) return;
    chirp_ = take(args.size);
    spectrum_ = take(places_);
    spare_ = take(places_);
  }

  void run() {
    make_table(roots_, places_, places_, false);
    if (!direct_) make_spectrum();
    for (std::int64_t first = 0; first < lines_; first += together_) {
      const std::int64_t count = std::min(together_, lines_ - first);
      load(first, count);
      pass_all(count);
      if (!direct_) {
        multiply(count);
        pass_all(count);
      }
      store(first, count);
    }
  }

 private:
  FftKernelArgs step(FftStep op, const void* in, void* out) const {
    FftKernelArgs kernel{};
    kernel.op = static_cast<gk_i32>(op);
    kernel.in = in;
    kernel.out = out;
    kernel.size = args_.size;
    kernel.places = places_;
    kernel.inverse = args_.inverse ? 1 : 0;
    kernel.chirp = direct_ ? 0 : 1;
    kernel.table = chirp_;
    return kernel;
  }

  void launch(FftKernelArgs& kernel, std::int64_t count) {
    kernel.count = count;
    launcher_.launch<KernelGroup::kFft>(variant_of(complex_dtype(args_.in.dtype)),
                                        blocks_for(count, kElementThreads, kElementThreads), kernel,
                                        stream_);
  }

  /// exp(-2 pi i k / n) for k below `count`, n of them; for a chirp k goes by squares.
  void make_table(void* table, std::int64_t count, std::int64_t n, bool chirp) {
    FftKernelArgs kernel = step(FftStep::kRoots, nullptr, table);
    kernel.chirp = chirp ? 1 : 0;
    kernel.scale = std::numbers::pi / 4 / static_cast<double>(n);
    launch(kernel, count);
  }

  void make_spectrum() {
    make_table(chirp_, args_.size, 2 * args_.size, true);
    FftKernelArgs kernel = step(FftStep::kChirp, nullptr, spectrum_);
    kernel.scale = 1 / static_cast<double>(places_);
    launch(kernel, places_);
    void* const data = std::exchange(data_, spectrum_);
    void* const other = std::exchange(other_, spare_);
    pass_all(1);
    spectrum_ = std::exchange(data_, data);
    other_ = other;
  }

  void pass_all(std::int64_t lines) {
    std::int64_t left = places_, stride = 1;
    for (const int radix : kFftRadices) {
      for (; left % radix == 0; left /= radix, stride *= radix) {
        FftKernelArgs kernel = step(FftStep::kPass, data_, other_);
        kernel.table = roots_;
        kernel.radix = radix;
        kernel.groups = left / radix;
        kernel.stride = stride;
        launch(kernel, lines * places_ / radix);
        std::swap(data_, other_);
      }
    }
  }

  void load(std::int64_t first, std::int64_t count) {
    FftKernelArgs kernel = step(FftStep::kLoad, args_.in.data, data_);
    set_lines(kernel, line_.shape, line_.in);
    kernel.first_line = first;
    kernel.step = args_.in_step;
    kernel.read = args_.read;
    kernel.real = args_.real_in() ? 1 : 0;
    kernel.half = args_.kind == FftKind::kFromHalf ? 1 : 0;
    launch(kernel, count * places_);
  }

  void multiply(std::int64_t count) {
    FftKernelArgs kernel = step(FftStep::kProduct, spectrum_, data_);
    launch(kernel, count * places_);
  }

  void store(std::int64_t first, std::int64_t count) {
    FftKernelArgs kernel = step(FftStep::kStore, data_, args_.out.data);
    set_lines(kernel, line_.shape, line_.out);
    kernel.first_line = first;
    kernel.step = args_.out_step;
    kernel.written = args_.written();
    kernel.scale = args_.scale;
    kernel.real = args_.kind == FftKind::kFromHalf ? 1 : 0;
    launch(kernel, count * args_.written());
  }

  const FftArgs& args_;
  KernelLauncher& launcher_;
  StreamRef stream_;
  std::optional<Scratch> scratch_;
  Line line_;
  bool direct_ = true;
  std::int64_t places_ = 0, lines_ = 0, together_ = 0;
  void *roots_ = nullptr, *data_ = nullptr, *other_ = nullptr, *chirp_ = nullptr,
       *spectrum_ = nullptr, *spare_ = nullptr;
};

}  // namespace
}  // namespace cuda_fft

void CudaOps::fft(const FftArgs& args, StreamRef stream) {
  if (args.size > cuda_fft::kLongestLine)
    throw_not_supported("a Fourier transform of more than 2**29 numbers");
  ContextScope scope(context_);
  cuda_fft::Transform(args, launcher_, workspace_, stream).run();
}

}  // namespace gpukit::cuda
