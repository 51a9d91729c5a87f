// A C++ library that is linked in, as releases do it, brings a demangler for the last message of
// std::terminate: 40 kB of a packed library. Each simulated library leaves the name mangled.
#include <cstddef>

extern "C" char* __cxa_demangle(const char*, char*, std::size_t*, int* status) {
  if (status != nullptr) *status = -2;  // not a name: the caller prints it as it is
  return nullptr;
}
