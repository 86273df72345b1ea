# Functions that declare targets:
#
#   add_mulligan_library(mulligan_policy SOURCES a.cc b.cc DEPS re2::re2
#                        PRIVATE_DEPS absl::strings)
#   add_mulligan_executable(mulligan SOURCES main.cc DEPS mulligan_client)
#   add_mulligan_test(policy_test SOURCES decide_test.cc DEPS mulligan_policy
#                     LABELS unit)
#   add_mulligan_script_test(e2e.drain COMMAND "${dir}/drain.sh" LABELS grpc)
#   add_mulligan_benchmark(policy_benchmark SOURCES x.cc DEPS mulligan_policy)
#   add_mulligan_fuzzer(report_fuzz SOURCES x.cc DEPS mulligan_policy
#                       CORPUS "${CMAKE_CURRENT_SOURCE_DIR}/corpus/report")
#
# Includes are written from the repository's root ("policy/decide.h"). Targets
# made here get the warnings; generated code does not use these functions and
# exposes its headers as SYSTEM.
#
# Labels: `unit` links no gRPC and runs under the thread sanitizer; `grpc` links
# gRPC; `slow` may take more than a few seconds; `structure` reads the sources.

# GCC 12 reports these in inlined std::string and protobuf code.
set(mulligan_gcc_false_alarms -Wno-array-bounds -Wno-restrict
                              -Wno-stringop-overflow -Wno-stringop-overread)

add_library(mulligan_warnings INTERFACE)
target_compile_options(
  mulligan_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
            -Wnon-virtual-dtor -Wold-style-cast
            "$<$<CXX_COMPILER_ID:GNU>:${mulligan_gcc_false_alarms}>"
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
            $<$<BOOL:${MULLIGAN_WARNINGS_AS_ERRORS}>:-Werror>)

# Link this to a server to replace malloc. The flag keeps the linker from
# dropping a library of which no symbol is used.
add_library(mulligan_allocator INTERFACE)
if(MULLIGAN_USE_MIMALLOC)
  target_link_libraries(
    mulligan_allocator INTERFACE -Wl,--push-state,--no-as-needed mimalloc
                                 -Wl,--pop-state)
endif()

# Link this to programs for scripts/lay-out, which needs relocations.
add_library(mulligan_relocations INTERFACE)
if(MULLIGAN_STATIC_GRPC AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_link_options(mulligan_relocations INTERFACE -Wl,--emit-relocs)
endif()

# Parsing generated message headers takes two seconds, gRPC's another two: most
# of the time of a clean build. Only headers that rarely change belong here.
# Sources still include what they use; the clang preset, without precompiling,
# checks that.
function(mulligan_precompile target)
  if(MULLIGAN_PRECOMPILE_HEADERS AND TARGET ${target})
    set(headers ${ARGN})
    list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

# Compiles a dozen sources of a folder at a time, so that they share includes
# and instances (a clean build takes a quarter of the time). By folder, so that
# a new file moves only its neighbours. The clang preset compiles every source
# alone and finds those that depend on a neighbour.
set(mulligan_unity_size 12)
function(mulligan_unite target)
  if(NOT MULLIGAN_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY
               "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR part "${count_${folder}} / ${mulligan_unity_size}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP
                                                       "${folder}_${part}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                                             UNITY_BUILD_MODE GROUP)
endfunction()

# For code outside the path of a decision, in a release build: -O1 takes three
# quarters of the compile time of -O2, -O0 less than half.
function(mulligan_optimise target level)
  set(flags ${level})
  if(level STREQUAL "-O0")
    list(APPEND flags -U_FORTIFY_SOURCE)
  endif()
  target_compile_options(${target}
                         PRIVATE "$<$<CONFIG:RelWithDebInfo>:${flags}>")
endfunction()

# Settings shared by every target of ours.
function(mulligan_target_defaults target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;PRIVATE_DEPS")
  mulligan_unite(${target})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(
    ${target}
    PUBLIC ${arg_DEPS}
    PRIVATE ${arg_PRIVATE_DEPS} $<BUILD_INTERFACE:mulligan_warnings>)
endfunction()

function(add_mulligan_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  add_library(${name} STATIC ${arg_SOURCES})
  mulligan_target_defaults(${name} DEPS ${arg_DEPS} PRIVATE_DEPS
                           ${arg_PRIVATE_DEPS})
endfunction()

function(add_mulligan_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  mulligan_target_defaults(${name} DEPS ${arg_DEPS})
endfunction()

# WORKING_DIRECTORY of every test is the repository's root.
function(add_mulligan_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;DEPS;LABELS")
  if(NOT MULLIGAN_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_LABELS)
    message(FATAL_ERROR "add_mulligan_test(${name}): LABELS is missing, "
                        "see cmake/mulligan_targets.cmake")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_mulligan_executable(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS}
                          mulligan_testing GTest::gmock GTest::gtest_main)
  # Has the printers for rows of parametrized tests.
  target_include_directories(${name} BEFORE
                             PRIVATE "${PROJECT_SOURCE_DIR}/tests/testing")
  # Tests run once but took most of the time of a release build. Tested code
  # keeps its flags.
  mulligan_optimise(${name} -O0)
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                       "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/tests")
  if("unit" IN_LIST arg_LABELS)
    add_dependencies(mulligan_unit_tests ${name})
  endif()
  # PRE_TEST: sanitizer builds must not run binaries while building.
  gtest_discover_tests(
    ${name}
    DISCOVERY_MODE PRE_TEST
    # Test names without the bytes of GetParam().
    NO_PRETTY_VALUES
    DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# A test that is a program or script; exit code 77 means skipped.
function(add_mulligan_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_test(
    NAME ${name}
    COMMAND ${arg_COMMAND}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(
    ${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
                       SKIP_RETURN_CODE 77)
endfunction()

function(add_mulligan_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  # Also built with the tests, so that breakage is found early.
  if(NOT MULLIGAN_BUILD_BENCHMARKS AND NOT MULLIGAN_BUILD_TESTS)
    return()
  endif()
  add_mulligan_executable(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                       "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/benchmark")
endfunction()

# The source defines LLVMFuzzerTestOneInput. CORPUS is the folder of seeds for
# scripts/fuzz.
function(add_mulligan_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;DEPS")
  if(NOT MULLIGAN_BUILD_FUZZERS)
    return()
  endif()
  add_mulligan_executable(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                       "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/fuzz")
  add_dependencies(mulligan_fuzzers ${name})
  file(WRITE "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/fuzz/${name}.corpus"
       "${arg_CORPUS}\n")
endfunction()

if(MULLIGAN_BUILD_TESTS)
  include(GoogleTest)
  add_custom_target(mulligan_unit_tests)  # every test labelled `unit`
endif()
if(MULLIGAN_BUILD_FUZZERS)
  add_custom_target(mulligan_fuzzers)
endif()
