# What `cmake --install` puts where: host/installation.h. A prefix can be moved: nothing in it names its place.

install(TARGETS qa-host DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY scripts strategies DESTINATION share/qa-host)
if(TARGET qa_ocr)
  install(TARGETS qa_ocr DESTINATION ${CMAKE_INSTALL_LIBDIR}/qa-host)
endif()
