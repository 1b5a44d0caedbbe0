# What `cmake --install` puts where (host/installation.h). A prefix can be moved: nothing in it names its place.
option(QA_DEBIAN "Lay out documents as Debian's policy asks for: what ./dev package sets" OFF)

install(TARGETS qa-host DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY scripts strategies DESTINATION share/qa-host)
if(TARGET qa_ocr)
  install(TARGETS qa_ocr DESTINATION ${CMAKE_INSTALL_LIBDIR}/qa-host)
endif()

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
  set(QA_DOCUMENTS ${QA_DOCUMENTS} ${file} PARENT_SCOPE)
  install(FILES ${file} DESTINATION ${folder})
endfunction()
qa_document(man share/man/man1 qa-host.1)
qa_document(bash share/bash-completion/completions qa-host)
if(QA_DEBIAN)
  qa_document(zsh share/zsh/vendor-completions _qa-host)
else()
  qa_document(zsh share/zsh/site-functions _qa-host)
endif()
add_custom_target(qa_documents ALL DEPENDS ${QA_DOCUMENTS})
