# Every dependency is a Debian package. What is missing is reported together, each with the package
# that brings it, so that one apt-get line settles it.
include(FindPkgConfig)

set(GPUMUSTER_MISSING "")
set(GPUMUSTER_FOUND "")

function(gpumuster_note name version package)
  if(version)
    list(APPEND GPUMUSTER_FOUND "${name} ${version}")
  else()
    list(APPEND GPUMUSTER_MISSING "${name} (package ${package})")
  endif()
  set(GPUMUSTER_FOUND "${GPUMUSTER_FOUND}" PARENT_SCOPE)
  set(GPUMUSTER_MISSING "${GPUMUSTER_MISSING}" PARENT_SCOPE)
endfunction()

# A header-only library without a CMake package of its own: found by a header, its version read
# from a #define in it.
function(gpumuster_header_version variable file pattern)
  set(${variable} "" PARENT_SCOPE)
  find_file(path_${variable} ${file})
  if(path_${variable})
    file(STRINGS ${path_${variable}} line REGEX "${pattern}" LIMIT_COUNT 1)
    string(REGEX REPLACE ".*${pattern}.*" "\\1" version "${line}")
    set(${variable} "${version}" PARENT_SCOPE)
  endif()
endfunction()

find_package(Threads REQUIRED)

find_package(fmt QUIET)
gpumuster_note(fmt "${fmt_VERSION}" libfmt-dev)
find_package(spdlog QUIET)
gpumuster_note(spdlog "${spdlog_VERSION}" libspdlog-dev)
find_package(nlohmann_json QUIET)
gpumuster_note(nlohmann-json "${nlohmann_json_VERSION}" nlohmann-json3-dev)
find_package(CLI11 QUIET)
gpumuster_note(CLI11 "${CLI11_VERSION}" libcli11-dev)
find_package(tl-expected QUIET)
gpumuster_note(tl-expected "${tl-expected_VERSION}" libexpected-dev)
find_package(yaml-cpp QUIET)
gpumuster_note(yaml-cpp "${yaml-cpp_VERSION}" libyaml-cpp-dev)
find_package(OpenSSL QUIET)
gpumuster_note(OpenSSL "${OPENSSL_VERSION}" libssl-dev)
pkg_check_modules(libssh QUIET IMPORTED_TARGET libssh>=0.10.6)
gpumuster_note(libssh "${libssh_VERSION}" libssh-dev)
gpumuster_header_version(asio_version asio/version.hpp "ASIO_VERSION ([0-9]+)")
gpumuster_note(Asio "${asio_version}" libasio-dev)
if(GPUMUSTER_TESTS)
  find_package(Catch2 QUIET)
  gpumuster_note(Catch2 "${Catch2_VERSION}" catch2)
endif()

if(GPUMUSTER_MISSING)
  list(JOIN GPUMUSTER_MISSING ", " missing)
  message(FATAL_ERROR "missing: ${missing}; on Debian, ./scripts/install-packages installs them all")
endif()

# The names that rooms link against.
add_library(gpumuster_asio INTERFACE)
target_compile_definitions(gpumuster_asio INTERFACE ASIO_NO_DEPRECATED ASIO_NO_TYPEID
  # Asio 1.22 takes aligned_alloc only where a standard header came before it, so that files disagree
  # on what frees a coroutine's frame (found by asan).
  ASIO_DISABLE_STD_ALIGNED_ALLOC
  # clang 14 has coroutines, but Asio 1.22 only looks for them under other compilers.
  $<$<CXX_COMPILER_ID:Clang>:ASIO_HAS_CO_AWAIT>)
target_link_libraries(gpumuster_asio INTERFACE Threads::Threads)

add_library(gpumuster_yaml INTERFACE)
target_link_libraries(gpumuster_yaml INTERFACE yaml-cpp)
add_library(gpumuster_libssh INTERFACE)
target_link_libraries(gpumuster_libssh INTERFACE PkgConfig::libssh)

function(gpumuster_print_summary)
  list(JOIN GPUMUSTER_FOUND ", " found)
  message(STATUS "gpumuster ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, "
                 "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  message(STATUS "with ${found}")
  if(GPUMUSTER_SANITIZE)
    message(STATUS "sanitizers: ${GPUMUSTER_SANITIZE}")
  endif()
endfunction()
