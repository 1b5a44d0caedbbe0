# Debian's packages, by `cpack`: qa-host (program), libqa-host1 (library, with the scripts that it runs and what reads
# text off pixels), libqa-host-dev. The program has the library's code in itself, but shares those files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME qa-host)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "qa-host maintainers <maintainers@qa-host.invalid>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What is loaded at its first use (host/lazy_library.h), dpkg-shlibdeps does not see.
set(loaded "libssl3, libsqlite3-0, libisal2")
set(own "libqa-host${QA_HOST_ABI} (= ${PROJECT_VERSION})")
set(about
    "qa-host plays a browser game in a real Chromium and says, with\nevidence, whether it works.\nThis package has")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME qa-host)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS
    "${own}, ${loaded}, chromium-headless-shell | chromium, fonts-liberation | fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "tesseract-ocr-eng, fonts-dejavu-core, ca-certificates")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "plays browser games and judges whether they work\n${about} the program.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libqa-host${QA_HOST_ABI})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${loaded}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "chromium-headless-shell | chromium, tesseract-ocr-eng, ca-certificates")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "library that plays browser games and judges them\n${about} the library and its scripts.")
file(WRITE ${CMAKE_BINARY_DIR}/control/shlibs
     "libqa_host ${QA_HOST_ABI} libqa-host${QA_HOST_ABI} (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_BINARY_DIR}/control/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/control/shlibs ${CMAKE_BINARY_DIR}/control/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libqa-host-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${own}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "headers of the library that plays browser games\n${about} what programs are compiled with.")

string(TIMESTAMP QA_CHANGELOG_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/changelog.in changelog @ONLY)
add_custom_command(OUTPUT changelog.gz COMMAND gzip -9nkf changelog DEPENDS ${CMAKE_BINARY_DIR}/changelog VERBATIM)
add_custom_target(qa_changelog ALL DEPENDS changelog.gz)
foreach(component program library development)
  string(TOUPPER ${component} name)
  install(FILES ${CMAKE_BINARY_DIR}/copyright ${CMAKE_BINARY_DIR}/changelog.gz COMPONENT ${component}
          DESTINATION share/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME})
endforeach()
include(CPack)
