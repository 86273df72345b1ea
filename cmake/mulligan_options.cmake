# Compiler settings for everything built here, including generated code.
# Warnings are for our code only (mulligan_targets.cmake).

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# Line tables are enough for backtraces; full debug data doubles link times.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

# GCC 12 copies strings of bounded size with `rep movsq`, whose startup costs
# more than copying a short text: 5% of Decide.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL
                                            "x86_64")
  add_compile_options(-mmemcpy-strategy=libcall:-1:noalign
                      -mmemset-strategy=libcall:-1:noalign)
endif()

find_program(MULLIGAN_CCACHE ccache)
mark_as_advanced(MULLIGAN_CCACHE)
if(MULLIGAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${PROJECT_SOURCE_DIR}/cmake/ccache_launcher" "${MULLIGAN_CCACHE}")
  if(MULLIGAN_PRECOMPILE_HEADERS)
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endif()

if(MULLIGAN_HARDEN)
  add_compile_options(
    -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection
    -fno-plt -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
  add_link_options(-Wl,-z,relro,-z,now)
else()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

if(MULLIGAN_SANITIZE)
  if(MULLIGAN_USE_MIMALLOC)
    message(FATAL_ERROR "MULLIGAN_USE_MIMALLOC hides memory errors from "
                        "MULLIGAN_SANITIZE: switch one of them off")
  endif()
  add_compile_options(-fsanitize=${MULLIGAN_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MULLIGAN_SANITIZE})
  add_compile_definitions(MULLIGAN_INSTRUMENTED)
endif()

if(MULLIGAN_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MULLIGAN_BUILD_FUZZERS needs clang")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(MULLIGAN_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
