#include "cpu/window_product.h"

#include <algorithm>

#include "base/numeric.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace window_product {
namespace {

constexpr std::int64_t kDepth = 192;          ///< of a packed tile
constexpr std::int64_t kMostTiles = 4;        ///< that share a read of the weights
constexpr std::int64_t kSlots = 4;            ///< parts of the work for each thread
constexpr std::int64_t kFewRows = 16;         ///< up to which packing costs more than it gains
constexpr std::int64_t kWorkGrain = 1 << 17;  ///< multiply-adds worth a thread

/// Packed: tiles of pixels times panels of weights.
class Tiles {
 public:
  Tiles(const SimdTable& table, Workspace* workspace, const WindowProduct& product,
        const WindowWeights& weights, const float* planes, std::int64_t images, float* out)
      : table_(table),
        workspace_(workspace),
        product_(product),
        weights_(weights),
        planes_(planes),
        out_(out),
        columns_(table.gemm_shape_f32.columns),
        pixels_(images * product.pixel_count()) {}

  void run() const {
    const std::int64_t tiles = ceil_div(pixels_, columns_), threads = available_threads();
    const std::int64_t units = std::min(tiles, round_up(ceil_div(tiles, kMostTiles), threads));
    const std::int64_t all = product_.groups * units;
    const std::int64_t work = all * product_.rows * product_.depth() * columns_;
    const std::int64_t slots =
        std::clamp<std::int64_t>(work / kWorkGrain, 1, std::min(all, kSlots * threads));
    const Sizes sizes(*this, ceil_div(tiles, units));
    const Scratch memory(workspace_, static_cast<std::size_t>(slots * sizes.all()) * sizeof(float));
    parallel_for(slots, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t slot = begin; slot < end; ++slot) {
        Buffers buffers(sizes, memory.as<float>() + slot * sizes.all());
        for (std::int64_t i = all * slot / slots; i < all * (slot + 1) / slots; ++i) {
          const std::int64_t unit = i % units;
          some_tiles(buffers, i / units, tiles * unit / units, tiles * (unit + 1) / units);
        }
      }
    });
  }

 private:
  std::int64_t padded_rows() const { return weights_.panels() * weights_.width(); }

  /// In floats, of the buffers of one thread.
  struct Sizes {
    Sizes(const Tiles& owner, std::int64_t most_tiles)
        : tiles(most_tiles),
          depth(std::min(kDepth, owner.product_.depth())),
          packed(depth * owner.columns_),
          results(owner.padded_rows() * owner.columns_) {}
    /// A multiple of a line of the caches.
    std::int64_t all() const {
      return round_up(tiles * results + packed + PlaneLayout::kSpare, 16);
    }

    std::int64_t tiles, depth, packed, results;
  };
  struct Buffers {
    Buffers(const Sizes& of, float* memory)
        : sizes(of),
          results(memory),
          packed(memory + of.tiles * of.results),
          runs(static_cast<std::size_t>(of.tiles)) {}

    const Sizes& sizes;
    float *results, *packed;
    std::vector<std::vector<WindowRun>> runs;
  };

  void some_tiles(Buffers& buffers, std::int64_t group, std::int64_t begin,
                  std::int64_t end) const {
    const std::int64_t tiles = end - begin;
    for (std::int64_t t = 0; t < tiles; ++t)
      find_runs(begin + t, buffers.runs[static_cast<std::size_t>(t)]);
    std::fill_n(buffers.results, tiles * buffers.sizes.results, 0.0F);
    for (std::int64_t p = 0; p < product_.depth(); p += buffers.sizes.depth)
      add_depth(buffers, group, tiles, p, std::min(buffers.sizes.depth, product_.depth() - p));
    float* out = out_ + group * product_.rows * product_.target_row;
    for (std::int64_t t = 0; t < tiles; ++t) {
      const auto& runs = buffers.runs[static_cast<std::size_t>(t)];
      table_.windows.scatter(out, product_.target_row, product_.target_steps[2],
                             buffers.results + t * buffers.sizes.results, columns_, product_.rows,
                             runs.data(), static_cast<std::int64_t>(runs.size()));
    }
  }

  void add_depth(Buffers& buffers, std::int64_t group, std::int64_t tiles, std::int64_t first,
                 std::int64_t depth) const {
    const float* planes = planes_ + group * product_.group_step;
    const std::int64_t width = weights_.width();
    for (std::int64_t t = 0; t < tiles; ++t) {
      const auto& runs = buffers.runs[static_cast<std::size_t>(t)];
      float* results = buffers.results + t * buffers.sizes.results;
      table_.windows.gather(buffers.packed, columns_, planes, product_.offsets.data() + first,
                            depth, runs.data(), static_cast<std::int64_t>(runs.size()));
      for (std::int64_t i = 0; i < weights_.panels(); ++i)
        table_.gemm_f32(depth, weights_.panel(group, i) + first * width, buffers.packed,
                        results + i * width * columns_, columns_, width, columns_);
    }
  }

  /// The pixels of a tile in runs that are neighbours in the planes and in the result.
  void find_runs(std::int64_t tile, std::vector<WindowRun>& runs) const {
    runs.clear();
    const auto& [depth, height, width] = product_.pixels;
    const std::int64_t first = tile * columns_, end = std::min(first + columns_, pixels_);
    for (std::int64_t pixel = first; pixel < end;) {
      const std::int64_t w = pixel % width, h = pixel / width % height;
      const std::int64_t d = pixel / (width * height) % depth;
      const std::int64_t image = pixel / (width * height * depth);
      const std::int64_t length = std::min(width - w, end - pixel);
      const auto place = [&](const WindowProduct::Sizes& steps) {
        return d * steps[0] + h * steps[1] + w * steps[2];
      };
      runs.push_back(
          {pixel - first,
           product_.origin + image * product_.image_step + place(product_.pixel_steps),
           product_.target_origin + image * product_.target_image + place(product_.target_steps),
           length});
      pixel += length;
    }
  }

  const SimdTable& table_;
  Workspace* workspace_;
  const WindowProduct& product_;
  const WindowWeights& weights_;
  const float* planes_;
  float* out_;
  std::int64_t columns_, pixels_;
};

