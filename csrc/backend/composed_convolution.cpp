// Convolutions as products of matrices. The input under each tap is copied from the padded planes
// into rows, of as many images at a time as a bounded scratch holds.
#include <algorithm>

#include "backend/composition.h"
#include "core/dtype.h"

namespace gpukit {

namespace composed_convolution {
namespace {

constexpr std::int64_t kMostScratchBytes = std::int64_t{64} << 20;

using Sizes = ConvolutionArgs::Sizes;

void* at(void* data, std::int64_t elements, DType dtype) {
  return static_cast<char*>(data) + elements * static_cast<std::int64_t>(itemsize(dtype));
}

/// A run of elements of one dimension of the planes, and where it is in the padded ones.
struct Span {
  std::int64_t first, padded_first, count;
};

class Composed {
 public:
  Composed(DeviceOps& ops, Workspace* workspace, const ConvolutionArgs& args, StreamRef stream)
      : ops_(ops), workspace_(workspace), args_(args), stream_(stream) {
    for (int i = 0; i < 3; ++i) {
      const std::int64_t reach =
          (args.places[i] - 1) * args.stride[i] + (args.kernel[i] - 1) * args.dilation[i] + 1;
      padded_[i] = std::max(reach, args.before[i] + args.sizes[i]);
    }
    // Half types are added up in float32.
    work_ = args.part == ConvolutionPart::kOutput ? args.dtype : working_dtype(args.dtype);
  }

  void run() {
    const std::int64_t rows = args_.input_channels * args_.taps() * args_.output_plane();
    const std::int64_t padded = args_.input_channels * ConvolutionArgs::product(padded_);
    const std::int64_t each = (rows + padded) * static_cast<std::int64_t>(itemsize(work_));
    const std::int64_t images = std::clamp<std::int64_t>(kMostScratchBytes / each, 1, args_.batch);
    for (std::int64_t first = 0; first < args_.batch; first += images) {
      first_ = first;
      images_ = std::min(images, args_.batch - first);
      Composition scratch(ops_, workspace_, stream_);
      switch (args_.part) {
        case ConvolutionPart::kOutput:
          output(scratch);
          break;
        case ConvolutionPart::kInput:
          input(scratch);
          break;
        case ConvolutionPart::kWeight:
          weight(scratch);
          break;
      }
    }
  }

 private:
  std::int64_t depth() const { return args_.group_inputs() * args_.taps(); }
  void* images_of(void* data, std::int64_t channels, std::int64_t plane) const {
    return at(data, first_ * channels * plane, args_.dtype);
  }
  void* inputs() const { return images_of(args_.input, args_.input_channels, args_.input_plane()); }
  void* outputs() const {
    return images_of(args_.output, args_.output_channels, args_.output_plane());
  }

  /// The elements of dimension `i` that are in the input and in the padded planes.
  Span common(int i) const {
    const std::int64_t first = std::max<std::int64_t>(0, -args_.before[i]);
    const std::int64_t padded_first = first + args_.before[i];
    return {first, padded_first, std::min(args_.sizes[i] - first, padded_[i] - padded_first)};
  }

  /// Copies between the input and the padded planes what both have; false if that is nothing.
  bool copy_common(void* planes, DType planes_dtype, bool to_planes) {
    Shape shape{images_, args_.input_channels};
    std::int64_t offset = 0, padded_offset = 0;
    for (int i = 0; i < 3; ++i) {
      const Span span = common(i);
      if (span.count <= 0) return false;
      shape.push_back(span.count);
      offset = offset * args_.sizes[i] + span.first;
      padded_offset = padded_offset * padded_[i] + span.padded_first;
    }
    const Operand own{at(inputs(), offset, args_.dtype), args_.dtype, plane_strides(args_.sizes)};
    const Operand padded{at(planes, padded_offset, planes_dtype), planes_dtype,
                         plane_strides(padded_)};
    ops_.copy(to_planes ? CopyArgs{shape, padded, own} : CopyArgs{shape, own, padded}, stream_);
    return true;
  }
  /// Of (images, channels, sizes), contiguous.
  Strides plane_strides(const Sizes& sizes) const {
    const std::int64_t plane = ConvolutionArgs::product(sizes);
    return {args_.input_channels * plane, plane, sizes[1] * sizes[2], sizes[2], 1};
  }

