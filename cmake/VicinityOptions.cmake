# Flags that every target of the project shares, as the interface library vicinity_options.
add_library(vicinity_options INTERFACE)
# No contraction of a*b+c into a fused operation: results must be the same with every instruction
# set and build type.
target_compile_options(vicinity_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
  $<$<BOOL:${VICINITY_WERROR}>:-Werror>)
# Where g++ 12 optimises, these warn inside its own library about what cannot happen
# (std::vector::insert, std::string +, std::optional). AddressSanitizer finds the true cases.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   (VICINITY_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug"))
  target_compile_options(vicinity_options INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-maybe-uninitialized
    -Wno-stringop-overflow -Wno-stringop-overread)
endif()

if(VICINITY_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -O1)
  add_link_options(-fsanitize=address,undefined)
elseif(VICINITY_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -O1)
  add_link_options(-fsanitize=thread)
elseif(VICINITY_SANITIZE STREQUAL "fuzzer")
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(NOT VICINITY_SANITIZE STREQUAL "")
  message(FATAL_ERROR "VICINITY_SANITIZE is '${VICINITY_SANITIZE}'; allowed: empty, address, thread, fuzzer")
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
