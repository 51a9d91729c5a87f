// Convolutions of float32 without a copy of the unfolded input. Other dtypes are composed.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/numeric.h"
#include "cpu/convolution_planes.h"
#include "cpu/cpu_ops.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"
#include "cpu/window_product.h"

namespace gpukit::cpu {
namespace cpu_convolution {
namespace {

using Sizes = ConvolutionArgs::Sizes;

constexpr std::int64_t kPlanesBytes = 8 << 20;      ///< of the images that are worked on at a time
constexpr std::int64_t kGradientBytes = 128 << 10;  ///< of rows that stay in a core's cache
constexpr std::int64_t kTransposedRows = 256;       ///< a block that stays in the first level

std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
  return value >= 0 ? value / divisor : -ceil_div(-value, divisor);
}

std::size_t float_bytes(std::int64_t count) {
  return static_cast<std::size_t>(count) * sizeof(float);
}

/// How many images of `elements` floats each are worked on at a time.
std::int64_t images_at_once(std::int64_t batch, std::int64_t elements) {
  return std::clamp<std::int64_t>(kPlanesBytes / (4 * std::max<std::int64_t>(1, elements)), 1,
                                  batch);
}

/// out[i * out_stride + j] = in[j * in_stride + i], of many rows.
void transpose(const SimdTable& table, float* out, std::int64_t out_stride, const float* in,
               std::int64_t in_stride, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; i += kTransposedRows)
    table.transpose[4](out + i * out_stride, out_stride, in + i, in_stride,
                       std::min(kTransposedRows, rows - i), columns);
}

/// The offsets of a group's depth: of its channels and, in each, of the taps.
std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& taps, std::int64_t channels,
                                     std::int64_t channel_step) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(taps.size() * static_cast<std::size_t>(channels));
  for (std::int64_t c = 0; c < channels; ++c) {
    for (const std::int64_t tap : taps) offsets.push_back(c * channel_step + tap);
  }
  return offsets;
}

std::vector<std::int64_t> window_offsets(const ConvolutionArgs& args, const PlaneLayout& layout) {
  std::vector<std::int64_t> taps;
  for (std::int64_t tap = 0; tap < args.taps(); ++tap) taps.push_back(layout.tap_offset(args, tap));
  return offsets_of(taps, args.group_inputs(), layout.phases() * layout.plane());
}

Sizes plane_steps(const Sizes& extent) { return {extent[1] * extent[2], extent[2], 1}; }

/// Calls body(first image, images) for a few images at a time whose planes were filled.
template <class Body>
void for_each_plane(const SimdTable& table, Workspace* workspace, const PlaneLayout& layout,
                    const float* source, std::int64_t batch, const Body& body) {
  const std::int64_t most = images_at_once(batch, layout.image());
  const Scratch memory(workspace, float_bytes(most * layout.image() + PlaneLayout::kSpare));
  const std::int64_t image = layout.channels * ConvolutionArgs::product(layout.source);
  for (std::int64_t first = 0; first < batch; first += most) {
    const std::int64_t images = std::min(most, batch - first);
    fill_planes(table, layout, source + first * image, images, memory.as<float>());
    body(memory.as<const float>(), first, images);
  }
}

void output(const SimdTable& table, Workspace* workspace, const ConvolutionArgs& args) {
  const PlaneLayout layout = PlaneLayout::of_windows(args);
  WindowProduct product;
  product.groups = args.groups;
  product.rows = args.group_outputs();
  product.offsets = window_offsets(args, layout);
  product.group_step = args.group_inputs() * layout.phases() * layout.plane();
  product.image_step = layout.image();
  product.pixels = args.places;
  product.pixel_steps = plane_steps(layout.extent);
  product.target_steps = plane_steps(args.places);
  product.target_row = args.output_plane();
  product.target_image = args.output_channels * args.output_plane();
  product.merge_pixels();
  const std::int64_t depth = product.depth();
  const auto* weight = static_cast<const float*>(args.weight);
  const WindowWeights weights(table, workspace, product,
                              [&](std::int64_t group, std::int64_t first, std::int64_t count,
                                  float* panel, std::int64_t width) {
                                transpose(table, panel, width,
                                          weight + (group * product.rows + first) * depth, depth,
                                          depth, count);
                              });
  auto* out = static_cast<float*>(args.output);
  for_each_plane(table, workspace, layout, static_cast<const float*>(args.input), args.batch,
                 [&](const float* planes, std::int64_t first, std::int64_t images) {
                   multiply_windows(table, workspace, product, weights, planes, images,
                                    out + first * product.target_image);
                 });
}

