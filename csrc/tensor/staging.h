// Copies between pageable host memory and a GPU through the device's staging slots.
#pragma once

#include <cstddef>

#include "backend/session.h"

namespace gpukit {

/// Several threads copy where that is worth it.
void copy_on_host(void* target, const void* source, std::size_t bytes);

/// Queues the copy; the source has been read when it returns. May wait for a slot; Ctrl-C comes
/// through.
void upload_pageable(OpenDevice& device, void* target, const void* source, std::size_t bytes,
                     StreamRef stream);

/// Waits for the work queued before and for the copy; Ctrl-C comes through.
void download_pageable(OpenDevice& device, void* target, const void* source, std::size_t bytes,
                       StreamRef stream);

}  // namespace gpukit
