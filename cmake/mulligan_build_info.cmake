# Target mulligan_build_info: the header mulligan_build_info.h with version and
# commit. Without git it is MULLIGAN_GIT_COMMIT or "unknown".

set(MULLIGAN_GIT_COMMIT "" CACHE STRING "Commit to report instead of git's")
set(mulligan_commit "${MULLIGAN_GIT_COMMIT}")
if(NOT mulligan_commit)
  find_program(MULLIGAN_GIT git)
  mark_as_advanced(MULLIGAN_GIT)
  if(MULLIGAN_GIT)
    execute_process(
      COMMAND "${MULLIGAN_GIT}" rev-parse --short=12 HEAD
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE mulligan_commit
      OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET)
  endif()
endif()
if(NOT mulligan_commit MATCHES "^[0-9a-f]+$")
  set(mulligan_commit unknown)
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/mulligan_build_info.h.in"
               "${PROJECT_BINARY_DIR}/generated/mulligan_build_info.h" @ONLY)
add_library(mulligan_build_info INTERFACE)
target_include_directories(mulligan_build_info
                           INTERFACE "${PROJECT_BINARY_DIR}/generated")