  void clear(void* data, std::int64_t count, DType dtype) {
    ops_.fill({Shape{count}, {data, dtype, Strides{1}}, Scalar::integer(0)}, stream_);
  }

  void* padded_planes(Composition& scratch) {
    const std::int64_t count = images_ * args_.input_channels * ConvolutionArgs::product(padded_);
    void* planes = scratch.scratch(count, work_);
    clear(planes, count, work_);
    if (args_.part != ConvolutionPart::kInput) copy_common(planes, work_, true);
    return planes;
  }

  /// Calls visit(shape, a tap's places in the padded planes, the same of `rows`), both as (images,
  /// channels, places), for each tap. Rows are (channels, taps) by images by places, or images come
  /// first.
  template <class Visit>
  void for_each_tap(void* planes, void* rows, bool images_first, const Visit& visit) {
    const std::int64_t plane = args_.output_plane(), taps = args_.taps();
    const std::int64_t tap_step = images_first ? plane : images_ * plane;
    const std::int64_t image_step = images_first ? args_.input_channels * taps * plane : plane;
    Shape shape{images_, args_.input_channels};
    Strides strides = plane_strides(padded_);
    Strides row_strides{image_step, taps * tap_step, args_.places[1] * args_.places[2],
                        args_.places[2], 1};
    for (int i = 0; i < 3; ++i) {
      shape.push_back(args_.places[i]);
      strides[2 + i] *= args_.stride[i];
    }
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const Sizes t{tap / (args_.kernel[1] * args_.kernel[2]),
                    tap / args_.kernel[2] % args_.kernel[1], tap % args_.kernel[2]};
      std::int64_t offset = 0;
      for (int i = 0; i < 3; ++i) offset = offset * padded_[i] + t[i] * args_.dilation[i];
      visit(shape, Operand{at(planes, offset, work_), work_, strides},
            Operand{at(rows, tap * tap_step, work_), work_, row_strides});
    }
  }

  /// The input under each tap; the input itself where there is one tap that stays in place.
  void* unfolded(Composition& scratch, bool images_first) {
    if (images_first && args_.is_pointwise() && work_ == args_.dtype) return inputs();
    void* planes = padded_planes(scratch);
    void* rows = scratch.scratch(row_count(), work_);
    for_each_tap(planes, rows, images_first,
                 [&](const Shape& shape, const Operand& in, const Operand& out) {
                   ops_.copy({shape, out, in}, stream_);
                 });
    return rows;
  }
  std::int64_t row_count() const {
    return images_ * args_.input_channels * args_.taps() * args_.output_plane();
  }

  MatmulArgs product(std::int64_t m, std::int64_t n, std::int64_t k) const {
    MatmulArgs product;
    product.m = m;
    product.n = n;
    product.k = k;
    product.dtype = args_.dtype;
    product.allow_tf32 = args_.allow_tf32;
    return product;
  }
  void* group_of(void* data, std::int64_t group, std::int64_t count, DType dtype) const {
    return at(data, group * count, dtype);
  }

  void output(Composition& scratch) {
    void* rows = unfolded(scratch, true);
    const std::int64_t plane = args_.output_plane(), outs = args_.group_outputs();
    for (std::int64_t g = 0; g < args_.groups; ++g) {
      MatmulArgs call = product(outs, plane, depth());
      call.batch = images_;
      call.a = {group_of(args_.weight, g, outs * depth(), args_.dtype), depth(), 1, 0};
      call.b = {group_of(rows, g, depth() * plane, work_), plane, 1,
                args_.groups * depth() * plane};
      call.c = {group_of(outputs(), g, outs * plane, args_.dtype), plane, 1,
                args_.output_channels * plane};
      ops_.matmul(call, stream_);
    }
  }

