# What `cmake --install` puts where (host/installation.h). A prefix can be moved: nothing in it names its place.
# Components: program, library, development; each is a package of packaging/debian.cmake.
option(QA_DEBIAN "Lay out documents as Debian's policy asks for: what ./dev package sets" OFF)
set(QA_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/qa_host)

install(TARGETS qa-host DESTINATION bin COMPONENT program)
install(DIRECTORY scripts strategies DESTINATION share/qa-host COMPONENT library)
if(TARGET qa_ocr)
  install(TARGETS qa_ocr DESTINATION ${CMAKE_INSTALL_LIBDIR}/qa-host COMPONENT library)
endif()

# The library: find_package(qa_host) gives qa_host::qa_host, pkg-config knows qa_host.
install(TARGETS qa_host_shared EXPORT qa_host LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        NAMELINK_COMPONENT development)
file(GLOB QA_HEADERS CONFIGURE_DEPENDS bindings/qa_host.h bindings/qa_host.hpp)
install(FILES ${QA_HEADERS} DESTINATION include COMPONENT development)
install(EXPORT qa_host FILE qa_host-config.cmake NAMESPACE qa_host:: DESTINATION ${QA_CMAKE_FOLDER}
        COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/qa_host-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/qa_host-config-version.cmake DESTINATION ${QA_CMAKE_FOLDER} COMPONENT development)
file(RELATIVE_PATH QA_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(packaging/qa_host.pc.in qa_host.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/qa_host.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Manual page and completions, from what the program says of itself. SOURCE_DATE_EPOCH sets the date.
string(TIMESTAMP QA_DATE "%Y-%m-%d" UTC)
file(GLOB COMMAND_FILES CONFIGURE_DEPENDS scripts/commands/*.lua)
set(QA_DOCUMENTS)
function(qa_document kind folder name)
  set(file ${CMAKE_BINARY_DIR}/${folder}/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  add_custom_command(
    OUTPUT ${file}
    COMMAND qa-host --allow-process ${CMAKE_SOURCE_DIR}/packaging/documents.lua ${kind} $<TARGET_FILE:qa-host>
            ${QA_DATE} > ${file}
    DEPENDS qa-host packaging/documents.lua ${COMMAND_FILES} VERBATIM)
  if(QA_DEBIAN AND kind STREQUAL man)
    add_custom_command(OUTPUT ${file}.gz COMMAND gzip -9nkf ${file} DEPENDS ${file} VERBATIM)
    string(APPEND file .gz)
  endif()
  set(QA_DOCUMENTS ${QA_DOCUMENTS} ${file} PARENT_SCOPE)
  install(FILES ${file} DESTINATION ${folder} COMPONENT program)
endfunction()
qa_document(man share/man/man1 qa-host.1)
qa_document(bash share/bash-completion/completions qa-host)
if(QA_DEBIAN)
  qa_document(zsh share/zsh/vendor-completions _qa-host)
else()
  qa_document(zsh share/zsh/site-functions _qa-host)
endif()
add_custom_target(qa_documents ALL DEPENDS ${QA_DOCUMENTS})

# Licences of what program and library have in them. That of Boost asks for nothing in a program.
set(QA_COPYRIGHT "qa-host ${PROJECT_VERSION}: what is linked into program and library has these terms.\n")
foreach(package libluajit-5.1-dev libfmt-dev nlohmann-json3-dev libcli11-dev libdeflate-dev libstb-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright terms)
    string(APPEND QA_COPYRIGHT "\n---- ${package}\n\n${terms}")
  endif()
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/copyright "${QA_COPYRIGHT}")
if(QA_DEBIAN)
  include(packaging/debian.cmake)
else()
  install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION share/doc/qa-host COMPONENT program)
endif()
