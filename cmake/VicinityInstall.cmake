# What `cmake --install` puts in place: the programs, the client library with a CMake package
# (find_package(vicinity CONFIG), target vicinity::client), its headers and the schemas, the unit
# for systemd, the documents.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS vicinity-server vicinity-token vicinity-bots vicinity-query vicinity-replay
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

foreach(part client geometry base asio)
  set_target_properties(vicinity_${part} PROPERTIES EXPORT_NAME ${part})
endforeach()
install(TARGETS vicinity_client vicinity_geometry vicinity_base vicinity_asio EXPORT vicinityTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The public headers: those of the client and the value headers that they include. Everything else
# is the server's own business. The install test compiles a program against just these.
set(public_headers
  client/blocking.h client/client.h client/client_event.h client/connection.h client/frame.h
  client/interpolator.h client/reconnect.h client/replica.h
  server/base/aabb.h server/base/error.h server/base/ids.h server/base/result.h server/base/vec.h
  server/base/check.h server/base/limits.h server/base/prng.h
  server/geometry/angle.h server/geometry/convex_hull.h server/geometry/pose.h
  server/geometry/primitive.h server/geometry/quat.h server/geometry/shape.h
  server/geometry/triangle_mesh.h server/geometry/vec_math.h
  server/index/index_place.h
  server/query/explain_text.h server/query/explain_types.h server/query/query_types.h
  server/world/command.h server/world/filter.h server/world/reasons.h)
foreach(header IN LISTS public_headers)
  string(REGEX REPLACE "^server/" "" target ${header})
  get_filename_component(folder ${target} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vicinity/${folder})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vicinity)
install(EXPORT vicinityTargets NAMESPACE vicinity:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/vicinityConfig.cmake.in
  ${CMAKE_BINARY_DIR}/vicinityConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/vicinityConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/vicinityConfig.cmake
  ${CMAKE_BINARY_DIR}/vicinityConfigVersion.cmake DESTINATION ${package_dir})

install(FILES proto/common.fbs proto/client.fbs proto/view.fbs proto/explain.fbs proto/server.fbs
  DESTINATION ${CMAKE_INSTALL_DATADIR}/vicinity/proto)
# Where systemd looks below /usr and /usr/local: not in ${CMAKE_INSTALL_LIBDIR}, which may be
# lib/x86_64-linux-gnu.
install(FILES docker/systemd/vicinity.service DESTINATION lib/systemd/system)
install(FILES docker/systemd/vicinity.sysusers DESTINATION lib/sysusers.d RENAME vicinity.conf)
install(FILES docker/systemd/vicinity.toml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# In the folders of the sources, so that links between them lead somewhere.
install(FILES LICENSE README.md SECURITY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES server/wire/WIRE_FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/server/wire)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
install(DIRECTORY docker/prometheus docker/grafana DESTINATION ${CMAKE_INSTALL_DATADIR}/vicinity)
