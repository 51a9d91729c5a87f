// CHECK for the C++ tests: each test is a program that returns 0 when all checks held.
#pragma once

#include <cstdio>
#include <cstdlib>

// Ends the program at the first failure: later checks would rest on a broken state.
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

#define CHECK_THROWS(Exception, ...)                                                  \
  do {                                                                                \
    bool thrown = false;                                                              \
    try {                                                                             \
      __VA_ARGS__;                                                                    \
    } catch (const Exception&) {                                                      \
      thrown = true;                                                                  \
    }                                                                                 \
    if (!thrown) {                                                                    \
      std::fprintf(stderr, "%s:%d: no %s from: %s\n", __FILE__, __LINE__, #Exception, \
                   #__VA_ARGS__);                                                     \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (false)
