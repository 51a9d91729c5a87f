#include "cpu/convolution_planes.h"

#include <algorithm>

#include "base/numeric.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace convolution_planes {
namespace {

constexpr std::int64_t kElementGrain = 1 << 14;  ///< elements worth a thread

/// How many of the positions 0, 1 … of a plane are before the source's first element, and before
/// its end; `origin` is the element of position 0.
struct Inside {
  std::int64_t begin, end;
};
Inside inside(std::int64_t origin, std::int64_t step, std::int64_t size, std::int64_t extent) {
  const std::int64_t begin = origin < 0 ? ceil_div(-origin, step) : 0;
  const std::int64_t end = origin < size ? ceil_div(size - origin, step) : 0;
  return {std::min(begin, extent), std::clamp(end, std::min(begin, extent), extent)};
}

/// One phase of one channel.
struct Phase {
  const SimdTable& table;
  const PlaneLayout& layout;
  PlaneLayout::Sizes origin;

  void fill(const float* source, float* out) const {
    const auto& [depth, height, width] = layout.extent;
    for (std::int64_t d = 0; d < depth; ++d) {
      const std::int64_t from_d = origin[0] + d * layout.step[0];
      for (std::int64_t h = 0; h < height; ++h, out += width) {
        const std::int64_t from_h = origin[1] + h * layout.step[1];
        const bool exists =
            from_d >= 0 && from_d < layout.source[0] && from_h >= 0 && from_h < layout.source[1];
        if (exists) {
          line(source + (from_d * layout.source[1] + from_h) * layout.source[2], out);
        } else {
          std::fill_n(out, width, 0.0F);
        }
      }
    }
  }

  void line(const float* source, float* out) const {
    const std::int64_t step = layout.step[2];
    const Inside part = inside(origin[2], step, layout.source[2], layout.extent[2]);
    std::fill_n(out, part.begin, 0.0F);
    if (part.end > part.begin) {
      const float* from = source + origin[2] + part.begin * step;
      if (step == 1) {
        std::copy_n(from, part.end - part.begin, out + part.begin);
      } else {
        table.windows.take_every(out + part.begin, from, step, part.end - part.begin);
      }
    }
    std::fill(out + part.end, out + layout.extent[2], 0.0F);
  }
};

}  // namespace
}  // namespace convolution_planes

std::int64_t PlaneLayout::phases() const noexcept {
  return static_cast<std::int64_t>(residues[0].size() * residues[1].size() * residues[2].size());
}

std::int64_t PlaneLayout::plane() const noexcept {
  const std::int64_t elements = ConvolutionArgs::product(extent);
  // Planes at a distance of 4096 bytes would share a few lines of the caches.
  return elements % 256 == 0 ? elements + 16 : elements;
}

PlaneLayout::Sizes place_of_tap(const ConvolutionArgs& args, std::int64_t tap) noexcept {
  return {tap / (args.kernel[1] * args.kernel[2]), tap / args.kernel[2] % args.kernel[1],
          tap % args.kernel[2]};
}

PlaneLayout PlaneLayout::of_windows(const ConvolutionArgs& args) {
  PlaneLayout layout;
  layout.source = args.sizes;
  layout.step = args.stride;
  layout.channels = args.input_channels;
  for (std::size_t i = 0; i < 3; ++i) {
    layout.first[i] = -args.before[i];
    layout.extent[i] = args.places[i] + (args.kernel[i] - 1) * args.dilation[i] / args.stride[i];
    std::vector<std::int64_t>& residues = layout.residues[i];
    for (std::int64_t k = 0; k < args.kernel[i]; ++k)
      residues.push_back(k * args.dilation[i] % args.stride[i]);
    std::sort(residues.begin(), residues.end());
    residues.erase(std::unique(residues.begin(), residues.end()), residues.end());
  }
  return layout;
}

std::int64_t PlaneLayout::tap_offset(const ConvolutionArgs& args, std::int64_t tap) const noexcept {
  const Sizes place = place_of_tap(args, tap);
  Sizes shift{};
  std::int64_t phase = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t reach = place[i] * args.dilation[i];
    const auto& known = residues[i];
    const auto found = std::lower_bound(known.begin(), known.end(), reach % args.stride[i]);
    phase = phase * static_cast<std::int64_t>(known.size()) + (found - known.begin());
    shift[i] = reach / args.stride[i];
  }
  return phase * plane() + at(shift);
}

void fill_planes(const SimdTable& table, const PlaneLayout& layout, const float* source,
                 std::int64_t images, float* planes) {
  const std::int64_t size = ConvolutionArgs::product(layout.source), plane = layout.plane();
  const std::int64_t phases = layout.phases();
  const std::int64_t grain =
      std::max<std::int64_t>(1, convolution_planes::kElementGrain / (phases * plane));
  parallel_for(images * layout.channels, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t channel = begin; channel < end; ++channel) {
      float* out = planes + channel * phases * plane;
      for (const std::int64_t d : layout.residues[0]) {
        for (const std::int64_t h : layout.residues[1]) {
          for (const std::int64_t w : layout.residues[2]) {
            const convolution_planes::Phase phase{
                table, layout, {layout.first[0] + d, layout.first[1] + h, layout.first[2] + w}};
            phase.fill(source + channel * size, out);
            std::fill(out + ConvolutionArgs::product(layout.extent), out + plane, 0.0F);
            out += plane;
          }
        }
      }
    }
  });
  std::fill_n(planes + images * layout.image(), PlaneLayout::kSpare, 0.0F);
}

}  // namespace gpukit::cpu
