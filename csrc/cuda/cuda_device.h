// The cards that the driver shows, and what they say of themselves. No context is needed or made.
#pragma once

#include <string>

#include "backend/device_properties.h"
#include "driver/fn_table.h"

namespace gpukit::cuda {

int count_devices(const driver::DriverTable& table);

/// Everything the driver reports for device `index`. Values unknown to an older driver stay 0.
DeviceProperties read_properties(const driver::DriverTable& table, int index);

}  // namespace gpukit::cuda
