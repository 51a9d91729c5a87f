#include "ptx/launch.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>

namespace gpukit::ptx {

namespace {

// Number of warp instructions between checks of the limit and the end of the simulation.
constexpr std::int64_t kStep = 1 << 18;
// ... and after which another block has its turn, in case that one waits for it.
constexpr unsigned kStepsOfTurn = 64;
// Blocks of cooperative launches read the counter of their barrier until all have arrived.
constexpr std::int64_t kCooperativeStep = 1 << 10;
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{512} << 20;

class GridRun {
 public:
  explicit GridRun(const LaunchRequest& request)
      : request_(request), checks_(grid_, request.checks) {
    if (request.counts) grid_.counter = &counter_.emplace(*request.kernel);
    static std::atomic<std::uint64_t> launches = 0;
    grid_.kernel = request.kernel;
    grid_.grid = request.grid;
    grid_.block = request.block;
    grid_.dynamic_shared_bytes = request.dynamic_shared_bytes;
    grid_.parameters = request.parameters.data();
    grid_.memory = request.memory;
    grid_.workspace = request.grid_workspace;
    grid_.multiprocessors = std::max(1u, request.multiprocessors);
    grid_.warps_per_multiprocessor = request.warps_per_multiprocessor;
    grid_.number = ++launches;
    grid_.print = request.print;
    grid_.program = request.program;
    if (request.checks.any()) grid_.checks = &checks_;
  }

  LaunchOutcome run() {
    LaunchOutcome outcome;
    try {
      run_blocks();
    } catch (const Fault& fault) {
      outcome.fault = fault.kind;
      outcome.message = describe(fault);
    }
    if (!grid_.output.empty() && request_.print != nullptr) request_.print(grid_.output);
    outcome.instructions = grid_.instructions;
    if (counter_) outcome.counts = counter_->result();
    return outcome;
  }

 private:
  void run_blocks() {
    const std::uint64_t count = request_.grid.count();
    while (started_ < count || !waiting_.empty()) {
      check();
      // A block that is not done after its turn may wait for one that has not started.
      const bool starts = started_ < count && (waiting_.empty() || may_start_);
      if (starts) start(started_++);
      turn();
    }
  }

  void start(std::uint64_t number) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Block>(grid_));
    waiting_.push_front(std::move(spare_.back()));
    spare_.pop_back();
    running_ = waiting_.front().get();
    running_->start(number);
  }

  void turn() {
    running_ = waiting_.front().get();
    const bool cooperates = request_.grid_workspace != 0;
    const unsigned steps = cooperates || request_.kernel->waits_for_grid ? 1 : kStepsOfTurn;
    for (unsigned i = 0; i < steps && !running_->is_done(); i++) {
      check();
      running_->run(cooperates ? kCooperativeStep : kStep);
    }
    std::unique_ptr<Block> block = std::move(waiting_.front());
    waiting_.pop_front();
    may_start_ = !block->is_done() && waiting_.size() + 1 < request_.resident_blocks &&
                 (waiting_.size() + 2) * block->footprint() < kMostBlockBytes;
    if (block->is_done()) return spare_.push_back(std::move(block));
    waiting_.push_back(std::move(block));
    if (started_ == request_.grid.count() || !may_start_) report_if_all_wait();
  }

  /// Of blocks that wait for the whole grid, where it can never come: some have ended, or do not
  /// fit beside them.
  void report_if_all_wait() const {
    for (const auto& block : waiting_) {
      if (!block->waits_for_others()) return;
    }
    throw Fault{FaultKind::kStuck,
                "the barrier of the grid is reached by " + std::to_string(grid_.waiting_blocks) +
                    " of " + std::to_string(request_.grid.count()) + " blocks",
                0};
  }

  void check() {
    if (request_.cancelled != nullptr && request_.cancelled->load(std::memory_order_relaxed))
      throw Fault{FaultKind::kCancelled, "the simulation ended", 0};
    if (request_.limit != 0 && grid_.instructions > request_.limit)
      throw Fault{FaultKind::kLimit,
                  "the kernel has run " + std::to_string(grid_.instructions) +
                      " instructions of warps, more than the limit of " +
                      std::to_string(request_.limit),
                  0};
    if (request_.progress != nullptr && grid_.instructions >= look_at_clock_) report_progress();
  }

  void report_progress() {
    look_at_clock_ = grid_.instructions + static_cast<std::uint64_t>(kStep);
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - began_;
    if (tell_after_ <= 0 || past.count() < tell_after_) return;
    tell_after_ = 2 * past.count();
    const std::uint64_t done = started_ - std::min<std::uint64_t>(started_, waiting_.size());
    request_.progress({request_.kernel, past.count(), done, request_.grid.count()});
  }

  std::string describe(const Fault& fault) const {
    const std::string text = "kernel " + request_.kernel->name;
    if (running_ == nullptr || !has_warp(fault)) return text + ": " + fault.what;
    const Warp& warp = running_->running();
    const bool elsewhere = fault.thread != Fault::kOfTheWarp;
    const std::uint32_t thread = elsewhere ? fault.thread : warp.index() * kLanes + fault.lane;
    return text + ", block " + request_.grid.index_text(running_->number()) + ", thread " +
           request_.block.index_text(thread) + ", " +
           grid_.line_of(elsewhere ? fault.pc : warp.pc) + ": " + fault.what;
  }

  static bool has_warp(const Fault& fault) {
    return fault.kind != FaultKind::kCancelled && fault.kind != FaultKind::kLimit;
  }

  const LaunchRequest& request_;
  Grid grid_;
  GridChecks checks_;
  std::optional<LaunchCounter> counter_;
  std::deque<std::unique_ptr<Block>> waiting_;
  std::vector<std::unique_ptr<Block>> spare_;
  Block* running_ = nullptr;
  std::uint64_t started_ = 0;
  bool may_start_ = false;
  // The clock is read once per this many instructions, not once per block.
  std::uint64_t look_at_clock_ = kStep;
  double tell_after_ = request_.progress_seconds;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

LaunchOutcome run(const LaunchRequest& request) { return GridRun(request).run(); }

}  // namespace gpukit::ptx
