# Libraries that the benchmarks compare with, one interface library for each that is installed:
# vicinity_peer_embree, vicinity_peer_bullet, vicinity_peer_fcl. Nothing else may use them, and
# nothing needs them. Sanitizers do not see into them, so that builds with one go without.

# vicinity_peer(NAME HEADERS header ... [SUFFIXES folder ...] LIBRARIES library ...)
# HEADERS as they are included; SUFFIXES: folders below the include folders to look in as well.
function(vicinity_peer name)
  cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS;SUFFIXES" ${ARGN})
  set(found "")
  foreach(header IN LISTS arg_HEADERS)
    string(MAKE_C_IDENTIFIER "VICINITY_PEER_${header}" variable)
    find_path(${variable} ${header} PATH_SUFFIXES ${arg_SUFFIXES})
    mark_as_advanced(${variable})
    list(APPEND found ${${variable}})
    list(APPEND folders ${${variable}})
  endforeach()
  foreach(library IN LISTS arg_LIBRARIES)
    string(MAKE_C_IDENTIFIER "VICINITY_PEER_lib${library}" variable)
    find_library(${variable} ${library})
    mark_as_advanced(${variable})
    list(APPEND found ${${variable}})
    list(APPEND libraries ${${variable}})
  endforeach()
  if(VICINITY_SANITIZE OR found MATCHES "NOTFOUND")
    message(STATUS "Benchmarks: without ${name}")
    return()
  endif()
  add_library(vicinity_peer_${name} INTERFACE)
  target_include_directories(vicinity_peer_${name} SYSTEM INTERFACE ${folders})
  target_link_libraries(vicinity_peer_${name} INTERFACE ${libraries})
endfunction()

find_path(VICINITY_PEER_EMBREE_4 embree4/rtcore.h)
mark_as_advanced(VICINITY_PEER_EMBREE_4)
if(VICINITY_PEER_EMBREE_4)
  vicinity_peer(embree HEADERS embree4/rtcore.h LIBRARIES embree4)
else()
  vicinity_peer(embree HEADERS embree3/rtcore.h LIBRARIES embree3)
endif()
vicinity_peer(bullet
  HEADERS BulletCollision/BroadphaseCollision/btDbvtBroadphase.h SUFFIXES bullet
  LIBRARIES BulletCollision LinearMath)
vicinity_peer(fcl
  HEADERS fcl/broadphase/broadphase_dynamic_AABB_tree.h Eigen/Core octomap/octomap.h ccd/ccd.h
  SUFFIXES eigen3 LIBRARIES fcl ccd)
