// `image_order ORDER STORED SIZE RESTORED`: restores images as the library does. Without RESTORED
// it tries a thousand damaged copies, which may only be refused or give other bytes.
#include "kernels/image_order.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

#include "check.h"

namespace {

using Bytes = std::vector<unsigned char>;

Bytes read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// In blocks of their exact sizes, so that a sanitizer sees what goes beyond them.
bool restore(gpukit::ImageOrder order, const Bytes& stored, std::size_t size,
             unsigned char* images) {
  const std::unique_ptr<unsigned char[]> exact(new unsigned char[stored.size()]);
  std::copy(stored.begin(), stored.end(), exact.get());
  return gpukit::restore_images(order, exact.get(), stored.size(), images, size);
}

void try_damaged(gpukit::ImageOrder order, const Bytes& stored, std::size_t size) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    Bytes damaged = stored;
    for (int change = 0; change <= round % 4; ++change)
      damaged[random() % damaged.size()] ^= static_cast<unsigned char>(1 + random() % 255);
    if (round % 3 == 0) damaged.resize(random() % damaged.size());
    const std::unique_ptr<unsigned char[]> images(new unsigned char[size]);
    restore(order, damaged, size, images.get());
  }
}

}  // namespace

int main(int count, char** arguments) {
  CHECK(count == 4 || count == 5);
  const auto order = static_cast<gpukit::ImageOrder>(std::atoi(arguments[1]));
  const Bytes stored = read_file(arguments[2]);
  const std::size_t size = std::strtoull(arguments[3], nullptr, 10);
  if (count == 4) {
    try_damaged(order, stored, size);
    return 0;
  }
  Bytes images(size);
  if (!restore(order, stored, size, images.data())) return 1;
  std::ofstream(arguments[4], std::ios::binary)
      .write(reinterpret_cast<const char*>(images.data()), static_cast<std::streamsize>(size));
  return 0;
}
