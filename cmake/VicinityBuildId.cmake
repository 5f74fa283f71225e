# VICINITY_BUILD: which sources these are, for people who compare two servers. As given, or what git
# says when the build is configured; "unknown" without git, as in a tarball. Never a path or a host.
set(VICINITY_BUILD_ID "" CACHE STRING "Build id of the programs; empty: what git describe says")
set(VICINITY_BUILD "${VICINITY_BUILD_ID}")
if(VICINITY_BUILD STREQUAL "" AND EXISTS ${CMAKE_SOURCE_DIR}/.git)
  find_program(VICINITY_GIT git)
  mark_as_advanced(VICINITY_GIT)
  if(VICINITY_GIT)
    execute_process(COMMAND ${VICINITY_GIT} describe --always --dirty --abbrev=12
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE VICINITY_BUILD
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(NOT VICINITY_BUILD MATCHES "^[0-9A-Za-z.-]+$")
  set(VICINITY_BUILD unknown)
endif()
# What every program says with --version.
set(VICINITY_FULL_VERSION "${PROJECT_VERSION}+${VICINITY_BUILD}")
