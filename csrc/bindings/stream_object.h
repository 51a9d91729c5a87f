// Streams and events as Python holds them.
#pragma once

#include <memory>

#include "backend/session.h"
#include "bindings/arguments.h"
#include "bindings/bound_class.h"
#include "tensor/live_counts.h"

namespace gpukit::bindings {

/// A stream of one device; keeps the session alive. Streams that gpukit made go back to a pool.
struct StreamObject {
  std::shared_ptr<Session> session;
  OpenDevice* device = nullptr;
  StreamRef ref;
  int priority = 0;
  bool from_pool = false;
  live::Counted<live::streams> counted;

  StreamObject() = default;
  StreamObject(const StreamObject&) = delete;
  StreamObject& operator=(const StreamObject&) = delete;
  ~StreamObject();
};

template <>
inline constexpr bool is_bound_class<StreamObject> = true;

/// Throws TypeError for what is no Stream.
StreamRef stream_of_object(Argument argument, PyObject* object);

}  // namespace gpukit::bindings