  void input(Composition& scratch) {
    const std::int64_t plane = args_.output_plane(), outs = args_.group_outputs();
    const bool direct = args_.is_pointwise();
    void* rows = direct ? inputs() : scratch.scratch(row_count(), args_.dtype);
    for (std::int64_t g = 0; g < args_.groups; ++g) {
      MatmulArgs call = product(depth(), plane, outs);
      call.batch = images_;
      call.a = {group_of(args_.weight, g, outs * depth(), args_.dtype), 1, depth(), 0};
      call.b = {group_of(outputs(), g, outs * plane, args_.dtype), plane, 1,
                args_.output_channels * plane};
      call.c = {group_of(rows, g, depth() * plane, args_.dtype), plane, 1,
                args_.groups * depth() * plane};
      ops_.matmul(call, stream_);
    }
    if (!direct) add_taps(scratch, rows);
  }

  void add_taps(Composition& scratch, void* rows) {
    if (work_ != args_.dtype) {
      void* wide = scratch.scratch(row_count(), work_);
      const Shape flat{row_count()};
      ops_.copy({flat, {wide, work_, Strides{1}}, {rows, args_.dtype, Strides{1}}}, stream_);
      rows = wide;
    }
    void* planes = padded_planes(scratch);
    for_each_tap(planes, rows, true,
                 [&](const Shape& shape, const Operand& sum, const Operand& part) {
                   BinaryArgs add{.op = BinaryOp::kAdd,
                                  .shape = shape,
                                  .out = sum,
                                  .left = sum,
                                  .right = part,
                                  .scalar = {}};
                   ops_.binary(add, stream_);
                 });
    clear(inputs(), images_ * args_.input_channels * args_.input_plane(), args_.dtype);
    copy_common(planes, work_, false);
  }

  void weight(Composition& scratch) {
    void* rows = unfolded(scratch, false);
    const std::int64_t plane = args_.output_plane(), outs = args_.group_outputs();
    const std::int64_t count = args_.output_channels * images_ * plane;
    void* gradient = scratch.scratch(count, work_);
    ops_.copy({Shape{args_.output_channels, images_, plane},
               {gradient, work_, Strides{images_ * plane, plane, 1}},
               {outputs(), args_.dtype, Strides{plane, args_.output_channels * plane, 1}}},
              stream_);
    const std::int64_t weights = args_.output_channels * depth();
    const bool direct = work_ == args_.dtype;
    if (wide_weight_ == nullptr) {
      wide_weight_ = direct ? args_.weight : kept_.scratch(weights, work_);
    }
    for (std::int64_t g = 0; g < args_.groups; ++g) {
      MatmulArgs call = product(outs, depth(), images_ * plane);
      call.dtype = work_;
      call.beta = first_ == 0 ? 0.0 : 1.0;
      call.a = {group_of(gradient, g, outs * images_ * plane, work_), images_ * plane, 1, 0};
      call.b = {group_of(rows, g, depth() * images_ * plane, work_), 1, images_ * plane, 0};
      call.c = {group_of(wide_weight_, g, outs * depth(), work_), depth(), 1, 0};
      ops_.matmul(call, stream_);
    }
    if (!direct && first_ + images_ == args_.batch) {
      ops_.copy({Shape{weights},
                 {args_.weight, args_.dtype, Strides{1}},
                 {wide_weight_, work_, Strides{1}}},
                stream_);
    }
  }

  DeviceOps& ops_;
  Workspace* workspace_;
  const ConvolutionArgs& args_;
  StreamRef stream_;
  DType work_;
  Sizes padded_{};  ///< of the padded planes
  std::int64_t first_ = 0, images_ = 0;
  Composition kept_{ops_, workspace_, stream_};
  void* wide_weight_ = nullptr;
};

}  // namespace
}  // namespace composed_convolution

void DeviceOps::convolution(const ConvolutionArgs& args, StreamRef stream) {
  composed_convolution::Composed(*this, workspace_, args, stream).run();
}

}  // namespace gpukit
