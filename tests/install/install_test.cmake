# cmake -DBUILD_DIR=... -DWORK_DIR=... -DCOMPILER=... -P install_test.cmake
set(prefix ${WORK_DIR}/prefix)
set(consumer_build ${WORK_DIR}/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer_build})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${consumer_build} -G Ninja
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${consumer_build})
run(${consumer_build}/consumer)
run(${CMAKE_CURRENT_LIST_DIR}/run_example.sh ${prefix}/bin/vicinity-server
  ${consumer_build}/example ${WORK_DIR})

foreach(program vicinity-server vicinity-token vicinity-bots vicinity-query vicinity-replay)
  run(${prefix}/bin/${program} --help OUTPUT_QUIET)
endforeach()
foreach(file share/vicinity/proto/client.fbs share/doc/vicinity/LICENSE
    share/doc/vicinity/README.md share/doc/vicinity/SECURITY.md share/doc/vicinity/CHANGELOG.md
    share/doc/vicinity/server/wire/WIRE_FORMAT.md share/doc/vicinity/docs/DEPLOYING.md
    share/doc/vicinity/examples/vicinity.toml share/vicinity/prometheus/rules.yml
    share/vicinity/grafana/dashboards/vicinity-overview.json
    lib/systemd/system/vicinity.service lib/sysusers.d/vicinity.conf)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
