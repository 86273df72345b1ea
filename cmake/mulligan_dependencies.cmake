# Everything comes from Debian 12. The order matters: protobuf has no CMake
# config there, so FindProtobuf must run before gRPC's config looks for it, and
# the find module for RE2 arrives with gRPC.

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

if(MULLIGAN_USE_MIMALLOC)
  find_package(mimalloc CONFIG REQUIRED)
endif()
if(MULLIGAN_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()
if(MULLIGAN_BUILD_BENCHMARKS)
  find_package(benchmark CONFIG REQUIRED)
endif()