/// Line by line of the result, a few rows at a time, from the planes as they are.
class Lines {
 public:
  Lines(const SimdTable& table, const WindowProduct& product, const WindowWeights& weights,
        const float* planes, std::int64_t images, float* out)
      : table_(table),
        product_(product),
        weights_(weights),
        planes_(planes),
        images_(images),
        out_(out),
        lines_(product.pixels[0] * product.pixels[1]) {}

  void run() const {
    const std::int64_t work = product_.rows * product_.depth() * product_.pixels[2];
    const std::int64_t grain =
        std::max<std::int64_t>(1, kWorkGrain / std::max<std::int64_t>(1, work));
    parallel_for(images_ * product_.groups * lines_, grain,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::vector<float> apart(product_.target_steps[2] == 1 ? 0 : line_size());
                   for (std::int64_t i = begin; i < end; ++i) line(i, apart.data());
                 });
  }

 private:
  std::size_t line_size() const {
    return static_cast<std::size_t>(weights_.width() * product_.pixels[2]);
  }

  void line(std::int64_t i, float* apart) const {
    const std::int64_t image = i / (product_.groups * lines_), group = i / lines_ % product_.groups;
    const std::int64_t d = i % lines_ / product_.pixels[1], h = i % product_.pixels[1];
    const bool adjacent = product_.target_steps[2] == 1;
    WindowLine line;
    line.planes = planes_ + image * product_.image_step + group * product_.group_step +
                  product_.origin + d * product_.pixel_steps[0] + h * product_.pixel_steps[1];
    line.offsets = product_.offsets.data();
    line.depth = product_.depth();
    line.weight_stride = weights_.width();
    line.out_stride = adjacent ? product_.target_row : product_.pixels[2];
    line.count = product_.pixels[2];
    float* target = out_ + image * product_.target_image + product_.target_origin +
                    group * product_.rows * product_.target_row + d * product_.target_steps[0] +
                    h * product_.target_steps[1];
    const WindowRun run{0, 0, 0, line.count};
    for (std::int64_t panel = 0; panel < weights_.panels(); ++panel) {
      line.weights = weights_.panel(group, panel);
      line.out = adjacent ? target : apart;
      line.rows = std::min(weights_.width(), product_.rows - panel * weights_.width());
      table_.windows.line(line);
      if (!adjacent)
        table_.windows.scatter(target, product_.target_row, product_.target_steps[2], apart,
                               line.count, line.rows, &run, 1);
      target += weights_.width() * product_.target_row;
    }
  }

  const SimdTable& table_;
  const WindowProduct& product_;
  const WindowWeights& weights_;
  const float* planes_;
  std::int64_t images_;
  float* out_;
  std::int64_t lines_;
};

}  // namespace
}  // namespace window_product

void WindowProduct::merge_pixels() noexcept {
  for (std::size_t i = 2; i > 0; --i) {
    const bool adjacent = pixel_steps[i - 1] == pixels[2] * pixel_steps[2] &&
                          target_steps[i - 1] == pixels[2] * target_steps[2];
    if (pixels[i - 1] != 1 && !adjacent) return;
    pixels[2] *= pixels[i - 1];
    pixels[i - 1] = 1;
  }
}

bool WindowWeights::reads_lines(const SimdTable& table, const WindowProduct& product) noexcept {
  if (product.rows < table.gemm_shape_f32.rows / 3) return true;
  return product.rows <= window_product::kFewRows && 2 * product.pixels[2] >= table.windows.lanes;
}

void WindowWeights::run_over_panels(const WindowProduct& product, FillPanel fill,
                                    const void* context) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, (1 << 14) / std::max<std::int64_t>(1, panel_size_));
  parallel_for(product.groups * panels_, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t group = i / panels_, first = i % panels_ * width_;
      const std::int64_t count = std::min(width_, product.rows - first);
      float* panel = memory_.as<float>() + i * panel_size_;
      if (count < width_) std::fill_n(panel, panel_size_, 0.0F);
      fill(context, group, first, count, panel);
    }
  });
}

void multiply_windows(const SimdTable& table, Workspace* workspace, const WindowProduct& product,
                      const WindowWeights& weights, const float* planes, std::int64_t images,
                      float* out) {
  if (product.pixel_count() == 0) return;
  if (weights.lines()) {
    window_product::Lines(table, product, weights, planes, images, out).run();
  } else {
    window_product::Tiles(table, workspace, product, weights, planes, images, out).run();
  }
}

}  // namespace gpukit::cpu