/// The elements of the input's gradient with one residue by the stride in each dimension: the taps
/// that reach them, and the product.
struct Phase {
  std::vector<std::int64_t> taps;
  WindowProduct product;
};

/// The planes of the output's gradient around which the input's gradient has windows.
PlaneLayout gradient_planes(const ConvolutionArgs& args) {
  PlaneLayout layout;
  layout.source = args.places;
  layout.channels = args.output_channels;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t low = floor_div(args.before[i], args.stride[i]);
    const std::int64_t high = floor_div(args.before[i] + args.sizes[i] - 1, args.stride[i]);
    const std::int64_t reach = (args.kernel[i] - 1) * args.dilation[i] / args.stride[i];
    layout.first[i] = low - reach;
    layout.extent[i] = high - low + 1 + reach;
    layout.residues[i] = {0};
  }
  return layout;
}

Phase phase_of(const ConvolutionArgs& args, const PlaneLayout& layout, const Sizes& residue) {
  Phase phase;
  WindowProduct& product = phase.product;
  product.groups = args.groups;
  product.rows = args.group_inputs();
  product.group_step = args.group_outputs() * layout.plane();
  product.image_step = layout.image();
  product.target_row = args.input_plane();
  product.target_image = args.input_channels * args.input_plane();
  product.pixel_steps = plane_steps(layout.extent);
  const Sizes steps = plane_steps(args.sizes);
  Sizes first{};  // the place of the first pixel without a shift
  for (std::size_t i = 0; i < 3; ++i) {
    // Element u of the padded input is u = q * stride + residue.
    const std::int64_t low = -floor_div(residue[i] - args.before[i], args.stride[i]);
    const std::int64_t high =
        floor_div(args.before[i] + args.sizes[i] - 1 - residue[i], args.stride[i]);
    product.pixels[i] = std::max<std::int64_t>(0, high - low + 1);
    product.target_steps[i] = steps[i] * args.stride[i];
    product.target_origin += (low * args.stride[i] + residue[i] - args.before[i]) * steps[i];
    first[i] = low - layout.first[i];
  }
  std::vector<std::int64_t> offsets;
  for (std::int64_t tap = 0; tap < args.taps(); ++tap) {
    const Sizes place = place_of_tap(args, tap);
    bool reaches = true;
    Sizes position{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t reach = place[i] * args.dilation[i];
      reaches = reaches && reach % args.stride[i] == residue[i];
      position[i] = first[i] - reach / args.stride[i];
    }
    if (!reaches) continue;
    phase.taps.push_back(tap);
    offsets.push_back(layout.at(position));
  }
  product.offsets = offsets_of(offsets, args.group_outputs(), layout.plane());
  product.merge_pixels();
  return phase;
}

/// Row r of a panel is the input channel first + r, its depth goes over the output channels and the
/// phase's taps.
void fill_transposed(const SimdTable& table, const ConvolutionArgs& args, const Phase& phase,
                     std::int64_t group, std::int64_t first, std::int64_t count, float* panel,
                     std::int64_t width) {
  const std::int64_t taps = args.taps(), inputs = args.group_inputs();
  const bool all = static_cast<std::int64_t>(phase.taps.size()) == taps;
  for (std::int64_t o = 0; o < args.group_outputs(); ++o) {
    const float* from = static_cast<const float*>(args.weight) +
                        ((group * args.group_outputs() + o) * inputs + first) * taps;
    if (all && taps > 1) {
      table.transpose[4](panel, width, from, taps, taps, count);
      panel += taps * width;
      continue;
    }
    for (const std::int64_t tap : phase.taps) {
      for (std::int64_t r = 0; r < count; ++r) panel[r] = from[r * taps + tap];
      panel += width;
    }
  }
}

std::vector<Phase> phases_of(const ConvolutionArgs& args, const PlaneLayout& layout) {
  std::vector<Phase> phases;
  for (std::int64_t d = 0; d < args.stride[0]; ++d) {
    for (std::int64_t h = 0; h < args.stride[1]; ++h) {
      for (std::int64_t w = 0; w < args.stride[2]; ++w) {
        Phase phase = phase_of(args, layout, {d, h, w});
        if (phase.product.pixel_count() > 0) phases.push_back(std::move(phase));
      }
    }
  }
  return phases;
}

