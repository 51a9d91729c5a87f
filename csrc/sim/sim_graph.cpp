#include "sim/sim_graph.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/sim_device.h"

namespace gpukit::sim {

namespace sim_graph {
namespace {

void merge(Covered& into, const Covered& from) {
  for (const auto& [stream, number] : from) {
    std::uint64_t& known = into[stream];
    known = std::max(known, number);
  }
}

}  // namespace
}  // namespace sim_graph

CUstreamCaptureMode& thread_capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

bool SimGraphExec::has_shape_of(const SimGraph& graph) const {
  return std::equal(nodes.begin(), nodes.end(), graph.nodes.begin(), graph.nodes.end(),
                    [](const Work& a, const Work& b) {
                      return std::string_view(a.cost.what) == b.cost.what &&
                             a.is_kernel == b.is_kernel;
                    });
}

CUresult Captures::begin(SimStream& stream, CUstreamCaptureMode mode) {
  const std::lock_guard lock(mutex_);
  if (members_.contains(&stream)) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->origin = &stream;
  capture->id = ++begun_;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->graph = std::make_shared<SimGraph>(stream.device());
  members_[&stream].capture = std::move(capture);
  active_++;
  return CUDA_SUCCESS;
}

CUresult Captures::end(const SimStream& stream, std::shared_ptr<SimGraph>& graph) {
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  if (member == members_.end()) return CUDA_ERROR_ILLEGAL_STATE;
  const std::shared_ptr<Capture> capture = member->second.capture;
  if (capture->origin != &stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  bool unjoined = false;
  for (auto& [other, state] : members_) {
    if (state.capture != capture || other == &stream) continue;
    unjoined = unjoined || member->second.covered[other] < state.last;
  }
  leave(*capture);
  if (capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (unjoined) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  graph = capture->graph;
  return CUDA_SUCCESS;
}

void Captures::leave(const Capture& capture) {
  std::erase_if(members_,
                [&](const auto& entry) { return entry.second.capture.get() == &capture; });
  active_--;
}

CUstreamCaptureStatus Captures::status(const SimStream& stream) {
  if (none()) return CU_STREAM_CAPTURE_STATUS_NONE;
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  if (member == members_.end()) return CU_STREAM_CAPTURE_STATUS_NONE;
  return member->second.capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                             : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

std::uint64_t Captures::id(const SimStream& stream) {
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  return member == members_.end() ? 0 : member->second.capture->id;
}

std::shared_ptr<SimGraph> Captures::graph(const SimStream& stream) {
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  return member == members_.end() ? nullptr : member->second.capture->graph;
}

void Captures::forget(const SimStream& stream) {
  if (none()) return;
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  if (member == members_.end()) return;
  const std::shared_ptr<Capture> capture = member->second.capture;
  capture->invalidated = true;
  if (capture->origin == &stream)
    leave(*capture);
  else
    members_.erase(member);
}

bool Captures::take(const SimStream& stream, Work& work) {
  if (none()) return false;
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  if (member == members_.end()) return false;
  Capture& capture = *member->second.capture;
  member->second.last = ++capture.count;
  if (!capture.invalidated) capture.graph->nodes.push_back(std::move(work));
  return true;
}

std::shared_ptr<CaptureMark> Captures::mark(const SimStream& stream) {
  if (none()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  if (member == members_.end()) return nullptr;
  auto mark = std::make_shared<CaptureMark>();
  mark->capture = member->second.capture;
  mark->covered = member->second.covered;
  mark->covered[&stream] = member->second.last;
  return mark;
}

CUresult Captures::wait(const SimStream& stream, const EventRecord& record, bool& taken) {
  taken = false;
  if (none() && record.capture_mark() == nullptr) return CUDA_SUCCESS;
  const std::lock_guard lock(mutex_);
  const auto member = members_.find(&stream);
  const CaptureMark* mark = record.capture_mark();
  const bool captured = member != members_.end();
  if (mark == nullptr) {
    if (!captured) return CUDA_SUCCESS;
    member->second.capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  taken = true;
  const bool still_open = std::any_of(members_.begin(), members_.end(), [&](const auto& entry) {
    return entry.second.capture == mark->capture;
  });
  if (!still_open) return CUDA_ERROR_CAPTURED_EVENT;
  if (captured && member->second.capture != mark->capture) {
    member->second.capture->invalidated = true;
    mark->capture->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  Member& joined = members_[&stream];
  joined.capture = mark->capture;
  sim_graph::merge(joined.covered, mark->covered);
  return CUDA_SUCCESS;
}

/// Invalidates each capture for which condition(stream, member) holds.
template <class Condition>
CUresult Captures::spoil_if(CUresult status, Condition condition) {
  if (none()) return CUDA_SUCCESS;
  const std::lock_guard lock(mutex_);
  CUresult result = CUDA_SUCCESS;
  for (auto& [stream, member] : members_) {
    if (!condition(*stream, member)) continue;
    member.capture->invalidated = true;
    result = status;
  }
  return result;
}

CUresult Captures::refuse_on(const SimStream& stream) {
  return spoil_if(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                  [&](const SimStream& member, const Member&) { return &member == &stream; });
}

CUresult Captures::refuse_on(const SimDevice& device) {
  return spoil_if(
      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
      [&](const SimStream& member, const Member&) { return &member.device() == &device; });
}

CUresult Captures::refuse_on(const EventRecord& record) {
  const CaptureMark* mark = record.capture_mark();
  if (mark == nullptr) return CUDA_SUCCESS;
  spoil_if(CUDA_ERROR_CAPTURED_EVENT,
           [&](const SimStream&, const Member& member) { return member.capture == mark->capture; });
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult Captures::refuse_implicit(const SimDevice& device) {
  return spoil_if(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, [&](const SimStream& member, const Member&) {
    return &member.device() == &device && member.is_blocking();
  });
}

CUresult Captures::refuse_unsafe() {
  const CUstreamCaptureMode mode = thread_capture_mode();
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  const auto me = std::this_thread::get_id();
  return spoil_if(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, [&](const SimStream&, const Member& m) {
    if (m.capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
    if (m.capture->thread == me) return true;
    return mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
           m.capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
  });
}

}  // namespace gpukit::sim
