include(GNUInstallDirs)

# vicinity_module(NAME [DEPENDS module ...] [LIBS target ...] [PRIVATE_LIBS target ...])
# One static library per folder of server/: vicinity_NAME from NAME/*.cpp and one level of subfolders,
# or an interface library when the folder holds headers only.
function(vicinity_module name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBS;PRIVATE_LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM arg_DEPENDS PREPEND vicinity_)
  if(sources)
    add_library(vicinity_${name} STATIC ${sources})
    target_include_directories(vicinity_${name} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/server>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/vicinity>)
    target_link_libraries(vicinity_${name} PUBLIC ${arg_DEPENDS} ${arg_LIBS}
      PRIVATE ${arg_PRIVATE_LIBS} $<BUILD_INTERFACE:vicinity_options>)
  else()
    add_library(vicinity_${name} INTERFACE)
    target_include_directories(vicinity_${name} INTERFACE
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/server>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/vicinity>)
    target_link_libraries(vicinity_${name} INTERFACE ${arg_DEPENDS} ${arg_LIBS})
  endif()
  target_compile_features(vicinity_${name} INTERFACE cxx_std_20)
endfunction()
