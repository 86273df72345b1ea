# Everything comes from Debian 12, where protobuf has no CMake config:
# FindProtobuf must run before gRPC's config looks for it. RE2's find module
# comes with gRPC.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
set(Protobuf_USE_STATIC_LIBS ${MULLIGAN_STATIC_PROTOBUF})
find_package(Protobuf REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(re2 REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(civetweb CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)

# Debian's CMake targets name the shared libraries, which have archives next to
# them. The targets' order is sufficient for the linker.
if(MULLIGAN_STATIC_GRPC)
  get_directory_property(targets IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    foreach(property IN ITEMS IMPORTED_LOCATION IMPORTED_LOCATION_NONE
                              IMPORTED_LOCATION_RELEASE
                              IMPORTED_LOCATION_RELWITHDEBINFO)
      get_target_property(library ${target} ${property})
      if(library MATCHES
         "^(.*/lib(absl_|address_sorting|cares|gpr|grpc|re2|upb)[^/]*)\\.so")
        set_target_properties(${target} PROPERTIES ${property}
                                                   "${CMAKE_MATCH_1}.a")
      endif()
    endforeach()
  endforeach()
  find_library(MULLIGAN_RE2_ARCHIVE libre2.a REQUIRED)
  mark_as_advanced(MULLIGAN_RE2_ARCHIVE)
  set_target_properties(
    re2::re2 PROPERTIES INTERFACE_LINK_LIBRARIES
                        "${MULLIGAN_RE2_ARCHIVE};Threads::Threads")
endif()

if(MULLIGAN_USE_MIMALLOC)
  find_package(mimalloc CONFIG REQUIRED)
endif()
if(MULLIGAN_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()
if(MULLIGAN_BUILD_BENCHMARKS)
  find_package(benchmark CONFIG REQUIRED)
endif()