void input(const SimdTable& table, Workspace* workspace, const ConvolutionArgs& args) {
  const PlaneLayout layout = gradient_planes(args);
  const std::vector<Phase> phases = phases_of(args, layout);
  std::vector<std::unique_ptr<WindowWeights>> weights;
  for (const Phase& phase : phases) {
    weights.push_back(std::make_unique<WindowWeights>(
        table, workspace, phase.product,
        [&](std::int64_t group, std::int64_t first, std::int64_t count, float* panel,
            std::int64_t width) {
          fill_transposed(table, args, phase, group, first, count, panel, width);
        }));
  }
  auto* out = static_cast<float*>(args.input);
  for_each_plane(table, workspace, layout, static_cast<const float*>(args.output), args.batch,
                 [&](const float* planes, std::int64_t first, std::int64_t images) {
                   for (std::size_t i = 0; i < phases.size(); ++i) {
                     const WindowProduct& product = phases[i].product;
                     multiply_windows(table, workspace, product, *weights[i], planes, images,
                                      out + first * product.target_image);
                   }
                 });
}

/// The weight's gradient: for each tap and input channel the sum over the pixels of the input there
/// times the row of the output's gradient.
class WeightSums {
 public:
  WeightSums(const SimdTable& table, Workspace* workspace, const ConvolutionArgs& args)
      : table_(table),
        workspace_(workspace),
        args_(args),
        layout_(PlaneLayout::of_windows(args)),
        offsets_(window_offsets(args, layout_)),
        depth_(static_cast<std::int64_t>(offsets_.size())),
        blocks_(ceil_div(depth_, std::int64_t{kTapsAtOnce})),
        columns_(round_up(args.group_outputs(), table.windows.lanes)),
        sums_(workspace, float_bytes(args.groups * blocks_ * kTapsAtOnce * columns_)) {
    offsets_.resize(static_cast<std::size_t>(blocks_ * kTapsAtOnce), offsets_[0]);
    for (std::int64_t d = 0; d < args.places[0]; ++d) {
      for (std::int64_t h = 0; h < args.places[1]; ++h) lines_.push_back(layout_.at({d, h, 0}));
    }
  }

  void run() {
    std::fill_n(sums_.as<float>(), args_.groups * blocks_ * kTapsAtOnce * columns_, 0.0F);
    const std::int64_t most = images_at_once(args_.batch, layout_.image());
    const Scratch rows(workspace_,
                       float_bytes(most * args_.groups * args_.output_plane() * columns_));
    for_each_plane(table_, workspace_, layout_, static_cast<const float*>(args_.input), args_.batch,
                   [&](const float* planes, std::int64_t first, std::int64_t images) {
                     transpose_gradient(first, images, rows.as<float>());
                     add_images(planes, rows.as<float>(), images);
                   });
    write();
  }

