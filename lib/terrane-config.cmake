# libterrane for CMake: find_package(terrane) and target_link_libraries(game terrane::terrane). It may lie under any prefix.
get_filename_component(_terrane_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET terrane::terrane)
  add_library(terrane::terrane STATIC IMPORTED)
  set_target_properties(terrane::terrane PROPERTIES
    IMPORTED_LOCATION "${_terrane_prefix}/lib/libterrane.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${_terrane_prefix}/include")
endif()
unset(_terrane_prefix)
