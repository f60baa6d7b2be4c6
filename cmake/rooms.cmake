# One static library per room of lib/gpumuster. A room links what it may include, so that an
# include against the architecture also fails to link.

add_library(gpumuster_warnings INTERFACE)
target_compile_options(gpumuster_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  # g++ 12 warns on designated initialisers that leave a member to its default.
  -Wno-missing-field-initializers)

if(GPUMUSTER_SANITIZE)
  add_compile_options(-fsanitize=${GPUMUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GPUMUSTER_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND GPUMUSTER_SANITIZE MATCHES "undefined")
    # clang 14 reports a wrong function type at every resumed coroutine.
    add_compile_options(-fno-sanitize=function)
  endif()
endif()

# gpumuster_room(<folder> [LINK <targets>…] [PRIVATE <targets>…])
function(gpumuster_room room)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name ${room})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/gpumuster/${room}/*.cpp)
  if(sources)
    add_library(gpumuster_${name} STATIC ${sources})
    target_include_directories(gpumuster_${name} PUBLIC ${PROJECT_SOURCE_DIR}/lib)
    target_link_libraries(gpumuster_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE} gpumuster_warnings)
  else()
    add_library(gpumuster_${name} INTERFACE)
    target_include_directories(gpumuster_${name} INTERFACE ${PROJECT_SOURCE_DIR}/lib)
    target_link_libraries(gpumuster_${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()