 private:
  /// The output's gradient as a row of channels a pixel, of each image and group.
  void transpose_gradient(std::int64_t first, std::int64_t images, float* rows) const {
    const std::int64_t plane = args_.output_plane(), outs = args_.group_outputs();
    const float* gradient =
        static_cast<const float*>(args_.output) + first * args_.output_channels * plane;
    parallel_for(images * args_.groups, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        float* out = rows + i * plane * columns_;
        if (outs < columns_) std::fill_n(out, plane * columns_, 0.0F);
        transpose(table_, out, columns_, gradient + i * outs * plane, plane, plane, outs);
      }
    });
  }

  void add_images(const float* planes, const float* rows, std::int64_t images) const {
    const std::int64_t lines = static_cast<std::int64_t>(lines_.size());
    const std::int64_t line_bytes = 4 * args_.places[2] * columns_;
    const std::int64_t at_once = std::clamp<std::int64_t>(kGradientBytes / line_bytes, 1, lines);
    parallel_for(args_.groups * blocks_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t image = 0; image < images; ++image) {
        for (std::int64_t line = 0; line < lines; line += at_once) {
          for (std::int64_t i = begin; i < end; ++i)
            add_lines(i, planes, rows, image, line, std::min(at_once, lines - line));
        }
      }
    });
  }

  void add_lines(std::int64_t i, const float* planes, const float* rows, std::int64_t image,
                 std::int64_t line, std::int64_t lines) const {
    const std::int64_t group = i / blocks_, block = i % blocks_;
    TapSums call;
    call.planes = planes + image * layout_.image() +
                  group * args_.group_inputs() * layout_.phases() * layout_.plane();
    call.offsets = offsets_.data() + block * kTapsAtOnce;
    call.line_offsets = lines_.data() + line;
    call.lines = lines;
    call.count = args_.places[2];
    call.gradient =
        rows +
        ((image * args_.groups + group) * args_.output_plane() + line * args_.places[2]) * columns_;
    call.gradient_stride = columns_;
    call.columns = columns_;
    call.sums = sums_.as<float>() + i * kTapsAtOnce * columns_;
    call.sums_stride = columns_;
    table_.windows.tap_sums(call);
  }

  void write() const {
    auto* weight = static_cast<float*>(args_.weight);
    const std::int64_t outs = args_.group_outputs();
    for (std::int64_t group = 0; group < args_.groups; ++group) {
      const float* sums = sums_.as<float>() + group * blocks_ * kTapsAtOnce * columns_;
      transpose(table_, weight + group * outs * depth_, depth_, sums, columns_, outs, depth_);
    }
  }

  const SimdTable& table_;
  Workspace* workspace_;
  const ConvolutionArgs& args_;
  PlaneLayout layout_;
  std::vector<std::int64_t> offsets_;
  std::int64_t depth_, blocks_, columns_;
  Scratch sums_;
  std::vector<std::int64_t> lines_;
};

/// Half types are computed in float32 and rounded once.
void widened(CpuOps& ops, Workspace* workspace, const ConvolutionArgs& args) {
  const std::int64_t inputs = args.batch * args.input_channels * args.input_plane();
  const std::int64_t weights = args.output_channels * args.group_inputs() * args.taps();
  const std::int64_t outputs = args.batch * args.output_channels * args.output_plane();
  const Scratch input(workspace, float_bytes(inputs)), weight(workspace, float_bytes(weights)),
      output(workspace, float_bytes(outputs));
  const auto convert = [&](void* to, DType to_dtype, void* from, DType from_dtype,
                           std::int64_t count) {
    ops.copy({Shape{count}, {to, to_dtype, Strides{1}}, {from, from_dtype, Strides{1}}},
             StreamRef{});
  };
  ConvolutionArgs wide = args;
  wide.dtype = DType::kFloat32;
  const auto operand = [&](ConvolutionPart part, void*& wide_data, void* data,
                           const Scratch& scratch, std::int64_t count) {
    wide_data = scratch.as<void>();
    if (args.part != part) convert(wide_data, wide.dtype, data, args.dtype, count);
  };
  operand(ConvolutionPart::kInput, wide.input, args.input, input, inputs);
  operand(ConvolutionPart::kWeight, wide.weight, args.weight, weight, weights);
  operand(ConvolutionPart::kOutput, wide.output, args.output, output, outputs);
  ops.convolution(wide, StreamRef{});
  switch (args.part) {
    case ConvolutionPart::kOutput:
      return convert(args.output, args.dtype, wide.output, wide.dtype, outputs);
    case ConvolutionPart::kInput:
      return convert(args.input, args.dtype, wide.input, wide.dtype, inputs);
    case ConvolutionPart::kWeight:
      return convert(args.weight, args.dtype, wide.weight, wide.dtype, weights);
  }
}

}  // namespace
}  // namespace cpu_convolution

void CpuOps::convolution(const ConvolutionArgs& args, StreamRef stream) {
  if (is_half(args.dtype)) return cpu_convolution::widened(*this, workspace_, args);
  const bool product = args.is_pointwise() && args.part != ConvolutionPart::kWeight;
  if (args.dtype != DType::kFloat32 || product) return DeviceOps::convolution(args, stream);
  switch (args.part) {
    case ConvolutionPart::kOutput:
      return cpu_convolution::output(table_, workspace_, args);
    case ConvolutionPart::kInput:
      return cpu_convolution::input(table_, workspace_, args);
    case ConvolutionPart::kWeight:
      return cpu_convolution::WeightSums(table_, workspace_, args).run();
  }
}

}  // namespace gpukit::cpu
