// GPUKIT_CHECK(condition, ExceptionType, message parts…): the message is built only when the check
// fails.
#pragma once

#include <initializer_list>
#include <ostream>
#include <sstream>
#include <string>

namespace gpukit {

/// An argument of concat: where it is, and how it is written. Messages have hundreds of
/// combinations of types; with their parts behind pointers one function joins them all.
class TextPart {
 public:
  TextPart(const char* text) : value_(text), write_(write_text) {}
  /// std::hex and the like.
  TextPart(std::ios_base& (*manipulator)(std::ios_base&))
      : value_(reinterpret_cast<const void*>(manipulator)), write_(apply) {}
  template <class T>
  TextPart(const T& value) : value_(&value), write_(write_value<T>) {}

  void write(std::ostream& out) const { write_(out, value_); }

 private:
  static void write_text(std::ostream& out, const void* text) {
    out << static_cast<const char*>(text);
  }
  static void apply(std::ostream& out, const void* manipulator) {
    out << reinterpret_cast<std::ios_base& (*)(std::ios_base&)>(const_cast<void*>(manipulator));
  }
  template <class T>
  static void write_value(std::ostream& out, const void* value) {
    out << *static_cast<const T*>(value);
  }

  const void* value_;
  void (*write_)(std::ostream& out, const void* value);
};

[[gnu::noinline]] inline std::string concat_parts(std::initializer_list<TextPart> parts) {
  std::ostringstream out;
  for (const TextPart& part : parts) part.write(out);
  return out.str();
}

/// Joins its arguments with operator<<.
template <class... Parts>
[[gnu::always_inline]] inline std::string concat(const Parts&... parts) {
  return concat_parts({TextPart(parts)...});
}

}  // namespace gpukit

#define GPUKIT_CHECK(condition, ExceptionType, ...)       \
  do {                                                    \
    if (!(condition)) [[unlikely]] {                      \
      throw ExceptionType(::gpukit::concat(__VA_ARGS__)); \
    }                                                     \
  } while (false)
